/**
 * Runs the detector of one member: passes requests and watches to the detector, and its verdicts to the member,
 * each in a step of its own. It remembers the latest verdict about each peer.
 */
import type { AnyMessage } from '../../core/algorithm.ts'
import {
  detectorHandlersOf,
  type AnyDetectorHandlers,
  type Detector,
  type DetectorOut,
  type Evidence,
} from '../../core/detector.ts'
import type { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { HostConfig } from './host-config.ts'
import type { StepQueue } from './step-queue.ts'
import { Timers } from './timers.ts'

export type Verdict = 'up' | 'down'

/** What the detector reports to its member, and asks of it. */
interface DetectorEvents {
  /** The answer to the algorithm's latest request, or the end of its watch. */
  answered(peer: NodeId, verdict: Verdict): void
  verdictChanged(peer: NodeId, verdict: Verdict): void
  sendDetectorMessage(peer: NodeId, message: AnyMessage): void
  /** Asks for a dial where there is no connection. */
  probe(peer: NodeId): void
  /** Asks for the end of a connection. */
  release(peer: NodeId): void
}

export class DetectorHost implements DetectorOut<AnyMessage> {
  readonly me: NodeId
  private readonly module: Detector
  private handlers: AnyDetectorHandlers
  private periodMs: number
  private readonly steps: StepQueue
  private readonly events: DetectorEvents
  private readonly timers: Timers<number>
  private readonly timerNames: readonly string[]
  private state: Record<string, unknown>
  private serial = 0
  private readonly requests = new Map<NodeId, number>()
  private readonly watches = new Set<NodeId>()
  /** Requests that are not the algorithm's. */
  private readonly inquiries = new Map<NodeId, ((verdict: Verdict) => void)[]>()
  /** Peers that announced that they leave, and from which no frame has arrived since. */
  private readonly departed = new Set<NodeId>()
  private readonly verdicts = new Map<NodeId, Verdict>()
  private readonly probedAt = new Map<NodeId, number>()

  constructor(config: HostConfig, steps: StepQueue, events: DetectorEvents) {
    const { detector, group, me, clock } = config
    this.me = me
    this.module = detector
    this.handlers = detectorHandlersOf(detector, group)
    this.periodMs = group.timing.periodMs
    this.steps = steps
    this.events = events
    this.state = detector.state.init()
    this.timerNames = Object.keys(detector.timers)
    this.timers = new Timers(clock, (key) => steps.run(() => this.fired(key)))
  }

  /** The group has other members or another timing: the state stays. */
  reconfigure(group: Group): void {
    this.handlers = detectorHandlersOf(this.module, group)
    this.periodMs = group.timing.periodMs
  }

  begin(recovered: boolean): void {
    this.handlers.start(this.state, recovered, this)
  }

  /** Ends all requests and watches. */
  end(): void {
    this.timers.clearAll()
    this.state = this.module.state.afterCrash(this.state)
    this.requests.clear()
    this.watches.clear()
    for (const inquiries of this.inquiries.values()) inquiries.forEach((resolve) => resolve('down'))
    this.inquiries.clear()
  }

  verdictOn(peer: NodeId): Verdict | 'unknown' {
    return this.verdicts.get(peer) ?? 'unknown'
  }

  // Requests and watches.

  request(peer: NodeId): void {
    this.requests.set(peer, ++this.serial)
    this.probeIfDown(peer)
    if (this.departed.has(peer)) this.report(peer, 'down')
    else this.handlers.request(this.state, peer, this)
  }

  watch(peer: NodeId): void {
    if (this.watches.has(peer)) return
    this.watches.add(peer)
    if (this.departed.has(peer)) this.report(peer, 'down')
    else this.handlers.watch(this.state, peer, this)
  }

  unwatch(peer: NodeId): void {
    if (this.watches.delete(peer)) this.handlers.unwatch(this.state, peer, this)
  }

  /** A request of the layers above the algorithm. */
  inquire(peer: NodeId, resolve: (verdict: Verdict) => void): void {
    if (this.departed.has(peer)) return resolve('down')
    this.inquiries.set(peer, [...(this.inquiries.get(peer) ?? []), resolve])
    this.probeIfDown(peer)
    this.handlers.request(this.state, peer, this)
  }

  /** No event reports that a link has healed: a request about a peer that is down dials it, once in a period. */
  private probeIfDown(peer: NodeId): void {
    if (this.verdicts.get(peer) !== 'down') return
    if (this.steps.now - this.probedAt.get(peer)! < this.periodMs) return
    this.probedAt.set(peer, this.steps.now)
    this.events.probe(peer)
  }

  // Rest: beats of the connection stand for messages (rest.ts).

  /** Whether nothing is open but watches. */
  get isIdle(): boolean {
    const isAsked = this.requests.size > 0 || this.inquiries.size > 0
    return this.module.countsBeats === true && !isAsked
  }

  suspend(): void {
    this.timers.suspend()
  }

  resume(): void {
    this.timers.resume()
  }

  // Events.

  /** A frame of the peer has arrived, whatever its part. */
  frameReceived(from: NodeId): void {
    this.departed.delete(from)
    if (this.verdicts.get(from) === 'down') this.setVerdict(from, 'up')
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

  /** The peer announced that it leaves: later requests are answered without the detector. */
  departs(peer: NodeId): void {
    this.departed.add(peer)
  }

  /** Answers what the algorithm has requested about a peer that leaves. */
  answerDeparture(peer: NodeId): void {
    if (!this.requests.has(peer) && !this.watches.has(peer)) return
    this.handlers.unwatch(this.state, peer, this)
    this.report(peer, 'down')
  }

  // Verdicts.

  /** The verdict counts if it answers the latest request, or ends a watch. */
  private report(peer: NodeId, verdict: Verdict): void {
    const serial = this.requests.get(peer)
    this.steps.add(() => {
      this.answerInquiries(peer, verdict)
      const requested = serial !== undefined && this.requests.get(peer) === serial
      const watched = verdict === 'down' && this.watches.has(peer)
      if (!requested && !watched) return
      this.requests.delete(peer)
      this.setVerdict(peer, verdict)
      if (verdict === 'down') {
        this.watches.delete(peer)
        this.events.release(peer) // a fresh dial finds a healed link sooner
      }
      this.events.answered(peer, verdict)
    })
  }

  private answerInquiries(peer: NodeId, verdict: Verdict): void {
    const inquiries = this.inquiries.get(peer)
    if (inquiries === undefined) return
    this.inquiries.delete(peer)
    this.setVerdict(peer, verdict)
    for (const resolve of inquiries) resolve(verdict)
  }

  setVerdict(peer: NodeId, verdict: Verdict): void {
    if (this.verdicts.get(peer) === verdict) return
    this.verdicts.set(peer, verdict)
    this.probedAt.set(peer, this.steps.now)
    this.events.verdictChanged(peer, verdict)
  }

  // Effects of the detector.

  send(peer: NodeId, message: AnyMessage): void {
    this.events.sendDetectorMessage(peer, message)
  }

  set(timer: string, peer: NodeId, minMs: number, maxMs = minMs): void {
    this.timers.set(this.keyOf(timer, peer), this.steps.now, minMs, maxMs)
  }

  clear(timer: string, peer: NodeId): void {
    this.timers.clear(this.keyOf(timer, peer))
  }

  up(peer: NodeId): void {
    this.report(peer, 'up')
  }

  down(peer: NodeId): void {
    this.report(peer, 'down')
  }

  private fired(key: number): void {
    if (!this.timers.take(key, this.steps.now)) return
    const { length } = this.timerNames
    this.handlers.timeout(this.state, this.timerNames[key % length], Math.floor(key / length), this)
  }

  private keyOf(timer: string, peer: NodeId): number {
    return peer * this.timerNames.length + this.timerNames.indexOf(timer)
  }
}
