import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { note, tiny, tinyWorld, type TinyHandlers } from '../../../test/support/tiny-algorithms.ts'
import type { Promises } from '../../core/algorithm.ts'
import { configure, type SimOptions } from '../config.ts'
import { Monitors } from './monitors.ts'
import { finish, recordRun, summarize } from '../run.ts'
import { World } from '../world/world.ts'

const MS = 1000
const ALL: Promises = {
  agreement: 'always',
  leader: 'highest',
  oneLeaderPerTerm: true,
  termsRise: true,
}

function monitors(members: number, promises: Partial<Promises> = {}): Monitors {
  const made = new Monitors(members, { ...ALL, ...promises }, (id) => id)
  for (let id = 1; id <= members; id++) made.wentUp(id, 0)
  return made
}

const broken = (made: Monitors): string[] => made.violations.map(({ property }) => property)

describe('agreement', () => {
  test('is when all up members name one up leader, and since then', () => {
    const made = monitors(3)
    made.changed(3, 3, 1, 10)
    made.changed(2, 3, 1, 20)
    expect([made.agreed, made.agreedSince]).toEqual([0, NaN])
    made.changed(1, 3, 1, 30)
    expect([made.agreed, made.agreedSince]).toEqual([3, 30])
    made.changed(1, 0, 1, 40)
    expect([made.agreed, made.agreedSince]).toEqual([0, NaN])
    made.wentDown(1, 50)
    expect([made.agreed, made.agreedSince]).toEqual([3, 50])
    made.wentUp(1, 60)
    expect(made.agreed).toBe(0)
    made.changed(1, 3, 2, 70)
    made.wentDown(3, 80)
    expect([made.agreed, made.agreedSince]).toEqual([0, NaN])
  })

  test('is not interrupted by the crash of a follower', () => {
    const made = monitors(3)
    for (const id of [1, 2, 3]) made.changed(id, 3, 1, 10)
    made.wentDown(1, 50)
    expect([made.agreed, made.agreedSince]).toEqual([3, 10])
    made.changed(2, 3, 2, 60)
    expect(made.agreedSince).toBe(10)
  })

  test('of no members is none, and of a single member is its own', () => {
    const made = monitors(2)
    made.wentDown(1, 10)
    made.changed(2, 2, 1, 20)
    expect([made.agreed, made.agreedSince]).toEqual([2, 20])
    made.wentDown(2, 30)
    expect([made.agreed, made.agreedSince]).toEqual([0, NaN])
    made.judge(40)
    expect(made.violations).toEqual([])
  })

  test('episodes of disagreement are counted and timed, whether promised or not', () => {
    for (const agreement of ['always', 'eventually'] as const) {
      const made = monitors(3, { agreement })
      made.changed(1, 3, 1, 10)
      made.changed(2, 2, 1, 20) // 1 follows 3, 2 follows 2
      made.changed(3, 3, 1, 25)
      made.changed(2, 0, 1, 50)
      made.changed(2, 1, 1, 100)
      made.wentDown(2, 130)
      expect([made.disagreements, made.disagreementUs]).toEqual([2, 60])
      expect(broken(made).filter((property) => property === 'agreement')).toHaveLength(
        agreement === 'always' ? 2 : 0,
      )
    }
  })

  test('in groups is of those in one term at every moment, and of each part of the network in the end', () => {
    const promises = { agreement: 'in groups', leader: 'any' } as const
    const made = monitors(4, promises)
    made.reaches = (a, b) => a < 3 === b < 3
    for (const id of [1, 2]) made.changed(id, 2, 1, 10)
    for (const id of [3, 4]) made.changed(id, 3, 2, 10)
    made.judge(20)
    expect(made.violations).toEqual([])
    made.changed(4, 2, 3, 30) // follows a member of the other part
    made.judge(40)
    made.changed(1, 1, 3, 50) // in a group that follows 2
    expect(made.violations).toEqual([
      { property: 'agreement', at: 40, sentence: 'after quiet, 3 follows 3, 4 follows 2' },
      {
        property: 'agreement',
        at: 50,
        sentence: 'member 1 is in the group of term 3, in which 2 and 1 are followed',
      },
    ])
  })

  test('a lasting disagreement is timed to the end', () => {
    const made = monitors(2, { agreement: 'eventually' })
    made.changed(1, 1, 1, 10)
    made.changed(2, 2, 1, 30)
    made.judge(100)
    expect([made.disagreements, made.disagreementUs]).toEqual([1, 70])
    expect(made.violations).toEqual([
      { property: 'one leader per term', at: 30, sentence: 'members 1 and 2 both lead in term 1' },
      { property: 'agreement', at: 100, sentence: 'after quiet, 1 follows 1, 2 follows 2' },
    ])
  })

  test('is tracked in constant time as a naive look at everybody finds it', () => {
    const event = fc.record({
      node: fc.integer({ min: 1, max: 4 }),
      what: fc.constantFrom('follow', 'fall', 'rise'),
      leader: fc.nat(4),
    })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const made = monitors(4, { agreement: 'eventually', oneLeaderPerTerm: false })
        const follows = new Map([1, 2, 3, 4].map((id) => [id, 0]))
        let since = NaN
        const [seen, expected]: [unknown[], unknown[]] = [[], []]
        events.forEach(({ node, what, leader }, i) => {
          const up = follows.has(node)
          if (what === 'follow' && up) {
            made.changed(node, leader, 0, i)
            follows.set(node, leader)
          } else if (what === 'fall' && up) {
            made.wentDown(node, i)
            follows.delete(node)
          } else if (what === 'rise' && !up) {
            made.wentUp(node, i)
            follows.set(node, 0)
          }
          const named = new Set(follows.values())
          const [one] = named
          const agreed = named.size === 1 && follows.has(one)
          since = agreed ? (Number.isNaN(since) ? i : since) : NaN
          seen.push([made.agreed, made.agreedSince, made.upCount])
          expected.push([agreed ? one : 0, since, follows.size])
        })
        expect(seen).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})

describe('terms', () => {
  test('that fall are seen, also across a crash, and only where it is promised that they rise', () => {
    for (const termsRise of [true, false]) {
      const made = monitors(2, { termsRise })
      made.changed(1, 2, 5, 10)
      made.changed(1, 2, 4, 20)
      made.wentDown(1, 30)
      made.wentUp(1, 40)
      made.changed(1, 2, 0, 50)
      const fell = made.violations.map(({ sentence }) => sentence)
      expect(fell).toEqual(
        termsRise ? ["member 1's term fell from 5 to 4", "member 1's term fell from 4 to 0"] : [],
      )
    }
  })

  test('with two leaders are seen, however far apart in time, and only where one is promised', () => {
    for (const oneLeaderPerTerm of [true, false]) {
      const made = monitors(3, { oneLeaderPerTerm, agreement: 'eventually' })
      made.changed(1, 1, 7, 10)
      made.changed(1, 1, 8, 20)
      made.changed(1, 0, 8, 25)
      made.changed(3, 3, 7, 1000)
      made.changed(3, 3, 9, 1000)
      expect(broken(made)).toEqual(oneLeaderPerTerm ? ['one leader per term'] : [])
    }
  })
})

describe('in the end', () => {
  test('the strongest must lead where that is promised', () => {
    for (const leader of ['highest', 'any'] as const) {
      const made = monitors(3, { leader })
      made.wentDown(3, 0)
      made.wentUp(3, 1)
      for (const id of [1, 2, 3]) made.changed(id, 2, 1, 10)
      made.judge(100)
      expect(made.violations.map(({ sentence }) => sentence)).toEqual(
        leader === 'highest' ? ['after quiet all follow 2, yet 3 is up'] : [],
      )
    }
  })

  test('a hundred violations are kept, further ones only reported', () => {
    const made = monitors(1)
    let told = 0
    made.onViolation = () => (told += 1)
    for (let i = 0; i < 150; i++) {
      made.changed(1, 1, 1, i)
      made.changed(1, 1, 0, i)
    }
    expect([made.violations.length, told]).toEqual([100, 150])
  })
})

describe('an algorithm that breaks a promise is caught', () => {
  const run = (
    handlers: Partial<TinyHandlers>,
    promises: Partial<Promises>,
    options: Partial<SimOptions> = {},
  ) => {
    const config = configure({ members: 3, ...options, algorithm: tiny(handlers, promises) })
    const { world, recording } = recordRun(config)
    const marked = recording.entries.flatMap(({ violations }) => violations)
    const summary = summarize(world)
    expect(marked).toHaveLength(summary.violations.length)
    return summary
  }

  test('agreement at every moment', () => {
    const selfish: Partial<TinyHandlers> = {
      start: (s, out) => {
        s.leader = out.me
        if (out.me === 3) for (const peer of [1, 2]) out.send(peer, note(1))
      },
      message: (s, from) => {
        s.leader = from
      },
    }
    const summary = run(selfish, { agreement: 'always' })
    expect(summary.violations).toEqual([
      {
        property: 'agreement',
        atMs: 0,
        sentence: '1 follows 1, 2 follows 2, 3 follows nobody',
      },
    ])
    expect([summary.agreed, summary.leader, summary.observed.disagreements]).toEqual([true, 3, 1])
    expect(run(selfish, { agreement: 'eventually' }).violations).toEqual([])
  })

  test('agreement in the end', () => {
    const summary = run({ start: (s, out) => void (s.leader = out.me) }, {})
    expect(summary.violations.map(({ property }) => property)).toEqual(['agreement'])
    expect([summary.agreed, summary.leader, summary.electedMs]).toEqual([false, null, null])
    expect(run({}, {}).violations[0].sentence).toBe(
      'after quiet, 1 follows nobody, 2 follows nobody, 3 follows nobody',
    )
  })

  test('a leader that is down does not count', () => {
    const summary = run({ start: (s) => void (s.leader = 3) }, {}, { down: [3] })
    expect(summary.violations.map(({ property }) => property)).toEqual(['agreement'])
  })

  test('the strongest leads', () => {
    const weak: Partial<TinyHandlers> = { start: (s) => void (s.leader = 1) }
    expect(run(weak, { leader: 'highest' }).violations.map(({ property }) => property)).toEqual([
      'highest leads',
    ])
    expect(run(weak, { leader: 'any' }).violations).toEqual([])
    expect(run(weak, { leader: 'highest' }, { down: [2, 3] }).violations).toEqual([])
  })

  test('one leader in a term', () => {
    const handlers: Partial<TinyHandlers> = {
      start: (s, out) => {
        s.term = 4
        if (out.me === 1) s.leader = 1
        else out.set('first', 10 * out.me)
      },
      timeout: (s, _, out) => {
        s.leader = out.me
      },
    }
    const { violations } = run(handlers, { oneLeaderPerTerm: true })
    expect(violations.map(({ sentence }) => sentence).slice(0, 2)).toEqual([
      'members 1 and 2 both lead in term 4',
      'members 2 and 3 both lead in term 4',
    ])
  })

  test('terms rise: one that forgets its term in a crash', () => {
    const handlers: Partial<TinyHandlers> = {
      start: (s) => {
        s.leader = 3
        s.term += 1
      },
      message: () => {},
      timeout: () => {},
    }
    const faults: SimOptions['faults'] = [
      { at: 100 * MS, kind: 'crash', node: 1 },
      { at: 200 * MS, kind: 'recover', node: 1 },
    ]
    const twice: Partial<TinyHandlers> = {
      ...handlers,
      start: (s) => {
        s.leader = 3
        s.term = s.kept === 0 ? 2 : 1
        s.kept = 1
      },
    }
    expect(run(twice, { termsRise: true }, { faults }).violations).toMatchObject([
      { property: 'terms rise', sentence: "member 1's term fell from 2 to 1" },
    ])
    expect(run(handlers, { termsRise: true }, { faults }).violations).toEqual([])
  })
})

describe('electedMs', () => {
  test('counts from the last scheduled fault, else from the beginning', () => {
    const handlers: Partial<TinyHandlers> = {
      start: (s, out) => {
        if (out.me === 2) s.leader = 2
        else out.set('first', 30)
      },
      timeout: (s) => {
        s.leader = 2
      },
    }
    const elected = (faults: SimOptions['faults'] = []): number | null => {
      const world = new World(configure({ members: 2, algorithm: tiny(handlers), faults }))
      finish(world)
      return summarize(world).electedMs
    }
    expect(elected()).toBe(30)
    expect(elected([{ at: 10 * MS, kind: 'heal' }])).toBe(20)
    expect(elected([{ at: 100 * MS, kind: 'heal' }])).toBe(0)
    expect(elected([{ at: 500 * MS, kind: 'crash', node: 2 }])).toBe(null)
  })

  test('a run that ends before its end is not judged by it', () => {
    const { world } = tinyWorld(
      () => ({
        start: (_, out) => out.set('tick', 500),
        timeout: (s) => {
          s.leader = 2
        },
      }),
      { untilUs: 400 * MS, timing: { periodMs: 600 } },
    )
    finish(world)
    expect(world.now).toBe(400 * MS)
    expect(world.monitors.violations).toEqual([])
  })
})
