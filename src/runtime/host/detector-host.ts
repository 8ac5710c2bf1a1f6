/**
 * Runs a detector module beside the election of one member. It takes the election's questions to the module
 * and the module's verdicts to the election, and remembers them.
 */
import type { AnyMessage } from '../../core/algorithm.ts'
import {
  detectorHandlersOf,
  type AnyDetectorHandlers,
  type Detector,
  type DetectorOut,
  type Evidence,
} from '../../core/detector.ts'
import type { NodeId } from '../../core/node-id.ts'
import { Timers } from './timers.ts'
import type { HostConfig, HostEvents } from './host-config.ts'
import type { PeerLinks } from './peer-links.ts'
import type { StepQueue } from './step-queue.ts'

type Verdict = 'up' | 'down'

interface Election {
  /** What the election asked for: the answer to its latest request, or the end of its watch. */
  answered(peer: NodeId, verdict: Verdict): void
}

export class DetectorHost implements DetectorOut<AnyMessage> {
  readonly me: NodeId
  private readonly module: Detector
  private readonly handlers: AnyDetectorHandlers
  private readonly periodMs: number
  private readonly events: HostEvents
  private readonly steps: StepQueue
  private readonly links: PeerLinks
  private readonly election: Election
  private readonly alarms: Timers<number>
  private readonly timers: readonly string[]
  private state: Record<string, unknown>
  private serial = 0
  private readonly requests = new Map<NodeId, number>()
  private readonly watches = new Set<NodeId>()
  /** Questions about peers that are not the algorithm's. */
  private readonly inquiries = new Map<NodeId, ((verdict: Verdict) => void)[]>()
  /** Peers that said they leave, and were not heard since. */
  private readonly departed = new Set<NodeId>()
  private readonly verdicts = new Map<NodeId, Verdict>()
  private readonly doubtedAt = new Map<NodeId, number>()

  constructor(
    config: HostConfig,
    events: HostEvents,
    steps: StepQueue,
    links: PeerLinks,
    election: Election,
  ) {
    const { detector, group, me, clock } = config
    this.me = me
    this.module = detector
    this.handlers = detectorHandlersOf(detector, group)
    this.periodMs = group.timing.periodMs
    this.events = events
    this.steps = steps
    this.links = links
    this.election = election
    this.state = detector.state.init()
    this.timers = Object.keys(detector.timers)
    this.alarms = new Timers(clock, (key) => steps.run(() => this.rang(key)))
  }

  begin(recovered: boolean): void {
    this.handlers.start(this.state, recovered, this)
  }

  /** Whatever was asked is asked no longer. */
  end(): void {
    this.alarms.clearAll()
    this.state = this.module.state.afterCrash(this.state)
    this.requests.clear()
    this.watches.clear()
    for (const asked of this.inquiries.values()) asked.forEach((resolve) => resolve('down'))
    this.inquiries.clear()
  }

  opinionOf(peer: NodeId): Verdict | 'unknown' {
    return this.verdicts.get(peer) ?? 'unknown'
  }

  // What is asked.

  request(peer: NodeId): void {
    this.requests.set(peer, ++this.serial)
    this.doubt(peer)
    if (this.departed.has(peer)) this.spoken(peer, 'down')
    else this.handlers.request(this.state, peer, this)
  }

  watch(peer: NodeId): void {
    if (this.watches.has(peer)) return
    this.watches.add(peer)
    if (this.departed.has(peer)) this.spoken(peer, 'down')
    else this.handlers.watch(this.state, peer, this)
  }

  unwatch(peer: NodeId): void {
    if (this.watches.delete(peer)) this.handlers.unwatch(this.state, peer, this)
  }

  /** For whoever runs the host. */
  inquire(peer: NodeId, resolve: (verdict: Verdict) => void): void {
    if (this.departed.has(peer)) return resolve('down')
    this.inquiries.set(peer, [...(this.inquiries.get(peer) ?? []), resolve])
    this.doubt(peer)
    this.handlers.request(this.state, peer, this)
  }

  /** A healed link tells nobody: a peer that has been thought down for a while is dialled when it matters. */
  private doubt(peer: NodeId): void {
    if (this.verdicts.get(peer) !== 'down') return
    if (this.steps.now - this.doubtedAt.get(peer)! < this.periodMs) return
    this.doubtedAt.set(peer, this.steps.now)
    this.links.probe(peer)
  }

  // What happens.

  /** A frame came, whatever it says. */
  alive(from: NodeId): void {
    this.departed.delete(from)
    if (this.verdicts.get(from) === 'down') this.judge(from, 'up')
  }

  message(from: NodeId, message: AnyMessage): void {
    this.handlers.message(this.state, from, message, this)
  }

  heard(from: NodeId): void {
    this.handlers.heard(this.state, from, this)
  }

  evidence(peer: NodeId, evidence: Evidence): void {
    this.handlers.evidence(this.state, peer, evidence, this)
  }

  /** From now on nobody need ask the module. */
  depart(peer: NodeId): void {
    this.departed.add(peer)
  }

  /** Who asked about a peer that has departed hears of it. */
  giveUp(peer: NodeId): void {
    if (!this.requests.has(peer) && !this.watches.has(peer)) return
    this.handlers.unwatch(this.state, peer, this)
    this.spoken(peer, 'down')
  }

  // Verdicts.

  /** The election hears of it in a step of its own. It counts if it answers the latest request, or ends a watch. */
  private spoken(peer: NodeId, verdict: Verdict): void {
    const serial = this.requests.get(peer)
    this.steps.follow(() => {
      this.answerInquiries(peer, verdict)
      const requested = serial !== undefined && this.requests.get(peer) === serial
      const watched = verdict === 'down' && this.watches.has(peer)
      if (!requested && !watched) return
      this.requests.delete(peer)
      this.judge(peer, verdict)
      if (verdict === 'down') {
        this.watches.delete(peer)
        this.links.release(peer) // a fresh dial finds a healed link sooner
      }
      this.election.answered(peer, verdict)
    })
  }

  private answerInquiries(peer: NodeId, verdict: Verdict): void {
    const asked = this.inquiries.get(peer)
    if (asked === undefined) return
    this.inquiries.delete(peer)
    this.judge(peer, verdict)
    for (const resolve of asked) resolve(verdict)
  }

  judge(peer: NodeId, verdict: Verdict): void {
    if (this.verdicts.get(peer) === verdict) return
    this.verdicts.set(peer, verdict)
    this.doubtedAt.set(peer, this.steps.now)
    this.events.verdict(peer, verdict)
  }

  // What the module asks for.

  send(peer: NodeId, message: AnyMessage): void {
    this.links.post(peer, { part: 'detector', message })
  }

  set(timer: string, peer: NodeId, minMs: number, maxMs = minMs): void {
    this.alarms.set(this.keyOf(timer, peer), this.steps.now, minMs, maxMs)
  }

  clear(timer: string, peer: NodeId): void {
    this.alarms.clear(this.keyOf(timer, peer))
  }

  up(peer: NodeId): void {
    this.spoken(peer, 'up')
  }

  down(peer: NodeId): void {
    this.spoken(peer, 'down')
  }

  private rang(key: number): void {
    if (!this.alarms.take(key, this.steps.now)) return
    const { length } = this.timers
    this.handlers.timeout(this.state, this.timers[key % length], Math.floor(key / length), this)
  }

  private keyOf(timer: string, peer: NodeId): number {
    return peer * this.timers.length + this.timers.indexOf(timer)
  }
}
