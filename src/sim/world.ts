/**
 * The simulator: discrete events in virtual time, everything from one seed. It runs the handlers of any
 * algorithm unchanged and knows none by name.
 */
import {
  handlersOf,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type Out,
} from '../core/algorithm.ts'
import { assert, InvariantError, unreachable } from '../core/assert.ts'
import { Group } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { NodeSet } from '../core/node-set.ts'
import { Random } from '../core/random.ts'
import { Agenda, type Event } from './agenda.ts'
import type { SimConfig } from './config.ts'
import { Frame, Kind, type DetectorHost } from './events.ts'
import type { Fault } from './faults.ts'
import { boundUs } from './latency.ts'
import { ModuleDetectors } from './module-detectors.ts'
import { Monitors } from './monitors.ts'
import { PerfectDetectors } from './perfect-detectors.ts'
import type { Part, Recorder, Step } from './record.ts'
import { Tally } from './tally.ts'
import { Timers } from './timers.ts'
import { Watches } from './watches.ts'
import { Wires } from './wires.ts'

/** An algorithm asked for what cannot be. Apart, so that no sentence is made where nothing is wrong. */
function refuse(why: string): never {
  throw new InvariantError(why)
}

interface Drawn {
  readonly name: string
  readonly k: number
}

/** Events between two calls of `onPulse`. */
const PULSE = 1 << 16

export class World implements Out<AnyMessage> {
  readonly config: SimConfig
  readonly group: Group
  readonly monitors: Monitors
  readonly tally: Tally
  readonly random: Random
  readonly states: AnyState[]
  recorder: Recorder | null = null

  /** The member whose step this is. */
  me: NodeId = NONE
  /** Events handled so far. */
  steps = 0
  /** Called now and then in a long run, so that somebody can show how far it is. */
  onPulse: () => void = () => undefined
  /** Messages handled so far. */
  deliveries = 0

  private readonly handlers: AnyHandlers
  private readonly detectors: DetectorHost
  private readonly agenda = new Agenda()
  private readonly timers: Timers
  private readonly wires: Wires
  /** Sequential sending: how long a message of a step waits for the one before it. */
  private readonly gapUs: number
  private readonly incarnation: Int32Array
  /** Recovered, announced, and not yet started: nothing reaches its election. */
  private readonly silent: Uint8Array
  private readonly requests: (Map<NodeId, number> | undefined)[]
  private readonly watches: Watches
  private openRequests = 0
  private serial = 0
  private inFlight = 0
  private pendingStarts = 0
  private faultsLeft: number
  /** How many messages each part has sent in this step: they send side by side, each in sequence. */
  private sentInStep = 0
  private sentByDetector = 0
  private muted = false
  /**
   * Settled members that no step has touched: their periodic work begins after the first agreement, or
   * when the initiators have come to rest without one and can only wait for somebody else to notice.
   */
  private untouched: Set<NodeId> | null = null
  private busyUntil = new Map<NodeId, number>()
  private slow = new Map<NodeId, number>()
  /** What waits for paused members. */
  private backlog = new Map<NodeId, Event[]>()

  constructor(config: SimConfig) {
    const n = config.members
    this.config = config
    this.group = new Group(n, config.timing, config.ring)
    this.handlers = handlersOf(config.algorithm, this.group, config.options)
    this.monitors = new Monitors(n, config.algorithm.promises, (id) => config.labels.of(id))
    this.monitors.onViolation = ({ property, sentence }) =>
      this.recorder?.violated(`${property}: ${sentence}`)
    this.tally = new Tally(config.algorithm)
    this.random = new Random(config.seed)
    this.states = [undefined as never]
    for (let i = 1; i <= n; i++) this.states.push(config.algorithm.state.init() as AnyState)
    this.timers = new Timers(config.algorithm.timers, n)
    this.wires = new Wires(config.network, n, this.random)
    this.gapUs = config.network.send === 'sequential' ? boundUs(config.network.latency) : 0
    this.incarnation = new Int32Array(n + 1)
    this.silent = new Uint8Array(n + 1)
    this.requests = new Array<Map<NodeId, number> | undefined>(n + 1)
    this.watches = new Watches(n)
    this.faultsLeft = config.faults.length
    this.detectors =
      config.detector === 'perfect'
        ? new PerfectDetectors(this)
        : new ModuleDetectors(this, config.detector)
    this.begin()
  }

