/**
 * The contract of an engine, an outside system that arbitrates by one register for each group, and what the engines
 * share: errors, time limits, loading of clients, checks of tokens.
 *
 * A register changes hands by compare-and-set only, and its token rises with every change. Nothing in it expires: a
 * holder shows that it is up by moving `beat`, which other members observe with monotonic clocks of their own. So
 * nothing depends on a time to live of an engine, or on the clock of a server.
 */
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import { checkNames, ConfigurationError } from '../core/errors/configuration-error.ts'
import type { ErrorCode } from '../core/errors/error-code.ts'
import type { Json } from '../core/schema.ts'

export interface Register {
  /** Rises with every change of holder. 0: there has been none. */
  readonly token: number
  /** The member that took the token; empty after a reseed and before the first take. */
  readonly holder: string
  readonly metadata: Json
  /** Moves while the holder renews. */
  readonly beat: number
  /** What a reseed has added to the revisions of an engine that counts by itself. */
  readonly offset: number
}

export const EMPTY: Register = { token: 0, holder: '', metadata: null, beat: 0, offset: 0 }

export type Claim = Pick<Register, 'holder' | 'metadata'>

export interface Watcher {
  /** Called with the register as it is at the start, then after each change with the latest. */
  changed(register: Register): void
}

/**
 * Every call is bounded by its signal and rejects with EngineError when the engine cannot be reached, does not
 * answer in time, or gives an invalid answer. The engine may have carried it out all the same.
 */
export interface Engine {
  readonly name: string
  /** Loads its client package. Rejects with MissingClientError. */
  load(): Promise<void>
  /** The register as of some moment after the call. */
  read(group: string, signal: AbortSignal): Promise<Register>
  /** Takes the next token if the register still has the token `from.token`; null if it has another one. */
  take(group: string, from: Register, claim: Claim, signal: AbortSignal): Promise<Register | null>
  /** Moves the beat while the register still has this token; false if it has another one. */
  renew(group: string, held: Register, signal: AbortSignal): Promise<boolean>
  /** Reports changes of token and holder until the signal is aborted; reconnects by itself. */
  watch(group: string, watcher: Watcher, signal: AbortSignal): void
  /** For the operator: sets the token above this one, without a holder. */
  reseed(group: string, above: number, signal: AbortSignal): Promise<Register>
  /** Ends connections. An engine belongs to one election, which closes it. */
  close(): Promise<void>
}

/** The engine did not carry out a call, or did not confirm it. */
export class EngineError extends BellwetherError {
  override readonly name: string = 'EngineError'
  readonly code: ErrorCode = 'engine'
}

export class MissingClientError extends EngineError {
  override readonly name = 'MissingClientError'
  override readonly code = 'missing-client'
}

export async function loadClient<T>(engine: string, name: string, load: () => Promise<T>) {
  return loadPackage(`the engine ${engine}`, name, load)
}

/** Loads a package that the application installs where it needs it. Rejects with MissingClientError. */
export async function loadPackage<T>(user: string, name: string, load: () => Promise<T>) {
  try {
    return await load()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause
    throw new MissingClientError(`${user} needs the package ${name}: run "npm install ${name}"`, {
      cause,
    })
  }
}

/** Turns any error into an EngineError that names the engine. */
export function failure(engine: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new EngineError(`${engine}: ${reason}`, { cause })
}

/** Rejects when the signal is aborted, even if the work goes on. */
export async function bounded<T>(
  engine: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let giveUp: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => reject(new EngineError(`${engine} did not answer in time`))
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
  try {
    return await Promise.race([work(), aborted])
  } catch (cause) {
    throw failure(engine, cause)
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** Throws EngineError unless the token is a safe integer, which can be compared exactly. */
export function tokenOf(engine: string, given: unknown, offset = 0): number {
  const token = Number(given) + offset
  if (Number.isSafeInteger(token) && token >= 0) return token
  throw new EngineError(`${engine}: ${String(given)} is not a token`)
}

/** The largest token that a reseed may start above: as many tokens as there are below it remain. */
export const MAX_SEED = 2 ** 52

/** Throws EngineError, before anything is written, where tokens above this one would soon reach the largest number. */
export function checkSeed(engine: string, above: number): void {
  if (Number.isSafeInteger(above) && above >= 0 && above <= MAX_SEED) return
  throw new EngineError(
    `${engine}: cannot reseed above ${above}: tokens must stay below 2^53, and ${MAX_SEED} is the largest to start ` +
      'from; no engine has ever issued such a token, so find out where it comes from',
  )
}

/** Throws EngineError unless the name of a table needs no quotes. */
export function checkTable(engine: string, table: string): void {
  if (/^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/u.test(table)) return
  throw new EngineError(`${engine}: ${table} is not a plain table name`)
}

/**
 * The options of an engine, where a text stands for its first one. Throws ConfigurationError where that is missing, or
 * another name is not known.
 */
export function engineOptions<T extends object>(
  engine: string,
  given: T | string,
  [required, ...others]: readonly [keyof T & string, ...(keyof T & string)[]],
): T {
  const options = typeof given === 'string' ? { [required]: given } : given
  const checked = checkNames(options, [required, ...others], engine)
  const value = checked[required]
  if ((typeof value === 'string' && value !== '') || Array.isArray(value)) return options as T
  throw new ConfigurationError(`${engine}.${required}`, 'is missing')
}

/** The error of a server that lacks the table, with the statement for the operator. */
export function missingTable(
  engine: string,
  table: string,
  cause: unknown,
  schema: string,
): EngineError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new EngineError(
    `${engine}: the table ${table} is missing and cannot be created (${why}): run "${schema}" in a migration, and ` +
      'grant this role SELECT, INSERT and UPDATE on it',
    { cause },
  )
}

/** Returns a function that passes on a register unless its token is that of the one before. */
export function changesTo(watcher: Watcher, signal: AbortSignal): (register: Register) => void {
  let last: number | undefined
  return (register) => {
    if (signal.aborted || register.token === last) return
    last = register.token
    watcher.changed(register)
  }
}
