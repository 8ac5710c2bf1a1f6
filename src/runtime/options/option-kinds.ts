/** The kinds of rows in the table of options: what each kind accepts, and the error that names a wrong field. */
import { inspect } from 'node:util'
import { parseDuration } from '../../core/time.ts'
import { parseAddress } from '../../transports/address.ts'
import { ConfigurationError } from '../errors.ts'

/** Milliseconds, or a text with its unit: '500ms', '30s'. */
export type Duration = number | string

/** Returns the value as the runtime uses it. Throws ConfigurationError, which names the field. */
type Check<Checked> = (value: unknown, field: string) => Checked

/** What a row says beside its kind. */
interface Description {
  /** One sentence for `--help` and for the documentation. */
  readonly help: string
  /** The placeholder of the flag's value, '' where the flag takes none. Without it the option has no flag. */
  readonly flag?: string
  /** What applies where the option is not given, as a value or in words. */
  readonly usual?: string
  /** False where a configuration file cannot hold it; a check where the file allows less than the API. */
  readonly inFile?: false | Check<unknown>
  /** Whether all members must have the same value: members compare a hash of these options. */
  readonly shared?: boolean
}

/** One option. `Given` is what a caller writes; `Checked` is what the check makes of it. */
export interface OptionRow<Given = unknown, Checked = unknown> extends Description {
  readonly check: Check<Checked>
  readonly default?: Given
  readonly required?: boolean
  /** The words that the flag accepts. */
  readonly words?: readonly string[]
  /** What the text of the flag means: the text itself, unless this says otherwise. */
  readonly parseFlag?: (text: string) => unknown
  /** The options inside this one. */
  readonly rows?: OptionTable
}

export type OptionTable = Readonly<Record<string, OptionRow>>

type RequiredKeys<T> = { [K in keyof T]: T[K] extends { required: true } ? K : never }[keyof T]
type SetKeys<T> = {
  [K in keyof T]: T[K] extends { required: true } | { default: unknown } ? K : never
}[keyof T]
// Homomorphic, so that editors show the comments of the table.
type GivenOf<T> = { readonly [K in keyof T]: T[K] extends OptionRow<infer Given> ? Given : never }
type CheckedValues<T> = {
  readonly [K in keyof T]: T[K] extends OptionRow<infer _, infer Checked> ? Checked : never
}
type OptionalExcept<T, K extends keyof T> = Pick<T, K> & Partial<Pick<T, Exclude<keyof T, K>>>

/** What a caller passes for the options of a table. */
export type OptionsOf<T> = OptionalExcept<GivenOf<T>, RequiredKeys<T>>
/** What `checkOptionTable` returns. */
export type CheckedOf<T> = OptionalExcept<CheckedValues<T>, SetKeys<T>>

export function required<Row extends OptionRow>(row: Row): Row & { readonly required: true } {
  return { ...row, required: true }
}

export function withDefault<Given, Checked>(
  value: NoInfer<Given>,
  row: OptionRow<Given, Checked>,
): OptionRow<Given, Checked> & { readonly default: Given } {
  return { usual: String(value), ...row, default: value }
}

export function text(about: Description, longest = 4096): OptionRow<string, string> {
  return { ...about, check: (value, field) => checkText(value, field, longest) }
}

export function flag(about: Description): OptionRow<boolean, boolean> {
  const check = (value: unknown, field: string): boolean =>
    typeof value === 'boolean' ? value : wrong(field, 'must be true or false', value)
  return { ...about, check }
}

export function duration(about: Description, min = 0): OptionRow<Duration, number> {
  return { ...about, check: (value, field) => durationMs(value, field, min) }
}

export function number(about: Description, min: number, max: number): OptionRow<number, number> {
  const check = (value: unknown, field: string): number => {
    if (typeof value === 'number' && value >= min && value <= max) return value
    return wrong(field, `must be a number from ${min} to ${max}`, value)
  }
  return { ...about, check, parseFlag: Number }
}

/** `host:port`. */
export function address(about: Description): OptionRow<string, string> {
  return { ...about, check: checkAddress }
}

export function choice<Word extends string>(
  words: readonly Word[],
  about: Description,
): OptionRow<Word, Word> {
  const check = (value: unknown, field: string): Word =>
    words.includes(value as Word)
      ? (value as Word)
      : wrong(field, `must be one of ${words.join(', ')}`, value)
  return { ...about, words, check }
}