  get now(): number {
    return this.agenda.now
  }

  isUp(node: NodeId): boolean {
    return this.monitors.up[node] === 1
  }

  incarnationOf(node: NodeId): number {
    return this.incarnation[node]
  }

  isPaused(node: NodeId): boolean {
    return this.backlog.has(node)
  }

  /** Nothing awaited is under way and no fault is to come: only periodic work can change anything. */
  get isQuiet(): boolean {
    return this.isIdle && this.faultsLeft === 0
  }

  /** Nothing awaited is under way. */
  private get isIdle(): boolean {
    return (
      this.inFlight === 0 &&
      this.timers.awaited === 0 &&
      this.openRequests === 0 &&
      this.detectors.awaited === 0 &&
      this.pendingStarts === 0
    )
  }

  /** Handles one event; false when there is none or a `stopAt` is reached. */
  step(): boolean {
    const { agenda } = this
    if (!agenda.take()) return false
    if (agenda.kind === Kind.STOP) {
      // Once more around: a stop comes after everything of its microsecond.
      if (agenda.payload === this.steps) return false
      this.push(this.now, Kind.STOP, NONE, 0, 0, this.steps)
      return this.step()
    }
    this.steps += 1
    if (this.steps % PULSE === 0) this.onPulse()
    const { kind, node, a, b, payload } = agenda
    if (this.backlog.size === 0 || !this.keep(kind, node, a, b, payload)) {
      this.dispatch(kind, node, a, b, payload)
    }
    if (this.untouched !== null && this.isIdle) this.wakeUntouched()
    return true
  }

  /** Makes `step` return false once, when the clock gets there and nothing of that moment is left. */
  stopAt(time: number): void {
    this.push(Math.max(Math.ceil(time), this.now), Kind.STOP, NONE, 0, 0, undefined)
  }

  /** Runs until the clock reads `time`; returns whether all was still meanwhile: nothing awaited, no news. */
  runUntil(time: number): boolean {
    const begun = this.now
    this.stopAt(time)
    let still = this.isQuiet
    while (this.step()) still &&= this.isQuiet
    return still && this.monitors.changedAt < begun
  }

  /** Runs until nothing is awaited and no belief has changed for a while, or until `limitUs`. */
  runUntilQuiet(limitUs: number): void {
    while (this.now < limitUs) {
      const still = this.runUntil(Math.min(limitUs, this.now + this.holdUs))
      if (still && this.now < limitUs) return
    }
  }

  /** Long enough for periodic work to find what is to be found, and for the detector to answer. */
  get holdUs(): number {
    const { periodMs, watchMs, messageMs } = this.config.timing
    return Math.ceil(1000 * (3 * periodMs + 2 * watchMs + 4 * messageMs))
  }

  // Effects: what handlers ask for.

  send(peer: NodeId, message: AnyMessage): void {
    if (!this.muted) this.emit(peer, message, 'election')
  }

  /** Sends a frame of either part. */
  emit(peer: NodeId, message: AnyMessage, part: Part): void {
    this.expectMember(peer)
    const awaited = this.tally.count(message.type, part, this.isUp(peer))
    const frame = new Frame(message, part, awaited, this.tally.total)
    const ahead = part === 'election' ? this.sentInStep++ : this.sentByDetector++
    const waits = this.gapUs > 0 && (ahead > 0 || this.wires.isDeparting(this.me, peer, this.now))
    if (!waits) {
      const lost = this.transmit(this.me, peer, frame)
      this.recorder?.sent(this.me, peer, part, message, frame.sent, lost)
      return
    }
    this.recorder?.sent(this.me, peer, part, message, frame.sent, null)
    if (awaited) this.inFlight += 1
    const leaves = this.wires.departure(this.me, peer, this.now + ahead * this.gapUs)
    this.push(leaves, Kind.DEPART, this.me, peer, this.incarnation[this.me], frame)
  }

