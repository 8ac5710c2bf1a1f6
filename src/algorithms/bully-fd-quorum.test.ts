/** bully-fd-quorum: promises under faults, message counts, votes, partitions, lease, handover. */
import { describe, expect, test } from 'vitest'
import { LeaseMonitor } from '../../test/support/lease-monitor.ts'
import { randomConfig, run } from '../../test/support/random/random-run.ts'
import { beliefs, play } from '../../test/support/scenario.ts'
import {
  handlersOf,
  type Algorithm,
  type AnyMessage,
  type AnyState,
  type OptionValues,
} from '../core/algorithm.ts'
import { Group } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { NodeSet } from '../core/node-set.ts'
import { majority } from '../core/quorum.ts'
import { Random } from '../core/random.ts'
import { configure, type SimConfig } from '../sim/config.ts'
import type { Fault } from '../sim/faults/fault-catalogue.ts'
import { Stepper } from '../sim/stepper/stepper.ts'
import { World } from '../sim/world/world.ts'
import { bullyFdQuorum } from './bully-fd-quorum.ts'
import { Lease } from './helpers/lease.ts'

const PERIOD_MS = 100
const LEASE_MS = 4 * PERIOD_MS

/** The period grows with the time that the detector takes. */
const leaseMsOf = (sim: World): number => 4 * sim.config.timing.periodMs

/** Stepped worlds have no clock, so no lease; n is the strongest. */
function world(members: number, options: OptionValues = {}): Stepper {
  return new Stepper({
    algorithm: bullyFdQuorum,
    options: { leasePeriods: 0, ...options },
    members,
    start: 'settled',
  })
}

/** The same faults, then as many recoveries as a majority needs. */
function withMajority(members: number, down: readonly NodeId[], faults: readonly Fault[]): Fault[] {
  const missing = new Set(down)
  for (const fault of faults) {
    if (fault.kind === 'crash') missing.add(fault.node)
    if (fault.kind === 'recover') missing.delete(fault.node)
  }
  const at = (faults.at(-1)?.at ?? 0) + 1000
  const needed = missing.size - (members - majority(members))
  const back = [...missing].slice(0, Math.max(0, needed))
  return [...faults, ...back.map((node): Fault => ({ kind: 'recover', node, at }))]
}

/** What a message says of the configuration while it is the first one. */
const FIRST = { configTerm: 0, configVersion: 0 }
const FIRST_ROUND = { ...FIRST, bond: 0 }

describe('with crashes and recoveries', () => {
  test.each(['sticky', 'yes'])('random schedules keep all promises (preempt: %s)', (preempt) => {
    for (let seed = 1; seed <= 1000; seed++) {
      const config = randomConfig(bullyFdQuorum, seed, { preempt })
      const faults = withMajority(config.members, config.down ?? [], config.faults ?? [])
      const { monitors } = run({ ...config, faults })
      expect(monitors.violations, `seed ${seed}`).toEqual([])
      const strongest = monitors.up.lastIndexOf(1)
      expect(preempt === 'sticky' || monitors.agreed === strongest, `seed ${seed}`).toBe(true)
    }
  })

  test('a leader stays when a stronger member comes back', () => {
    const faults: Fault[] = [
      { kind: 'crash', node: 5, at: 1_000_000 },
      { kind: 'recover', node: 5, at: 3_000_000 },
    ]
    const { monitors, states } = run({ algorithm: bullyFdQuorum, members: 5, faults })
    expect([monitors.agreed, states[5].leader, states[5].status]).toEqual([4, 4, 'Norm'])
  })

  test('with preempt: yes it yields', () => {
    const faults: Fault[] = [
      { kind: 'crash', node: 5, at: 1_000_000 },
      { kind: 'recover', node: 5, at: 3_000_000 },
    ]
    const options = { preempt: 'yes' }
    const { monitors } = run({ algorithm: bullyFdQuorum, options, members: 5, faults })
    expect(monitors.agreed).toBe(5)
  })

  test('a minority elects no leader (003 §2.2, rule 9)', () => {
    const faults: Fault[] = [3, 4, 5].map((node) => ({ kind: 'crash', node, at: 1_000_000 }))
    const sim = new World(configure({ algorithm: bullyFdQuorum, members: 5, faults }))
    sim.runUntil(10_000_000)
    expect([sim.states[1].leader, sim.states[2].leader]).toEqual([0, 0])
  })

  test('a member comes back without an election', () => {
    const faults: Fault[] = [
      { kind: 'crash', node: 2, at: 1_000_000 },
      { kind: 'recover', node: 2, at: 2_000_000 },
    ]
    const { monitors, messageCounts } = run({ algorithm: bullyFdQuorum, members: 5, faults })
    expect([monitors.agreed, messageCounts.sumOf('election')]).toEqual([5, 12])
  })
})

