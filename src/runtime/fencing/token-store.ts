/** Wraps a store so that it also keeps the largest token that this member has seen, beside the host's stable fields. */
import type { Store, Stored } from '../../stores/store.ts'

/** The dot keeps it apart from the fields of algorithms. */
const FIELD = 'engine.token'

export class TokenStore implements Store {
  largest = 0
  private readonly inner: Store
  private stored: Stored | null = null

  constructor(inner: Store) {
    this.inner = inner
  }

  get place(): string | undefined {
    return this.inner.place
  }

  read(): Stored | null {
    const found = this.inner.read()
    if (found === null) return null
    const { [FIELD]: token = 0, ...state } = found.state
    this.largest = Math.max(this.largest, Number(token))
    this.stored = { ...found, state }
    return this.stored
  }

  write(stored: Stored): void {
    this.stored = stored
    this.save()
  }

  async writeFirst(stored: Stored): Promise<void> {
    const { inner } = this
    if (inner.writeFirst === undefined) return this.write(stored)
    await inner.writeFirst(this.withToken(stored))
    this.stored = stored
  }

  writeSoon(stored: Stored): void {
    const { inner } = this
    if (inner.writeSoon === undefined) return this.write(stored)
    this.stored = stored
    inner.writeSoon(this.withToken(stored))
  }

  /** Durable when it returns. Throws StoreError. */
  see(token: number): void {
    if (token <= this.largest) return
    const before = this.largest
    this.largest = token
    try {
      if (this.stored !== null) this.save()
    } catch (error) {
      this.largest = before
      throw error
    }
  }

  close(): void {
    this.inner.close()
  }

  private save(): void {
    this.inner.write(this.withToken(this.stored!))
  }

  private withToken(stored: Stored): Stored {
    const token = this.largest === 0 ? {} : { [FIELD]: this.largest }
    return { ...stored, state: { ...stored.state, ...token } }
  }
}

/** The largest token that a member has stored: `engine reseed` starts above it. */
export function largestTokenIn(stored: Stored): number {
  return Number(stored.state[FIELD] ?? 0)
}
