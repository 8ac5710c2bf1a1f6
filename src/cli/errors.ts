/**
 * Defines the exit codes and the error for wrong input, and decides which errors are shown as one sentence instead of
 * a stack trace.
 */

export const EXIT = { ok: 0, failed: 1, usage: 2, budget: 3 } as const

/** Wrong input that no other layer checks. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The names of the errors of other layers that the user can act on: no verb loads a layer only for its errors. */
const ACTIONABLE = new Set([
  'InputError',
  'ConfigurationError',
  'SimConfigError',
  'StoreError',
  'TransportError',
  'EngineError',
  'EngineReset',
  'MissingClientError',
  'TraceError',
  'StepError',
  'CodecError',
  'CounterError',
  'ObsoleteMessageError',
])

/** The sentence for an error that the user can act on; undefined for a defect of this program. */
export function sentenceOf(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message
  if (error instanceof Error && ACTIONABLE.has(error.name)) return error.message
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
