/**
 * Sends messages in a world: counts and records them, spaces sequential ones, and schedules their arrival, or reports
 * their loss.
 */
import type { AnyMessage } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Schedule } from '../queue/schedule.ts'
import { EventKind, type Frame } from '../queue/event-kinds.ts'
import type { WorldContext } from '../world/world-context.ts'
import { boundUs } from './latency.ts'
import type { Part } from '../record/step.ts'
import type { MessageCounts } from '../record/message-counts.ts'
import { Network } from './network.ts'

export interface HeldFrame {
  readonly to: NodeId
  readonly frame: Frame
}

export class Outbox {
  /** Messages in flight; a run is not quiet while there are any. Periodic ones do not count. */
  inFlight = 0
  /** When the last of all messages that were sent arrives. */
  lastArrival = 0
  readonly network: Network
  private readonly context: WorldContext
  private readonly schedule: Schedule
  private readonly counts: MessageCounts
  private readonly incarnation: Int32Array
  /** Sequential sending: how long a message of a step waits for the one before it. */
  private readonly gapUs: number
  /** How many messages each part has sent in this step. The parts send independently of each other. */
  private sentByElection = 0
  private sentByDetector = 0
  /** The messages of a step that may have to wait for a durable write; null: they leave at once. */
  private held: HeldFrame[] | null = null

  constructor(context: WorldContext) {
    const { network, members } = context.config
    this.context = context
    this.schedule = context.schedule
    this.counts = context.messageCounts
    this.incarnation = context.incarnation
    this.network = new Network(network, members, context.random)
    this.gapUs = network.send === 'sequential' ? boundUs(network.latency) : 0
  }

  beginStep(): void {
    this.sentByElection = 0
    this.sentByDetector = 0
  }

  emit(from: NodeId, to: NodeId, message: AnyMessage, part: Part): void {
    const { context, counts } = this
    context.expectMember(to)
    const awaited = counts.count(message.type, part, context.isUp(to))
    const frame = { message, part, awaited, sent: counts.total }
    const ahead = part === 'election' ? this.sentByElection++ : this.sentByDetector++
    if (this.held !== null) {
      context.recorder?.sent({ from, to, part, message, sent: frame.sent, lost: null })
      if (awaited) this.inFlight += 1
      this.held.push({ to, frame })
      return
    }
    const waits =
      this.gapUs > 0 && (ahead > 0 || this.network.isDeparting(from, to, this.schedule.now))
    if (!waits) {
      const lost = this.transmit(from, to, frame)
      context.recorder?.sent({ from, to, part, message, sent: frame.sent, lost })
      return
    }
    context.recorder?.sent({ from, to, part, message, sent: frame.sent, lost: null })
    if (awaited) this.inFlight += 1
    const { now } = this.schedule
    const leaves = this.network.departure(from, to, now + ahead * this.gapUs, now)
    this.schedule.push(leaves, EventKind.DEPART, from, to, this.incarnation[from], frame)
  }

  /** From now on messages wait until they are taken. */
  hold(): void {
    this.held = []
  }

  takeHeld(): readonly HeldFrame[] {
    const held = this.held ?? []
    this.held = null
    return held
  }

  /** A frame that waited leaves now, unless its sender has crashed meanwhile. */
  depart(from: NodeId, to: NodeId, incarnation: number, frame: Frame): void {
    this.end(frame)
    if (incarnation !== this.incarnation[from]) {
      return this.lose(from, to, frame, `${this.context.label(from)} crashed before it left`)
    }
    const lost = this.transmit(from, to, frame)
    if (lost !== null) this.lose(from, to, frame, lost)
  }

  end(frame: Frame): void {
    if (frame.awaited) this.inFlight -= 1
  }

  /** A frame that was sent ends without being handled. */
  lose(from: NodeId, to: NodeId, frame: Frame, why: string): void {
    const { recorder, now } = this.context
    if (recorder === null) return
    const { message, part, sent } = frame
    recorder.step(now, { kind: 'lose', node: to, from, part, message, sent, why }, null)
    recorder.done(null)
  }

  private transmit(from: NodeId, to: NodeId, frame: Frame): string | null {
    if (!this.context.isUp(to)) return `${this.context.label(to)} is down`
    const lost = this.network.lossOf(from, to)
    if (lost !== null) return lost
    this.deliver(from, to, frame)
    if (this.network.isDuplicated()) this.deliver(from, to, frame)
    return null
  }

  /** Schedules the arrival of a frame, or of one more copy. */
  deliver(from: NodeId, to: NodeId, frame: Frame): void {
    const { schedule, incarnation } = this
    if (frame.awaited) this.inFlight += 1
    const time = this.network.arrival(from, to, schedule.now)
    if (time > this.lastArrival) this.lastArrival = time
    schedule.push(time, EventKind.DELIVER, to, from, incarnation[to], frame)
  }
}
