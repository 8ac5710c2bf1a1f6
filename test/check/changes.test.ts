/** Changes of the configuration: what the checker says of them, and what each rule is good for. */
import { beforeAll, describe, expect, test } from 'vitest'
import { changeSideBySide } from '../../scripts/mutants/races.ts'
import { REGISTER_MUTANTS } from '../../scripts/mutants/register-mutants-list.ts'
import { mutate } from '../../scripts/mutants/mutate.ts'
import { bullyFdQuorum } from '../../src/algorithms/bully-fd-quorum.ts'
import { check, type CheckOptions } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { detectors } from '../../src/detectors/index.ts'
import { counterexampleTrace } from '../../src/explore/counterexample.ts'
import { replay } from '../../src/sim/record/replay.ts'

const CHANGING = { members: 4, voters: [1, 2, 3], changes: 1 } as const
const SETTLED = { ...CHANGING, start: 'settled', crashes: 1, recoveries: 1 } as const

function mutant(what: string): Promise<Algorithm> {
  const { algorithm, edits } = REGISTER_MUTANTS.find((listed) => listed.what.endsWith(what))!
  return mutate(algorithm, edits)
}

describe('three voters and a seat', () => {
  test('keep all promises with a crash and two changes that follow each other, and with clocks', () => {
    const given: Omit<CheckOptions, 'algorithm'>[] = [
      { ...CHANGING, changes: 2, crashes: 1 },
      { ...CHANGING, observers: [4], start: 'settled', crashes: 1 },
    ]
    for (const budget of given) {
      const result = check({ algorithm: bullyFdQuorum, ...budget })
      expect(result).toMatchObject({ ok: true, complete: true })
      const changes = result.properties.find(({ name }) => name.includes('changes'))
      expect(changes?.holds).toBe(true)
    }
  })

  test('have as many states as three members while nobody may change them', () => {
    const three = check({ algorithm: bullyFdQuorum, members: 3, crashes: 1, recoveries: 1 })
    const first = check({ algorithm: bullyFdQuorum, members: 4, voters: [1, 2, 3], crashes: 0 })
    const same = check({ algorithm: bullyFdQuorum, members: 3, crashes: 0 })
    expect(three.ok).toBe(true)
    // The outside seat is up: it adds its own start and no more.
    expect(first.states).toBe(same.states)
  })

  test('break a promise without a rule, and the trace replays', async () => {
    const careless = await mutant('a candidate with an older configuration gets votes')
    const given = { ...SETTLED, changes: 2, reduction: false, maxStates: 200_000 }
    const { counterexample, config } = check({ algorithm: careless, ...given })
    expect(counterexample?.property).toBe('one backed leader')
    const text = counterexampleTrace(config, counterexample!)
    expect(text).toMatch(/^change [1-4] [1-4] outside$/mu)
    expect(replay(text, { algorithms: [careless], detectors }).difference).toBeNull()
  }, 120_000)
})

describe('two leaders that change the configuration side by side', () => {
  let unstamped: Algorithm
  beforeAll(async () => {
    unstamped = await mutant('what it has not written in its own term')
  })

  test('do not lead at once: the later one has written in its own term', () => {
    const group = changeSideBySide(bullyFdQuorum)
    expect([group.leads(3), group.leads(4)]).toEqual([true, false])
  })

  test('would both lead if it had not', () => {
    const group = changeSideBySide(unstamped)
    expect([group.leads(3), group.leads(4)]).toEqual([true, true])
    expect(group.configuration(3)[2]).toEqual([1, 2, 3])
    expect(group.configuration(4)[2]).toEqual([1, 2, 3, 4, 5])
  })
})
