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
  logEvents(election, (record) => {
    const message = sentenceFor(record)
    if (message === '') return
    const level = levelOf(record)
    if (typeof logger === 'function') logger({ level, message, record })
    else logger[level](message, record)
  })
}
