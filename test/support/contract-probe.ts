/**
 * An algorithm and a detector that check the host they run on: each breach of src/core/host-contract.ts that a
 * handler can observe is added to `breaches`.
 *
 * Two members exchange notes, and each note raises its receiver's term, which is stable. A note carries its
 * sender's incarnation, a serial number and the sender's term, so that the receiver notices messages out of
 * order and stable fields that a crash has undone.
 */
import {
  algorithm,
  answer,
  deadline,
  period,
  type Algorithm,
  type Out,
} from '../../src/core/algorithm.ts'
import { detector, type Detector } from '../../src/core/detector.ts'
import type { StepDuty } from '../../src/core/host-contract.ts'
import type { NodeId } from '../../src/core/node-id.ts'
import { flag, int, node, oneOf, record, stable, union, type Infer } from '../../src/core/schema.ts'

/** The duties within a step, and those around steps. */
type HostDuty =
  | StepDuty
  | 'expired deadlines first'
  | 'start once, and first'
  | 'a crash keeps stable fields only'
  | 'timers fire only while set'
  | 'one answer for each question'

const FACES = 2

/** How long the probe's lease lasts. A host with a clock should pause members for longer. */
export const LEASE_MS = 40

type Note = { readonly incarnation: number; readonly serial: number; readonly term: number }

export class ContractProbe {
  readonly breaches: { readonly duty: HostDuty; readonly detail: string }[] = []
  /** What the run exercised, so that a suite can tell that it was not vacuous. */
  readonly met = { starts: 0, notes: 0, timeouts: 0, verdicts: 0, draws: 0, deadlines: 0 }
  /** The host's clock in milliseconds; null where time is arbitrary. */
  now: (() => number) | null = null
  /** Whether the host runs detector modules. An oracle needs no notification. */
  notifiesDetector = false
  readonly algorithm: Algorithm
  private depth = 0
  /** For each member: the notifications of its detector, the messages of its election, the end of its lease. */
  private readonly notified = [0, 0, 0]
  private readonly received = [0, 0, 0]
  private readonly leaseEnds = [Infinity, Infinity, Infinity]

  /** How many notes an incarnation sends, and how often a member starts, at most: the checker needs small bounds. */
  constructor(mostNotes: number, mostIncarnations: number) {
    this.algorithm = this.probeOf(mostNotes, mostIncarnations)
  }

  /** The duties that were broken, each once, in the order in which that was noticed. */
  get brokenDuties(): HostDuty[] {
    return [...new Set(this.breaches.map(({ duty }) => duty))]
  }

  breach(duty: HostDuty, detail: string): void {
    this.breaches.push({ duty, detail })
  }

  /** A member crashed: its counts and its lease ended with its incarnation. */
  crashed(member: NodeId): void {
    this.notified[member] = 0
    this.received[member] = 0
    this.leaseEnds[member] = Infinity
  }

  readonly detector: Detector = detector({
    name: 'contract-probe',
    title: 'answers at once, and counts notifications',
    state: record({ unused: flag }),
    messages: union({ unused: {} }),
    timers: {},
    answerMs: () => 1,
    watchMs: () => 1,
    handlers: () => ({
      start: () => undefined,
      request: (_s, peer, out) => out.up(peer),
      watch: () => undefined,
      unwatch: () => undefined,
      message: () => undefined,
      timeout: () => undefined,
      heard: (_s, _from, out) => {
        this.notified[out.me] += 1
      },
      knownDown: () => undefined,
    }),
  })

