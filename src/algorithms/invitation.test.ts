/** invitation, sentence by sentence of the paper, and one leader in each part of a network. */
import { describe, expect, test } from 'vitest'
import { beliefs, drain, play, sentLast, stepperFor } from '../../test/support/scenario.ts'
import { Random } from '../core/random.ts'
import { configure, World, type Fault, type Stepper } from '../sim/index.ts'
import { invitation } from './invitation.ts'

const started = (n = 3): Stepper => {
  const stepper = stepperFor(invitation, n)
  for (let id = 1; id <= n; id++) play(stepper, `start ${id}`)
  return stepper
}

/** Member 2 finds 1 and merges with it; both end in group 2·2. */
const MERGED = `timeout 2 check
  deliver 2→1 areYouCoordinator
  deliver 1→2 coordinator
  timeout 2 answers
  deliver 2→1 invitation
  deliver 1→2 accept
  timeout 2 accepts
  deliver 2→1 ready`

function cut(at: number, ...sides: number[][]): Fault[] {
  return sides.flatMap((from) =>
    sides.filter((to) => to !== from).map((to): Fault => ({ kind: 'cut', from, to, at })),
  )
}

describe('the paper, §V and Appendix II', () => {
  test('Recovery: a member "forms a new group with itself as its only member"', () => {
    const stepper = started()
    expect(beliefs(stepper)).toBe('1:Norm(1) 2:Norm(2) 3:Norm(3)')
    expect([1, 2, 3].map((id) => stepper.stateOf(id).term)).toEqual([1025, 1026, 1027])
    play(stepper, 'crash 3; recover 3; start 3')
    expect(stepper.stateOf(3)).toMatchObject({ leader: 3, term: 2 * 1024 + 3 })
  })

  test('Check: only a coordinator in Norm says that it is one', () => {
    const stepper = play(started(), MERGED)
    expect(beliefs(stepper)).toBe('1:Norm(2) 2:Norm(2) 3:Norm(3)')
    play(
      stepper,
      'timeout 3 check; deliver 3→1 areYouCoordinator; deliver 2→3 areYouCoordinator; deliver 3→2 areYouCoordinator',
    )
    expect(stepper.linkOf(1, 3)).toEqual([{ type: 'coordinator', yes: false, term: 2050 }])
    expect(stepper.linkOf(2, 3)).toEqual([{ type: 'coordinator', yes: true, term: 2050 }])
  })

  test('"The higher the priority of a node, the shorter the time it waits": only the strongest coordinator invites at once', () => {
    const script = (a: number, b: number): string =>
      `timeout ${a} check; deliver ${a}→${b} areYouCoordinator; deliver ${b}→${a} coordinator; timeout ${a} answers`
    expect(sentLast(play(started(), script(3, 1)))).toEqual(['3→1 invitation'])
    const weaker = play(started(), script(1, 3))
    expect(sentLast(weaker)).toEqual([])
    expect(sentLast(play(weaker, 'timeout 1 delay'))).toEqual(['1→3 invitation'])
  })

  test('a stronger coordinator that is asked looks for others at once', () => {
    const stepper = play(started(), 'timeout 1 check; deliver 1→3 areYouCoordinator')
    expect(sentLast(stepper)).toEqual([
      '3→1 coordinator',
      '3→1 areYouCoordinator',
      '3→2 areYouCoordinator',
    ])
  })

  test('Invitation: a coordinator forwards it to its group; all accept, and Ready ends the merge', () => {
    const stepper = play(
      started(),
      `${MERGED}
       timeout 3 check
       deliver 2→3 areYouCoordinator
       deliver 3→2 areYouCoordinator
       deliver 2→3 coordinator
       timeout 3 answers
       deliver 3→2 coordinator
       deliver 3→2 invitation`,
    )
    expect(sentLast(stepper)).toEqual(['2→1 invitation', '2→3 accept'])
    expect(beliefs(stepper)).toBe('1:Norm(2) 2:Reorganization 3:Election')
    play(stepper, 'deliver 2→1 invitation; deliver 2→3 accept')
    expect(sentLast(play(stepper, 'deliver 3→1 areYouCoordinator'))).toEqual(['1→3 coordinator'])
    play(stepper, 'deliver 1→3 accept; timeout 3 accepts')
    expect(sentLast(stepper)).toEqual(['3→1 ready', '3→2 ready'])
    expect(beliefs(drain(stepper))).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })

  test('"if S(i).s ≠ Normal" an invitation is ignored', () => {
    const stepper = play(
      started(),
      `timeout 3 check
       deliver 3→1 areYouCoordinator
       deliver 1→3 coordinator
       timeout 2 check
       deliver 2→1 areYouCoordinator
       deliver 1→2 coordinator
       timeout 2 answers
       deliver 2→1 invitation
       timeout 3 answers`,
    )
    expect(sentLast(stepper)).toEqual(['3→1 invitation'])
    expect(sentLast(play(stepper, 'deliver 3→1 invitation'))).toEqual([])
    expect(stepper.stateOf(1)).toMatchObject({ status: 'Reorganization', coordinator: 2 })
  })

  test('Timeout: a member whose coordinator does not answer, or does not count it, recovers', () => {
    const silent = play(started(), `${MERGED}; timeout 1 silence; crash 2; timeout 1 here`)
    expect(beliefs(silent)).toBe('1:Norm(1) 2:down 3:Norm(3)')
    const uncounted = play(
      started(),
      `${MERGED}
       crash 2
       recover 2
       start 2
       timeout 1 silence
       deliver 1→2 areYouThere
       deliver 2→1 here`,
    )
    expect(beliefs(uncounted)).toBe('1:Norm(1) 2:Norm(2) 3:Norm(3)')
  })

  test('a member that gets no Ready recovers, into a group with a larger number', () => {
    const stepper = play(
      started(),
      `timeout 2 check
       deliver 2→1 areYouCoordinator
       deliver 1→2 coordinator
       timeout 2 answers
       deliver 2→1 invitation
       crash 2
       timeout 1 ready`,
    )
    expect(stepper.stateOf(1)).toMatchObject({ leader: 1, term: 3 * 1024 + 1 })
  })
})

