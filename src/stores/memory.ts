/** Keeps nothing beyond the process: for tests, and for members whose promises may die with them. */
import { StoreError, type Store, type Stored } from './store.ts'

export class MemoryStore implements Store {
  private stored: Stored | null = null
  private open = true

  read(): Stored | null {
    this.check()
    return this.stored
  }

  write(stored: Stored): void {
    this.check()
    this.stored = structuredClone(stored)
  }

  /** What was written stays: the next life of a member in a test opens the store again. */
  close(): void {
    this.open = false
  }

  reopen(): void {
    this.open = true
  }

  private check(): void {
    if (!this.open) throw new StoreError('the store is closed')
  }
}
