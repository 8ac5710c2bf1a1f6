/** Measures a detector in the simulator: detection times, answer times, messages per second, and rate of mistakes. */
import { algorithm, period, type Algorithm, type Out } from '../../src/core/algorithm.ts'
import type { Detector } from '../../src/core/detector.ts'
import type { Group } from '../../src/core/group.ts'
import type { NodeId } from '../../src/core/node-id.ts'
import { int, node, nodeSet, oneOf, record, union, type Infer } from '../../src/core/schema.ts'
import { configure, type SimOptions } from '../../src/sim/config.ts'
import type { Latency } from '../../src/sim/network/latency.ts'
import { World } from '../../src/sim/world/world.ts'

export type Measured = Detector | 'perfect'

/** How much to measure: the sizes of the table, or less. */
export interface Effort {
  readonly members: number
  readonly crashes: number
  readonly steadySeconds: number
  readonly hostileSeconds: number
  readonly losses: readonly number[]
}

export interface Times {
  readonly meanMs: number
  readonly p99Ms: number
  readonly maxMs: number
}

export interface Measurement {
  readonly name: string
  /** From a crash to `down` at those that watched; in a calm network, and with jitter. */
  readonly detection: Times
  readonly jittered: Times
  /** From a request to its answer, about a peer that is up and about one that is down. */
  readonly upMs: number
  readonly downMs: number
  /** Messages a second for each monitored link: all watch one, or all watch all. */
  readonly starRate: number
  readonly meshRate: number
  /** `down` about a live peer, for each link and minute, by loss. */
  readonly falseAlarms: readonly number[]
}

/** A message takes 1 to 5 ms: what the promises assume. */
const CALM: Latency = { kind: 'uniform', minUs: 1000, maxUs: 5000 }
/** Half of the messages take longer than 2 ms, one in a thousand longer than Tm = 12.8 ms. */
const JITTER: Latency = { kind: 'lognormal', medianUs: 2000, sigma: 0.6 }
const PERIOD_MS = 100

export function measure(detector: Measured, effort: Effort): Measurement {
  return {
    name: detector === 'perfect' ? detector : detector.name,
    detection: detectionTimes(detector, CALM, effort),
    jittered: detectionTimes(detector, JITTER, effort),
    ...answerTimes(detector, effort),
    starRate: rate(detector, 'star', effort),
    meshRate: rate(detector, 'mesh', effort),
    falseAlarms: effort.losses.map((loss) => falseAlarms(detector, loss, effort)),
  }
}

function detectionTimes(detector: Measured, latency: Latency, effort: Effort): Times {
  const { members, crashes } = effort
  const times: number[] = []
  for (let seed = 1; seed <= crashes; seed++) {
    // Every crash at another moment of a period, or of a token's lap, long after the watches began.
    const at = 3_000_000 + Math.floor((7000 * PERIOD_MS * (seed - 1)) / crashes)
    const watchers = new Watchers(members, 'star')
    const faults = [{ kind: 'crash', node: members, at }] as const
    const world = watchers.world(detector, { members, seed, faults, network: { latency } })
    world.runUntilQuiet(60_000_000)
    for (const alarm of watchers.alarms) if (alarm.since < at) times.push(alarm.at - at)
  }
  return summary(times)
}

function summary(timesUs: readonly number[]): Times {
  const sorted = timesUs.toSorted((a, b) => a - b)
  const sum = sorted.reduce((a, b) => a + b, 0)
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] / 1000
  return { meanMs: sum / sorted.length / 1000, p99Ms: at(0.99), maxMs: at(1) }
}

function answerTimes(detector: Measured, { members, crashes }: Effort) {
  const times = { up: [] as number[], down: [] as number[] }
  for (let seed = 1; seed <= crashes; seed++) {
    const watchers = new Watchers(members, 'requests')
    const world = watchers.world(detector, { members, seed, down: [members] })
    world.runUntilQuiet(60_000_000)
    for (const { verdict, at } of watchers.answers) times[verdict].push(at)
  }
  return { upMs: summary(times.up).meanMs, downMs: summary(times.down).meanMs }
}