  set(timer: string, minMs: number, maxMs = minMs): void {
    if (this.muted) return
    const span = maxMs > minMs ? this.random.below(Math.round(1000 * (maxMs - minMs)) + 1) : 0
    const due = this.now + Math.round(1000 * minMs) + span
    if (!(Number.isSafeInteger(due) && minMs >= 0)) refuse(`${timer} cannot be set to ${minMs} ms`)
    const index = this.timers.indexOf(timer)
    if (this.timers.arm(this.me, index, due))
      this.push(due, Kind.TIMER, this.me, index, 0, undefined)
  }

  clear(timer: string): void {
    if (!this.muted) this.timers.disarm(this.me, this.timers.indexOf(timer))
  }

  request(peer: NodeId): void {
    if (this.muted) return
    this.expectMember(peer)
    const open = (this.requests[this.me] ??= new Map<NodeId, number>())
    if (!open.has(peer)) this.openRequests += 1
    this.serial += 1
    open.set(peer, this.serial)
    this.detectors.request(this.me, peer, this.serial)
  }

  watch(peer: NodeId): void {
    if (this.muted) return
    this.expectMember(peer)
    if (this.watches.add(this.me, peer)) this.detectors.watch(this.me, peer)
  }

  unwatch(peer: NodeId): void {
    if (this.muted) return
    if (this.watches.delete(this.me, peer)) this.detectors.unwatch(this.me, peer)
  }

  draw(name: string, n: number): void {
    if (this.muted) return
    assert(Number.isSafeInteger(n) && n >= 1, `${name} cannot be drawn below ${n}`)
    const drawn: Drawn = { name, k: this.random.below(n) }
    this.push(this.now, Kind.DRAWN, this.me, 0, this.incarnation[this.me], drawn)
  }

  private expectMember(id: NodeId): void {
    if (this.monitors.up[id] === undefined || id === NONE) refuse(`${id} is no member`)
  }

  // What detectors ask of their host.

  push(time: number, kind: number, node: NodeId, a: number, b: number, payload: unknown): void {
    this.agenda.push(time, kind, node, a, b, payload)
  }

  isWatching(me: NodeId, peer: NodeId): boolean {
    return this.watches.has(me, peer)
  }

  requestSerial(me: NodeId, peer: NodeId): number {
    return this.requests[me]?.get(peer) ?? 0
  }

  /** The detector speaks: one `down` closes an open request and a watch about the peer. */
  answered(me: NodeId, peer: NodeId, verdict: 'up' | 'down'): void {
    const requested = this.requests[me]?.delete(peer) ?? false
    const watched = verdict === 'down' && this.watches.delete(me, peer)
    assert(requested || watched, `the detector of ${me} spoke of ${peer} without being asked`)
    if (requested) this.openRequests -= 1
    this.enter({ kind: verdict, node: me, peer })
    if (verdict === 'up') this.handlers.up(this.states[me], peer, this)
    else this.handlers.down(this.states[me], peer, this)
    this.leave(me)
  }

  /** A step of a detector module: recorded like any other. */
  detectorStep(step: Step, run: () => void): void {
    this.enterPart(step.node)
    this.recorder?.step(this.now, step, this.states[step.node])
    run()
    this.recorder?.done(this.states[step.node])
  }

  // Steps.

