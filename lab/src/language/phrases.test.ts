/** Tests the texts that stand where they are used: each has a Korean and a Japanese one, and no page shows English past them. */
import { describe, expect, test } from 'vitest'
import { CHALLENGES } from '../challenges/challenges.ts'
import { READING_LIST } from '../learn/documents.ts'
import { OPENING } from '../learn/lessons.ts'
import { PRESET_GROUPS, PRESETS } from '../run/presets.ts'
import { JAPANESE_PHRASES } from './ja.ts'
import { KOREAN_PHRASES } from './ko.ts'

const sources = new Map(
  Object.entries(
    import.meta.glob<string>(
      ['../**/*.ts', '../**/*.svelte', '!../language/**', '!../**/*.test.ts'],
      {
        query: '?raw',
        import: 'default',
        eager: true,
      },
    ),
  ),
)
const all = [...sources.values()].join('\n')

/** The texts in `say('…')`. */
function written(): string[] {
  const found = all.matchAll(/\bsay\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)")/gu)
  return [...found].map(([, single, double]) => (single ?? double).replaceAll("\\'", "'"))
}

/** The texts of data, which pages say when they show them. */
function declared(): string[] {
  return [
    ...Object.keys(PRESET_GROUPS),
    ...PRESETS.flatMap(({ title, hint, remark = '' }) => [title, hint, remark]),
    ...CHALLENGES.flatMap(({ title, level, task, hints }) => [title, level, task, ...hints]),
    ...CHALLENGES.flatMap(({ allowed }) => Object.keys(allowed)),
    ...READING_LIST.map(({ about }) => about),
    OPENING.title,
    OPENING.caption,
  ].filter((text) => text !== '' && text !== 'cut')
}

function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)/gu)].map(([, name]) => name))].sort()
}

/** What these say stands in their values in other languages. */
const ONLY_VALUES = new Set(['at {time}', '{first} and {last}', 'of {total}'])

const OTHERS = [
  ['Korean', KOREAN_PHRASES, /\p{Script=Hangul}/u],
  ['Japanese', JAPANESE_PHRASES, /[\p{Script=Kana}\p{Script=Hira}\p{Script=Han}]/u],
] as const

describe.each(OTHERS)('the %s phrases', (_, phrases, script) => {
  test('have every text that the page says', () => {
    const missing = [...written(), ...declared()].filter((text) => !Object.hasOwn(phrases, text))
    expect([...new Set(missing)]).toEqual([])
  })

  test('have the values of the English ones, and are not left in English', () => {
    const wrong = Object.entries(phrases).filter(([english, text]) => {
      const needed = namesIn(english)
      if (namesIn(text).some((name) => !needed.includes(name))) return true
      const words = english.replaceAll(/\{[^}]*\}/gu, '')
      return /[a-z]{3}/iu.test(words) && !ONLY_VALUES.has(english) && !script.test(text)
    })
    expect(wrong).toEqual([])
  })

  test('have no text that nothing says', () => {
    const known = new Set(declared())
    const parts = (text: string): boolean =>
      all.includes(`'${text.replaceAll("'", "\\'")}'`) || all.includes(`"${text}"`)
    const marks =
      /^(?:leads|recovers|crashes|pauses|resumes|resigns|loses its state|leaves|starts|cuts heal|cannot write|is to be \w+|is no longer slow|agreement|highest leads|crash|recover|pause|resign|heal|slow|delay|discard|repeat|drop|\w+ message)$/u
    const unused = Object.keys(phrases).filter(
      (text) => !known.has(text) && !parts(text) && !marks.test(text),
    )
    expect(unused).toEqual([])
  })
})

test('the languages have the same phrases', () => {
  expect(Object.keys(KOREAN_PHRASES)).toEqual(Object.keys(JAPANESE_PHRASES))
})

/** Words that are the same in every language: names, units, keys, commands. */
const SAME = /^(?:bellwether|· bellwether|ctrl\+z|ms|npx bellwether .*|--http|--json.*|>?:)$/u

test('no page has English text of its own', () => {
  const found = [...sources].flatMap(([path, source]) => {
    if (!path.endsWith('.svelte')) return []
    const markup = source.slice(source.indexOf('</script>') + 9).replace(/<style>[^]*$/u, '')
    const nodes = [
      ...markup
        .replaceAll(/\{(?:[^{}]|\{[^{}]*\})*\}/gu, '{}')
        .matchAll(/>([^<>{}=]*[a-z]{2}[^<>{}=]*)</gu),
    ]
    const attributes = [
      ...markup.matchAll(/\b(?:aria-label|title|label)="([^"{}]*[a-z]{2}[^"{}]*)"/gu),
    ]
    return [...nodes, ...attributes]
      .map(([, text]) => text.trim().replaceAll(/\s+/gu, ' '))
      .filter((text) => text !== '' && !SAME.test(text))
      .map((text) => `${path}: ${text}`)
  })
  expect(found).toEqual([])
})
