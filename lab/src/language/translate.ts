/** Looks up texts of the page in the catalogue of the viewer's language, and fills in their values. */
import { ENGLISH } from './en.ts'
import { formFor, type LanguageName } from './forms.ts'

/** The texts of a language, with the keys of the English ones. */
export type Catalogue = Readonly<Record<Key, string>>
type Key = keyof typeof ENGLISH

/** The values that a text names: `{count}`, or `{count:message/messages}` for the form that goes with one. */
type NamesIn<Text> = Text extends `${string}{${infer Inside}}${infer Rest}`
  ? (Inside extends `${infer Name}:${string}` ? Name : Inside) | NamesIn<Rest>
  : never
type Given<K extends Key> = [NamesIn<(typeof ENGLISH)[K]>] extends [never]
  ? []
  : [Readonly<Record<NamesIn<(typeof ENGLISH)[K]>, string | number>>]

/** The texts of a language by the English ones, for those that stand where they are used. */
export type Phrases = Readonly<Record<string, string>>

interface Translation {
  readonly language: LanguageName
  readonly catalogue: Catalogue
  readonly phrases: Phrases
  /** Of sentences that have their values already. */
  readonly patterns: Phrases
}

let current = (): Translation => ({
  language: 'en',
  catalogue: ENGLISH,
  phrases: {},
  patterns: {},
})

/** From now on, texts are those that `source` has at the time. */
export function translateWith(source: () => Translation): void {
  current = source
}

/** A text in the viewer's language: `t('playback.of', { total: 7 })`. */
export function t<K extends Key>(key: K, ...[values]: Given<K>): string {
  const { language, catalogue } = current()
  return filled(catalogue[key], values ?? {}, language)
}

/** An English text in the viewer's language: `say('of {total}', { total: 7 })`. */
export function say(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const { language, phrases } = current()
  return filled(phrases[text] ?? text, values, language)
}

/** A sentence that the simulator or the checker has written, in the viewer's language: by the first pattern that it matches. */
export function told(text: string): string {
  const { language, patterns } = current()
  if (Object.hasOwn(patterns, text)) return patterns[text]
  for (const [english, own] of Object.entries(patterns)) {
    const found = english.includes('{') ? matcherOf(english).exec(text)?.groups : undefined
    if (found === undefined) continue
    const values = Object.entries(found).map(([name, value]) => [name, told(value)] as const)
    return filled(own, Object.fromEntries(values), language)
  }
  return text
}

const matchers = new Map<string, RegExp>()

/** `{name} is a voter` matches each text of that form. */
function matcherOf(pattern: string): RegExp {
  let matcher = matchers.get(pattern)
  if (matcher === undefined) {
    const literal = pattern.replaceAll(/[$()*+.?[\\\]^|]/gu, '\\$&')
    const source = literal.replaceAll(/\{(\w+)\}/gu, '(?<$1>.+?)')
    matcher = new RegExp(`^${source}$`, 'su')
    matchers.set(pattern, matcher)
  }
  return matcher
}

function filled(
  text: string,
  values: Readonly<Record<string, string | number>>,
  language: LanguageName,
): string {
  const pattern = /\{(\w+)(?::([^/}]*)\/([^}]*))?\}/gu
  return text.replaceAll(pattern, (_, name: string, first: string | undefined, second: string) => {
    const value = values[name]
    return first === undefined ? String(value) : formFor(language, value, first, second)
  })
}

/** A number as the viewer's language writes it. */
export function showNumber(n: number): string {
  return n.toLocaleString(current().language)
}