  private dispatch(kind: number, node: NodeId, a: number, b: number, payload: unknown): void {
    switch (kind) {
      case Kind.DELIVER:
        return this.arrive(node, a, b, payload as Frame)
      case Kind.RECEIVE:
        return this.receive(node, a, b, payload as Frame)
      case Kind.HANDLE:
        return this.handle(node, a, b, payload as Frame)
      case Kind.TIMER:
        return this.expire(node, a)
      case Kind.DRAWN: {
        if (b !== this.incarnation[node]) return
        const { name, k } = payload as Drawn
        this.enter({ kind: 'drawn', node, name, k })
        this.handlers.drawn(this.states[node], name, k, this)
        return this.leave(node)
      }
      case Kind.START:
        return this.startNode(node, b)
      case Kind.FAULT:
        this.faultsLeft -= 1
        return this.fault(this.config.faults[a])
      case Kind.DEPART:
        return this.depart(node, a, b, payload as Frame)
      case Kind.NOTICE:
        this.pendingStarts -= 1
        if (b !== this.incarnation[node]) return
        this.enter({ kind: 'down', node, peer: a })
        this.handlers.down(this.states[node], a, this)
        return this.leave(node)
      case Kind.ANSWER:
        return this.detectors.answer(node, a, b, payload)
      case Kind.DETECTOR_TIMER:
        return this.detectors.timeout(node, a, payload as NodeId, b)
      default:
        assert(false, `no such event: ${kind}`)
    }
  }

  /** A message has crossed the network, unless the link was cut under it. */
  private arrive(node: NodeId, from: NodeId, incarnation: number, frame: Frame): void {
    if (this.wires.isCut(from, node) && incarnation === this.incarnation[node]) {
      if (frame.awaited) this.inFlight -= 1
      return this.lose(node, from, frame, 'the link is cut')
    }
    if (this.backlog.size > 0 && this.keep(Kind.RECEIVE, node, from, incarnation, frame)) return
    this.receive(node, from, incarnation, frame)
  }

  /** A member handles a message when it is done with those before it. */
  private receive(node: NodeId, from: NodeId, incarnation: number, frame: Frame): void {
    const { processingUs } = this.config
    const atOnce = processingUs === 0 && this.slow.size === 0 && this.busyUntil.size === 0
    if (atOnce || incarnation !== this.incarnation[node]) {
      return this.handle(node, from, incarnation, frame)
    }
    const handlingUs = processingUs + (this.slow.get(node) ?? 0)
    const free = this.busyUntil.get(node) ?? -1
    if (handlingUs === 0 && free < this.now) return this.handle(node, from, incarnation, frame)
    const done = Math.max(this.now, free) + handlingUs
    this.busyUntil.set(node, done)
    this.push(done, Kind.HANDLE, node, from, incarnation, frame)
  }

  private handle(node: NodeId, from: NodeId, incarnation: number, frame: Frame): void {
    if (frame.awaited) this.inFlight -= 1
    const { message, part, sent } = frame
    if (incarnation !== this.incarnation[node]) {
      return this.lose(node, from, frame, `${this.config.labels.of(node)} was down`)
    }
    if (part === 'election' && this.silent[node] === 1) {
      return this.lose(node, from, frame, `${this.config.labels.of(node)} has not started yet`)
    }
    this.deliveries += 1
    this.enterPart(node)
    if (this.recorder !== null) {
      const step: Step = { kind: 'deliver', node, from, part, message, sent }
      this.recorder.step(this.now, step, this.states[node])
    }
    if (part === 'detector') {
      this.detectors.message(node, from, message)
      this.recorder?.done(this.states[node])
      return
    }
    if (this.untouched !== null) this.untouched.delete(node)
    this.detectors.heard(node, from) // first: what the election asks now, it asks of a peer that was heard
    this.handlers.message(this.states[node], from, message, this)
    this.leave(node)
  }

  private lose(node: NodeId, from: NodeId, frame: Frame, why: string): void {
    if (this.recorder === null) return
    const { message, part, sent } = frame
    this.recorder.step(this.now, { kind: 'lose', node, from, part, message, sent, why }, null)
    this.recorder.done(null)
  }

