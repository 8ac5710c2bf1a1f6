/** The checker with clocks: what it calls ok, and the defects of leases that it must find. */
import { describe, expect, it } from 'vitest'
import { bullyFdQuorum, rouletteMajority } from '../../src/algorithms/index.ts'
import { check, type CheckOptions, type CheckResult } from '../../src/check/index.ts'
import { counterexampleTrace } from '../../src/explore/counterexample.ts'
import { LEASE_MUTANTS } from '../../scripts/mutants/lease-mutants-list.ts'
import { mutate } from '../../scripts/mutants/mutate.ts'

const clocks = { members: 3, clocks: true, ticks: 1 } as const

async function mutantOf(
  name: string,
  what: string,
  given: Partial<CheckOptions>,
): Promise<CheckResult> {
  const mutant = LEASE_MUTANTS.find((one) => one.algorithm === name && one.what === what)!
  return check({ algorithm: await mutate(name, mutant.edits), ...clocks, ...given })
}

describe('check with clocks', () => {
  it('finds nothing in the algorithms that ship', () => {
    for (const given of [
      { algorithm: bullyFdQuorum },
      { algorithm: bullyFdQuorum, start: 'settled', crashes: 1 },
      { algorithm: bullyFdQuorum, members: 2, crashes: 1, recoveries: 1, resignations: 1 },
      { algorithm: rouletteMajority, start: 'settled', maxTerm: 1 },
    ] as const) {
      const { ok, complete, properties } = check({ ...clocks, ...given })
      expect([ok, complete]).toEqual([true, true])
      expect(properties.find(({ name }) => name === 'one lease at a time')?.holds).toBe(true)
    }
  })

  it('needs no bound on ticks for two members', () => {
    const { ok, states } = check({ algorithm: bullyFdQuorum, ...clocks, members: 2, ticks: 0 })
    expect(ok).toBe(true)
    expect(states).toBeGreaterThan(1000)
  })

  it.each([
    'lease: the lease is counted from the receipt of the majority',
    'lease: a bond is not longer than a lease',
    'lease: a lease has no timer',
    'a leader ignores the end of its lease',
  ])('finds that %s', async (what) => {
    const given = { start: 'settled', ticks: 2 } as const
    const { counterexample, config } = await mutantOf('bully-fd-quorum', what, given)
    expect(counterexample?.property).toBe('one lease at a time')
    const trace = counterexampleTrace(config, counterexample!)
    expect(trace).toContain('# one lease at a time breaks here')
  })

  it('finds that a copy of an announcement makes a leader lead twice in its term', async () => {
    const what = 'a copy of the announcement begins a second leadership'
    const given = {
      start: 'settled',
      maxTerm: 1,
      resignations: 1,
      duplicates: 1,
      clocks: false,
      ticks: 0,
    } as const
    const { counterexample } = await mutantOf('roulette-majority', what, given)
    expect(counterexample?.property).toBe('one leader per term')
  })
})