describe('a network in parts', () => {
  const leadersAfter = (members: number, faults: Fault[], seed = 1): number[] => {
    const world = new World(configure({ algorithm: invitation, members, seed, faults }))
    world.runUntil(6_000_000) // the faults are over after half of it
    world.monitors.judge(world.now)
    expect(world.monitors.violations).toEqual([])
    return world.states.slice(1).map(({ leader }) => leader)
  }

  test('each part has one leader of its own, and the whole network has one when it heals', () => {
    const parts = cut(1_000_000, [1, 4], [2, 3, 5])
    const [a, b, c, d, e] = leadersAfter(5, parts)
    expect([1, 4]).toContain(a)
    expect(d).toBe(a)
    expect([2, 3, 5]).toContain(b)
    expect([c, e]).toEqual([b, b])
    const healed = leadersAfter(5, [...parts, { kind: 'heal', at: 3_000_000 }])
    expect(new Set(healed).size).toBe(1)
  })

  test('keeps its promises in 100 runs with crashes and cuts that last', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const random = new Random(seed)
      const members = 2 + random.below(6)
      const order = random.permutation(members)
      const place = random.below(members + 1)
      const at = random.below(2_000_000)
      const faults = cut(at, order.slice(0, place), order.slice(place))
      const node = 1 + random.below(members)
      faults.push({ kind: 'crash', node, at: random.below(2_000_000) })
      if (random.chance(0.7)) faults.push({ kind: 'recover', node, at: 2_500_000 })
      const leaders = leadersAfter(members, faults, seed)
      expect(leaders).toHaveLength(members)
    }
  })

  test('a cut that lasts breaks what other algorithms promise', () => {
    const faults = cut(1_000_000, [1, 4], [2, 3, 5])
    const promises = { ...invitation.promises, agreement: 'eventually' } as const
    const algorithm = { ...invitation, promises }
    const world = new World(configure({ algorithm, members: 5, faults }))
    world.runUntil(6_000_000)
    world.monitors.judge(world.now)
    expect(world.monitors.violations.map(({ property }) => property)).toEqual(['agreement'])
  })
})

test('a merge of two groups costs 3(n−1) messages, for all n ≤ 64', () => {
  for (let n = 2; n <= 64; n++) {
    const half = Math.ceil(n / 2)
    const ids = Array.from({ length: n }, (_, i) => i + 1)
    const faults = cut(0, ids.slice(0, half), ids.slice(half))
    const world = new World(configure({ algorithm: invitation, members: n, faults }))
    world.runUntil(1_000_000)
    const before = world.messageCounts.sumOf('election')
    world.inject({ kind: 'heal', at: world.now })
    world.runUntil(2_000_000)
    expect(world.monitors.agreed).toBe(n)
    expect(world.messageCounts.sumOf('election') - before, `n = ${n}`).toBe(3 * (n - 1))
  }
})
