/**
 * Defines the errors that the runtime throws or reports: ended terms, failed or overdue work, refused step-downs and
 * changes, removed members, closed elections, engines that lost their state.
 */
import { BellwetherError } from '../core/errors/bellwether-error.ts'

export { ConfigurationError } from '../core/errors/configuration-error.ts'

/** The term has ended: the work that it covered must stop. */
export class TermOverError extends BellwetherError {
  override readonly name = 'TermOverError'
  readonly code = 'term-over'
  readonly term: number
  readonly reason: string

  constructor(term: number, reason: string, text = String(term)) {
    super(`term ${text} is over (${reason}): stop the work that it covered`)
    this.term = term
    this.reason = reason
  }
}

/** Leadership was not handed over. */
export class StepDownError extends BellwetherError {
  override readonly name = 'StepDownError'
  readonly code: 'not-leader' | 'unfit'

  constructor(code: 'not-leader' | 'unfit', sentence: string) {
    super(sentence)
    this.code = code
  }
}

/** The configuration of the group was not changed, or it is not known whether it was. */
export class ChangeError extends BellwetherError {
  override readonly name = 'ChangeError'
  readonly code = 'change-refused'
  /** The rule that refuses the change, in a word or two. */
  readonly rule: string

  constructor(rule: string, sentence: string) {
    super(sentence)
    this.rule = rule
  }
}

/** The group has removed this member. */
export class RemovedError extends BellwetherError {
  override readonly name = 'RemovedError'
  readonly code = 'removed'

  constructor(id: string) {
    super(
      `${id} was removed from its group and takes no part any more. To let it take part again, add it again ` +
        '("bellwether members add"), delete its state file and start it with --join',
    )
  }
}

/** The engine's register is below what was seen: it was restored from old state, or restarted empty. */
export class EngineResetError extends BellwetherError {
  override readonly name = 'EngineResetError'
  readonly code = 'engine-reset'
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

/** The work of `lead` threw: `cause` is what it threw. */
export class WorkFailedError extends BellwetherError {
  override readonly name = 'WorkFailedError'
  readonly code = 'work-failed'
  readonly term: number
  /** What Node prints below the warning: where the work failed. */
  readonly detail: string

  constructor(term: number, text: string, cause: Error) {
    super(`the work of term ${text} failed: ${cause.message}`, { cause })
    this.term = term
    this.detail = cause.stack ?? String(cause)
  }
}

/** The work of `lead` goes on although its term is over: it cannot be stopped from outside. */
export class WorkOverdueError extends BellwetherError {
  override readonly name = 'WorkOverdueError'
  readonly code = 'work-overdue'
  readonly term: number

  constructor(term: number, text: string, drainMs: number) {
    super(
      `the work of term ${text} has not stopped within its drain of ${drainMs} ms: it may run beside ` +
        'the next leader, and this member begins no other work until it has stopped',
    )
    this.term = term
  }
}

/** The election was closed while the caller waited for it. */
export class ElectionClosedError extends BellwetherError {
  override readonly name = 'ElectionClosedError'
  readonly code = 'closed'

  constructor(id: string) {
    super(`${id} has left its group: the election is closed`)
  }
}