describe('messages', () => {
  test('an undisturbed election costs 3(a−1) + d2 messages for all n ≤ 64', () => {
    for (let members = 3; members <= 64; members++) {
      for (let seed = 1; seed <= (members <= 16 ? 8 : 2); seed++) {
        const random = new Random(1000 * members + seed)
        const live = Array.from({ length: members - 1 }, (_, i) => i + 1)
        const down = [members]
        for (let left = random.below(members - majority(members)); left > 0; left--) {
          down.push(...live.splice(random.below(live.length), 1))
        }
        const strongest = live.at(-1)!
        const initiators = random.chance(0.5) ? live : [strongest]
        const { messageCounts, monitors } = run({
          algorithm: bullyFdQuorum,
          members,
          seed,
          down,
          initiators,
        })
        const d2 = down.filter((id) => id < strongest).length
        expect({
          down,
          from: initiators,
          leader: monitors.agreed,
          sent: messageCounts.sumOf('election'),
        }).toEqual({
          down,
          from: initiators,
          leader: strongest,
          sent: 3 * (live.length - 1) + d2,
        })
      }
    }
  })
})

describe('votes', () => {
  test('a vote survives a restart (errata, scenario 15)', () => {
    const stepper = play(world(3), 'crash 3\ndown 2 3\ndown 2 3\ndeliver 2→1 halt\ndown 1 3')
    const voted = stepper.stateOf(1)['vote']
    play(stepper, 'crash 1\nrecover 1\nstart 1')
    expect([stepper.stateOf(1)['vote'], voted]).toEqual([2 * 1024 + 2, 2 * 1024 + 2])
  })

  test('the number of a deposed leader is refused (errata, scenario 14)', () => {
    const stepper = play(
      world(3),
      `cut 3→1,2
       cut 1,2→3
       down 2 3           # a partition looks like a crash
       down 2 3
       deliver 2→1 halt
       down 1 3
       deliver 1→2 ack
       deliver 2→1 ldr
       heal
       timeout 3 tau
       deliver 3→1 norm?`,
    )
    expect(beliefs(stepper)).toBe('1:Norm(2) 2:Norm(2) 3:Norm(3)')
    expect(stepper.linkOf(1, 3)).toEqual([{ type: 'rej', term: 2 * 1024 + 2 }])
    play(stepper, 'timeout 2 tau\ndeliver 2→3 norm?')
    expect(beliefs(stepper)).toBe('1:Norm(2) 2:Norm(2) 3:Norm(2)')
    expect(stepper.monitors.violations).toEqual([])
  })

  test('⟨k,2⟩ and ⟨k,1⟩ are different terms: strength is part of the number', () => {
    const stepper = play(world(3), 'crash 3\ndown 2 3\ndown 1 3\ndown 2 3\ntimeout 1 patience')
    expect(stepper.linkOf(2, 1)[0]['term']).toBe(2 * 1024 + 2)
    expect(stepper.linkOf(1, 2)[0]['term']).toBe(2 * 1024 + 1)
  })

  test('a candidate that a member has outgrown learns the larger number and stands above it', () => {
    const stepper = play(
      world(3),
      `crash 3
       down 2 3
       down 2 3
       deliver 2→1 halt
       down 1 3
       deliver 1→2 ack    # 2 leads in ⟨2,2⟩
       crash 2
       recover 2
       start 2
       down 2 3
       deliver 2→1 halt   # 1 votes for ⟨3,2⟩
       recover 3
       start 3            # and 3 knows of ⟨1,3⟩ only
       deliver 3→1 halt
       deliver 1→3 rej`,
    )
    expect(stepper.stateOf(1)['vote']).toBe(3 * 1024 + 2)
    expect(stepper.linkOf(3, 1)[0]['term']).toBe(4 * 1024 + 3)
  })

  test('a failed candidate has not voted for itself: it follows the leader that it could not replace', () => {
    const stepper = play(
      world(3),
      `down 2 3           # a mistake
       down 2 3
       deliver 2→1 halt
       up 1 3             # 1 asks about its leader, and refuses
       timeout 3 tau
       deliver 3→2 norm?`,
    )
    expect(beliefs(stepper)).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
    expect(stepper.stateOf(2)['term']).toBe(1024 + 3)
  })
})