  private expire(node: NodeId, timer: number): void {
    const verdict = this.timers.expire(node, timer, this.now)
    if (verdict === Infinity) return
    if (verdict > this.now) return this.push(verdict, Kind.TIMER, node, timer, 0, undefined)
    const name = this.timers.nameOf(timer)
    this.enter({ kind: 'timeout', node, part: 'election', timer: name, peer: NONE })
    this.handlers.timeout(this.states[node], name, this)
    this.leave(node)
  }

  private startNode(node: NodeId, incarnation: number): void {
    this.pendingStarts -= 1
    if (incarnation !== this.incarnation[node]) return
    this.silent[node] = 0
    this.enter({ kind: 'start', node })
    this.handlers.start(this.states[node], this)
    this.leave(node)
  }

  private depart(node: NodeId, to: NodeId, incarnation: number, frame: Frame): void {
    if (frame.awaited) this.inFlight -= 1
    if (incarnation !== this.incarnation[node]) {
      return this.lose(to, node, frame, `${this.config.labels.of(node)} crashed before it left`)
    }
    const lost = this.transmit(node, to, frame)
    if (lost !== null) this.lose(to, node, frame, lost)
  }

  /** A step of the election of `step.node` begins. */
  private enter(step: Step): void {
    this.enterPart(step.node)
    if (this.untouched !== null) this.untouched.delete(step.node)
    this.recorder?.step(this.now, step, this.states[step.node])
  }

  /** A step of either part begins. What only its detector does leaves a member untouched. */
  private enterPart(node: NodeId): void {
    this.me = node
    this.sentInStep = 0
    this.sentByDetector = 0
  }

  /** The step is over: what the member exposes is compared with what it exposed before. */
  private leave(node: NodeId): void {
    const s = this.states[node]
    const { monitors } = this
    this.recorder?.done(s)
    if (s.leader !== monitors.leader[node] || s.term !== monitors.term[node]) {
      monitors.changed(node, s.leader, s.term, this.now)
      if (this.untouched !== null && !Number.isNaN(monitors.agreedSince)) this.wakeUntouched()
    }
  }

  // The network.

  /** Returns why the message is lost, or null. */
  private transmit(from: NodeId, to: NodeId, frame: Frame): string | null {
    if (!this.isUp(to)) return `${this.config.labels.of(to)} is down`
    const lost = this.wires.fate(from, to)
    if (lost !== null) return lost
    this.deliver(from, to, frame)
    if (this.wires.isDuplicated()) this.deliver(from, to, frame)
    return null
  }

  private deliver(from: NodeId, to: NodeId, frame: Frame): void {
    if (frame.awaited) this.inFlight += 1
    const time = this.wires.arrival(from, to, this.now)
    this.push(time, Kind.DELIVER, to, from, this.incarnation[to], frame)
  }

  // Faults.

  /** A fault happens now. */
  fault(fault: Fault): void {
    const node = 'node' in fault ? fault.node : NONE
    this.recorder?.step(this.now, { kind: 'fault', node, fault }, this.states[node] ?? null)
    this.apply(fault)
    this.recorder?.done(this.states[node] ?? null)
    if (fault.kind === 'resume' || fault.kind === 'crash') this.release(node)
  }

  private apply(fault: Fault): void {
    switch (fault.kind) {
      case 'crash':
        return this.crash(fault.node)
      case 'recover':
        return this.recover(fault.node)
      case 'pause':
        if (this.isUp(fault.node) && !this.backlog.has(fault.node)) this.backlog.set(fault.node, [])
        return
      case 'resume':
        return // what waited is released when the fault is over
      case 'slow':
        if (fault.us === 0) this.slow.delete(fault.node)
        else this.slow.set(fault.node, fault.us)
        return
      case 'cut':
        return this.wires.cut(fault.from, fault.to)
      case 'heal':
        return this.wires.heal()
      case 'drop':
        return this.wires.dropNext(fault.from, fault.to)
      default:
        return unreachable(fault)
    }
  }

