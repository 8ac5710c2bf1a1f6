/** How leases and votes are kept: the shipped algorithms keep them in every state, and mutants break that before two members lead. */
import { describe, expect, test } from 'vitest'
import { LEASE_MUTANTS } from '../../scripts/mutants/lease-mutants-list.ts'
import { mutate } from '../../scripts/mutants/mutate.ts'
import { bullyFdQuorum, rouletteMajority } from '../../src/algorithms/index.ts'
import { check, type CheckOptions } from '../../src/check/index.ts'

const judge = ['kept leases', 'kept votes']
const settled = { members: 3, start: 'settled', clocks: true, ticks: 1 } as const
const lost = { members: 3, start: 'settled', crashes: 1, recoveries: 1, amnesia: true } as const

const HOLD: readonly CheckOptions[] = [
  { algorithm: bullyFdQuorum, ...settled, crashes: 1 },
  { algorithm: bullyFdQuorum, members: 3, resignations: 1 },
  { algorithm: bullyFdQuorum, ...lost, options: { founding: 'all' } },
  { algorithm: rouletteMajority, ...settled, maxTerm: 1 },
]

test.each(HOLD.map((options) => [JSON.stringify(options, without), options] as const))(
  'leases and votes are kept: %s',
  (_, options) => {
    const { ok, properties } = check({ ...options, judge })
    expect(ok).toBe(true)
    expect(properties.filter(({ name }) => judge.includes(name)).map(({ holds }) => holds)).toEqual(
      [true, true],
    )
  },
)

describe('the step that leaves a lease or a vote without support is found', () => {
  test.each([
    ['lease: a bond is not longer than a lease', 'kept leases', settled],
    ['the leader is not bonded to its successor', 'kept leases', { ...settled, resignations: 1 }],
    ['the leader does not vote for its successor', 'kept votes', { members: 3, resignations: 1 }],
    ['a heartbeat binds no member', 'kept leases', settled],
  ] as const)('%s', async (what, property, options) => {
    const { algorithm, edits } = LEASE_MUTANTS.find((mutant) => mutant.what === what)!
    const result = check({ algorithm: await mutate(algorithm, edits), ...options, judge })
    expect(result.counterexample?.property).toBe(property)
  })
})

function without(key: string, value: unknown): unknown {
  return key === 'algorithm' ? (value as { readonly name: string }).name : value
}