describe('votes of a failed candidacy', () => {
  /** 2 takes a cut for the crash of the leader 5 and asks 1 for its vote; 3 and 4 are out of reach. */
  const failedCandidacy = `cut 1,2→3,4,5
     cut 3,4,5→1,2
     down 2 5
     down 2 5
     down 2 4
     down 2 3
     deliver 2→1 halt
     down 1 5
     deliver 1→2 ack`

  test('lapse when the candidate releases them: no term has risen', () => {
    const stepper = play(world(5), failedCandidacy)
    expect(stepper.stateOf(1)).toMatchObject({ term: 1024 + 5, vote: 2 * 1024 + 2 })
    play(stepper, 'timeout 2 restart\ndeliver 2→1 release')
    expect(stepper.stateOf(1)).toMatchObject({ term: 1024 + 5, vote: 1024 + 5, known: 1024 + 5 })
  })

  test('lapse when the candidate finds the leader again: the voter waits for that', () => {
    const stepper = play(
      world(5),
      `${failedCandidacy}
       heal
       timeout 5 tau
       deliver 5→1 norm?
       deliver 5→2 norm?
       deliver 2→1 release
       timeout 5 tau
       deliver 5→1 norm?`,
    )
    expect(stepper.linkOf(1, 5).map(({ type }) => type)).toEqual(['norm'])
    expect(stepper.stateOf(1)).toMatchObject({ status: 'Norm', leader: 5, term: 1024 + 5 })
  })

  test('stay if the candidate is down or the voter restarts: the leader then stands above them', () => {
    for (const event of ['crash 2\ndown 1 2', 'crash 1\nrecover 1\nstart 1']) {
      const after = 'heal\ntimeout 5 tau\ndeliver 5→1 norm?\ndeliver 1→5 rej'
      const stepper = play(world(5), `${failedCandidacy}\n${event}\n${after}`)
      expect(stepper.stateOf(1)['term']).toBe(2 * 1024 + 2)
      expect(stepper.linkOf(5, 1).at(-1)).toMatchObject({ type: 'halt', term: 3 * 1024 + 5 })
    }
  })

  test('stay where the candidate led in that term', () => {
    const { handlers, state, out, sent } = answering(3)
    const round = 1
    state['voteRound'] = round
    handlers.resign(state, 0, out)
    sent.length = 0
    handlers.message(state, 1, { type: 'ack', term: state.term, round }, out)
    expect(sent[0].message).toMatchObject({ type: 'release', lapsed: false })
  })

  test('an earlier vote that has not lapsed stays when a later one lapses', () => {
    const { handlers, state, out } = answering(1, 5)
    handlers.timeout(state, 'bond', out)
    const halt = (candidate: NodeId, round: number) => {
      const term = 2 * 1024 + candidate
      const message = { type: 'halt', term, round, incarnation: 10 * candidate, ...FIRST_ROUND }
      handlers.dead(state, 5, () => true, out)
      handlers.message(state, candidate, message, out)
      return { type: 'release', term, round, successor: 0, lapsed: true }
    }
    const first = halt(2, 7)
    handlers.dead(state, 2, () => true, out)
    const second = halt(3, 8)
    handlers.message(state, 3, second, out)
    expect([state['vote'], state.term]).toEqual([first.term, first.term])
  })
})

