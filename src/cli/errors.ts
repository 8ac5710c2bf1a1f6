/** What every verb does with bad input: one sentence on stderr, exit 2, never a stack trace. */
/** Exit codes of every verb. */
export const EXIT = { ok: 0, failed: 1, usage: 2, budget: 3 } as const

/** A usage error that no other layer knows of. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Errors of other layers that the user can act on. Known by name: no verb loads what it does not use. */
const ACTIONABLE = new Set([
  'InputError',
  'ConfigurationError',
  'SimConfigError',
  'StoreError',
  'TransportError',
  'EngineError',
  'EngineResetError',
  'MissingClientError',
  'TraceError',
  'StepError',
  'CodecError',
  'CounterError',
  'StaleLetterError',
])

/** The sentence for an error that the user can act on; undefined for a defect of ours. */
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
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'is a folder, not a file',
  EEXIST: 'is there already, and is no folder',
  ENOTDIR: 'is no folder',
  EROFS: 'the disk is read-only',
  ENOSPC: 'no space left on the disk',
}
