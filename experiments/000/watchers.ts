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
import { PARAMETERS } from '../harness/parameters.ts'
import { mean } from '../harness/statistics.ts'

/** All watch the strongest, or all watch all, or the weakest asks once: about all, or later about the strongest. */
type Shape = 'star' | 'mesh' | 'requests' | 'later'

const PERIOD_MS = PARAMETERS.period.value
const [MEMBERS] = PARAMETERS.watchers.value

interface Alarm {
  readonly about: NodeId
  readonly atUs: number
  readonly verdict: 'up' | 'down'
}

/** A world of watchers, and the verdicts of its detectors. */
class Watchers {
  readonly alarms: Alarm[] = []
  readonly world: World
  /** Messages of the detectors, by type. */
  readonly sent: Record<string, number> = {}

  constructor(detector: Detector, shape: Shape, given: Partial<SimOptions>, askAtMs = 0) {
    const note = (about: NodeId, verdict: Alarm['verdict']): void => {
      this.alarms.push({ about, atUs: this.world.now, verdict })
    }
    const fixed = { members: MEMBERS, detector, algorithm: watching(shape, askAtMs, note) }
    this.world = new World(configure({ timing: { periodMs: PERIOD_MS }, ...given, ...fixed }))
    observe(this.world, {
      sent: ({ message: { type } }) => (this.sent[type] = (this.sent[type] ?? 0) + 1),
    })
  }
}

function watching(
  shape: Shape,
  askAtMs: number,
  note: (about: NodeId, verdict: Alarm['verdict']) => void,
) {
  return algorithm({
    name: 'watchers',
    title: 'watches',
    state: record({ status: oneOf('Norm'), leader: node, term: int(0, 0) }),
    messages: union({ hello: {} }),
    timers: { hello: period, ask: period },
    promises: { agreement: 'eventually', leader: 'any', termsRise: true },
    assumes: { crashes: true, recoveries: true, loss: true, synchrony: false },
    handlers: (group) => ({
      start(_s, out) {
        if (shape === 'requests' && out.me === 1) {
          for (const peer of group.superiors(1)) out.request(peer)
        }
        const isWatched = (peer: NodeId): boolean =>
          shape === 'mesh' || (shape === 'star' && peer === group.strongest)
        for (const peer of group.everyone) if (peer !== out.me && isWatched(peer)) out.watch(peer)
        if (shape === 'star') out.set('hello', 0, PERIOD_MS)
        if (shape === 'later' && out.me === 1) out.set('ask', askAtMs)
      },
      /** The strongest says hello every period, as a leader does. */
      timeout(_s, timer, out) {
        if (timer === 'ask') return out.request(group.strongest)
        if (out.me === group.strongest) {
          for (const peer of group.juniors(out.me)) out.send(peer, { type: 'hello' })
        }
        out.set('hello', PERIOD_MS)
      },
      up: (_s, peer) => note(peer, 'up'),
      down: (_s, peer) => note(peer, 'down'),
      message: () => undefined,
      settled: () => undefined,
    }),
  })
}

/** Milliseconds from the crash of a watched member until those that watch it know, on the average: for each crash. */
export function detectionTimes(
  detector: Detector,
  latency: Latency,
  crashes: number,
  seed: number,
): number[] {
  return range(1, crashes).map((i) => {
    // Every crash at another moment of a period, or of a token's lap, long after the watches began.
    const at = 3_000_000 + Math.floor((7000 * PERIOD_MS * (i - 1)) / crashes)
    const faults = [{ kind: 'crash', node: MEMBERS, at }] as const
    const given = { seed: seed + i, faults, network: { latency } }
    const watchers = new Watchers(detector, 'star', given)
    watchers.world.runUntil(at + 800_000)
    const after = watchers.alarms.filter(({ atUs }) => atUs >= at)
    return mean(after.map(({ atUs }) => (atUs - at) / 1000))
  })
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
  watchers.world.runUntil(2_000_000)
  const answer = watchers.alarms.find(({ verdict }) => verdict === 'down')
  return answer === undefined ? NaN : answer.atUs / 1000
}

/** A member on every down list recovers; the weakest asks about it so many milliseconds later. */
export function askAfterRecovery(detector: Detector, laterMs: number, seed: number) {
  const recoveryUs = 1_000_000
  const faults = [{ kind: 'recover', node: MEMBERS, at: recoveryUs }] as const
  const down = [MEMBERS]
  const given = { seed, down, knownDown: down, faults }
  const watchers = new Watchers(detector, 'later', given, recoveryUs / 1000 + laterMs)
  watchers.world.runUntil(2_000_000)
  return { verdict: watchers.alarms[0]?.verdict }
}