  private crash(node: NodeId): void {
    if (!this.isUp(node)) return
    this.monitors.fall(node, this.now)
    this.incarnation[node] += 1
    this.silent[node] = 0
    this.states[node] = this.config.algorithm.state.afterCrash(this.states[node]) as AnyState
    this.timers.disarmAll(node)
    this.openRequests -= this.requests[node]?.size ?? 0
    this.requests[node] = undefined
    this.watches.clear(node)
    this.busyUntil.delete(node)
    this.untouched?.delete(node)
    this.detectors.crashed(node)
  }

  /** Announces itself, keeps silent until every announcement has arrived, then starts (B15). */
  private recover(node: NodeId): void {
    if (this.isUp(node)) return
    this.incarnation[node] += 1
    this.monitors.rise(node, this.now)
    this.silent[node] = 1
    this.pendingStarts += 1
    this.enterPart(node)
    this.detectors.recovered(node)
    this.detectors.begin(node, true)
    const silenceUs = Math.round(1000 * this.config.timing.messageMs)
    this.push(this.now + silenceUs, Kind.START, node, 0, this.incarnation[node], undefined)
  }

  /** Keeps an event of a paused member for later; false where it happens now all the same. */
  private keep(kind: number, node: NodeId, a: number, b: number, payload: unknown): boolean {
    // The network goes on: what has been sent leaves, what is under way arrives.
    if (kind === Kind.FAULT || kind === Kind.DEPART || kind === Kind.DELIVER) return false
    const kept = this.backlog.get(node)
    kept?.push({ time: this.now, kind, node, a, b, payload })
    return kept !== undefined
  }

  /**
   * What waited for a paused member happens now, before anything else of this microsecond and in the
   * order in which it came; but the detector's timers go first, as in an event loop, which looks at its
   * timers before it reads its sockets. After a crash all of it is found to be of a life that has ended.
   */
  private release(node: NodeId): void {
    const kept = this.backlog.get(node) ?? []
    this.backlog.delete(node)
    const late = ({ kind }: Event): number => (kind === Kind.DETECTOR_TIMER ? 0 : 1)
    kept.sort((a, b) => late(a) - late(b))
    for (const { kind, a, b, payload } of kept) {
      if (kind === Kind.TIMER) this.timers.postpone(node, a, this.now)
      this.dispatch(kind, node, a, b, payload)
    }
  }

  // The beginning.

  private begin(): void {
    const { config } = this
    const down = new Set(config.down)
    const known = new NodeSet()
    for (const peer of config.knownDown) known.add(peer)
    for (const node of this.group.everyone) {
      if (config.initiators !== null) this.settle(node, known)
      if (down.has(node)) this.states[node] = this.stableOf(node)
      else this.monitors.rise(node, 0)
    }
    for (const node of this.group.everyone) {
      if (down.has(node)) continue
      this.enterPart(node)
      this.detectors.begin(node, false)
      for (const peer of config.knownDown) this.detectors.knownDown(node, peer)
    }
    config.faults.forEach((fault, i) => this.push(fault.at, Kind.FAULT, NONE, i, 0, undefined))
    if (config.initiators === null) {
      for (const node of this.group.everyone) if (!down.has(node)) this.pushStart(node)
    } else this.tell(config.initiators, down)
  }

  private stableOf(node: NodeId): AnyState {
    return this.config.algorithm.state.afterCrash(this.states[node]) as AnyState
  }

  /** The state of one that has long followed the strongest, without its periodic work. */
  private settle(node: NodeId, known: NodeSet): void {
    this.me = node
    this.muted = true
    this.handlers.settled(this.states[node], this.group.strongest, this, known)
    this.muted = false
  }

