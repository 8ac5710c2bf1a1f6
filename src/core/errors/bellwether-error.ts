/** The base class of every error that a user or an operator can act on. */
import type { ErrorCode } from './error-code.ts'

/** Its message says what to do, `code` is stable, and `cause` is the error beneath it, if there is one. */
export abstract class BellwetherError extends Error {
  abstract readonly code: ErrorCode
}
