/** One suite for every detector: what src/core/detector.ts promises, in random and in chosen runs. */
import { describe, expect, test } from 'vitest'
import { bully } from '../../src/algorithms/index.ts'
import type { AnyMessage } from '../../src/core/algorithm.ts'
import type { Detector, DetectorOut } from '../../src/core/detector.ts'
import { Group } from '../../src/core/group.ts'
import type { NodeId } from '../../src/core/node-id.ts'
import { Random } from '../../src/core/random.ts'
import { detectors, heartbeatDetector, pingDetector } from '../../src/detectors/index.ts'
import { configure, type SimOptions } from '../../src/sim/config.ts'
import type { Fault } from '../../src/sim/faults/fault-catalogue.ts'
import { World } from '../../src/sim/world/world.ts'
import { asker, type Asker, type Deed, type Script } from '../support/asker.ts'
import { judge } from './detector-judge.ts'

/** `SCHEDULES=10000 npx vitest run test/conformance/detectors.test.ts` for a long run. */
const SCHEDULES = Number(process.env['SCHEDULES'] ?? 60)
const ELECTIONS = Number(process.env['SCHEDULES'] ?? 300)
const LIMIT_US = 60_000_000

/** Also those that tolerate losses: what they repeat must be reported once. */
const tested = [...detectors, pingDetector({ tries: 3 }), heartbeatDetector({ misses: 3 })]

function named(some: readonly Detector[]) {
  return some.map((detector) => [detector.name, detector] as const)
}

type Given = Partial<SimOptions> & { readonly members: number }

/** A world of askers. */
function ask(detector: Detector, script: Script, given: Given): { world: World; asks: Asker } {
  const asks = asker(script)
  const checked = checking(detector)
  const world = new World(configure({ detector: checked, ...given, algorithm: asks.algorithm }))
  asks.clock = () => world.now
  return { world, asks }
}

/** The same detector; throws when it reports on a peer without an open request or watch. */
function checking(detector: Detector): Detector {
  return {
    ...detector,
    handlers(group) {
      const inner = detector.handlers(group)
      const open = new Map<string, Set<'request' | 'watch'>>()
      const of = (me: NodeId, peer: NodeId) => {
        const key = `${me} ${peer}`
        if (!open.has(key)) open.set(key, new Set())
        return open.get(key)!
      }
      const spoken = (me: NodeId, peer: NodeId, verdict: 'up' | 'down') => {
        const asked = of(me, peer)
        const asleep = !asked.delete('request')
        if (asleep && !(verdict === 'down' && asked.has('watch'))) {
          throw new Error(
            `the detector of ${me} says that ${peer} is ${verdict}, without a request`,
          )
        }
        if (verdict === 'down') asked.clear()
      }
      const wrap = (out: DetectorOut<AnyMessage>): DetectorOut<AnyMessage> => ({
        me: out.me,
        send: (peer, message) => out.send(peer, message),
        set: (timer, peer, minMs, maxMs) => out.set(timer, peer, minMs, maxMs),
        clear: (timer, peer) => out.clear(timer, peer),
        up(peer) {
          spoken(out.me, peer, 'up')
          out.up(peer)
        },
        down(peer) {
          spoken(out.me, peer, 'down')
          out.down(peer)
        },
      })
      return {
        knownDown: (s, peer) => inner.knownDown(s, peer),
        start(s, recovered, out) {
          for (const peer of group.everyone) of(out.me, peer).clear()
          inner.start(s, recovered, wrap(out))
        },
        request(s, peer, out) {
          of(out.me, peer).add('request')
          inner.request(s, peer, wrap(out))
        },
        watch(s, peer, out) {
          of(out.me, peer).add('watch')
          inner.watch(s, peer, wrap(out))
        },
        unwatch(s, peer, out) {
          of(out.me, peer).delete('watch')
          inner.unwatch(s, peer, wrap(out))
        },
        message: (s, from, message, out) => inner.message(s, from, message, wrap(out)),
        timeout: (s, timer, peer, out) => inner.timeout(s, timer, peer, wrap(out)),
        heard: (s, from, out) => inner.heard?.(s, from, wrap(out)),
        evidence: (s, peer, what, out) => inner.evidence?.(s, peer, what, wrap(out)),
      }
    },
  }
}