  private tell(initiators: readonly NodeId[], down: ReadonlySet<NodeId>): void {
    for (const node of this.group.everyone) {
      if (down.has(node)) continue
      const s = this.states[node]
      this.monitors.changed(node, s.leader, s.term, 0)
    }
    this.untouched = new Set([...this.group.everyone].filter((node) => !down.has(node)))
    for (const node of initiators) {
      if (this.config.algorithm.topology === 'ring') this.pushStart(node)
      else {
        this.pendingStarts += 1
        const told = this.group.strongest
        this.push(0, Kind.NOTICE, node, told, this.incarnation[node], undefined)
      }
    }
  }

  private pushStart(node: NodeId): void {
    this.pendingStarts += 1
    this.push(0, Kind.START, node, 0, this.incarnation[node], undefined)
  }

  private wakeUntouched(): void {
    const asleep = [...this.untouched!]
    this.untouched = null
    for (const node of asleep) {
      this.enter({ kind: 'settled', node, leader: this.states[node].leader })
      this.handlers.settled(this.states[node], this.states[node].leader, this)
      this.leave(node)
    }
  }

  // Snapshots: step back = load an earlier one and run forward again.

  save(): Snapshot {
    const { state } = this.config.algorithm
    return {
      now: this.now,
      // A stop belongs to the host that asked for it.
      events: this.agenda.pending().filter(({ kind }) => kind !== Kind.STOP),
      states: this.states.map((s) => (s === undefined ? s : (state.copy(s) as AnyState))),
      parts: this.parts.map((part) => part.save()),
      incarnation: this.incarnation.slice(),
      silent: this.silent.slice(),
      requests: this.requests.map((open) => open && new Map(open)),
      untouched: this.untouched && new Set(this.untouched),
      busyUntil: new Map(this.busyUntil),
      slow: new Map(this.slow),
      backlog: new Map([...this.backlog].map(([node, kept]) => [node, [...kept]])),
      counts: COUNTS.map((name) => this[name]),
    }
  }

  load(saved: Snapshot): void {
    const { state } = this.config.algorithm
    this.agenda.load(saved.now, saved.events)
    saved.states.forEach((s, i) => (this.states[i] = i === 0 ? s : (state.copy(s) as AnyState)))
    saved.parts.forEach((part, i) => this.parts[i].load(part))
    this.incarnation.set(saved.incarnation)
    this.silent.set(saved.silent)
    // By number: the array has holes, which `forEach` would leave as they are.
    for (let i = 1; i <= this.config.members; i++) {
      this.requests[i] = saved.requests[i] && new Map(saved.requests[i])
    }
    this.untouched = saved.untouched && new Set(saved.untouched)
    this.busyUntil = new Map(saved.busyUntil)
    this.slow = new Map(saved.slow)
    this.backlog = new Map([...saved.backlog].map(([node, kept]) => [node, [...kept]]))
    COUNTS.forEach((name, i) => (this[name] = saved.counts[i]))
  }

  private get parts(): { save(): unknown; load(saved: unknown): void }[] {
    return [
      this.monitors,
      this.tally,
      this.random,
      this.timers,
      this.wires,
      this.watches,
      this.detectors,
    ]
  }
}

/** The plain numbers of a world. */
const COUNTS = [
  'steps',
  'deliveries',
  'openRequests',
  'serial',
  'inFlight',
  'pendingStarts',
  'faultsLeft',
] as const

/** A world at a moment. Belongs to the world that made it, and to no other configuration. */
export interface Snapshot {
  readonly now: number
  readonly events: readonly Event[]
  readonly states: readonly AnyState[]
  readonly parts: readonly unknown[]
  readonly incarnation: Int32Array
  readonly silent: Uint8Array
  readonly requests: readonly (Map<NodeId, number> | undefined)[]
  readonly untouched: ReadonlySet<NodeId> | null
  readonly busyUntil: ReadonlyMap<NodeId, number>
  readonly slow: ReadonlyMap<NodeId, number>
  readonly backlog: ReadonlyMap<NodeId, readonly Event[]>
  readonly counts: readonly number[]
}
