/**
 * Looks up and parses the values of settings by key, with errors that name the setting, the value and what is
 * possible.
 */
import { didYouMean } from '../../core/errors/closest-name.ts'
import type { Settings } from '../../core/settings.ts'
import { parseDuration } from '../../core/time.ts'
import { InputError } from './input-error.ts'
import { parseNumber } from './latency-text.ts'

export class SettingsValues<Key extends string> {
  private readonly settings: Settings

  constructor(settings: Settings, once: readonly Key[], repeated: readonly string[]) {
    const seen = new Set<string>()
    for (const [key, value] of settings) {
      if (repeated.includes(key)) continue
      if (!(once as readonly string[]).includes(key)) {
        const known = [...once, ...repeated].join(', ')
        throw new InputError(key, value, `there is no such setting; there are ${known}`)
      }
      if (seen.has(key)) throw new InputError(key, value, 'is given twice; it can be given once')
      seen.add(key)
    }
    this.settings = settings
  }

  get(key: Key): string | undefined {
    return this.settings.find(([name]) => name === key)?.[1]
  }

  /** The value as `parse` reads it, or the default where there is none. */
  parsed<T, D>(
    key: Key,
    byDefault: D,
    possible: string,
    parse: (text: string) => T | undefined,
  ): T | D {
    const given = this.get(key)
    if (given === undefined) return byDefault
    const value = parse(given)
    if (value === undefined) throw new InputError(key, given, possible)
    return value
  }

  integer(key: Key, byDefault: number, min: number, max: number): number {
    return this.parsed(key, byDefault, `must be a whole number from ${min} to ${max}`, (text) => {
      const value = /^\d+$/u.test(text) ? Number(text) : NaN
      return Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined
    })
  }

  choice<const C extends string>(key: Key, choices: readonly C[], byDefault: C): C {
    return this.parsed(key, byDefault, `must be ${choices.join(' or ')}`, (text) =>
      choices.find((choice) => choice === text),
    )
  }

  /** The value that the setting names. `others`: names that the caller reads itself. */
  named<T extends { readonly name: string }>(
    key: Key,
    values: readonly T[],
    others: readonly string[] = [],
  ): T {
    const given = this.get(key) ?? ''
    const found = values.find(({ name }) => name === given)
    if (found !== undefined) return found
    const names = [...others, ...values.map(({ name }) => name)]
    const meant = didYouMean(given, names)
    const list = names.join(', ')
    throw new InputError(key, given, `there is no such ${key}${meant}; there are ${list}`)
  }

  probability(key: Key): number {
    const possible = 'must be a probability from 0 up to but not 1, such as 0.05 or 5%'
    return this.parsed(key, 0, possible, (text) => {
      const value = text.endsWith('%') ? parseNumber(text.slice(0, -1)) / 100 : parseNumber(text)
      return value >= 0 && value < 1 ? value : undefined
    })
  }

  duration(key: Key): number | undefined {
    const possible = 'must be a duration with its unit us, ms or s, such as 20ms'
    return this.parsed(key, undefined, possible, parseDuration)
  }
}