describe('partitions', () => {
  const both = (a: NodeId[], b: NodeId[], at: number): Fault[] => [
    { kind: 'cut', from: a, to: b, at },
    { kind: 'cut', from: b, to: a, at },
  ]
  function watched(members: number, faults: Fault[], untilUs: number) {
    const sim = new World(configure({ algorithm: bullyFdQuorum, members, faults }))
    const leases = new LeaseMonitor(LEASE_MS)
    sim.recorder = leases
    sim.runUntil(untilUs)
    return { sim, leases }
  }

  test('the side with the majority leads, the other has stepped down within its lease, and they agree soon after the heal', () => {
    const faults = [
      ...both([4, 5], [1, 2, 3], 1_000_000),
      { kind: 'heal', at: 16_000_000 } as const,
    ]
    const { sim, leases } = watched(5, faults, 1_000_000 + 1000 * (LEASE_MS + PERIOD_MS))
    expect([sim.states[4].leader, sim.states[5].leader]).toEqual([0, 0])
    sim.runUntil(15_000_000)
    expect([1, 2, 3].map((id) => sim.states[id].leader)).toEqual([3, 3, 3])
    sim.runUntil(18_000_000)
    expect(sim.monitors.agreed).toBe(3)
    expect(leases.overlaps).toEqual([])
    expect(leases.reigns.length).toBeLessThanOrEqual(3)
  })

  test.each([
    [[1, 2], 5],
    [[2, 3], 5],
    [[1, 2, 3], 7],
  ])(
    'a minority (%j of %i) that was cut off together returns without deposing the leader',
    (minority, members) => {
      const rest = Array.from({ length: members }, (_, i) => i + 1).filter(
        (id) => !minority.includes(id),
      )
      const faults = [...both(minority, rest, 1_000_000), { kind: 'heal', at: 31_000_000 } as const]
      const { sim, leases } = watched(members, faults, 30_000_000)
      const { term } = sim.states[members]
      expect(minority.map((id) => sim.states[id].leader)).toEqual(minority.map(() => 0))
      sim.runUntil(36_000_000)
      expect([sim.monitors.agreed, sim.states[1].term]).toEqual([members, term])
      expect(leases.reigns).toHaveLength(1)
    },
  )

  test('a strongest member that reaches only one of four others does not block the election', () => {
    const { sim, leases } = watched(5, both([5], [2, 3, 4], 1_000_000), 31_000_000)
    expect([1, 2, 3, 4].map((id) => sim.states[id].leader)).toEqual([4, 4, 4, 4])
    expect(leases.overlaps).toEqual([])
    expect(leases.reigns.length).toBeLessThanOrEqual(6)
    expect(leases.reigns.at(-1)!.at).toBeLessThan(5_000_000) // and then the leader stays
  })

  test('where every member sees two neighbours only, there is one lease at a time and no endless election', () => {
    const apart = [
      ...both([5], [2, 3], 1_000_000),
      ...both([1], [3, 4], 1_000_000),
      ...both([2], [4], 1_000_000),
    ]
    const { sim, leases } = watched(5, apart, 61_000_000)
    expect(leases.overlaps).toEqual([])
    expect(leases.reigns.length).toBeLessThanOrEqual(8)
    expect(sim.messageCounts.sumOf('election') / 60).toBeLessThan(20) // messages a second, of members without a leader
  })

  test('a one-way cut away from the leader costs it its lease, and another leads', () => {
    const faults: Fault[] = [{ kind: 'cut', from: [1, 2, 3, 4], to: [5], at: 1_000_000 }]
    const { sim, leases } = watched(5, faults, 11_000_000)
    expect([1, 2, 3, 4].map((id) => sim.states[id].leader)).toEqual([4, 4, 4, 4])
    expect([sim.states[5].leader, leases.overlaps]).toEqual([0, []])
  })

  test('a follower that is paused for three periods, twenty times, causes no election', () => {
    const faults = Array.from({ length: 20 }, (_, i): Fault[] => [
      { kind: 'pause', node: 4, at: 1_000_000 * (i + 1) },
      { kind: 'resume', node: 4, at: 1_000_000 * (i + 1) + 3000 * PERIOD_MS },
    ]).flat()
    const { sim, leases } = watched(5, faults, 25_000_000)
    expect([sim.monitors.agreed, leases.reigns.length, sim.messageCounts.byType['halt']]).toEqual([
      5, 1, 4,
    ])
  })
})

