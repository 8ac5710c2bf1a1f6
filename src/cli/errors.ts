/**
 * Defines the exit codes, the error for wrong input, which code of an error leads to which exit code, and which errors
 * are shown as one sentence instead of a stack trace.
 */
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import type { ErrorCode } from '../core/errors/error-code.ts'

export const EXIT = { ok: 0, failed: 1, usage: 2, budget: 3, unavailable: 4, removed: 5 } as const

/** What each exit code means: for --help, the page of the manual and docs/guide/errors.md. */
export const EXIT_MEANINGS: Readonly<Record<(typeof EXIT)[keyof typeof EXIT], string>> = {
  0: 'success',
  1: 'a promise was broken, the work failed, a check found a fault, or a member did not answer or refused',
  2: 'wrong input, which stays wrong: do not start it again',
  3: 'the budget ran out',
  4: 'an address, an engine or a state file cannot be used now: start it again later',
  5: 'the group has removed this member: do not start it again',
}

/** No member answers, or the one that was asked does not. */
export class UnreachableError extends BellwetherError {
  override readonly name = 'UnreachableError'
  readonly code = 'unreachable'
}

/** Wrong input that no other layer checks. */
export class UsageError extends BellwetherError {
  override readonly name = 'UsageError'
  readonly code = 'usage'
}

/** What may work later without a change of the input; every other error is wrong input. */
const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set(['listen', 'engine', 'locked'])

export function exitCodeOf(error: unknown): number {
  const code = error instanceof BellwetherError ? error.code : undefined
  if (code === 'unreachable') return EXIT.failed
  return code !== undefined && UNAVAILABLE.has(code) ? EXIT.unavailable : EXIT.usage
}

/** The sentence for an error that the user can act on; undefined for a defect of this program. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof BellwetherError) return error.message
  const code = (error as NodeJS.ErrnoException | null)?.code
  if (typeof code === 'string' && error instanceof Error && 'path' in error) {
    return `${String(error.path)}: ${FILE_PROBLEMS[code] ?? code}`
  }
  return undefined
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'is a folder, not a file',
  EEXIST: 'exists and is not a folder',
  ENOTDIR: 'is not a folder',
  EROFS: 'the disk is read-only',
  ENOSPC: 'no space left on the disk',
}
