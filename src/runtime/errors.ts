/**
 * The errors that the runtime throws to its user: wrong options, a term that is over, a refused step-down, an engine
 * that lost its state. Each message says what to do.
 */

/** An option that cannot work. `field` is its path in the options. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly field: string

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`)
    this.field = field
  }
}

/** The term has ended: the work that it covered must stop. */
export class TermOverError extends Error {
  override readonly name = 'TermOverError'
  readonly term: number
  readonly reason: string

  constructor(term: number, reason: string, text = String(term)) {
    super(`term ${text} is over (${reason}): stop the work that it covered`)
    this.term = term
    this.reason = reason
  }
}

/** Leadership was not handed over. */
export class StepDownError extends Error {
  override readonly name = 'StepDownError'
  readonly code: 'not-leader' | 'unfit'

  constructor(code: 'not-leader' | 'unfit', sentence: string) {
    super(sentence)
    this.code = code
  }
}

/** The engine's register is below what was seen: it was restored from old state, or restarted empty. */
export class EngineResetError extends Error {
  override readonly name = 'EngineReset'
  readonly group: string
  readonly token: number
  readonly seen: number

  constructor(engine: string, group: string, token: number, seen: number) {
    super(
      `${engine} has token ${token} for the group ${group}, but ${seen} was seen: it has lost its state. ` +
        'There is no leader until you run "bellwether engine reseed"',
    )
    this.group = group
    this.token = token
    this.seen = seen
  }
}
