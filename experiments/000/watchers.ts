/** Simulates members that watch each other without elections, and measures a detector: detection time, messages per second, time of an answer. */
import {
  algorithm,
  int,
  node,
  oneOf,
  period,
  record,
  union,
  type Detector,
  type NodeId,
} from 'bellwether/core'
import { configure, World, type Latency, type SimOptions } from 'bellwether/sim'
import { observe, range } from '../harness/elections.ts'
import { estimate, mean, type Estimate } from '../harness/statistics.ts'

/** All watch the strongest, or all watch all, or the weakest asks about all once. */
type Shape = 'star' | 'mesh' | 'requests'

const PERIOD_MS = 100
const MEMBERS = 10

interface Alarm {
  readonly atUs: number
  readonly verdict: 'up' | 'down'
}

/** A world of watchers, and the verdicts of its detectors. */
class Watchers {
  readonly alarms: Alarm[] = []
  readonly world: World

  constructor(detector: Detector, shape: Shape, given: Partial<SimOptions>) {
    const note = (verdict: Alarm['verdict']): void => {
      this.alarms.push({ atUs: this.world.now, verdict })
    }
    const fixed = { members: MEMBERS, detector, algorithm: watching(shape, note) }
    this.world = new World(configure({ timing: { periodMs: PERIOD_MS }, ...given, ...fixed }))
  }
}

function watching(shape: Shape, note: (verdict: Alarm['verdict']) => void) {
  return algorithm({
    name: 'watchers',
    title: 'watches',
    state: record({ status: oneOf('Norm'), leader: node, term: int(0, 0) }),
    messages: union({ hello: {} }),
    timers: { begin: period },
    promises: { agreement: 'eventually', leader: 'any', termsRise: true },
    assumes: { crashes: true, recoveries: true, loss: true, synchrony: false },
    handlers: (group) => ({
      // Members do not begin at the same moment.
      start: (_s, out) => out.set('begin', 0, PERIOD_MS),
      timeout(_s, _timer, out) {
        if (shape === 'requests') {
          if (out.me === 1) for (const peer of group.superiors(1)) out.request(peer)
          return
        }
        const isWatched = (peer: NodeId): boolean => shape === 'mesh' || peer === group.strongest
        for (const peer of group.everyone) if (peer !== out.me && isWatched(peer)) out.watch(peer)
      },
      up: () => note('up'),
      down: () => note('down'),
      message: () => undefined,
      settled: () => undefined,
    }),
  })
}

/** Milliseconds from the crash of a watched member until those that watch it know. */
export function detectionTime(
  detector: Detector,
  latency: Latency,
  crashes: number,
  seed: number,
): Estimate {
  const times = range(1, crashes).map((i) => {
    // Every crash at another moment of a period, or of a token's lap, long after the watches began.
    const at = 2_000_000 + Math.floor((7000 * PERIOD_MS * (i - 1)) / crashes)
    const faults = [{ kind: 'crash', node: MEMBERS, at }] as const
    const given = { seed: seed + i, faults, network: { latency } }
    const watchers = new Watchers(detector, 'star', given)
    watchers.world.runUntil(at + 800_000)
    const after = watchers.alarms.filter(({ atUs }) => atUs >= at)
    return mean(after.map(({ atUs }) => (atUs - at) / 1000))
  })
  return estimate(times)
}

/** Messages a second for each link that is watched, once all is under way. */
export function messageRate(detector: Detector, shape: 'star' | 'mesh', seed: number): number {
  const { world } = new Watchers(detector, shape, { seed })
  world.runUntil(5_000_000)
  const before = world.messageCounts.sumOf('detector')
  world.runUntil(25_000_000)
  const links = shape === 'star' ? MEMBERS - 1 : MEMBERS * (MEMBERS - 1)
  return (world.messageCounts.sumOf('detector') - before) / 20 / links
}

/** Milliseconds from a request about a dead member to the answer, on the down list or not. */
export function answerTime(detector: Detector, known: boolean, seed: number): number {
  const down = [MEMBERS]
  const knownDown = known ? down : []
  const watchers = new Watchers(detector, 'requests', { seed, down, knownDown })
  let askedUs = NaN
  observe(watchers.world, {
    step: (at, step) => {
      if (step.kind === 'timeout' && step.part === 'election' && step.node === 1) askedUs = at
    },
  })
  watchers.world.runUntil(2_000_000)
  const answer = watchers.alarms.find(({ verdict }) => verdict === 'down')
  return answer === undefined ? NaN : (answer.atUs - askedUs) / 1000
}