/** Crashes, recoveries and pauses of random members at random moments. */
function schedule(seed: number, members: number, kinds: readonly ('crash' | 'pause')[]): Fault[] {
  const random = new Random(seed)
  const faults: Fault[] = []
  for (let k = random.below(6); k > 0; k--) {
    const node = 1 + random.below(members)
    const at = random.below(1_000_000)
    const lasts = 1 + random.below(random.chance(0.5) ? 40_000 : 800_000)
    const kind = kinds[random.below(kinds.length)]
    faults.push({ kind, node, at })
    const ends = kind === 'crash' ? 'recover' : 'resume'
    if (kind === 'pause' || random.chance(0.7)) faults.push({ kind: ends, node, at: at + lasts })
  }
  return faults.sort((a, b) => a.at - b.at)
}

/** Pauses of 1.2 s of each follower of five in turn, at every moment of a period. */
function stalls(count: number): Fault[] {
  const faults: Fault[] = []
  for (let k = 0; k < count; k++) {
    const node = 1 + (k % 4)
    const at = 1_000_000 + 2_506_173 * k
    faults.push({ kind: 'pause', node, at }, { kind: 'resume', node, at: at + 1_200_000 })
  }
  return faults
}

function spoken(asks: Asker, ...deeds: Deed[]): string[] {
  return asks.log
    .filter(({ deed }) => deeds.includes(deed))
    .map((e) => `${e.me} ${e.deed} ${e.peer}`)
}

