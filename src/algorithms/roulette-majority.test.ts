/** roulette-majority: promises under faults, lease and bonds. */
import { describe, expect, test } from 'vitest'
import { drain, play, sentLast, stepperFor } from '../../test/support/scenario.ts'
import { handlersOf } from '../core/algorithm.ts'
import { Random } from '../core/random.ts'
import { configure, finish, World, type Fault, type Stepper } from '../sim/index.ts'
import { rouletteMajority } from './roulette-majority.ts'

/** Five members that have started and draw 1 to 10; one draw of any number launches. */
function five(threshold = 0): Stepper {
  const options = { faces: 10, threshold, consecutive: 1 }
  const world = stepperFor(rouletteMajority, 5, { options })
  return play(world, 'start 1; start 2; start 3; start 4; start 5')
}

/** Member `node` draws `number`. */
const draw = (node: number, number: number): string =>
  `timeout ${node} draw; drawn ${node} number ${number - 1};`

/** 1 coordinates, the wheel elects it, and everybody has answered its first heartbeat. */
function led(): Stepper {
  return drain(play(drain(play(five(), draw(1, 5))), 'drawn 1 wheel 0'))
}

describe('003 §2.2, the optimised form', () => {
  test('"the roulette wheel selection can be started right after the candidate collects the majority of votes (half + 1)"', () => {
    const world = play(five(), `${draw(1, 5)} deliver 1→2 proposal; deliver 1→3 proposal`)
    play(world, 'deliver 2→1 positive')
    expect(world.stateOf(1).status).toBe('candidate')
    play(world, 'deliver 3→1 positive')
    expect(world.stateOf(1).status).toBe('coordinator')
  })

  test('"it is mandatory to vote only one time in a round, for the first candidate node"', () => {
    const world = play(five(), `${draw(1, 5)} ${draw(2, 9)} deliver 1→3 proposal`)
    play(world, 'deliver 2→3 proposal')
    expect(sentLast(world)).toEqual(['3→2 negative'])
  })

  test('"In this way, a single node will be elected as coordinator"', () => {
    for (let seed = 1; seed <= 200; seed++) {
      // All draw large numbers at once: many candidates.
      const options = { faces: 10, threshold: 0, consecutive: 1 }
      const world = new World(
        configure({ algorithm: rouletteMajority, members: 5, seed, options, untilUs: 5_000_000 }),
      )
      const coordinators = new Map<number, number>()
      world.stopAt(5_000_000)
      while (world.step()) {
        const { term, status } = world.states[world.effects.me]
        if (status !== 'coordinator') continue
        expect(coordinators.get(term) ?? world.effects.me).toBe(world.effects.me)
        coordinators.set(term, world.effects.me)
      }
      expect(coordinators.size).toBeGreaterThan(0)
      expect(world.monitors.violations).toEqual([])
    }
  })
})

describe('a term has one leadership', () => {
  /** 1 coordinates and the wheel elects 2, to which a second copy of the announcement is on its way. */
  function announcedTwice(): Stepper {
    const world = play(five(8), `${draw(2, 5)} ${draw(1, 9)} deliver 1→2 proposal`)
    play(world, 'deliver 1→3 proposal; deliver 2→1 positive; deliver 3→1 positive')
    play(world, 'drawn 1 wheel 9; duplicate 1→2 announcement; deliver 1→2 announcement')
    play(
      world,
      'deliver 2→3 heartbeat; deliver 3→2 alive; deliver 2→4 heartbeat; deliver 4→2 alive',
    )
    expect(world.stateOf(2)).toMatchObject({ leader: 2, term: 1 })
    return world
  }

  test('a leader that resigned does not lead again when a copy of its announcement arrives', () => {
    const world = play(announcedTwice(), 'resign 2; deliver 1→2 announcement')
    expect(world.stateOf(2)).toMatchObject({ status: 'basic', leader: 0 })
  })

  test('a leader that restarted does not lead again in its old term', () => {
    const world = announcedTwice()
    play(world, 'crash 2; recover 2; start 2')
    const announcement = { type: 'announcement', term: 1 }
    const handlers = handlersOf(rouletteMajority, world.group, {})
    handlers.message(world.stateOf(2), 1, announcement, world)
    expect(world.stateOf(2)).toMatchObject({ status: 'basic', leader: 0 })
  })
})