/** An object of options. `Given` is a name for its type that editors show. */
export function options<Given extends OptionsOf<T>, T extends OptionTable>(
  rows: T,
  about: Description,
): OptionRow<Given, CheckedOf<T>> {
  return { ...about, rows, check: (value, field) => checkOptionTable(rows, value, field) }
}

/** An object that has these methods. */
export function objectWith<T>(
  methods: readonly string[],
  what: string,
  about: Description,
): OptionRow<T, T> {
  const check = (value: unknown, field: string): T => {
    const object = (typeof value === 'object' ? value : null) as Record<string, unknown> | null
    if (methods.every((method) => typeof object?.[method] === 'function')) return value as T
    return wrong(field, `must be ${what}`, value)
  }
  return { ...about, check, inFile: false }
}

/** One of these words, or the object that another row accepts and whose help describes it. */
export function choiceOr<const Word extends string, Given, Checked>(
  words: readonly Word[],
  other: OptionRow<Given, Checked>,
  about: Description,
): OptionRow<Word | Given, Word | Checked> {
  const check = (value: unknown, field: string): Word | Checked => {
    if (words.includes(value as Word)) return value as Word
    if (asRecord(value) !== undefined) return other.check(value, field)
    return wrong(field, `must be ${words.join(', ')} or ${other.help}`, value)
  }
  const inFile = other.inFile === false && { inFile: choice(words, about).check }
  return { ...about, words, check, ...inFile, ...(other.rows && { rows: other.rows }) }
}

/** A text, or the object that another row accepts. A file holds only the text. */
export function textOr<Given, Checked>(
  other: OptionRow<Given, Checked>,
  about: Description,
): OptionRow<string | Given, string | Checked> {
  const check = (value: unknown, field: string): string | Checked =>
    typeof value === 'string' && value !== '' ? value : other.check(value, field)
  return { ...about, check, inFile: checkText }
}

/** Checks an object against a table; fills in defaults. `partial` leaves out what is missing. */
export function checkOptionTable<T extends OptionTable>(
  rows: T,
  given: unknown,
  path = '',
  { partial = false, inFile = false } = {},
): CheckedOf<T> {
  const names = Object.keys(rows).filter((name) => !inFile || rows[name].inFile !== false)
  const object =
    asRecord(given) ?? wrong(path || (inFile ? 'the file' : 'options'), 'must be an object', given)
  const pathOf = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const unknown = Object.keys(object).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    wrong(pathOf(unknown), `no such option; possible: ${names.join(', ')}`)
  }
  const checked: Record<string, unknown> = {}
  for (const name of names) {
    const row = rows[name]
    const value = object[name] === undefined && !partial ? row.default : object[name]
    const check = inFile && typeof row.inFile === 'function' ? row.inFile : row.check
    if (value !== undefined) checked[name] = check(value, pathOf(name))
    else if (row.required === true && !partial) wrong(pathOf(name), 'is missing')
  }
  return checked as CheckedOf<T>
}

export function asRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as Record<string, unknown>
}

export function wrong(field: string, problem: string, value?: unknown): never {
  throw new ConfigurationError(
    field,
    `${problem}${value === undefined ? '' : `, not ${shown(value)}`}`,
  )
}

/** Milliseconds. Throws ConfigurationError, which names the field. */
export function durationMs(value: unknown, field: string, min = 0): number {
  const us = typeof value === 'string' ? parseDuration(value) : undefined
  const ms = us === undefined ? value : us / 1000
  if (typeof ms !== 'number' || !Number.isFinite(ms)) {
    const isText = typeof value === 'string'
    wrong(
      field,
      `must be ${isText ? '' : 'milliseconds, or '}a time such as '500ms' or '30s'`,
      value,
    )
  }
  if (ms < min || ms > 86_400_000) wrong(field, `must be ${min} ms to a day`, value)
  return ms
}

export function checkAddress(value: unknown, field: string): string {
  try {
    parseAddress(value as string)
    return value as string
  } catch {
    return wrong(field, 'must be host:port, such as 10.0.0.1:7400', value)
  }
}

function checkText(value: unknown, field: string, longest = 4096): string {
  if (typeof value === 'string' && value !== '' && value.length <= longest) return value
  return wrong(field, `must be a text of 1 to ${longest} characters`, value)
}

const ONE_LINE = { depth: 1, breakLength: Infinity } as const

function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : inspect(value, ONE_LINE)
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