describe.each(named(tested))('%s', (_, detector) => {
  // Timers are rounded to the microsecond, each by itself.
  const answerUs = (world: World) => 1000 * detector.answerMs(world.group) + 5
  const watchUs = (world: World) => 1000 * detector.watchMs(world.group) + 5

  /** Runs askers in random worlds and expects that every request is answered once, and truly if asked. */
  function expectAnswers(
    kinds: readonly ('crash' | 'pause')[],
    truthful: boolean,
    more: (members: number) => Partial<SimOptions> = () => ({}),
  ): void {
    for (let seed = 1; seed <= SCHEDULES; seed++) {
      const members = 2 + (seed % 4)
      const given = { members, seed, faults: schedule(seed, members, kinds), ...more(members) }
      const { world, asks } = ask(detector, { deeds: 40 }, given)
      world.runUntilQuiet(LIMIT_US)
      expect([seed, ...judge(world, asks.log, truthful)]).toEqual([seed])
      expect(spoken(asks, 'up', 'down').length, `answers of seed ${seed}`).toBeGreaterThan(0)
    }
  }

  test(`answers every request once and truly in ${SCHEDULES} random runs of crashes and recoveries`, () => {
    expectAnswers(['crash'], true)
  })

  test(`is not misled by pauses, of others or of its own, in ${SCHEDULES} random runs`, () => {
    expectAnswers(['crash', 'pause', 'pause'], true)
  })

  test('is right also where messages leave one after the other and take time to handle', () => {
    expectAnswers(['crash', 'pause'], true, (members) => ({
      network: { send: 'sequential' },
      processingUs: 100,
      // Those that arrive together wait for each other.
      timing: { processingMs: 0.1 * 4 * members },
    }))
  })

  test('answers once, and misses no crash, whatever is lost', () => {
    const network = { loss: 0.2, duplicate: 0.1, reorder: 0.2 }
    expectAnswers(['crash'], false, () => ({ network }))
  })

  test('sends nothing unless asked', () => {
    const { world } = ask(detector, {}, { members: 5 })
    world.runUntil(10_000_000)
    expect(world.messageCounts.total).toBe(0)
  })

  test('sends nothing more when the last request is answered and the last watch has ended', () => {
    const script: Script = {
      onStart(me, act) {
        act('request', me === 1 ? 2 : 1)
        if (me !== 3) act('watch', 3)
      },
    }
    const { world, asks } = ask(detector, script, {
      members: 3,
      faults: [{ kind: 'crash', node: 3, at: 1_000_000 }],
    })
    world.runUntil(1_000_000 + watchUs(world))
    expect(spoken(asks, 'up', 'down').sort()).toEqual([
      '1 down 3',
      '1 up 2',
      '2 down 3',
      '2 up 1',
      '3 up 1',
    ])
    // Subscriptions and tokens that are still under way find no request.
    world.runUntil(world.now + 2_000_000 + watchUs(world))
    const sent = world.messageCounts.total
    world.runUntil(world.now + 10_000_000)
    expect(world.messageCounts.total).toBe(sent)
  })

  test('sends nothing more when all members that asked have crashed', () => {
    const script: Script = { onStart: (me, act) => me < 3 && act('watch', 3) }
    const { world } = ask(detector, script, {
      members: 3,
      faults: [
        { kind: 'crash', node: 1, at: 1_000_000 },
        { kind: 'crash', node: 2, at: 1_000_000 },
      ],
    })
    world.runUntil(5_000_000)
    const sent = world.messageCounts.total
    expect(sent).toBeGreaterThan(0)
    world.runUntil(20_000_000)
    expect(world.messageCounts.total).toBe(sent)
  })

  test('answers within answerMs, and reports a watched peer within watchMs', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const crash = { kind: 'crash', node: 5, at: 500_000 + 7919 * seed } as const
      const script: Script = {
        onStart(me, act) {
          if (me < 5) act('watch', 5)
          if (me === 1) act('request', 2)
          if (me === 2) act('request', 4) // down from the beginning
        },
      }
      const { world, asks } = ask(detector, script, {
        members: 5,
        seed,
        faults: [crash],
        down: [4],
      })
      world.runUntilQuiet(LIMIT_US)
      const when = (me: NodeId, peer: NodeId) =>
        asks.log.find(
          (e) => e.me === me && e.peer === peer && (e.deed === 'up' || e.deed === 'down'),
        )!.at
      expect(when(1, 2)).toBeLessThanOrEqual(answerUs(world))
      expect(when(2, 4)).toBeLessThanOrEqual(answerUs(world))
      for (const me of [1, 2, 3]) {
        expect(when(me, 5)).toBeGreaterThanOrEqual(crash.at)
        expect(when(me, 5) - crash.at).toBeLessThanOrEqual(watchUs(world))
      }
    }
  })

  test('answers at once about a peer on its down list', () => {
    let asked = 0
    const script: Script = {
      onStart: (me, act) => me === 1 && act('request', 2),
      onAnswer: (_me, _verdict, peer, act) =>
        asked++ < 2 && act(asked === 1 ? 'request' : 'watch', peer),
    }
    const { world, asks } = ask(detector, script, { members: 2, down: [2] })
    world.runUntilQuiet(LIMIT_US)
    const [first, ...others] = asks.log.filter(({ deed }) => deed === 'down')
    expect(first.at).toBeGreaterThan(0)
    expect(others.map(({ at }) => at)).toEqual([first.at, first.at])
  })

  test('answers at once about a peer that is known to be down from the beginning', () => {
    const script: Script = { onStart: (me, act) => me === 1 && act('request', 2) }
    const { world, asks } = ask(detector, script, { members: 2, down: [2], knownDown: [2] })
    world.runUntilQuiet(LIMIT_US)
    expect(asks.log.filter(({ deed }) => deed === 'down').map(({ at }) => at)).toEqual([0])
    expect(world.messageCounts.total).toBe(0)
  })

  test('raises no alarm in 20 pauses of a follower', () => {
    const script: Script = { onStart: (me, act) => me !== 5 && act('watch', 5) }
    const { world, asks } = ask(detector, script, { members: 5, faults: stalls(20) })
    world.runUntil(60_000_000)
    expect(spoken(asks, 'up', 'down')).toEqual([])
    world.inject({ kind: 'crash', node: 5, at: world.now })
    world.runUntil(world.now + watchUs(world))
    expect(new Set(spoken(asks, 'down'))).toEqual(
      new Set(['1 down 5', '2 down 5', '3 down 5', '4 down 5']),
    )
  })

  test('announces a recovery to all, and nothing at the first start', () => {
    const { sent, out } = sink(2)
    const handlers = detector.handlers(group)
    handlers.start(detector.state.init(), false, out)
    expect(sent).toEqual([])
    handlers.start(detector.state.init(), true, out)
    expect(sent.map(({ peer }) => peer)).toEqual([1, 3])
  })

  test.each([
    'the notice of its recovery',
    'any message of its detector',
    'a frame of its election',
  ])('takes a peer off the down list on %s', (what) => {
    const handlers = detector.handlers(group)
    const { sent, spoken, due, out } = sink(1)
    const s = detector.state.init()
    handlers.knownDown(s, 2)
    handlers.request(s, 2, out)
    for (const [timer, peer] of due.splice(0)) handlers.timeout(s, timer, peer, out)
    expect([sent, spoken]).toEqual([[], ['down 2']])
    if (what === 'a frame of its election') handlers.heard!(s, 2, out)
    else {
      const peer = sink(2)
      if (what.startsWith('the notice')) handlers.start(detector.state.init(), true, peer.out)
      else handlers.request(detector.state.init(), 1, peer.out)
      handlers.message(s, 2, peer.sent[0].message, out)
    }
    sent.length = 0
    handlers.request(s, 2, out)
    expect([sent.length, spoken]).toEqual([1, ['down 2']])
  })
})