describe('the lease of roulette-majority', () => {
  test('an elected member leads when a majority has answered its heartbeat, not before', () => {
    const world = play(drain(play(five(), draw(1, 5))), 'drawn 1 wheel 0')
    expect(world.stateOf(1)).toMatchObject({ status: 'leader', leader: 0 })
    play(world, 'deliver 1→2 heartbeat; deliver 2→1 alive')
    expect(world.stateOf(1).leader).toBe(0)
    play(world, 'deliver 1→3 heartbeat; deliver 3→1 alive')
    expect(world.stateOf(1).leader).toBe(1)
  })

  test('a member that answered votes for no other and does not draw until its bond has ended', () => {
    const world = play(led(), 'down 2 1; down 3 1')
    expect(world.isArmed(2, 'draw')).toBe(false)
    play(world, 'timeout 3 bond') // only 3: its clock is fast
    play(world, `${draw(3, 9)} deliver 3→2 proposal`)
    expect(sentLast(world)).toEqual(['2→3 negative'])
    play(world, 'timeout 2 bond')
    expect(world.isArmed(2, 'draw')).toBe(true)
  })

  test('a restarted member is bonded for as long again', () => {
    const world = play(led(), 'crash 2; recover 2; start 2')
    expect(world.stateOf(2)).toMatchObject({ bonded: true, bondedTo: 0 })
  })

  test('the bond to a leader that resigns, or is proven dead, ends', () => {
    const world = led()
    play(world, 'timeout 1 lease1')
    expect(world.stateOf(1).leader).toBe(0)
    drain(world)
    expect([2, 3, 4, 5].map((id) => world.stateOf(id)['bonded'])).toEqual(new Array(4).fill(false))
  })

  test('an old proposal of the leader does not free those that it binds', () => {
    const world = play(five(), `${draw(1, 5)} duplicate 1→2 proposal; deliver 1→2 proposal`)
    play(world, 'deliver 1→3 proposal; deliver 2→1 positive; deliver 3→1 positive')
    play(world, 'drawn 1 wheel 0; deliver 1→2 heartbeat; deliver 1→2 proposal')
    expect(world.stateOf(2)).toMatchObject({ bonded: true, bondedTo: 1 })
  })

  test('the leader itself, when it asks for votes in a larger term, is free to be voted for', () => {
    const world = play(led(), 'crash 1; recover 1; start 1; timeout 1 bond; timeout 1 leader')
    play(world, `${draw(1, 5)} deliver 1→2 proposal`)
    expect(sentLast(world)).toEqual(['2→1 positive'])
    expect(world.stateOf(2)['bonded']).toBe(false)
  })

  test('"If the majority can not be satisfied" the leader steps down: a minority has no leader', () => {
    const world = new World(
      configure({
        algorithm: rouletteMajority,
        members: 5,
        faults: [{ kind: 'cut', at: 3_000_000, from: [1, 2], to: [3, 4, 5] }, cutBack],
        untilUs: 8_000_000,
      }),
    )
    finish(world)
    for (const id of [1, 2]) expect(world.states[id].leader).not.toBe(id)
    const leaders = [3, 4, 5].filter((id) => world.states[id].leader === id)
    expect(leaders).toHaveLength(1)
  })

  test('at no moment do two members lead, whatever crashes, resigns or is cut off: 300 random schedules', () => {
    const both: string[] = []
    let reigns = 0
    for (let seed = 1; seed <= 300; seed++) {
      const { members, faults } = partitions(seed)
      const network = { reorder: 0.1, duplicate: 0.1 }
      const world = new World(
        configure({ algorithm: rouletteMajority, members, seed, faults, network }),
      )
      world.stopAt(faults[faults.length - 1].at + 2_000_000)
      let reigning = 0
      while (world.step()) {
        const leaders: number[] = []
        for (let id = 1; id <= members; id++) {
          if (world.isUp(id) && world.states[id].leader === id) leaders.push(id)
        }
        if (leaders.length > 1) both.push(`seed ${seed} at ${world.now}: ${leaders.join()}`)
        if (leaders.length === 1 && leaders[0] !== reigning) {
          reigning = leaders[0]
          reigns += 1
        }
      }
      expect(world.monitors.violations).toEqual([])
    }
    expect(both).toEqual([])
    expect(reigns).toBeGreaterThan(400)
  })
})

const cutBack: Fault = { kind: 'cut', at: 3_000_000, from: [3, 4, 5], to: [1, 2] }

/** Crashes, recoveries, resignations, cuts in one or both directions, heals. */
function partitions(seed: number): { members: number; faults: Fault[] } {
  const random = new Random(seed)
  const members = 3 + random.below(3)
  const everyone = Array.from({ length: members }, (_, i) => i + 1)
  const faults: Fault[] = []
  let at = 500_000
  for (let left = 12; left > 0; left--) {
    at += random.below(600_000)
    const node = 1 + random.below(members)
    const side = everyone.filter(() => random.chance(0.5))
    const rest = everyone.filter((id) => !side.includes(id))
    const what = random.below(6)
    if (what === 0) faults.push({ kind: 'crash', at, node })
    else if (what === 1) faults.push({ kind: 'recover', at, node })
    else if (what === 5) faults.push({ kind: 'resign', at, node })
    else if (what === 2) faults.push({ kind: 'heal', at })
    else if (what === 3) faults.push({ kind: 'cut', at, from: [node], to: everyone })
    else {
      faults.push({ kind: 'cut', at, from: side, to: rest })
      if (random.chance(0.7)) faults.push({ kind: 'cut', at, from: rest, to: side })
    }
  }
  return { members, faults }
}
