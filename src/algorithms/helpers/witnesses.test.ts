/** Witnesses: voters that never lead, in checked groups, in runs with random faults, and in handovers. */
import { describe, expect, test } from 'vitest'
import { check } from '../../check/index.ts'
import { detectors } from '../../detectors/index.ts'
import type { SimConfig } from '../../sim/config.ts'
import { configurationOf, drawRun } from '../../sim/hunt/draft.ts'
import { FAMILIES } from '../../sim/hunt/disturbances.ts'
import { parseSettings } from '../../sim/settings/settings.ts'
import { finish } from '../../sim/run.ts'
import { World } from '../../sim/world/world.ts'
import { SteppedGroup } from '../../../test/support/stepped-group.ts'
import { bullyFdQuorum } from '../bully-fd-quorum.ts'

const registry = { algorithms: [bullyFdQuorum], detectors }

/** Returns how often the leader changed, and what is wrong: a witness that leads, a promise that is broken. */
function play(config: SimConfig): { changes: number; problems: string[] } {
  const world = new World(config)
  const problems: string[] = []
  let changes = 0
  let last = 0
  world.recorder = {
    step: () => {},
    sent: () => {},
    violated: () => {},
    done: () => {
      const leading = world.monitors.leader.findIndex((leader, node) => node > 0 && leader === node)
      if (leading < 1 || leading === last) return
      last = leading
      changes += 1
      if (config.witnesses.includes(leading)) problems.push(`witness ${leading} leads`)
    },
  }
  finish(world)
  return {
    changes,
    problems: [...problems, ...world.monitors.violations.map(({ property }) => property)],
  }
}

describe('a witness', () => {
  test('never leads and breaks no promise, whatever fails and while members are added, promoted and removed', () => {
    const plan = { seed: 7, algorithms: [bullyFdQuorum], families: FAMILIES, detectors }
    let changes = 0
    for (let run = 0; run < 200; run++) {
      const config = configurationOf(drawRun(plan, run))
      const voters = config.voters ?? Array.from({ length: config.members }, (_, i) => i + 1)
      if (voters.length < 3) continue
      // One among the strongest seats, which would lead.
      const played = play({ ...config, witnesses: [voters.at(-1 - (run % 2))!] })
      expect(played.problems, `run ${run}`).toEqual([])
      changes += played.changes
    }
    expect(changes).toBeGreaterThan(100)
  }, 120_000)

  test('counts as a voter: with it one of two others leads, and without it neither is a majority', () => {
    const settings = [
      ['algorithm', 'bully-fd-quorum'],
      ['nodes', '3'],
      ['witnesses', '3'],
      ['crash', '2@500ms'],
    ] as const
    const world = new World(parseSettings([...settings, ['until', '2s']], registry))
    world.runUntil(2_000_000)
    expect([1, 3].map((node) => world.states[node].leader)).toEqual([1, 1])
    const alone = new World(
      parseSettings([...settings, ['crash', '3@600ms'], ['until', '3s']], registry),
    )
    alone.runUntil(3_000_000)
    expect(alone.states[1].leader).toBe(0)
  })

  test('is given no leadership by a leader that resigns', () => {
    const group = new SteppedGroup({ members: 3, witnesses: [3] })
    expect(group.leads(2)).toBe(true)
    group.stepper.take({ verb: 'resign', node: 2, successor: 3 })
    const [message] = group.stepper.linkOf(2, 3)
    expect(group.stepper.recording.show(message, 'election')).toContain('successor=-')
  })

  test('cannot be made the only voter', () => {
    const group = new SteppedGroup({ members: 3, voters: [1, 2], observers: [3], witnesses: [1] })
    expect(group.refusal(2, 1, 'alone')).toBe('no voter')
  })

  test('changes nothing in a group that has none, and makes fewer states in one that has', () => {
    const three = { algorithm: bullyFdQuorum, members: 3, crashes: 1, recoveries: 1 }
    const [without, empty, one] = [
      check(three),
      check({ ...three, witnesses: [] }),
      check({ ...three, witnesses: [3] }),
    ]
    expect(empty.states).toBe(without.states)
    expect(one).toMatchObject({ ok: true, complete: true })
    expect(one.states).toBeLessThan(without.states)
  })
})

describe('witnesses that are a majority', () => {
  test.each([
    ['3', '1,2'],
    ['4', '1,2,3'],
    ['1', '1'],
  ])('are refused: of %s members %s', (nodes, witnesses) => {
    const settings = [
      ['algorithm', 'bully-fd-quorum'],
      ['nodes', nodes],
      ['witnesses', witnesses],
    ] as const
    expect(() => parseSettings(settings, registry)).toThrow(
      'would be a majority, of which none may lead',
    )
  })
})
