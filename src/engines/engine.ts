/**
 * An engine is an outside system that arbitrates: it keeps one register for each group, and whoever wins an
 * election takes the next token from it before it leads. Election and detection stay ours.
 *
 * A register changes hands by compare-and-set only, and its token rises with every change. Nothing in it runs
 * out by itself: a holder shows that it lives by moving `beat`, and whoever cares watches that with a
 * monotonic clock of its own. So no engine's TTL, and no clock of a server, is relied on.
 */
import type { Json } from '../core/schema.ts'

export interface Register {
  /** Rises with every change of hands. 0: nobody has ever held it. */
  readonly token: number
  /** The member that took the token; empty after a reseed and before the first take. */
  readonly holder: string
  readonly metadata: Json
  /** Moves while the holder renews. */
  readonly beat: number
  /** What a reseed added to the numbers of an engine that counts by itself. */
  readonly offset: number
}

/** The register of a group that nobody has ever led. */
export const EMPTY: Register = {
  token: 0,
  holder: '',
  metadata: null,
  beat: 0,
  offset: 0,
}

export interface Claim {
  readonly holder: string
  readonly metadata: Json
}

export interface Watcher {
  /** The register as it is now: first what it is at the start, then the latest. */
  changed(register: Register): void
}

/**
 * Every call is bounded by its signal and rejects with EngineError when the engine cannot be reached, does
 * not answer in time, or answers nonsense. What was sent may have been done all the same.
 */
export interface Engine {
  readonly name: string
  /** Finds its client, before anything depends on it. Rejects with MissingClientError. */
  load(): Promise<void>
  /** The register as of some moment after the call. */
  read(group: string, signal: AbortSignal): Promise<Register>
  /** Takes the next token if the register still has the token `from.token`; null if it has another one. */
  take(group: string, from: Register, claim: Claim, signal: AbortSignal): Promise<Register | null>
  /** Moves the beat while the register still has this token; false if it has another one. */
  renew(group: string, held: Register, signal: AbortSignal): Promise<boolean>
  /** Tells changes of token and holder until the signal is aborted, through losses of the connection. */
  watch(group: string, watcher: Watcher, signal: AbortSignal): void
  /** The operator's: lets tokens rise from above this one, held by nobody. */
  reseed(group: string, above: number, signal: AbortSignal): Promise<Register>
  /** Ends connections. An engine belongs to one election, which closes it. */
  close(): Promise<void>
}

/** The engine did not do, or did not say whether it did, what it was asked. */
export class EngineError extends Error {
  override readonly name: string = 'EngineError'
}

/** The package that an engine talks through is not installed. */
export class MissingClientError extends EngineError {
  override readonly name = 'MissingClientError'
}

/** Loads the client of an engine, which is the user's to install. */
export async function client<T>(engine: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause
    throw new MissingClientError(
      `the engine ${engine} needs the package ${name}: run "npm install ${name}"`,
      { cause },
    )
  }
}

/** Whatever went wrong, as an EngineError that names the engine. */
export function failure(engine: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new EngineError(`${engine}: ${reason}`, { cause })
}

/** Rejects when the signal is aborted, whatever becomes of the work. */
export async function bounded<T>(
  engine: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let give: () => void = () => undefined
  const gaveUp = new Promise<never>((_, reject) => {
    give = () => reject(new EngineError(`${engine} did not answer in time`))
    if (signal.aborted) give()
    else signal.addEventListener('abort', give, { once: true })
  })
  try {
    return await Promise.race([work(), gaveUp])
  } catch (cause) {
    throw failure(engine, cause)
  } finally {
    signal.removeEventListener('abort', give)
  }
}

/** A token that can be compared exactly. */
export function tokenOf(engine: string, given: unknown, offset = 0): number {
  const token = Number(given) + offset
  if (Number.isSafeInteger(token) && token >= 0) return token
  throw new EngineError(`${engine}: ${String(given)} is no token`)
}

/** Whether a watcher would see no difference: the beat is none. */
export function isSame(a: Register | null, b: Register): boolean {
  return a?.token === b.token
}
