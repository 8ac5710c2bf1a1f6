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
  type OptionRow,
  type OptionTable,
} from './option-kinds.ts'
import type { LeadOptions } from '../lead-scope.ts'
import type { ChangeOptions } from '../membership/register.ts'
import type { StepDownOptions } from '../release-leadership.ts'
import type { WaitOptions } from '../waiting.ts'
import { TIMING_OPTIONS } from './option-table.ts'

/** A table that lacks an option of the type does not compile. */
type RowsOf<Options> = { readonly [K in keyof Required<Options>]: OptionRow }

const signal = objectWith<AbortSignal>(['addEventListener', 'throwIfAborted'], 'an AbortSignal')('')
const drain = duration('')
const record = {
  help: '',
  check: (value: unknown, field: string) =>
    asRecord(value) ?? wrong(field, 'must map each name to what changes', value),
}

export const WAIT = { signal } satisfies RowsOf<WaitOptions>
export const LEAD = {
  drain,
  onError: choice(['step-down', 'throw'])(''),
  signal,
} satisfies RowsOf<LeadOptions>
export const STEP_DOWN = {
  to: name(''),
  reason: anyText(''),
  coolOff: duration(''),
  drain,
  signal,
} satisfies RowsOf<StepDownOptions>
export const CLOSE = { drain }
export const PROMOTE = { lead: toggle('') }
export const CHANGE = {
  dryRun: toggle(''),
  timeoutMs: duration(''),
  isForwarded: toggle(''),
} satisfies RowsOf<ChangeOptions>
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