describe.each(named(detectors))('%s', (_, detector) => {
  /** Runs bully until quiet; returns what is wrong. */
  function elect(seed: number, members: number, faults: Fault[]) {
    const world = new World(configure({ algorithm: bully, members, seed, faults, detector }))
    world.runUntilQuiet(LIMIT_US)
    // A message that is yet to be lost may be the leader's next claim, and the one after it.
    world.runUntil(world.now + 2_000_000)
    world.monitors.judge(world.now)
    return [seed, ...world.monitors.violations]
  }

  test(`lets bully keep its promises in ${ELECTIONS} random runs of crashes and recoveries`, () => {
    for (let seed = 1; seed <= ELECTIONS; seed++) {
      const members = 2 + (seed % 5)
      expect(elect(seed, members, schedule(seed, members, ['crash']))).toEqual([seed])
    }
  })

  test(`lets bully keep its promises in ${SCHEDULES} random runs in which messages are lost as well`, () => {
    for (let seed = 1; seed <= SCHEDULES; seed++) {
      const members = 2 + (seed % 5)
      const random = new Random(seed)
      const faults = schedule(seed, members, ['crash'])
      for (let k = random.below(12); k > 0; k--) {
        const [from, to] = [1 + random.below(members), 1 + random.below(members)]
        if (from !== to) faults.push({ kind: 'drop', from, to, at: random.below(1_000_000) })
      }
      expect(elect(seed, members, faults)).toEqual([seed])
    }
  })

  test('causes no election of bully in 20 pauses of a follower', () => {
    const faults = stalls(20)
    const world = new World(configure({ algorithm: bully, members: 5, faults, detector }))
    world.runUntil(900_000)
    expect(world.monitors.agreed).toBe(5)
    const election = world.messageCounts.sumOf('election')
    world.runUntil(60_000_000)
    expect(world.messageCounts.sumOf('election')).toBe(election)
    expect(world.monitors.changedAt).toBeLessThan(900_000)
  })
})

test('the judge finds a detector that guesses', () => {
  const guessing: Detector = {
    ...detectors[0],
    name: 'guessing',
    handlers: (group) => ({
      ...detectors[0].handlers(group),
      request: (_s, peer, out) => out.down(peer),
    }),
  }
  const { world, asks } = ask(guessing, { deeds: 20, menu: ['request'] }, { members: 3 })
  world.runUntilQuiet(LIMIT_US)
  expect(judge(world, asks.log, true)[0]).toMatch('gets down, which was not true since')
})

const group = new Group(3, {
  messageMs: 5,
  processingMs: 0,
  detectionMs: 20,
  watchMs: 30,
  periodMs: 100,
})

/** Where the handlers of one member put their effects when no world is needed. */
function sink(me: NodeId) {
  const sent: { peer: NodeId; message: AnyMessage }[] = []
  const spoken: string[] = []
  const due: [timer: string, peer: NodeId][] = []
  const out: DetectorOut<AnyMessage> = {
    me,
    send: (peer, message) => sent.push({ peer, message }),
    set: (timer, peer, ms) => ms === 0 && due.push([timer, peer]),
    clear: () => undefined,
    up: (peer) => spoken.push(`up ${peer}`),
    down: (peer) => spoken.push(`down ${peer}`),
  }
  return { sent, spoken, due, out }
}
