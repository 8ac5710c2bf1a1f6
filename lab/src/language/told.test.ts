/** Tests the sentences that the simulator and the checker write: no page shows them in English in another language. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { algorithms } from '../../../src/algorithms/index.ts'
import { check, Checker } from '../../../src/check/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { everyCheck } from '../../../src/explore/all-checks.ts'
import { parseCheck } from '../../../src/explore/check-settings.ts'
import { budgetOf, remarksOf, verdictOf } from '../../../src/explore/check-report.ts'
import { parseSettings } from '../../../src/sim/index.ts'
import { ALGORITHM_FILES, fieldComments } from '../sources/algorithm-sources.ts'
import { ENGLISH } from './en.ts'
import { JAPANESE, JAPANESE_PATTERNS, JAPANESE_PHRASES } from './ja.ts'
import { KOREAN, KOREAN_PATTERNS, KOREAN_PHRASES } from './ko.ts'
import { told, translateWith } from './translate.ts'

const registry = { algorithms, detectors }
const files = import.meta.glob<string>(
  ['../../../src/{sim,check,explore}/**/*.ts', '!../../../src/**/*.test.ts'],
  { query: '?raw', import: 'default', eager: true },
)

/** What stands for the expressions in literals that are not one value. */
const SAMPLES: Readonly<Record<string, string>> = {
  followed: '1 and 2',
  lease: 'member 1 until 5 ms',
  who: '1, whose vote 2 has counted for term 3,',
  range: 'members are 1 to 5',
}
/** Literals that are only parts of others. */
const PART = /^(?:until|member 1 until|1, whose) /u

/** The literals of these files that are sentences, with a sample value for each expression in them. */
function literalsIn(name: RegExp, pattern: RegExp): string[] {
  const sources = Object.entries(files).filter(([path]) => name.test(path))
  expect(sources).not.toEqual([])
  return sources.flatMap(([, source]) =>
    [...source.matchAll(pattern)].map((found) => {
      const text = found.slice(1).find((group) => group !== undefined)!
      return text.replaceAll(/\$\{([^}]*)\}/gu, (_, name: string) => SAMPLES[name] ?? '1')
    }),
  )
}

/** What the monitors say: the literals of at least three words, in the sentences of a violation. */
function monitored(): string[] {
  const found = literalsIn(
    /record\/(?:monitors|lease-monitor|safeguard-monitor)\.ts$/u,
    /(?:sentence =[^`]{0,40}|fell = |violate\([^`]*|: )`([^`]* [^`]* [^`]*)`/gu,
  )
  expect(found.length).toBeGreaterThan(8)
  const whole = found.filter((sentence) => !PART.test(sentence))
  return whole.flatMap((sentence) => [sentence, `agreement: ${sentence}`])
}

/** What the settings refuse: the literals of two words and more after `throw`, `refuse`, `refused`, `parsed` or `possible`. */
function refusals(): string[] {
  const found = literalsIn(
    /settings\/settings(?:-values)?\.ts$|check-settings\.ts$/u,
    /(?:refuse\(|refused\([^'`,]*|'[\w-]+', |byDefault, |given, |value, |possible = |problem = )[\n ]*(?:'(\w+ [^']+)'|`([^`]* [^`]+)`)/gu,
  )
  expect(found.length).toBeGreaterThan(15)
  return found
}

/** A message of each setting that is set to what it cannot be. */
function mistakes(): string[] {
  const cases: readonly (readonly [key: string, value: string])[] = [
    ['algorithm', 'buly'],
    ['algorithm', 'x'],
    ['nodes', '0'],
    ['detector', 'pin'],
    ['silence', '5'],
    ['silence', '20ms'],
    ['loss', '2'],
    ['latency', 'fast'],
    ['until', 'never'],
    ['option', 'x=1'],
    ['ring', '1,2'],
    ['voters', '1,1'],
    ['voters', '9'],
    ['initiator', 'x'],
    ['known-down', '1'],
    ...['crash', 'recover', 'cut', 'heal', 'slow', 'drop', 'delay', 'proof', 'resign', 'clock'].map(
      (key) => [key, 'x'] as const,
    ),
    ['resign', '5@1s'],
    ['no-such', '1'],
  ]
  return cases.map(([key, value]) => {
    try {
      const algorithm = key === 'algorithm' ? [] : [['algorithm', 'bully'] as const]
      parseSettings([...algorithm, [key, value]], registry)
    } catch (error) {
      return (error as Error).message
    }
    throw new Error(`--${key} ${value} is not refused`)
  })
}

