/** Where a member keeps what must survive a crash: its incarnation and the stable fields of its algorithm. */
import type { Json } from '../core/schema.ts'

export interface Stored {
  /** How many times this member has started. */
  readonly incarnation: number
  /** Whose fields they are: under another algorithm they mean something else. */
  readonly algorithm?: string
  /** The algorithm's stable fields, members by name. */
  readonly state: { readonly [field: string]: Json }
}

export interface Store {
  /** What errors call it, such as the path of a file. */
  readonly place?: string | undefined
  /** What was written last, or null for a member that never ran. Throws StoreError on damage. */
  read(): Stored | null
  /** Durable when it returns. Synchronous: nothing may leave the process before. Throws StoreError. */
  write(stored: Stored): void
  close(): void
}

/** The store is damaged or cannot be written; the sentence says what the operator can do. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}
