/** Tests the catalogues: every text in every language, with the same values. */
import { afterEach, describe, expect, test } from 'vitest'
import { ENGLISH } from './en.ts'
import { formFor } from './forms.ts'
import { JAPANESE } from './ja.ts'
import { KOREAN } from './ko.ts'
import { showNumber, t, translateWith } from './translate.ts'

const OTHERS = [
  ['ko', KOREAN],
  ['ja', JAPANESE],
] as const
const keys = Object.keys(ENGLISH) as (keyof typeof ENGLISH)[]

/** The names of the values of a text. The form of a word adds no name in a language without such forms. */
function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)/gu)].map(([, name]) => name))].sort()
}

afterEach(() =>
  translateWith(() => ({ language: 'en', catalogue: ENGLISH, phrases: {}, patterns: {} })),
)

describe.each(OTHERS)('the texts in %s', (language, catalogue) => {
  test('have the keys of the English ones, in the same order', () => {
    expect(Object.keys(catalogue)).toEqual(keys)
  })

  test('have the values of the English ones', () => {
    const different = keys.filter(
      (key) => namesIn(catalogue[key]).join() !== namesIn(ENGLISH[key]).join(),
    )
    expect(different).toEqual([])
  })

  test('have no text of English words only, and none that is empty', () => {
    const own =
      language === 'ko' ? /\p{Script=Hangul}/u : /[\p{Script=Kana}\p{Script=Hira}\p{Script=Han}]/u
    const foreign = keys.filter((key) => {
      const words = ENGLISH[key].replaceAll(/\{[^}]*\}|`[^`]*`/gu, '')
      return /[a-z]{2}/iu.test(words) && !own.test(catalogue[key])
    })
    expect(foreign).toEqual([])
  })
})

test('a text gets its values, and the form that goes with them', () => {
  translateWith(() => ({ language: 'ko', catalogue: KOREAN, phrases: {}, patterns: {} }))
  expect(t('run.simulatingSteps', { steps: 12 })).toContain('12')
  expect(showNumber(12_000)).toBe('12,000')
})

test.each([
  ['en', 1, 'step', 'steps', 'step'],
  ['en', 0, 'step', 'steps', 'steps'],
  ['ja', 7, 'が', 'は', 'が'],
  ['ko', 1, '이', '가', '이'],
  ['ko', 2, '이', '가', '가'],
  ['ko', '멤버 10', '은', '는', '은'],
  ['ko', 'n', '을', '를', '을'],
  ['ko', 'a', '을', '를', '를'],
  ['ko', '리더', '와', '과', '과'],
  ['ko', 7, '으로', '로', '로'],
  ['ko', 3, '으로', '로', '으로'],
  ['ko', '“halt”', '이', '가', '가'],
] as const)(
  'in %s, %s takes the right one of %s and %s',
  (language, value, first, second, form) => {
    expect(formFor(language, value, first, second)).toBe(form)
  },
)
