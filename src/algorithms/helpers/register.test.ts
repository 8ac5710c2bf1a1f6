/** The configuration of a group: what a leader may write, who votes and who is out. */
import { describe, expect, test } from 'vitest'
import { SteppedGroup } from '../../../test/support/stepped-group.ts'
import { configure, type SimOptions } from '../../sim/config.ts'
import type { Fault } from '../../sim/faults/fault-catalogue.ts'
import { World } from '../../sim/world/world.ts'
import { bullyFdQuorum } from '../bully-fd-quorum.ts'

const MS = 1000

function threeOfFour(): SteppedGroup {
  return new SteppedGroup({ members: 4, voters: [1, 2, 3] })
}

describe('a change', () => {
  test('is refused by all but the leader, and until the leader has written in its own term', () => {
    const group = threeOfFour()
    expect(group.refusal(1, 4, 'observer')).toBe('not the leader')
    expect(group.refusal(3, 4, 'observer')).toBe('not committed')
    group.change(3, 4, 'observer')
    expect(group.configuration(3)).toEqual([1027, 0, [1, 2, 3]])
    group.round(3, 1)
    expect(group.refusal(3, 4, 'observer')).toBe('')
    group.change(3, 4, 'observer')
    expect(group.configuration(3)).toEqual([1027, 1, [1, 2, 3]])
    expect(group.refusal(3, 1, 'outside')).toBe('not committed')
  })

  test('replaces no two voters, leaves one, and takes no seat as a voter that has not caught up', () => {
    const group = threeOfFour()
    group.change(3, 0, 'outside')
    group.round(3, 1)
    expect(group.refusal(3, 3, 'alone')).toBe('more than one voter')
    expect(group.refusal(3, 4, 'voter')).toBe('not caught up')
    expect(group.refusal(3, 3, 'voter')).toBe('nothing changes')
    group.change(3, 4, 'observer')
    group.round(3, 1)
    expect(group.refusal(3, 4, 'voter')).toBe('not caught up')
    group.round(3, 4)
    expect(group.refusal(3, 4, 'voter')).toBe('')
    const single = new SteppedGroup({ members: 1 })
    single.change(1, 0, 'outside')
    expect(single.refusal(1, 1, 'outside')).toBe('no voter')
  })
})

describe('a member', () => {
  test('that its configuration does not name is out, and follows when it is added', () => {
    const group = threeOfFour()
    expect(group.stepper.stateOf(4).status).toBe('Out')
    group.change(3, 0, 'outside')
    group.round(3, 1)
    group.change(3, 4, 'observer')
    group.deliver(3, 4)
    expect(group.stepper.stateOf(4)).toMatchObject({ status: 'Norm', leader: 3 })
  })

  test('that is removed is out, asks for nothing, and gets no vote', () => {
    const group = threeOfFour()
    group.change(3, 0, 'outside')
    group.round(3, 1, 2)
    group.change(3, 1, 'outside')
    group.round(3, 2)
    expect(group.stepper.stateOf(1).leader).toBe(3)
    // It missed its removal, and stands with the configuration that it has.
    group.stepper.take({ verb: 'crash', node: 3 })
    group.stepper.take({ verb: 'down', node: 1, peer: 3 })
    group.stepper.take({ verb: 'timeout', node: 1, timer: 'patience', peer: 0 })
    expect(group.stepper.stateOf(1).status).toBe('Elec2')
    group.deliver(1, 2)
    expect(group.stepper.linkOf(2, 1).at(-1)).toMatchObject({ type: 'config', configVersion: 1 })
    group.deliver(2, 1)
    expect(group.stepper.stateOf(1).status).toBe('Out')
  })

  test('that leads and removes itself leads until that is committed, then resigns', () => {
    const group = threeOfFour()
    group.change(3, 0, 'outside')
    group.round(3, 1, 2)
    group.change(3, 3, 'outside')
    group.round(3, 1)
    expect(group.leads(3)).toBe(true) // two voters are left: one is no majority
    group.round(3, 2)
    expect([group.leads(3), group.stepper.stateOf(3).status]).toEqual([false, 'Out'])
    group.deliver(3, 2, 1)
    group.deliver(1, 2)
    expect(group.leads(2)).toBe(true)
  })
})

function world(faults: Fault[], given: Partial<SimOptions> = {}): World {
  return new World(
    configure({ algorithm: bullyFdQuorum, members: 5, voters: [1, 2, 3], faults, ...given }),
  )
}

describe('a running group', () => {
  test('grows from three to five and shrinks to three others, with a leader all the time but for the handover', () => {
    const sim = world([
      { kind: 'add', node: 4, at: 1000 * MS },
      { kind: 'add', node: 5, at: 1500 * MS },
      { kind: 'promote', node: 4, at: 2000 * MS },
      { kind: 'promote', node: 5, at: 2500 * MS },
      { kind: 'remove', node: 1, at: 3000 * MS },
      { kind: 'remove', node: 3, at: 3500 * MS },
    ])
    sim.runUntil(900 * MS)
    const before = sim.monitors.withoutLeaderUs(sim.now)
    sim.runUntil(5000 * MS)
    expect([...sim.configurations.newest()!.voters]).toEqual([2, 4, 5])
    expect(sim.monitors.violations).toEqual([])
    expect([1, 3].map((node) => sim.states[node].status)).toEqual(['Out', 'Out'])
    expect([2, 4, 5]).toContain(sim.monitors.agreed)
    expect(sim.monitors.withoutLeaderUs(sim.now) - before).toBeLessThan(10 * MS)
  })

  test('changes its period without a moment without a leader', () => {
    const sim = world([{ kind: 'reconfigure', us: 300 * MS, at: 1000 * MS }])
    sim.runUntil(900 * MS)
    const before = sim.monitors.withoutLeaderUs(sim.now)
    sim.runUntil(3000 * MS)
    const beats = sim.messageCounts.byType['norm?']
    sim.runUntil(6000 * MS)
    expect(sim.messageCounts.byType['norm?'] - beats).toBe(20) // two peers, ten periods
    expect(sim.monitors.withoutLeaderUs(sim.now)).toBe(before)
  })

  test('that never changes sends no word of configurations', () => {
    const sim = world([{ kind: 'crash', node: 3, at: 500 * MS }], { voters: null })
    const sent: string[] = []
    const silent = { step: () => {}, violated: () => {}, done: () => {} }
    const { messages } = bullyFdQuorum
    sim.recorder = {
      ...silent,
      sent: ({ message }) => sent.push(messages.show(message, (id) => id)),
    }
    sim.runUntil(2000 * MS)
    expect(sent.length).toBeGreaterThan(50)
    expect(sent.filter((text) => /config|bond/u.test(text))).toEqual([])
  })
})
