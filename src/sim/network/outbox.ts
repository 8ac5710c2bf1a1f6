/** Sends messages: at once or one after another, and over the wires, or not. */
import type { AnyMessage } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Agenda } from '../queue/schedule.ts'
import { Frame, Kind } from '../queue/event-kinds.ts'
import type { Ground } from '../world-context.ts'
import { boundUs } from './latency.ts'
import type { Part } from '../record/step.ts'
import type { Tally } from '../record/message-counts.ts'
import { Wires } from './network.ts'

export class Post {
  /** Messages under way that a run must wait for before it is quiet. */
  inFlight = 0
  readonly wires: Wires
  private readonly ground: Ground
  private readonly agenda: Agenda
  private readonly tally: Tally
  private readonly incarnation: Int32Array
  /** Sequential sending: how long a message of a step waits for the one before it. */
  private readonly gapUs: number
  /** How many messages each part has sent in this step: they send side by side, each in sequence. */
  private sentByElection = 0
  private sentByDetector = 0

  constructor(ground: Ground) {
    const { network, members } = ground.config
    this.ground = ground
    this.agenda = ground.agenda
    this.tally = ground.tally
    this.incarnation = ground.incarnation
    this.wires = new Wires(network, members, ground.random)
    this.gapUs = network.send === 'sequential' ? boundUs(network.latency) : 0
  }

  beginStep(): void {
    this.sentByElection = 0
    this.sentByDetector = 0
  }

  /** Sends a frame of either part. */
  emit(from: NodeId, to: NodeId, message: AnyMessage, part: Part): void {
    const { ground, tally } = this
    ground.expectMember(to)
    const awaited = tally.count(message.type, part, ground.isUp(to))
    const frame = new Frame(message, part, awaited, tally.total)
    const ahead = part === 'election' ? this.sentByElection++ : this.sentByDetector++
    const waits = this.gapUs > 0 && (ahead > 0 || this.wires.isDeparting(from, to, this.agenda.now))
    if (!waits) {
      const lost = this.transmit(from, to, frame)
      ground.recorder?.sent(from, to, part, message, frame.sent, lost)
      return
    }
    ground.recorder?.sent(from, to, part, message, frame.sent, null)
    if (awaited) this.inFlight += 1
    const leaves = this.wires.departure(from, to, this.agenda.now + ahead * this.gapUs)
    this.agenda.push(leaves, Kind.DEPART, from, to, this.incarnation[from], frame)
  }

  /** Sequential sending: it is the frame's turn, unless its sender has crashed meanwhile. */
  depart(from: NodeId, to: NodeId, incarnation: number, frame: Frame): void {
    this.end(frame)
    if (incarnation !== this.incarnation[from]) {
      return this.lose(from, to, frame, `${this.ground.label(from)} crashed before it left`)
    }
    const lost = this.transmit(from, to, frame)
    if (lost !== null) this.lose(from, to, frame, lost)
  }

  /** A frame is no longer under way. */
  end(frame: Frame): void {
    if (frame.awaited) this.inFlight -= 1
  }

  /** A frame that was sent ends without being handled. */
  lose(from: NodeId, to: NodeId, frame: Frame, why: string): void {
    const { recorder, now } = this.ground
    if (recorder === null) return
    const { message, part, sent } = frame
    recorder.step(now, { kind: 'lose', node: to, from, part, message, sent, why }, null)
    recorder.done(null)
  }

  save(): unknown {
    return { inFlight: this.inFlight, wires: this.wires.save() }
  }

  load(saved: unknown): void {
    const { inFlight, wires } = saved as { inFlight: number; wires: unknown }
    this.inFlight = inFlight
    this.wires.load(wires)
  }

  /** Returns why the message is lost, or null. */
  private transmit(from: NodeId, to: NodeId, frame: Frame): string | null {
    if (!this.ground.isUp(to)) return `${this.ground.label(to)} is down`
    const lost = this.wires.fate(from, to)
    if (lost !== null) return lost
    this.deliver(from, to, frame)
    if (this.wires.isDuplicated()) this.deliver(from, to, frame)
    return null
  }

  /** A frame sets out; once more, for a copy. */
  deliver(from: NodeId, to: NodeId, frame: Frame): void {
    const { agenda, incarnation } = this
    if (frame.awaited) this.inFlight += 1
    const time = this.wires.arrival(from, to, agenda.now)
    agenda.push(time, Kind.DELIVER, to, from, incarnation[to], frame)
  }
}
