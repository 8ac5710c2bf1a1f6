import { describe, expect, it } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { withVolatileField } from '../../scripts/mutants/volatile-fields.ts'
import { mutate } from '../../scripts/mutants/mutate.ts'
import { bullyFdWithout, type Correction } from '../../scripts/mutants/named-mutants.ts'
import { check, type CheckResult, type CheckOptions } from '../../src/check/index.ts'
import { CounterError } from '../../src/check/reduction/counter-symmetry.ts'
import { counterexampleTrace } from '../../src/explore/counterexample.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { detectors } from '../../src/detectors/index.ts'
import { replay } from '../../src/sim/index.ts'

function named(name: string): Algorithm {
  return algorithms.find((algorithm) => algorithm.name === name)!
}

function run(name: string, members: number, given: Partial<CheckOptions> = {}): CheckResult {
  return check({ algorithm: named(name), members, ...given })
}

function holds({ properties }: CheckResult, name: string): boolean | null | undefined {
  return properties.find((property) => property.name === name)?.holds
}

describe('the search', () => {
  it('spends each budget separately: two kinds of fault give more states than each alone', () => {
    const kinds = ['crashes', 'mistakes', 'drops', 'duplicates', 'cuts', 'resignations'] as const
    const given = { start: 'settled', detector: 'eventual', maxTerm: 1 } as const
    const statesWith = (faults: Partial<CheckOptions>): number =>
      run('bully-fd-quorum', 2, { ...given, ...faults }).states
    const alone = kinds.map((kind) => statesWith({ [kind]: 1 }))
    kinds.forEach((kind, i) => {
      kinds.slice(0, i).forEach((other, j) => {
        const both = statesWith({ [kind]: 1, [other]: 1 })
        expect(both, `${kind} and ${other}`).toBeGreaterThan(Math.max(alone[i], alone[j]))
      })
    })
  })

  it('says incomplete, never ok, when the budget of states is spent first', () => {
    const { ok, complete, ending } = run('bully-fd', 3, {
      crashes: 2,
      recoveries: 2,
      maxStates: 999,
    })
    expect({ ok, complete, ending }).toEqual({ ok: false, complete: false, ending: 'states' })
  })
})

describe('an algorithm that can tell shifted counters apart is refused', () => {
  it.each([
    ['a counter is compared with 0', [['s.claimTerm = term + 1', 's.claimTerm = term']]],
    [
      'a start counts on from a counter that a crash resets',
      [['term: stable(counter())', 'term: counter()']],
    ],
  ] as const)('where %s', async (_, edits) => {
    const algorithm = await mutate('bully', edits)
    const given = { members: 3, crashes: 1, recoveries: 1 }
    expect(() => check({ algorithm, ...given })).toThrow(CounterError)
  })
})

/** The situations that should occur, and have not. */
function missed({ properties }: CheckResult): string[] {
  return properties.filter((p) => p.kind === 'sometimes' && p.holds !== true).map((p) => p.name)
}

describe('what the algorithms promise', () => {
  it('bully-fd is safe and live with one crash and one recovery', () => {
    const result = run('bully-fd', 3, { crashes: 1, recoveries: 1 })
    expect(result).toMatchObject({ ok: true, complete: true, counterexample: null })
    const changing = ['a member is in Out', 'have is handled', 'config is handled']
    expect(missed(result)).toEqual(changing)
  })

  it('bully-fd is safe and live while members change, and then meets every situation', () => {
    const result = run('bully-fd', 3, { voters: [1, 2], changes: 1, crashes: 1, recoveries: 1 })
    expect(result).toMatchObject({ ok: true, complete: true, counterexample: null })
    expect(missed(result)).toEqual([])
  })

  it('bully agrees eventually, not at every moment, and the report says which', () => {
    const result = run('bully', 3, { crashes: 1, recoveries: 1 })
    expect(result.ok).toBe(true)
    expect(holds(result, 'the strongest leads')).toBe(true)
    expect(holds(result, 'agreement')).toBe(false)
  })

  it.each([3, 4])(
    'a settled bully-fd keeps agreement if its detector makes fewer than four mistakes: %i',
    (mistakes) => {
      const given = { start: 'settled', detector: 'eventual', mistakes } as const
      expect(holds(run('bully-fd', 3, given), 'agreement')).toBe(mistakes < 4)
    },
  )
})

