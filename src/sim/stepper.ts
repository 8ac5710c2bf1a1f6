/**
 * A host without a clock: somebody else decides what happens next, step by step. It plays scenarios that
 * a person wrote, counterexamples of the checker and recordings of live clusters, with the same handlers
 * as everywhere.
 */
import {
  canResign,
  handlersOf,
  type Algorithm,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type OptionValues,
  type Out,
} from '../core/algorithm.ts'
import { Group, Labels, type Timing } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { writeStep, type TraceStep } from './record/trace.ts'
import { Monitors } from './record/monitors.ts'
import type { Step } from './record/step.ts'
import { Recording } from './record/recording.ts'

/** A step that cannot happen: nobody sent the message, the timer is not armed, the member is down. */
export class StepError extends Error {
  override readonly name = 'StepError'
}

export interface StepperConfig {
  readonly algorithm: Algorithm
  readonly options?: OptionValues
  readonly members: number
  readonly labels?: Labels
  readonly ring?: readonly NodeId[] | null
  /** `boot`: nobody has started, everybody is up. `settled`: all have long followed the strongest. */
  readonly start?: 'boot' | 'settled'
  readonly down?: readonly NodeId[]
}

/** There is no clock here; algorithms still compute time-outs from something. */
const TIMING: Timing = {
  messageMs: 1,
  processingMs: 0,
  detectionMs: 20,
  watchMs: 20,
  periodMs: 100,
}

/** What a member waits for. */
export interface Seat {
  state: AnyState
  up: boolean
  /** Up, but not started: it hears nothing. */
  silent: boolean
  readonly timers: Set<string>
  readonly requests: Set<NodeId>
  readonly watches: Set<NodeId>
  readonly draws: { name: string; n: number }[]
}

export class Stepper implements Out<AnyMessage> {
  readonly group: Group
  readonly labels: Labels
  readonly monitors: Monitors
  readonly recording: Recording
  readonly algorithm: Algorithm
  me: NodeId = NONE
  private readonly handlers: AnyHandlers
  private readonly canResign: boolean
  private readonly seats: Seat[] = []
  /** Messages under way on each link, oldest first. */
  private readonly links = new Map<string, { message: AnyMessage; sent: number }[]>()
  private readonly cuts = new Set<string>()
  private taken = 0
  private sentSoFar = 0

  constructor(config: StepperConfig) {
    const { algorithm, members, labels = new Labels(members) } = config
    this.algorithm = algorithm
    this.labels = labels
    this.group = new Group(members, TIMING, config.ring ?? null)
    this.handlers = handlersOf(algorithm, this.group, config.options)
    this.canResign = canResign(algorithm, this.group, config.options)
    this.monitors = new Monitors(members, algorithm.promises, (id) => labels.of(id))
    this.recording = new Recording({ algorithm, detector: 'perfect', labels })
    this.monitors.onViolation = ({ property, sentence }) =>
      this.recording.violated(`${property}: ${sentence}`)
    const down = new Set(config.down ?? [])
    const start = config.start ?? 'boot'
    for (const node of this.group.everyone) this.seats[node] = this.seat(down.has(node), start)
    for (const node of this.group.everyone) this.begin(node, start)
  }

  /** How many steps have been taken. */
  get steps(): number {
    return this.taken
  }

  stateOf(node: NodeId): AnyState {
    return this.at(node).state
  }

  isUp(node: NodeId): boolean {
    return this.at(node).up
  }

  /** The messages under way from one member to another, oldest first. */
  linkOf(from: NodeId, to: NodeId): readonly AnyMessage[] {
    return (this.links.get(`${from}→${to}`) ?? []).map(({ message }) => message)
  }

  isArmed(node: NodeId, timer: string): boolean {
    return this.at(node).timers.has(timer)
  }

  asks(node: NodeId, peer: NodeId): boolean {
    return this.at(node).requests.has(peer) || this.at(node).watches.has(peer)
  }

  /** What a member waits for. */
  waits(node: NodeId): Readonly<Seat> {
    return this.at(node)
  }

