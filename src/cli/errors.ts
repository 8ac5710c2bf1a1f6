/**
 * Defines the exit codes, the error for wrong input, which code of an error leads to which exit code, and which errors
 * are shown as one sentence instead of a stack trace.
 */
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import type { ErrorCode } from '../core/errors/error-code.ts'

export const EXIT = { ok: 0, failed: 1, usage: 2, budget: 3, unavailable: 4, removed: 5 } as const

/** Wrong input that no other layer checks. */
export class UsageError extends BellwetherError {
  override readonly name = 'UsageError'
  readonly code = 'usage'
}

/** What may work later without a change of the input; every other error is wrong input. */
const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set(['listen', 'engine'])

export function exitCodeOf(error: unknown): number {
  const isUnavailable = error instanceof BellwetherError && UNAVAILABLE.has(error.code)
  return isUnavailable ? EXIT.unavailable : EXIT.usage
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