describe('the lease', () => {
  /** Crashes, late proofs of them, pauses, cuts, resignations, loss, duplicates, reordering; then all is well. */
  function randomWorld(seed: number): { sim: World; calmAt: number } {
    const random = new Random(seed)
    const members = 2 + random.below(5)
    const faults: Fault[] = []
    const down = new Set<NodeId>()
    const paused = new Set<NodeId>()
    let at = 0
    for (let left = 3 + random.below(25); left > 0; left--) {
      at += random.below(random.chance(0.5) ? 60_000 : 600_000)
      const node = 1 + random.below(members)
      const which = random.below(14)
      if (which < 2) {
        faults.push({ kind: down.has(node) ? 'recover' : 'crash', node, at })
        if (!down.delete(node)) down.add(node)
        paused.delete(node)
      } else if (which < 5) {
        faults.push({ kind: paused.has(node) ? 'resume' : 'pause', node, at })
        if (!paused.delete(node) && !down.has(node)) paused.add(node)
      } else if (which < 8) {
        const ids = Array.from({ length: members }, (_, i) => i + 1)
        const from = ids.filter(() => random.chance(0.5))
        const to = ids.filter((id) => !from.includes(id))
        faults.push({ kind: 'cut', from, to, at })
        if (random.chance(0.6)) faults.push({ kind: 'cut', from: to, to: from, at })
      } else if (which < 11) {
        // Of the member that leads then.
        for (let leader = 1; leader <= members; leader++) {
          const named = leader === node ? {} : { successor: node }
          faults.push({ kind: 'resign', node: leader, at, ...named })
        }
      } else if (which < 12) {
        for (let peer = 1; peer <= members; peer++) {
          if (peer !== node) faults.push({ kind: 'proof', node: peer, peer: node, at })
        }
      } else faults.push({ kind: 'heal', at })
    }
    const calmAt = at + 1000
    faults.push({ kind: 'heal', at: calmAt })
    for (const node of paused) faults.push({ kind: 'resume', node, at: calmAt })
    for (const node of down) faults.push({ kind: 'recover', node, at: calmAt })
    const config = configure({
      algorithm: bullyFdQuorum,
      options: { preempt: random.chance(0.7) ? 'sticky' : 'yes' },
      members,
      seed,
      faults,
      network: {
        loss: random.chance(0.4) ? 0.1 : 0,
        duplicate: random.chance(0.3) ? 0.3 : 0,
        reorder: random.chance(0.3) ? 0.3 : 0,
      },
      detection: { minUs: 1000, maxUs: random.chance(0.5) ? 20_000 : 150_000 },
    })
    return { sim: new World(config), calmAt }
  }

  /** How many leases overlap in the first of so many seeds in which any do. */
  function overlapsWithin(seeds: number, changed: Partial<SimConfig>): number {
    for (let seed = 1; seed <= seeds; seed++) {
      const { sim, calmAt } = randomWorld(seed)
      const world = new World({ ...sim.config, ...changed })
      const leases = new LeaseMonitor(leaseMsOf(sim))
      world.recorder = leases
      world.runUntil(calmAt)
      if (leases.overlaps.length > 0) return leases.overlaps.length
    }
    return 0
  }

  test('no two members ever hold unexpired leases at once, whatever crashes, pauses, resigns or is cut off; terms rise from lease to lease', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const { sim, calmAt } = randomWorld(seed)
      const leases = new LeaseMonitor(leaseMsOf(sim))
      sim.recorder = leases
      sim.runUntil(calmAt + 10_000_000)
      const terms = leases.reigns.map(({ term }) => term)
      expect(terms, `seed ${seed}`).not.toEqual([])
      expect(leases.overlaps, `seed ${seed}`).toEqual([])
      expect(terms, `seed ${seed}`).toEqual([...terms].sort((a, b) => a - b))
      expect(new Set(terms).size, `seed ${seed}`).toBe(terms.length)
      if (sim.config.network.loss === 0) sim.monitors.judge(sim.now)
      expect(sim.monitors.violations, `seed ${seed}`).toEqual([])
    }
  })

  test('were a proof of death about a name, not about incarnations, two members would hold one', () => {
    const careless: Algorithm = {
      ...bullyFdQuorum,
      handlers: (group, options) => {
        const own = bullyFdQuorum.handlers(group, options)
        return { ...own, dead: (s, peer, _isOver, out) => own.dead!(s, peer, () => true, out) }
      },
    }
    expect(overlapsWithin(2000, { algorithm: careless })).toBeGreaterThan(0)
  })

  test('were the bond shorter than the lease, two members would hold one', () => {
    expect(overlapsWithin(300, { options: { driftPercent: -60 } })).toBeGreaterThan(0)
  })

  test('a leader whose rounds are not answered leads no longer than its lease', () => {
    const faults: Fault[] = [{ kind: 'cut', from: [1, 2], to: [3], at: 1_000_000 }]
    const sim = new World(configure({ algorithm: bullyFdQuorum, members: 3, faults }))
    sim.runUntil(1_000_000)
    expect(sim.states[3].leader).toBe(3)
    sim.runUntil(1_000_000 + 1000 * LEASE_MS)
    expect(sim.states[3].leader).toBe(0)
  })

  test('a restarted member does not vote while it may be bonded by an earlier answer', () => {
    // 1 and 2 answered 3; 1 restarts; 3 falls silent at the same moment. Nobody leads before the lease is over.
    const faults: Fault[] = [
      { kind: 'pause', node: 3, at: 1_000_000 },
      { kind: 'crash', node: 1, at: 1_000_000 },
      { kind: 'crash', node: 2, at: 1_000_000 },
      { kind: 'recover', node: 1, at: 1_010_000 },
      { kind: 'recover', node: 2, at: 1_010_000 },
    ]
    const sim = new World(configure({ algorithm: bullyFdQuorum, members: 3, faults }))
    sim.runUntil(1_000_000 + 1000 * LEASE_MS)
    expect([sim.states[1].leader, sim.states[2].leader]).toEqual([0, 0])
    sim.runUntil(4_000_000)
    expect([sim.states[1].leader, sim.states[2].leader]).toEqual([2, 2])
  })
})