  private probeOf(mostNotes: number, mostIncarnations: number): Algorithm {
    const mostTerm = mostNotes * mostIncarnations
    const incarnation = int(0, mostIncarnations)
    const serial = int(0, mostNotes)
    const term = int(0, mostTerm)
    const state = record({
      status: oneOf('Norm'),
      leader: node,
      term: stable(term),
      incarnation: stable(incarnation),
      started: flag,
      sent: serial, // notes of this incarnation
      ticking: flag, // the timers that are set
      leased: flag,
      requested: flag, // the questions about the peer that are open
      watching: flag,
      drawing: flag,
      seenIncarnation: incarnation, // what the peer's latest note said
      seenSerial: serial,
      seenTerm: term,
    })
    const messages = union({ note: { incarnation, serial, term } })
    const timers = { tick: period, cleared: answer(1), lease: deadline }
    type State = Infer<typeof state>
    type Sink = Out<Infer<typeof messages>, keyof typeof timers, 'coin'>

    const peerOf = (out: Sink): NodeId => 3 - out.me

    const send = (s: State, out: Sink): void => {
      if (s.sent === mostNotes) return
      s.sent += 1
      out.send(peerOf(out), {
        type: 'note',
        incarnation: s.incarnation,
        serial: s.sent,
        term: s.term,
      })
    }
    const tick = (s: State, out: Sink): void => {
      s.ticking = s.sent < mostNotes
      if (s.ticking) out.set('tick', 1, 8)
      else out.clear('tick')
    }
    const lease = (s: State, out: Sink): void => {
      s.leased = s.sent < mostNotes
      if (!s.leased) return
      out.set('lease', LEASE_MS)
      if (this.now !== null) this.leaseEnds[out.me] = this.now() + LEASE_MS
    }
    const ask = (s: State, out: Sink): void => {
      if (!s.requested) out.request(peerOf(out))
      if (!s.watching) out.watch(peerOf(out))
      if (!s.drawing) out.draw('coin', FACES)
      s.requested = s.watching = s.drawing = true
    }
    /** Runs the body of a handler, and checks what holds for every event but a start. */
    const on = (s: State, out: Sink, event: string, body: () => void): void => {
      if (!s.started) this.breach('start once, and first', `${event} before start`)
      const late = this.now === null || !s.leased ? 0 : this.now() - this.leaseEnds[out.me]
      if (late > 0 && event !== 'lease') {
        this.breach('expired deadlines first', `${event} ${late} ms after a deadline`)
      }
      this.alone(body)
    }

    return algorithm({
      name: 'contract-probe',
      title: 'an algorithm that checks its host',
      state,
      messages,
      timers,
      draws: ['coin'],
      promises: {
        agreement: 'eventually',
        leader: 'any',
        termsRise: true,
      },
      assumes: { crashes: true, recoveries: true, loss: true, synchrony: false },
      handlers: () => ({
        start: (s, out) =>
          this.alone(() => {
            this.met.starts += 1
            if (s.started) this.breach('start once, and first', 'start came twice')
            if (s.sent + s.seenSerial > 0 || s.ticking || s.leased || s.requested || s.drawing) {
              this.breach('a crash keeps stable fields only', 'a volatile field survived')
            }
            s.started = true
            s.incarnation += 1
            s.leader = 2
            out.set('cleared', 1)
            out.clear('cleared')
            send(s, out)
            tick(s, out)
            lease(s, out)
            ask(s, out)
          }),
        message: (s, from, note, out) =>
          on(s, out, 'message', () => {
            this.met.notes += 1
            this.expectNotified(out.me)
            this.compare(s, from, note)
            if (s.term < mostTerm) s.term += 1
            // Two answers to every fourth note: the order shows, and the exchange does not multiply.
            if (note.serial % 4 === 1) {
              send(s, out)
              send(s, out)
            }
            tick(s, out)
            ask(s, out)
          }),
        timeout: (s, timer, out) =>
          on(s, out, timer, () => {
            this.met.timeouts += 1
            const isSet = { tick: s.ticking, lease: s.leased, cleared: false }[timer]
            if (!isSet) this.breach('timers fire only while set', `${timer} was not set`)
            if (timer === 'lease') {
              this.met.deadlines += 1
              lease(s, out)
            } else if (timer === 'tick') {
              send(s, out)
              tick(s, out)
            }
          }),
        up: (s, _peer, out) =>
          on(s, out, 'up', () => {
            this.met.verdicts += 1
            if (!s.requested) this.breach('one answer for each question', 'up without a request')
            s.requested = false
          }),
        down: (s, _peer, out) =>
          on(s, out, 'down', () => {
            this.met.verdicts += 1
            const isOpen = s.requested || s.watching
            if (!isOpen) this.breach('one answer for each question', 'down without a question')
            s.requested = s.watching = false
          }),
        drawn: (s, _name, k, out) =>
          on(s, out, 'drawn', () => {
            this.met.draws += 1
            const isValid = s.drawing && Number.isInteger(k) && k >= 0 && k < FACES
            if (!isValid) this.breach('one answer for each question', `drew ${k}`)
            s.drawing = false
          }),
        settled: () => undefined,
      }),
    })
  }

  /** A handler that runs inside another one is a breach. */
  private alone(body: () => void): void {
    this.depth += 1
    if (this.depth > 1) this.breach('run the handler', 'a handler ran inside another one')
    body()
    this.depth -= 1
  }

  private expectNotified(me: NodeId): void {
    this.received[me] += 1
    if (!this.notifiesDetector || this.notified[me] === this.received[me]) return
    const detail = `message ${this.received[me]} after ${this.notified[me]} notifications`
    this.breach('notify the detector', detail)
  }

  /** Notes of one incarnation arrive in order, and no note undoes the term of an earlier one. */
  private compare(
    s: { seenIncarnation: number; seenSerial: number; seenTerm: number },
    from: NodeId,
    { incarnation, serial, term }: Note,
  ): void {
    if (incarnation < s.seenIncarnation) return // still on its way when its sender crashed
    if (term < s.seenTerm) {
      this.breach('persist stable fields', `${from} sent term ${s.seenTerm}, then ${term}`)
    } else if (incarnation === s.seenIncarnation && serial <= s.seenSerial) {
      this.breach('send messages', `note ${serial} of ${from} came after note ${s.seenSerial}`)
    }
    s.seenIncarnation = incarnation
    s.seenSerial = serial
    s.seenTerm = term
  }
}
