/**
 * Makes the rows of the table of options, one function for each kind; checks values and whole objects against them,
 * and throws an error that names the field.
 */
import { inspect } from 'node:util'
import { checkNames, ConfigurationError } from '../../core/errors/configuration-error.ts'
import { parseDuration } from '../../core/time.ts'
import { parseAddress } from '../../transports/address.ts'

/** Milliseconds, or a text with its unit: '500ms', '30s'. */
export type Duration = number | string

/** Returns the value as the runtime uses it. Throws ConfigurationError, which names the field. */
type Check<Checked> = (value: unknown, field: string) => Checked

/** What a row may say beside its kind and its help. */
interface Description {
  /** The placeholder of the flag's value, '' where the flag takes none. Without it the option has no flag. */
  readonly flag?: string
  /** The name of the flag, where it is not that of the option. */
  readonly flagName?: string
  /** What applies where the option is not given, as a value or in words. */
  readonly defaultText?: string
  /** False where a configuration file cannot hold it; a check where the file allows less than the API. */
  readonly inFile?: false | Check<unknown>
  /** Whether all members must have the same value: members compare a hash of these options. */
  readonly shared?: boolean
}

/** One option. `Given` is what a caller writes; `Checked` is what the check makes of it. */
export interface OptionRow<Given = unknown, Checked = unknown> extends Description {
  /** One sentence for `--help` and for the documentation. */
  readonly help: string
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
  return { defaultText: String(value), ...row, default: value }
}

/** Makes a row from its help and what else there is to say. */
type Kind<Given, Checked = Given> = (help: string, more?: Description) => OptionRow<Given, Checked>

function kind<Given, Checked = Given>(
  check: Check<Checked>,
  extra: Partial<OptionRow> = {},
): Kind<Given, Checked> {
  return (help, more = {}) => ({ ...(extra as object), help, ...more, check })
}

export const anyText = kind<string>((value, field) => checkText(value, field))
export const name = kind<string>((value, field) => checkText(value, field, 200))
export const duration = kind<Duration, number>((value, field) => durationMs(value, field))
export const positiveDuration = kind<Duration, number>((value, field) =>
  durationMs(value, field, 1),
)
/** `host:port`. */
export const address = kind<string>(checkAddress)
export const toggle = kind<boolean>((value, field) =>
  typeof value === 'boolean' ? value : wrong(field, 'must be true or false', value),
)

export function number(min: number, max: number): Kind<number> {
  const check = (value: unknown, field: string): number =>
    typeof value === 'number' && value >= min && value <= max
      ? value
      : wrong(field, `must be a number from ${min} to ${max}`, value)
  return kind(check, { parseFlag: Number })
}

export function choice<const Word extends string>(words: readonly Word[]): Kind<Word> {
  const check = (value: unknown, field: string): Word =>
    words.includes(value as Word)
      ? (value as Word)
      : wrong(field, `must be one of ${words.join(', ')}`, value)
  return kind(check, { words })
}

/** An object of options. `Given` is a name for its type that editors show. */
export function options<Given extends OptionsOf<T>, T extends OptionTable>(
  rows: T,
): Kind<Given, CheckedOf<T>> {
  return kind((value, field) => checkOptionTable(rows, value, field), { rows })
}

/** An object that has these methods. */
export function objectWith<T>(methods: readonly string[], what: string): Kind<T> {
  const check = (value: unknown, field: string): T => {
    const object = (typeof value === 'object' ? value : null) as Record<string, unknown> | null
    if (methods.every((method) => typeof object?.[method] === 'function')) return value as T
    return wrong(field, `must be ${what}`, value)
  }
  return kind(check, { inFile: false })
}

/** One of these words, or the object that another row accepts and whose help describes it. */
export function choiceOr<const Word extends string, Given, Checked>(
  words: readonly Word[],
  other: OptionRow<Given, Checked>,
): Kind<Word | Given, Word | Checked> {
  const check = (value: unknown, field: string): Word | Checked => {
    if (words.includes(value as Word)) return value as Word
    if (asRecord(value) !== undefined) return other.check(value, field)
    return wrong(field, `must be ${words.join(', ')} or ${other.help}`, value)
  }
  const inFile = other.inFile === false && { inFile: choice(words)('').check }
  return kind(check, { words, ...inFile, ...(other.rows && { rows: other.rows }) })
}

/** A text, or the object that another row accepts. A file holds only the text. */
export function textOr<Given, Checked>(
  other: OptionRow<Given, Checked>,
): Kind<string | Given, string | Checked> {
  const check = (value: unknown, field: string): string | Checked =>
    typeof value === 'string' && value !== '' ? value : other.check(value, field)
  return kind(check, { inFile: (value, field) => checkText(value, field) })
}

/** Checks an object against a table; fills in defaults. `partial` leaves out what is missing. */
export function checkOptionTable<T extends OptionTable>(
  rows: T,
  given: unknown,
  path = '',
  { partial = false, inFile = false } = {},
): CheckedOf<T> {
  const names = Object.keys(rows).filter((name) => !inFile || rows[name].inFile !== false)
  if (asRecord(given) === undefined) {
    wrong(path || (inFile ? 'the file' : 'options'), 'must be an object', given)
  }
  const object = checkNames(given, names, path)
  const pathOf = (name: string): string => (path === '' ? name : `${path}.${name}`)
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
  const fits = typeof value === 'string' && value !== '' && value.length <= longest
  // Half of a pair has no form in UTF-8: no file and no frame could hold it.
  if (fits && !/\p{Surrogate}/u.test(value)) return value
  return wrong(field, `must be a text of 1 to ${longest} characters`, value)
}

const ONE_LINE = { depth: 1, breakLength: Infinity } as const

function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : inspect(value, ONE_LINE)
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