const timing = { messageMs: 5, processingMs: 0, detectionMs: 20, watchMs: 30, periodMs: PERIOD_MS }

/** A member of a settled group that has just answered its leader, and what it sends from then on. */
function answering(me: NodeId, members = 3) {
  const handlers = handlersOf(bullyFdQuorum, new Group(members, timing))
  const sent: { to: NodeId; message: AnyMessage }[] = []
  const ignore = (): void => undefined
  const out = {
    me,
    incarnation: 10 * me,
    send: (to: NodeId, message: AnyMessage): void => void sent.push({ to, message }),
    set: ignore,
    clear: ignore,
    request: ignore,
    watch: ignore,
    unwatch: ignore,
    draw: ignore,
  }
  const state = bullyFdQuorum.state.init() as AnyState
  handlers.settled(state, members, out)
  const term = 1024 + members
  if (me !== members) {
    handlers.message(
      state,
      members,
      { type: 'norm?', term, round: 1, incarnation: 30, ...FIRST_ROUND },
      out,
    )
  }
  const mark = sent.at(-1)?.message['mark'] as number
  sent.length = 0
  return { handlers, state, out, sent, term, mark }
}

describe('what ends a lease early', () => {
  const HALT = { type: 'halt', term: 2 * 1024 + 2, round: 5, incarnation: 20, ...FIRST_ROUND }
  const ack = { type: 'ack', term: HALT.term, round: HALT.round }

  test('one that has just answered its leader keeps a Halt until the bond is over', () => {
    const { handlers, state, out, sent } = answering(1)
    handlers.message(state, 2, HALT, out)
    handlers.down(state, 3, out) // a detector may be wrong
    expect(sent).toEqual([])
    handlers.timeout(state, 'bond', out)
    expect(sent).toEqual([{ to: 2, message: ack }])
  })

  test('proof that the incarnation that leads has ended ends the bond', () => {
    const { handlers, state, out, sent } = answering(1)
    handlers.message(state, 2, HALT, out)
    handlers.dead(state, 3, (incarnation) => incarnation === 30, out)
    expect(sent).toEqual([{ to: 2, message: ack }])
  })

  test('proof that an earlier incarnation of the leader has ended frees nobody', () => {
    const { handlers, state, out, sent } = answering(1)
    handlers.message(state, 2, HALT, out)
    handlers.dead(state, 3, (incarnation) => incarnation < 30, out)
    expect([sent, state['bondedTo'], state.leader]).toEqual([[], 3, 3])
  })

  test('a vote by hearsay is for the incarnation that the leader named, and no earlier death frees it', () => {
    const { handlers, state, out, sent, term } = answering(1)
    const resign = {
      type: 'resign',
      term,
      successor: 2,
      next: 2 * 1024 + 2,
      mark: 7,
      incarnation: 21,
      ...FIRST_ROUND,
    }
    handlers.message(state, 3, resign, out)
    sent.length = 0
    handlers.dead(state, 2, (incarnation) => incarnation <= 20, out)
    expect([state['bondedTo'], state.status, sent]).toEqual([2, 'Wait', []])
    handlers.dead(state, 2, (incarnation) => incarnation <= 21, out)
    expect(state['bonded']).toBe(false)
  })

  test('a vote for a successor whose incarnation is not known is freed by no proof', () => {
    const { handlers, state, out, term } = answering(1)
    const resign = {
      type: 'resign',
      term,
      successor: 2,
      next: 2 * 1024 + 2,
      mark: 0,
      incarnation: 0,
      ...FIRST_ROUND,
    }
    handlers.message(state, 3, resign, out)
    handlers.dead(state, 2, (incarnation) => incarnation !== 0, out)
    expect(state['bondedTo']).toBe(2)
  })
})

