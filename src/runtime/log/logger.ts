/** Passes the event log of a member to the user's logger: a function, or an object with the methods of most loggers. */
import type { Election } from '../handle.ts'
import { logEvents, type EventRecord } from './event-log.ts'
import { levelOf, sentenceFor, type LogLevel } from './event-sentence.ts'

export interface LogEntry {
  readonly level: LogLevel
  /** One sentence. */
  readonly message: string
  readonly record: EventRecord
}

/** `console`, winston, pino and others fit: each gets the sentence, and then the record. */
export type LoggerObject = Readonly<
  Record<LogLevel, (message: string, record: EventRecord) => unknown>
>
export type Logger = ((entry: LogEntry) => unknown) | LoggerObject

const LEVELS = ['info', 'warn', 'error'] as const

export function isLogger(value: unknown): value is Logger {
  if (typeof value === 'function') return true
  if (typeof value !== 'object' || value === null) return false
  return LEVELS.every((level) => typeof (value as LoggerObject)[level] === 'function')
}

export function logTo(election: Election, logger: Logger): void {
  const write = writerOf(election.id)
  logEvents(election, (record) => {
    const message = sentenceFor(record)
    if (message === '') return
    const level = levelOf(record)
    write(() =>
      typeof logger === 'function'
        ? logger({ level, message, record })
        : logger[level](message, record),
    )
  })
}

/** A logger that throws or rejects must not stop the member: it becomes a warning of the process, once for each of a row. */
function writerOf(id: string): (log: () => unknown) => void {
  let last = ''
  const warn = (error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error)
    if (why === last) return
    last = why
    process.emitWarning(`${id}: the logger fails, and the member goes on: ${why}`)
  }
  return (log) => {
    try {
      const written = log()
      if (written instanceof Promise) written.catch(warn)
    } catch (error) {
      warn(error)
    }
  }
}
