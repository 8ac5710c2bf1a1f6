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

/** Why the system cannot use a file now: a full, read-only or broken disk, too many open files. */
const UNUSABLE_NOW: ReadonlySet<unknown> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
])

export function exitCodeOf(error: unknown): number {
  const code = error instanceof BellwetherError ? error.code : undefined
  if (code === 'unreachable') return EXIT.failed
  const mayPass =
    (code !== undefined && UNAVAILABLE.has(code)) ||
    UNUSABLE_NOW.has(systemCodeOf(error)) ||
    (error instanceof BellwetherError && UNUSABLE_NOW.has(systemCodeOf(error.cause)))
  return mayPass ? EXIT.unavailable : EXIT.usage
}

function systemCodeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException | null | undefined)?.code
}

/** The sentence for an error that the user can act on; undefined for a defect of this program. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof BellwetherError) return error.message
  const code = systemCodeOf(error)
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
  EDQUOT: 'the quota of the disk is used up',
  EMFILE: 'this process has too many open files',
  ENFILE: 'this machine has too many open files',
}