describe('a successor whose host computes another timing than the leader', () => {
  const { bondMs: bond } = new Lease(LEASE_MS, 10)
  const voters = NodeSet.of(1, 2, 3)

  /** It answers its leader under a configuration that was written, and then hears that the leader resigns. */
  function resignedIn(kind: 'resign' | 'endorse', periodMs: number): AnyState {
    const { handlers, state, out, sent, term } = answering(2)
    const stamp = { configTerm: term, configVersion: 0 }
    const round = { term, round: 2, incarnation: 30, bond, ...stamp }
    const config = { type: 'config', ...round, voters, observers: new NodeSet(), data: '' }
    handlers.message(state, 3, config, out)
    handlers.message(state, 3, { type: 'norm?', ...round }, out)
    const mark = sent.at(-1)!.message['mark'] as number
    const handover = { term, next: 2 * 1024 + 2, mark, bond, ...stamp }
    const own = handlersOf(bullyFdQuorum, new Group(3, { ...timing, periodMs }))
    const message = kind === 'endorse' ? handover : { ...handover, successor: 2, incarnation: 20 }
    own.message(state, kind === 'endorse' ? 1 : 3, { type: kind, ...message }, out)
    return state
  }

  test.each(['resign', 'endorse'] as const)(
    'asks for votes (%s): its lease would outlast the bonds',
    (kind) => {
      expect(resignedIn(kind, PERIOD_MS)['voteRound']).toBe(0)
      expect(resignedIn(kind, 10 * PERIOD_MS)['voteRound']).not.toBe(0)
    },
  )
})

