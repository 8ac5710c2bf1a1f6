import { describe, expect, it } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { check } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { countStates } from './reference.ts'

type Case = readonly [members: number, crashes: number, recoveries: number]

const ALONE: Case = [1, 1, 1]
const PAIR: Case = [2, 0, 0]
const THREE: Case = [3, 0, 0]
const USUAL: readonly Case[] = [ALONE, PAIR, [2, 1, 1], THREE, [3, 1, 0]]

/** Other cases for algorithms whose usual ones have no end, or too many states for the reference. */
const OTHERS: Readonly<Record<string, readonly Case[]>> = {
  // A candidate without a majority raises its term for ever: no member of a pair crashes.
  'bully-fd-quorum': [ALONE, PAIR, THREE, [3, 1, 0]],
  raft: [ALONE, PAIR, THREE, [3, 1, 0]],
  roulette: [ALONE, PAIR, THREE, [3, 1, 0]],
  'roulette-majority': [ALONE, PAIR, THREE],
  // A message whose sender has crashed circulates for ever, and others join it.
  'ring-as-printed': [ALONE, PAIR, [2, 1, 1], THREE],
  'chang-roberts': [...USUAL, [3, 1, 1]],
  'chang-roberts-as-printed': [...USUAL, [3, 1, 1]],
}

function casesOf({ name }: Algorithm): readonly Case[] {
  return OTHERS[name] ?? USUAL
}

/** Without history variables, and without an end at a violation, so that both count the same states. */
function plain(algorithm: Algorithm): Algorithm {
  const { promises } = algorithm
  return {
    ...algorithm,
    promises: { ...promises, agreement: 'eventually', oneLeaderPerTerm: false },
  }
}

describe('the checker finds as many states as the reference', () => {
  const all = algorithms.flatMap((algorithm) =>
    casesOf(algorithm).map((one) => [algorithm.name, ...one, algorithm] as const),
  )

  it.each(all)('of %s with %i members, %i crashes, %i recoveries', (...given) => {
    const [, members, crashes, recoveries, algorithm] = given
    const full = { members, crashes, recoveries, reduction: false }
    const { states, complete } = check({ algorithm: plain(algorithm), ...full })
    expect(complete).toBe(true)
    const faults = { crash: crashes, recover: recoveries }
    expect(states).toBe(countStates(plain(algorithm), members, faults))
  })

  it('of every algorithm, with two members and with three, and with a recovery', () => {
    for (const algorithm of algorithms) {
      const cases = casesOf(algorithm)
      expect(cases).toContain(PAIR)
      expect(cases).toContain(THREE)
      expect(cases.some(([, , recoveries]) => recoveries > 0)).toBe(true)
    }
    const known = new Set(algorithms.map(({ name }) => name))
    expect(Object.keys(OTHERS).filter((name) => !known.has(name))).toEqual([])
  })
})