  /** Takes one step, in the labels of a trace. */
  take(step: TraceStep): void {
    const refuse = (why: string): StepError =>
      new StepError(`step ${this.taken + 1} (${writeStep(step)}) cannot happen: ${why}`)
    switch (step.verb) {
      case 'start':
        this.start(this.id(step.node, refuse), refuse)
        break
      case 'crash':
      case 'recover':
        this.fault(step.verb, this.id(step.node, refuse), refuse)
        break
      case 'deliver':
      case 'lose':
      case 'duplicate':
        this.carry(
          step.verb,
          this.id(step.from, refuse),
          this.id(step.to, refuse),
          step.message,
          refuse,
        )
        break
      case 'timeout':
        this.timeout(this.id(step.node, refuse), step.timer, refuse)
        break
      case 'up':
      case 'down':
        this.answer(this.id(step.node, refuse), this.id(step.peer, refuse), step.verb, refuse)
        break
      case 'drawn':
        this.drawn(this.id(step.node, refuse), step.name, step.k, refuse)
        break
      case 'resign': {
        const { successor = NONE } = step
        const named = successor === NONE ? NONE : this.id(successor, refuse)
        this.resign(this.id(step.node, refuse), named, refuse)
        break
      }
      case 'cut': {
        const from = step.from.map((label) => this.id(label, refuse))
        const to = step.to.map((label) => this.id(label, refuse))
        for (const a of from) for (const b of to) if (a !== b) this.cuts.add(`${a}→${b}`)
        this.record({ kind: 'fault', node: NONE, fault: { at: 0, kind: 'cut', from, to } })
        break
      }
      case 'heal': {
        const from = step.from?.map((label) => this.id(label, refuse))
        const to = step.to?.map((label) => this.id(label, refuse))
        if (from === undefined || to === undefined) this.cuts.clear()
        else for (const a of from) for (const b of to) this.cuts.delete(`${a}→${b}`)
        const links = from === undefined || to === undefined ? {} : { from, to }
        this.record({ kind: 'fault', node: NONE, fault: { at: 0, kind: 'heal', ...links } })
        break
      }
      default:
        throw refuse('it needs a clock')
    }
    this.taken += 1
  }

  // Effects: what handlers ask for.

  send(peer: NodeId, message: AnyMessage): void {
    const key = `${this.me}→${peer}`
    const up = this.at(peer).up
    const lost = !up
      ? `${this.labels.of(peer)} is down`
      : this.cuts.has(key)
        ? 'the link is cut'
        : null
    this.sentSoFar += 1
    this.recording.sent(this.me, peer, 'election', message, this.sentSoFar, lost)
    if (lost !== null) return
    const link = this.links.get(key) ?? []
    link.push({ message, sent: this.sentSoFar })
    this.links.set(key, link)
  }

  set(timer: string): void {
    this.at(this.me).timers.add(timer)
  }

  clear(timer: string): void {
    this.at(this.me).timers.delete(timer)
  }

  request(peer: NodeId): void {
    this.at(this.me).requests.add(peer)
  }

  watch(peer: NodeId): void {
    this.at(this.me).watches.add(peer)
  }

  unwatch(peer: NodeId): void {
    this.at(this.me).watches.delete(peer)
  }

  draw(name: string, n: number): void {
    this.at(this.me).draws.push({ name, n })
  }

  // Steps.

  private start(node: NodeId, refuse: Refusal): void {
    const seat = this.at(node)
    if (!seat.up) throw refuse('it is down')
    if (!seat.silent) throw refuse('it has started already')
    seat.silent = false
    this.run({ kind: 'start', node }, (s) => this.handlers.start(s, this))
  }

  private fault(kind: 'crash' | 'recover', node: NodeId, refuse: Refusal): void {
    const seat = this.at(node)
    if (seat.up === (kind === 'recover')) throw refuse(seat.up ? 'it is up' : 'it is down already')
    const before = seat.state
    this.recording.step(this.taken, { kind: 'fault', node, fault: { at: 0, kind, node } }, before)
    if (kind === 'recover') {
      seat.up = true
      seat.silent = true
      this.monitors.rise(node, this.taken)
    } else {
      seat.up = false
      seat.silent = false
      seat.state = this.algorithm.state.afterCrash(before) as AnyState
      for (const list of [seat.timers, seat.requests, seat.watches]) list.clear()
      seat.draws.length = 0
      // What was under way to it was for the life that just ended.
      for (const from of this.group.everyone) this.links.delete(`${from}→${node}`)
      this.monitors.fall(node, this.taken)
    }
    this.recording.done(seat.state)
  }

