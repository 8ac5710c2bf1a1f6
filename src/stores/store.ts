/**
 * The contract of a store, which holds what must survive a crash (incarnation, stable fields, list of members), and
 * its error.
 */
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import type { ErrorCode } from '../core/errors/error-code.ts'
import type { Json } from '../core/schema.ts'

export interface Stored {
  /** How many times this member has started. */
  readonly incarnation: number
  /** The algorithm of the fields: under another one they mean something else. */
  readonly algorithm?: string
  /** The members of the group that it was written under, weakest first. */
  readonly members?: readonly string[]
  /** Drawn when a member that joined a running group first started: a seat belongs to the state that began in it. */
  readonly key?: string
  /** The algorithm's stable fields, members by name. */
  readonly state: { readonly [field: string]: Json }
  /** The version of the format, if an earlier program wrote it. */
  readonly version?: number
}

export interface Store {
  /** Its name in errors, such as the path of a file. */
  readonly place?: string | undefined
  /** What was written last, or null for a member that never ran. Throws StoreError on damage. */
  read(): Stored | null
  /** Durable when it returns. Synchronous: nothing may leave the process before. Throws StoreError. */
  write(stored: Stored): void
  /**
   * Durable when it resolves: the first write of a process, which leaves the event loop free, and can share its syncs with
   * those of other stores. Nothing else is written meanwhile. A store without it uses `write`. Rejects with StoreError.
   */
  writeFirst?(stored: Stored): Promise<void>
  /**
   * Outlives the process when it returns, and a failure of the machine soon after. A store without it writes at once.
   * Throws StoreError.
   */
  writeSoon?(stored: Stored): void
  close(): void
}

/** The store is damaged or cannot be written; the message says what the operator can do. */
export class StoreError extends BellwetherError {
  override readonly name: string = 'StoreError'
  readonly code: ErrorCode = 'store'
}

/** Another process has the state file, or this one in another election: it is free when that one has ended. */
export class StoreLockedError extends StoreError {
  override readonly name = 'StoreLockedError'
  override readonly code = 'locked'
}
