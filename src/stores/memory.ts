/** Keeps a member's store in memory: for tests, and for members whose stable fields need not survive the process. */
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

  /** What was written stays: a test opens the store again for the next incarnation. */
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