  private carry(
    verb: 'deliver' | 'lose' | 'duplicate',
    from: NodeId,
    to: NodeId,
    text: string,
    refuse: Refusal,
  ): void {
    const link = this.links.get(`${from}→${to}`) ?? []
    const place = link.findIndex(({ message }) => this.recording.show(message, 'election') === text)
    if (place < 0) {
      const there = link.map(({ message }) => this.recording.show(message, 'election')).join(', ')
      throw refuse(`it is not under way; there is ${there || 'nothing'}`)
    }
    const { message, sent } = link[place]
    const frame = { node: to, from, part: 'election', message, sent } as const
    if (verb === 'duplicate') {
      link.splice(place, 0, { message, sent })
      return this.record({ kind: 'duplicate', ...frame })
    }
    if (verb === 'lose') {
      link.splice(place, 1)
      return this.record({ kind: 'lose', ...frame, why: 'lost' })
    }
    if (this.at(to).silent) throw refuse(`${this.labels.of(to)} has not started`)
    if (this.cuts.has(`${from}→${to}`)) throw refuse('the link is cut')
    link.splice(place, 1)
    this.run({ kind: 'deliver', ...frame }, (s) => this.handlers.message(s, from, message, this))
  }

  private timeout(node: NodeId, timer: string, refuse: Refusal): void {
    if (!this.at(node).timers.delete(timer)) throw refuse('the timer is not armed')
    this.run({ kind: 'timeout', node, part: 'election', timer, peer: NONE }, (s) =>
      this.handlers.timeout(s, timer, this),
    )
  }

  private answer(node: NodeId, peer: NodeId, verdict: 'up' | 'down', refuse: Refusal): void {
    const seat = this.at(node)
    const requested = seat.requests.delete(peer)
    const watched = verdict === 'down' && seat.watches.delete(peer)
    if (!requested && !watched) throw refuse(`${this.labels.of(node)} did not ask`)
    this.run({ kind: verdict, node, peer }, (s) =>
      verdict === 'up' ? this.handlers.up(s, peer, this) : this.handlers.down(s, peer, this),
    )
  }

  private drawn(node: NodeId, name: string, k: number, refuse: Refusal): void {
    const { draws } = this.at(node)
    const place = draws.findIndex((draw) => draw.name === name && k < draw.n)
    if (place < 0) throw refuse('nothing of the kind is being drawn')
    draws.splice(place, 1)
    this.run({ kind: 'drawn', node, name, k }, (s) => this.handlers.drawn(s, name, k, this))
  }

  private resign(node: NodeId, successor: NodeId, refuse: Refusal): void {
    if (!this.canResign) throw refuse(`${this.algorithm.name} does not support resigning`)
    const { up, silent, state } = this.at(node)
    if (!up || silent || state.leader !== node) throw refuse('it does not lead')
    const step = { kind: 'resign', node, successor } as const
    this.run(step, (s) => this.handlers.resign(s, successor, this))
  }

  private run(step: Step, handler: (state: AnyState) => void): void {
    const { state } = this.at(step.node)
    this.me = step.node
    this.recording.step(this.taken, step, state)
    handler(state)
    this.recording.done(state)
    this.monitors.changed(step.node, state.leader, state.term, this.taken)
  }

  private record(step: Step): void {
    this.recording.step(this.taken, step, null)
    this.recording.done(null)
  }

  private seat(down: boolean, start: 'boot' | 'settled'): Seat {
    return {
      state: this.algorithm.state.init() as AnyState,
      up: !down,
      silent: start === 'boot',
      timers: new Set(),
      requests: new Set(),
      watches: new Set(),
      draws: [],
    }
  }

  private begin(node: NodeId, start: 'boot' | 'settled'): void {
    const seat = this.at(node)
    this.me = node
    if (start === 'settled') this.handlers.settled(seat.state, this.group.strongest, this)
    if (!seat.up) {
      seat.state = this.algorithm.state.afterCrash(seat.state) as AnyState
      for (const list of [seat.timers, seat.requests, seat.watches]) list.clear()
    } else {
      this.monitors.rise(node, 0)
      this.monitors.changed(node, seat.state.leader, seat.state.term, 0)
    }
  }

  private at(node: NodeId): Seat {
    return this.seats[node]
  }

  private id(label: number, refuse: Refusal): NodeId {
    if (label >= 1 && label <= this.group.members) return this.labels.of(label)
    throw refuse(`there is no member ${label}; members are 1 to ${this.group.members}`)
  }
}

type Refusal = (why: string) => StepError
