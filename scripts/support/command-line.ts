/** Parses the command line of a script: kinds of values, defaults, `--help`, and one line with exit code 2 for a mistake. */
import { parseArgs } from 'node:util'

/** How a flag or an argument is read, and its value when it is absent. */
export interface Value<T> {
  readonly shape: string
  readonly means: string
  readonly byDefault: T
  /** Returns undefined for a text that is no such value. */
  readonly read: (text: string) => T | undefined
}

type Values = Readonly<Record<string, Value<unknown>>>
type Read<V extends Values> = {
  readonly [K in keyof V]: V[K] extends Value<infer T> ? T : never
}

export function count(byDefault: number, means: string): Value<number> {
  return numberValue('<n>', /^\d{1,15}$/u, byDefault, means)
}

export function amount(byDefault: number, means: string): Value<number> {
  return numberValue('<x>', /^\d{1,15}(?:\.\d+)?$/u, byDefault, means)
}

function numberValue(shape: string, form: RegExp, byDefault: number, means: string): Value<number> {
  return { shape, means, byDefault, read: (text) => (form.test(text) ? Number(text) : undefined) }
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

/** A flag without a value. */
export function toggle(means: string): Value<boolean> {
  return { shape: '', means, byDefault: false, read: () => undefined }
}

interface Description<F extends Values, W extends Values> {
  /** The command as it is typed: `npm run soak`. */
  readonly run: string
  /** What it does, and its exit codes: some lines. */
  readonly does: string
  readonly flags?: F
  /** The arguments without a flag, in this order. */
  readonly words?: W
  /** What every further argument must be; without it there are none. */
  readonly rest?: Value<string | undefined>
}

/** Reads the command line. Ends the process on `--help` and on a mistake. */
export function commandLine<F extends Values = {}, W extends Values = {}>(
  description: Description<F, W>,
  args: readonly string[] = process.argv.slice(2),
): { readonly flags: Read<F>; readonly words: Read<W>; readonly rest: readonly string[] } {
  const { run, rest: further } = description
  const flags: Values = description.flags ?? {}
  const words: Values = description.words ?? {}
  const options = Object.entries(flags).map(([name, { byDefault }]) => {
    return [name, { type: typeof byDefault === 'boolean' ? 'boolean' : 'string' }] as const
  })
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  if (args.includes('--help')) {
    process.stdout.write(helpOf(description, flags, words))
    process.exit(0)
  }
  const places = Object.keys(words)
  const read = { flags: defaultsOf(flags), words: defaultsOf(words), rest: [] as string[] }
  for (const token of tokens) {
    if (token.kind === 'positional') {
      const name = places.shift()
      const value = name === undefined ? further : words[name]
      if (value === undefined) fail(run, `${token.value}: unexpected argument`)
      const found = valueOf(run, name ?? '', value, token.value)
      if (name === undefined) read.rest.push(found as string)
      else read.words[name] = found
    } else if (token.kind === 'option') {
      const value = flags[token.name]
      if (value === undefined) fail(run, `${token.rawName}: unknown flag`)
      read.flags[token.name] =
        value.byDefault === false || valueOf(run, token.rawName, value, token.value ?? '')
    }
  }
  return read as { flags: Read<F>; words: Read<W>; rest: string[] }
}

/** Reports a mistake in one line and ends the process. */
export function fail(run: string, mistake: string): never {
  process.stderr.write(`${mistake} (${run} -- --help)\n`)
  process.exit(2)
}

function defaultsOf(values: Values): Record<string, unknown> {
  const entries = Object.entries(values).map(([name, { byDefault }]) => [name, byDefault])
  return Object.fromEntries(entries) as Record<string, unknown>
}

function valueOf(run: string, name: string, value: Value<unknown>, text: string): unknown {
  const found = text === '' ? undefined : value.read(text)
  return found ?? fail(run, `${`${name} ${text}`.trim()}: must be ${value.shape}`)
}

function helpOf({ run, does, rest }: Description<Values, Values>, flags: Values, words: Values) {
  const line = (name: string, { means, byDefault }: Value<unknown>): [string, string] => [
    name.trimEnd(),
    means +
      (byDefault === undefined || byDefault === false ? '' : ` (${byDefault as string | number})`),
  ]
  const lines = [
    ...Object.entries(words).map(([name, value]) => line(name.toUpperCase(), value)),
    ...(rest === undefined ? [] : [line('NAME', rest)]),
    ...Object.entries(flags).map(([name, value]) => line(`--${name} ${value.shape}`, value)),
    ['--help', 'print this text'],
  ]
  const width = Math.max(...lines.map(([name]) => name.length))
  const places = Object.keys(words).map((name) => ` [${name.toUpperCase()}]`)
  return [
    `Usage: ${run} -- [FLAGS]${places.join('')}${rest === undefined ? '' : ' [NAME…]'}`,
    '',
    does,
    '',
    ...lines.map(([name, means]) => `  ${name.padEnd(width)}  ${means}`),
    '',
  ].join('\n')
}