describe('a leader that resigns', () => {
  const resignation = (term: number, successor: NodeId, mark: number) => {
    const next = 2 * 1024 + successor
    const incarnation = mark === 0 ? 0 : 10 * successor
    return { type: 'resign', term, successor, next, mark, incarnation, ...FIRST_ROUND }
  }

  test('names its successor to all members, and votes for its next term', () => {
    const { handlers, state, out, sent, term } = answering(3)
    handlers.message(
      state,
      1,
      { type: 'norm', term, round: 0, mark: 7, incarnation: 10, ...FIRST },
      out,
    )
    handlers.resign(state, 1, out)
    const message = resignation(term, 1, 7)
    expect([state.leader, sent]).toEqual([0, [1, 2].map((to) => ({ to, message }))])
    expect([state.term, state['bondedTo']]).toEqual([2 * 1024 + 1, 1])
  })

  test('hands on the lease of the strongest that answered; another is to ask', () => {
    for (const [successor, mark] of [
      [4, 40],
      [3, 0],
    ]) {
      const { handlers, state, out, sent, term } = answering(5, 5)
      for (const from of [2, 4, 3]) {
        const [mark, incarnation] = [10 * from, 10 * from]
        handlers.message(
          state,
          from,
          { type: 'norm', term, round: 0, mark, incarnation, ...FIRST },
          out,
        )
      }
      handlers.resign(state, successor, out)
      expect(sent[0]).toEqual({ to: successor, message: resignation(term, successor, mark) })
    }
  })

  test('is followed by its successor at once where the two are a majority', () => {
    const { handlers, state, out, sent, term, mark } = answering(1)
    handlers.message(state, 3, resignation(term, 1, mark), out)
    expect([state.leader, state.term]).toEqual([1, 2 * 1024 + 1])
    expect(sent.map(({ to, message }) => [to, message.type])).toEqual([
      [2, 'ldr'],
      [3, 'ldr'],
    ])
  })

  test('leads the others to endorse its successor unasked', () => {
    const { handlers, state, out, sent, term } = answering(2)
    handlers.message(state, 3, resignation(term, 1, 7), out)
    expect([state.status, state['head'], state.term]).toEqual(['Wait', 1, 2 * 1024 + 1])
    const second = { type: 'endorse', term, next: 2 * 1024 + 1, mark: 7, ...FIRST_ROUND }
    expect(sent).toEqual([{ to: 1, message: second }])
  })

  const successor = (order: readonly ('resign' | 'endorse')[], doubt = 0) => {
    const { handlers, state, out, sent, term, mark } = answering(4, 5)
    const { type: _, successor: __, ...said } = resignation(term, 4, mark)
    for (const type of order) {
      if (type === 'resign') handlers.message(state, 5, resignation(term, 4, mark), out)
      else handlers.message(state, 1, { type, ...said, mark: mark + doubt }, out)
    }
    return { handlers, state, out, sent, term }
  }

  test('has a successor that asks for no votes and leads when a majority has endorsed it', () => {
    const waiting = successor(['resign'])
    expect([waiting.state.status, waiting.state.leader, waiting.sent]).toEqual(['Elec2', 0, []])
    const { state, sent } = successor(['resign', 'endorse'])
    expect([state.status, state.leader]).toEqual(['Norm', 4])
    expect(sent.map(({ to, message }) => [to, message.type])).toEqual(
      [1, 2, 3, 5].map((to) => [to, 'ldr']),
    )
  })

  test('may become known to its successor by an endorsement', () => {
    expect(successor(['endorse']).state.leader).toBe(4)
    expect(successor(['endorse', 'resign']).state.leader).toBe(4)
  })

  test('gains its successor no vote from the endorsement of another resignation', () => {
    expect(successor(['resign', 'endorse'], 1).state.leader).toBe(0)
  })

  test('has a successor that asks for votes when too few endorse it', () => {
    const { handlers, state, out, sent } = successor(['resign'])
    handlers.timeout(state, 'endorsements', out)
    expect(sent.map(({ message }) => message.type)).toEqual(['halt', 'halt', 'halt', 'halt'])
    expect(state.status).toBe('Elec2')
  })

  test.each([0, 99])('has a successor that asks, if it did not see its last answer', (seen) => {
    const { handlers, state, out, sent, term } = answering(1)
    handlers.message(state, 3, resignation(term, 1, seen), out)
    expect([state.status, sent.map(({ to, message }) => [to, message.type])]).toEqual([
      'Elec2',
      [
        [2, 'halt'],
        [3, 'halt'],
      ],
    ])
  })

  test('has a successor that asks, if its last answer was a lease ago', () => {
    const { handlers, state, out, sent, term, mark } = answering(1)
    for (const timer of ['lease0', 'lease1']) handlers.timeout(state, timer, out)
    handlers.message(state, 3, resignation(term, 1, mark), out)
    expect(sent.map(({ message }) => message.type)).toEqual(['halt', 'halt'])
  })

  test('costs 3a − 4 messages and three hops', () => {
    const at = 1_050_000
    const faults: Fault[] = [{ kind: 'resign', node: 5, successor: 4, at }]
    const sim = new World(configure({ algorithm: bullyFdQuorum, members: 5, faults }))
    sim.runUntil(at - 1)
    const before = { ...sim.messageCounts.byType }
    sim.runUntil(at + 3000 * sim.config.timing.messageMs)
    expect(sim.monitors.agreed).toBe(4)
    const types = ['resign', 'endorse', 'ldr', 'halt', 'ack']
    const sent = types.map((type) => sim.messageCounts.byType[type] - (before[type] ?? 0))
    expect(sent).toEqual([4, 3, 4, 0, 0])
  })

  test('leaves no further lease to a successor that was paused during its handover', () => {
    const faults: Fault[] = [
      { kind: 'pause', node: 2, at: 1_099_000 }, // the next Norm? waits for it, then
      { kind: 'resign', node: 3, successor: 2, at: 1_150_000 }, // the resignation and its endorsements
      { kind: 'resume', node: 2, at: 6_000_000 },
    ]
    const sim = new World(configure({ algorithm: bullyFdQuorum, members: 3, faults }))
    const leases = new LeaseMonitor(leaseMsOf(sim))
    sim.recorder = leases
    sim.runUntil(9_000_000)
    expect(leases.overlaps).toEqual([])
    expect(leases.reigns.map(({ node }) => node)).toEqual([3, 3])
  })
})