function rate(detector: Measured, shape: 'star' | 'mesh', effort: Effort): number {
  const { members, steadySeconds } = effort
  const world = new Watchers(members, shape).world(detector, { members })
  world.runUntil(5_000_000)
  const before = world.messageCounts.sumOf('detector')
  world.runUntil(world.now + 1_000_000 * steadySeconds)
  const links = shape === 'star' ? members - 1 : members * (members - 1)
  return (world.messageCounts.sumOf('detector') - before) / steadySeconds / links
}

function falseAlarms(detector: Measured, loss: number, effort: Effort): number {
  const { members, hostileSeconds } = effort
  const watchers = new Watchers(members, 'star')
  const world = watchers.world(detector, { members, network: { latency: JITTER, loss } })
  world.runUntil(1_000_000 * hostileSeconds)
  // At once: on the list since an earlier alarm, the same mistake and not another.
  const mistakes = watchers.alarms.filter(({ at, since }) => at > since).length
  return mistakes / (members - 1) / (hostileSeconds / 60)
}

const state = record({
  status: oneOf('Norm'),
  leader: node,
  term: int(0, 0),
  lost: nodeSet, // reported down, to be watched again
})
const messages = union({ hello: {} })
const timers = { again: period }
type State = Infer<typeof state>
type Sink = Out<Infer<typeof messages>, keyof typeof timers>

/**
 * An election of nothing: in a `star` all watch the strongest, in a `mesh` all watch all, with `requests`
 * the weakest asks about all once. Who is reported down is watched again a period later. The
 * strongest says hello every period, as a leader does.
 */
class Watchers {
  readonly alarms: { readonly at: number; readonly since: number }[] = []
  readonly answers: { readonly at: number; readonly verdict: 'up' | 'down' }[] = []
  /** Since when a link is watched. */
  readonly open = new Map<string, number>()
  private readonly members: number
  private readonly shape: 'star' | 'mesh' | 'requests'
  private clock = (): number => 0

  constructor(members: number, shape: 'star' | 'mesh' | 'requests') {
    this.members = members
    this.shape = shape
  }

  world(detector: Measured, given: Partial<SimOptions> & { readonly members: number }): World {
    const network = { latency: CALM, ...given.network }
    const timing = { periodMs: PERIOD_MS }
    const options = { detector, timing, ...given, network, algorithm: this.algorithm() }
    const world = new World(configure(options))
    this.clock = () => world.now
    return world
  }

  private algorithm(): Algorithm {
    return algorithm({
      name: 'watchers',
      title: 'watches',
      state,
      messages,
      timers,
      promises: { agreement: 'eventually', leader: 'any', termsRise: true },
      assumes: { crashes: true, recoveries: true, loss: true, synchrony: false },
      handlers: (group) => this.handlers(group),
    })
  }

  private handlers(group: Group) {
    const watch = (peer: NodeId, out: Sink): void => {
      this.open.set(`${out.me} ${peer}`, this.clock())
      out.watch(peer)
    }
    const again = (s: State, out: Sink): void => {
      for (const peer of s.lost.copy()) {
        s.lost.delete(peer)
        watch(peer, out)
      }
      if (out.me === group.strongest && this.shape === 'star') {
        for (const peer of group.juniors(out.me)) out.send(peer, { type: 'hello' })
      }
      out.set('again', PERIOD_MS)
    }
    return {
      start: (_s: State, out: Sink): void => {
        if (this.shape === 'requests') {
          if (out.me === 1) for (const peer of group.superiors(1)) out.request(peer)
          return
        }
        for (const peer of group.everyone) {
          if (peer !== out.me && (peer === this.members || this.shape === 'mesh')) watch(peer, out)
        }
        // Members do not begin at the same moment.
        out.set('again', 0, PERIOD_MS)
      },
      timeout: (s: State, _timer: 'again', out: Sink): void => again(s, out),
      up: (): void => void this.answers.push({ at: this.clock(), verdict: 'up' }),
      down: (s: State, peer: NodeId, out: Sink): void => {
        const link = `${out.me} ${peer}`
        const since = this.open.get(link)
        this.answers.push({ at: this.clock(), verdict: 'down' })
        if (since === undefined) return
        this.open.delete(link)
        this.alarms.push({ at: this.clock(), since })
        s.lost.add(peer)
      },
      message: (): void => undefined,
      settled: (): void => undefined,
    }
  }
}
