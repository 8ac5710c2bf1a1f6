/**
 * The command line of a script: a text for `--help`, and for what it does not know one line and exit code
 * 2, never a stack trace.
 */
import { parseArgs } from 'node:util'

/** What stands behind a flag, or by itself: how it is read, and what it is if it is not given. */
export interface Value<T> {
  readonly shape: string
  readonly means: string
  readonly byDefault: T
  /** undefined: it cannot be read. */
  readonly read: (text: string) => T | undefined
}

type Values = Readonly<Record<string, Value<unknown>>>
type Read<V extends Values> = {
  readonly [K in keyof V]: V[K] extends Value<infer T> ? T : never
}

export function count(byDefault: number, means: string): Value<number> {
  const read = (text: string): number | undefined =>
    /^\d{1,15}$/u.test(text) ? Number(text) : undefined
  return { shape: '<n>', means, byDefault, read }
}

export function amount(byDefault: number, means: string): Value<number> {
  const read = (text: string): number | undefined =>
    /^\d{1,15}(?:\.\d+)?$/u.test(text) ? Number(text) : undefined
  return { shape: '<x>', means, byDefault, read }
}

export function oneOf<const C extends readonly string[], D extends C[number] | undefined>(
  choices: C,
  byDefault: D,
  means: string,
): Value<C[number] | D> {
  const read = (text: string): C[number] | undefined => choices.find((choice) => choice === text)
  return { shape: choices.join('|'), means, byDefault, read }
}

export function file(means: string): Value<string | undefined> {
  return { shape: '<file>', means, byDefault: undefined, read: (text) => text }
}

interface About<F extends Values, W extends Values> {
  /** As it is typed: `npm run soak`. */
  readonly run: string
  /** What it does, and its exit codes: some lines. */
  readonly does: string
  readonly flags?: F
  /** What is given without a flag, in this order. */
  readonly words?: W
}

/** Reads the command line; on `--help`, and on what it does not know, this does not return. */
export function commandLine<F extends Values = {}, W extends Values = {}>(
  about: About<F, W>,
  args: readonly string[] = process.argv.slice(2),
): { readonly flags: Read<F>; readonly words: Read<W> } {
  const flags: Values = about.flags ?? {}
  const words: Values = about.words ?? {}
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.keys(flags).map((name) => [name, { type: 'string' }])),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  if (args.includes('--help')) {
    process.stdout.write(helpOf(about.run, about.does, flags, words))
    process.exit(0)
  }
  const places = Object.keys(words)
  const read = { flags: defaultsOf(flags), words: defaultsOf(words) }
  for (const token of tokens) {
    if (token.kind === 'positional') {
      const name = places.shift()
      if (name === undefined) wrong(about.run, `${token.value}: there is no place for it`)
      read.words[name] = valueOf(about.run, name, words[name], token.value)
    } else if (token.kind === 'option') {
      const value = flags[token.name]
      if (value === undefined) wrong(about.run, `${token.rawName}: there is no such flag`)
      read.flags[token.name] = valueOf(about.run, token.rawName, value, token.value ?? '')
    }
  }
  return read as { flags: Read<F>; words: Read<W> }
}

/** One line, and the end. */
export function wrong(run: string, what: string): never {
  process.stderr.write(`${what} (${run} -- --help)\n`)
  process.exit(2)
}

function defaultsOf(values: Values): Record<string, unknown> {
  const entries = Object.entries(values).map(([name, { byDefault }]) => [name, byDefault])
  return Object.fromEntries(entries) as Record<string, unknown>
}

function valueOf(
  run: string,
  name: string,
  { shape, read }: Value<unknown>,
  text: string,
): unknown {
  const value = text === '' ? undefined : read(text)
  return value ?? wrong(run, `${name}${text === '' ? '' : ` ${text}`}: must be ${shape}`)
}

function helpOf(run: string, does: string, flags: Values, words: Values): string {
  const line = (name: string, { means, byDefault }: Value<unknown>): [string, string] => [
    name,
    byDefault === undefined ? means : `${means} (${byDefault as string | number})`,
  ]
  const lines = [
    ...Object.entries(words).map(([name, value]) => line(name.toUpperCase(), value)),
    ...Object.entries(flags).map(([name, value]) => line(`--${name} ${value.shape}`, value)),
    ['--help', 'print this text'],
  ]
  const width = Math.max(...lines.map(([name]) => name.length))
  const places = Object.keys(words).map((name) => ` [${name.toUpperCase()}]`)
  return [
    `Usage: ${run} -- [FLAGS]${places.join('')}`,
    '',
    does,
    '',
    ...lines.map(([name, means]) => `  ${name.padEnd(width)}  ${means}`),
    '',
  ].join('\n')
}