/** What the page shows of checks: a broken one, a complete one, and one that is cut. */
function checked(): string[] {
  const budgets: readonly (readonly (readonly [string, string])[])[] = [
    ...algorithms.map(({ name }) => [['algorithm', name] as const]),
    [
      ['algorithm', 'bully'],
      ['crashes', '1'],
      ['drops', '1'],
      ['max-in-flight', '1'],
    ],
    [
      ['algorithm', 'raft'],
      ['timers', 'async'],
      ['max-term', '1'],
    ],
    [
      ['algorithm', 'bully-fd-as-printed'],
      ['crashes', '1'],
      ['recoveries', '1'],
    ],
  ]
  return budgets.flatMap((settings) => {
    const options = parseCheck([['nodes', '3'], ...settings], registry)
    const result = check({ ...options, maxStates: 2000 })
    const judged = result.properties.flatMap(({ kind, name, sentence }) =>
      kind === 'sometimes' ? [name] : [kind, name, sentence],
    )
    return [verdictOf(result), ...remarksOf(result), ...judged]
  })
}

/** The parts of the budgets of the known checks, without the options, which are names. */
function budgets(): string[] {
  const options = new Set(algorithms.flatMap(({ options: of }) => Object.keys(of)))
  const parts = everyCheck().flatMap((of) => budgetOf(new Checker(of)).split(', '))
  return ['bully, 3 members', ...parts.filter((part) => !options.has(part.split(' ')[0]))]
}

/** Names and symbols, which are the same everywhere: `dw_gter`, `τ2`, `currentTerm`. */
const isName = (text: string): boolean => !/ /u.test(text)

async function comments(): Promise<string[]> {
  const all = await Promise.all(
    ALGORITHM_FILES.map((path) => fieldComments(path.replace(/^.*\//u, ''))),
  )
  const texts = [...new Set(all.flatMap((of) => [...of.values()]))]
  expect(texts.length).toBeGreaterThan(100)
  return texts.filter((text) => !isName(text))
}

const LANGUAGES = [
  ['ko', KOREAN, KOREAN_PHRASES, KOREAN_PATTERNS, /\p{Script=Hangul}/u],
  ['ja', JAPANESE, JAPANESE_PHRASES, JAPANESE_PATTERNS, /[\p{sc=Kana}\p{sc=Hira}\p{sc=Han}]/u],
] as const

test('the languages have the same patterns, with the values of the English ones', () => {
  expect(Object.keys(KOREAN_PATTERNS)).toEqual(Object.keys(JAPANESE_PATTERNS))
  const namesIn = (text: string): string[] =>
    [...text.matchAll(/\{(\w+)/gu)].map(([, name]) => name)
  const wrong = [KOREAN_PATTERNS, JAPANESE_PATTERNS].flatMap((patterns) =>
    Object.entries(patterns).filter(([english, own]) =>
      namesIn(own).some((name) => !namesIn(english).includes(name)),
    ),
  )
  expect(wrong).toEqual([])
})

describe.each(LANGUAGES)('in %s', (language, catalogue, phrases, patterns, script) => {
  beforeAll(() => translateWith(() => ({ language, catalogue, phrases, patterns })))
  afterAll(() => {
    translateWith(() => ({ language: 'en', catalogue: ENGLISH, phrases: {}, patterns: {} }))
  })

  /** English words of two in a row, which no name is. */
  const left = (texts: readonly string[]): string[] =>
    [...new Set(texts)].filter(
      (text) =>
        !script.test(told(text)) || /\b[a-z]{2,} (?:[a-z]{2,}) [a-z]{2,}\b/u.test(told(text)),
    )

  test('the titles of algorithms', () => {
    expect(left(algorithms.map(({ title }) => title))).toEqual([])
  })

  test('the explanations of fields', async () => expect(left(await comments())).toEqual([]))

  test('the sentences of monitors', () => expect(left(monitored())).toEqual([]))

  test('what the checker says', () => expect(left(checked())).toEqual([]))

  test('the titles of known checks', () => expect(left(budgets())).toEqual([]))

  test('why a setting is refused', () => {
    expect(left(refusals())).toEqual([])
    expect(left(mistakes())).toEqual([])
  })

  test('a list of what members believe keeps its values', () => {
    const text = told('agreement: after quiet, 1 follows 5, 2 follows nobody, 3 follows 12')
    expect(text.match(/\d+/gu)).toEqual(['1', '5', '2', '3', '12'])
    expect(text).not.toMatch(/[a-z]/u)
  })
})

test('in English they stand as they are written', () => {
  expect(told('agreement: 1 follows 5')).toBe('agreement: 1 follows 5')
})
