/** The tables of the options that the methods of the handle take: each method refuses names that it does not know. */
import {
  asRecord,
  checkOptionTable,
  choice,
  duration,
  objectWith,
  anyText,
  name,
  options,
  toggle,
  wrong,
  type CheckedOf,
  type OptionTable,
} from './option-kinds.ts'
import { TIMING_OPTIONS } from './option-table.ts'

const signal = objectWith<AbortSignal>(['addEventListener', 'throwIfAborted'], 'an AbortSignal')('')
const drain = duration('')
const record = {
  help: '',
  check: (value: unknown, field: string) =>
    asRecord(value) ?? wrong(field, 'must map each name to what changes', value),
}

export const WAIT = { signal }
export const LEAD = { drain, onError: choice(['step-down', 'throw'])(''), signal }
export const STEP_DOWN = { to: name(''), reason: anyText(''), coolOff: duration(''), drain, signal }
export const CLOSE = { drain }
export const PROMOTE = { lead: toggle('') }
export const CHANGE = { dryRun: toggle(''), timeoutMs: duration('') }
export const CONFIGURE = {
  timing: options<object, typeof TIMING_OPTIONS>(TIMING_OPTIONS)(''),
  members: record,
}

/** Throws ConfigurationError. `undefined` stands for no options. */
export function checkCall<T extends OptionTable>(rows: T, given: unknown, path = ''): CheckedOf<T> {
  return checkOptionTable(rows, given === undefined ? {} : given, path)
}

/** Throws ConfigurationError unless it is a function. */
export function checkFunction(value: unknown, field: string): void {
  if (typeof value !== 'function') wrong(field, 'must be a function', value)
}