describe('bully-fd-quorum', () => {
  it('needs no bound on terms', () => {
    const given = { members: 3, crashes: 1, recoveries: 1, detector: 'eventual' } as const
    const result = check({ algorithm: named('bully-fd-quorum'), ...given, mistakes: 1 })
    expect(result).toMatchObject({ ok: true, complete: true, cutOff: { beyondMaxTerm: 0 } })
  })

  it('would loop for ever if a Release did not name the leader', async () => {
    const silent = await mutate('bully-fd-quorum', [
      ['term, round, successor, lapsed:', 'term, round, successor: NONE, lapsed:'],
    ])
    const faults = { crashes: 1, recoveries: 1, detector: 'eventual', mistakes: 1 } as const
    const { counterexample } = check({ algorithm: silent, members: 3, ...faults })
    expect(counterexample?.property).toBe('agreement in the end')
    expect(counterexample!.loop.length).toBeGreaterThan(0)
  })
})

describe('a leader that is asked to resign', () => {
  const given = { members: 3, start: 'settled', resignations: 1, maxTerm: 1 } as const

  it.each(['bully-fd-quorum', 'roulette-majority'])('%s keeps its promises', (name) => {
    const result = check({ algorithm: named(name), ...given })
    expect(result).toMatchObject({ ok: true, complete: true })
    expect(holds(result, 'a leader resigns')).toBe(true)
    expect(holds(result, 'resign is handled')).toBe(true)
  })

  it('breaks one backed leader if it names a successor without a vote for the next term, and the trace replays', async () => {
    const usurper = await mutate('bully-fd-quorum', [
      [
        'resignTo(s, successor, next, out)\n    recordVote(s, next)',
        'resignTo(s, successor, next, out)',
      ],
    ])
    const faults = { ...given, crashes: 1, recoveries: 1 }
    const { counterexample, config } = check({ algorithm: usurper, ...faults })
    expect(counterexample?.property).toBe('one backed leader')
    const text = counterexampleTrace(config, counterexample!)
    expect(text).toMatch(/^resign 3 [12]$/mu)
    expect(replay(text, { algorithms: [usurper], detectors }).difference).toBeNull()
    // Without a request, sticky leaders name no successor.
    const untold = check({ algorithm: usurper, ...faults, resignations: 0 })
    expect(untold).toMatchObject({ ok: true, complete: true })
  })
})

describe('counterexamples', () => {
  it('the shortest against the printed Bully_FD has the fifteen steps of the errata', () => {
    const result = run('bully-fd-as-printed', 3, { start: 'settled', crashes: 1, recoveries: 1 })
    expect(result.counterexample).toMatchObject({ property: 'agreement' })
    expect(result.counterexample!.steps).toHaveLength(15)
  })

  it.each([
    ['bully-fd-as-printed', 'agreement', 1],
    ['bully-as-printed', 'the strongest leads', 1],
    ['ring-as-printed', 'the strongest leads', 0],
    ['chang-roberts-as-printed', 'the strongest leads', 0],
  ])('one against %s plays step by step and breaks: %s', (name, property, recoveries) => {
    const result = run(name, 3, { crashes: 1, recoveries, start: recoveries ? 'settled' : 'boot' })
    expect(result.counterexample?.property).toBe(property)
    const text = counterexampleTrace(result.config, result.counterexample!)
    const { difference, violations } = replay(text, { algorithms, detectors })
    expect(difference).toBeNull()
    expect(violations.map((violation) => violation.property)).toEqual(
      property === 'agreement' ? ['agreement'] : [],
    )
  })

  it.each<[Correction, string]>([
    ['nextel', 'agreement'],
    ['ackT', 'agreement'],
    ['recheck', 'agreement'],
    ['complete', 'the strongest leads'],
    ['re1', 'the strongest leads'],
    ['re2', 'the strongest leads'],
  ])('Bully_FD without %s breaks: %s', async (correction, property) => {
    const settings: Partial<CheckOptions>[] = [
      { crashes: 2, recoveries: 0, start: 'settled' },
      { crashes: 1, recoveries: 1, start: 'settled' },
      { crashes: 2, recoveries: 2, start: 'settled' },
    ]
    const algorithm = await bullyFdWithout(correction)
    let broken: string | undefined
    for (const given of settings) {
      if (broken !== undefined) break
      broken = check({ algorithm, members: 3, ...given }).counterexample?.property
    }
    expect(broken).toBe(property)
  })

  it('ids are kept as they are if a source does not make them new', async () => {
    const given = { members: 2, crashes: 1, recoveries: 1 }
    expect(check({ algorithm: await bullyFdWithout('nextel'), ...given }).idReuse).not.toBeNull()
    expect(check({ algorithm: named('bully-fd'), ...given }).idReuse).toBeNull()
    // A source in memory makes new ids as long as no member recovers.
    const algorithm = withVolatileField('bully-fd', 'incarn')
    expect(check({ algorithm, ...given }).idReuse).not.toBeNull()
    expect(check({ algorithm, ...given, recoveries: 0 }).idReuse).toBeNull()
  })
})
