/** Chooses the form of a word that goes with a value: by number in English, by the last sound of the value in Korean. */

export const LANGUAGES = { en: 'English', ko: '한국어', ja: '日本語' } as const
export type LanguageName = keyof typeof LANGUAGES

/** How a Korean syllable ends: with a vowel, with ㄹ, or with another consonant. */
type Ending = 'vowel' | 'ㄹ' | 'consonant'

export function formFor(
  language: LanguageName,
  value: string | number,
  first: string,
  second: string,
): string {
  if (language === 'en') return Number(value) === 1 ? first : second
  if (language === 'ja') return first
  const ending = endingOf(String(value))
  // Before 로, ㄹ counts as a vowel: 서울로, but 집으로.
  if (ending === 'ㄹ' && first.startsWith('으')) return second
  return ending === 'vowel' ? second : first
}

/** By the Korean names of digits and letters: 영 일 이 삼 사 오 육 칠 팔 구, 엘 엠 엔 알; the other letters end with a vowel. */
const BY_NAME: readonly (readonly [RegExp, Ending])[] = [
  [/[178lr]/u, 'ㄹ'],
  [/[036mn]/u, 'consonant'],
]
const [FIRST_SYLLABLE, LAST_SYLLABLE, ENDINGS, RIEUL] = [0xac00, 0xd7a3, 28, 8]

function endingOf(value: string): Ending {
  const last = (/[\p{L}\p{N}](?=[^\p{L}\p{N}]*$)/u.exec(value)?.[0] ?? '').toLowerCase()
  const code = last.codePointAt(0) ?? 0
  if (code >= FIRST_SYLLABLE && code <= LAST_SYLLABLE) {
    const ending = (code - FIRST_SYLLABLE) % ENDINGS
    return ending === 0 ? 'vowel' : ending === RIEUL ? 'ㄹ' : 'consonant'
  }
  return BY_NAME.find(([names]) => names.test(last))?.[1] ?? 'vowel'
}
