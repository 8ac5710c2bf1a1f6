/**
 * The stepper: runs an algorithm without a clock, one step at a time as its caller chooses, with faults, and judges
 * each step with the monitors. It plays scenarios that a person wrote and counterexamples of the checker, with the
 * same handlers as every other host.
 */
import { BellwetherError } from '../../core/errors/bellwether-error.ts'
import {
  canResign,
  handlersOf,
  type Algorithm,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type OptionValues,
  type Out,
} from '../../core/algorithm.ts'
import { changeOfSeat, type SeatRole } from '../../core/configuration.ts'
import { Group, Labels } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { Fault } from '../faults/fault-catalogue.ts'
import { relabel } from '../faults/fault-operands.ts'
import { Monitors } from '../record/monitors.ts'
import { Recording } from '../record/recording.ts'
import type { Step } from '../record/step.ts'
import { isFaultStep, writeStep, type FaultStep, type TraceStep } from '../record/trace.ts'
import { StepperNetwork } from './stepper-network.ts'

/** A step that cannot happen: the message is not in flight, the timer is not armed, the member is down. */
export class StepError extends BellwetherError {
  override readonly name = 'StepError'
  readonly code = 'step'
}

export interface StepperConfig {
  readonly algorithm: Algorithm
  readonly options?: OptionValues
  readonly members: number
  readonly labels?: Labels
  readonly ring?: readonly NodeId[] | null
  /** `boot`: all are up and none has started. `settled`: all have long followed the strongest. */
  readonly start?: 'boot' | 'settled'
  readonly down?: readonly NodeId[]
  /** The first configuration; null: all members vote. */
  readonly voters?: readonly NodeId[] | null
  readonly observers?: readonly NodeId[]
  /** Voters that never lead. */
  readonly witnesses?: readonly NodeId[]
}

type Carrying = 'deliver' | 'lose' | 'duplicate'

/** There is no clock here; algorithms still compute time-outs from something. */
const TIMING = { messageMs: 1, processingMs: 0, detectionMs: 20, watchMs: 20, periodMs: 100 }

export interface SteppedMember {
  state: AnyState
  up: boolean
  /** Up, but not started: it receives nothing. */
  silent: boolean
  incarnation: number
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
  steps = 0
  private readonly handlers: AnyHandlers
  private readonly canResign: boolean
  private readonly members: SteppedMember[] = []
  private readonly network = new StepperNetwork()
  private sentSoFar = 0
  private current: TraceStep | null = null

  constructor(config: StepperConfig) {
    const { algorithm, members, labels = new Labels(members), down = [], start = 'boot' } = config
    this.algorithm = algorithm
    this.labels = labels
    this.group = new Group(members, TIMING, config.ring ?? null, config)
    this.handlers = handlersOf(algorithm, this.group, config.options)
    this.canResign = canResign(algorithm, this.group, config.options)
    this.monitors = new Monitors(members, algorithm.promises, (id) => labels.of(id))
    this.recording = new Recording({ algorithm, detector: 'perfect', labels })
    this.monitors.onViolation = ({ property, sentence }) =>
      this.recording.violated(`${property}: ${sentence}`)
    for (const node of this.group.everyone) {
      this.members[node] = {
        state: algorithm.state.init() as AnyState,
        up: !down.includes(node),
        silent: start === 'boot',
        incarnation: 1,
        timers: new Set(),
        requests: new Set(),
        watches: new Set(),
        draws: [],
      }
    }
    for (const node of this.group.everyone) this.begin(node, start)
  }

  stateOf(node: NodeId): AnyState {
    return this.members[node].state
  }

  isUp(node: NodeId): boolean {
    return this.members[node].up
  }

  linkOf(from: NodeId, to: NodeId): readonly AnyMessage[] {
    return this.network.link(from, to).map(({ message }) => message)
  }

  isArmed(node: NodeId, timer: string): boolean {
    return this.members[node].timers.has(timer)
  }

  asks(node: NodeId, peer: NodeId): boolean {
    const { requests, watches } = this.members[node]
    return requests.has(peer) || watches.has(peer)
  }

  memberOf(node: NodeId): Readonly<SteppedMember> {
    return this.members[node]
  }

  /** Takes one step, in the labels of a trace. Throws StepError. */
  take(labelled: TraceStep): void {
    this.current = labelled
    const step = relabel(labelled, (label) => this.idOf(label))
    if (isFaultStep(step)) this.fault(step)
    else if (step.verb === 'start') this.start(step.node)
    else if (step.verb === 'timeout') this.timeout(step.node, step.timer)
    else if (step.verb === 'drawn') this.drawn(step.node, step.name, step.k)
    else if (step.verb === 'settled') throw this.impossible('it needs a clock')
    else if ('message' in step) this.carry(step.verb, step.from, step.to, step.message)
    else this.answer(step.node, step.peer, step.verb)
    this.steps += 1
  }

  get incarnation(): number {
    return this.members[this.me].incarnation
  }

  send(peer: NodeId, message: AnyMessage): void {
    const lost = !this.isUp(peer)
      ? `${this.labels.of(peer)} is down`
      : this.network.isCut(this.me, peer)
        ? 'the link is cut'
        : null
    this.sentSoFar += 1
    const [from, sent] = [this.me, this.sentSoFar]
    this.recording.sent({ from, to: peer, part: 'election', message, sent, lost })
    if (lost === null) this.network.link(from, peer).push({ message, sent })
  }

  set(timer: string): void {
    this.members[this.me].timers.add(timer)
  }

  clear(timer: string): void {
    this.members[this.me].timers.delete(timer)
  }

  request(peer: NodeId): void {
    this.members[this.me].requests.add(peer)
  }

  watch(peer: NodeId): void {
    this.members[this.me].watches.add(peer)
  }

  unwatch(peer: NodeId): void {
    this.members[this.me].watches.delete(peer)
  }

  draw(name: string, n: number): void {
    this.members[this.me].draws.push({ name, n })
  }

  private start(node: NodeId): void {
    const member = this.members[node]
    if (!member.up) throw this.impossible('it is down')
    if (!member.silent) throw this.impossible('it has started already')
    member.silent = false
    this.run({ kind: 'start', node }, (s) => this.handlers.start(s, this))
  }

  private carry(verb: Carrying, from: NodeId, to: NodeId, text: string): void {
    const link = this.network.link(from, to)
    const texts = link.map(({ message }) => this.recording.show(message, 'election'))
    const place = texts.indexOf(text)
    if (place < 0)
      throw this.impossible(`it is not in flight; there is ${texts.join(', ') || 'nothing'}`)
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
    if (this.members[to].silent) throw this.impossible(`${this.labels.of(to)} has not started`)
    if (this.network.isCut(from, to)) throw this.impossible('the link is cut')
    link.splice(place, 1)
    this.run({ kind: 'deliver', ...frame }, (s) => this.handlers.message(s, from, message, this))
  }

  private timeout(node: NodeId, timer: string): void {
    if (!this.members[node].timers.delete(timer)) throw this.impossible('the timer is not armed')
    this.run({ kind: 'timeout', node, part: 'election', timer, peer: NONE }, (s) =>
      this.handlers.timeout(s, timer, this),
    )
  }

  private answer(node: NodeId, peer: NodeId, verdict: 'up' | 'down'): void {
    const { requests, watches } = this.members[node]
    const requested = requests.delete(peer)
    const watched = verdict === 'down' && watches.delete(peer)
    if (!requested && !watched) throw this.impossible(`${this.labels.of(node)} did not ask`)
    this.run({ kind: verdict, node, peer }, (s) => this.handlers[verdict](s, peer, this))
  }

  private drawn(node: NodeId, name: string, k: number): void {
    const { draws } = this.members[node]
    const place = draws.findIndex((draw) => draw.name === name && k < draw.n)
    if (place < 0) throw this.impossible('nothing of the kind is being drawn')
    draws.splice(place, 1)
    this.run({ kind: 'drawn', node, name, k }, (s) => this.handlers.drawn(s, name, k, this))
  }

  private fault(step: FaultStep): void {
    if (step.verb === 'crash' || step.verb === 'recover') {
      return this.crashOrRecover(step.verb, step.node)
    }
    if (step.verb === 'forget') return this.loseState(step.node)
    if (step.verb === 'resign') return this.resign(step.node, step.successor ?? NONE)
    if (step.verb === 'change') return this.change(step.node, step.seat, step.role)
    if (step.verb === 'proof') return this.proveDeath(step.node, step.peer)
    if (step.verb === 'cut') this.network.cut(step.from, step.to)
    else if (step.verb === 'heal') this.network.heal(step.from, step.to)
    else throw this.impossible('it needs a clock')
    const { verb: kind, ...fields } = step
    this.record({ kind: 'fault', node: NONE, fault: { at: 0, kind, ...fields } as Fault })
  }

  private crashOrRecover(kind: 'crash' | 'recover', node: NodeId): void {
    const member = this.members[node]
    const recovers = kind === 'recover'
    if (member.up === recovers) throw this.impossible(member.up ? 'it is up' : 'it is down already')
    this.recordFault({ at: 0, kind, node })
    member.up = recovers
    member.silent = recovers
    if (recovers) {
      member.incarnation += 1
      this.monitors.wentUp(node, this.steps)
    } else {
      this.forget(member)
      // A message in flight was meant for the incarnation that has ended.
      for (const from of this.group.everyone) this.network.link(from, node).length = 0
      this.monitors.wentDown(node, this.steps)
    }
    this.recording.done(member.state)
  }

  private loseState(node: NodeId): void {
    const member = this.members[node]
    if (member.up) throw this.impossible('it is up')
    this.recordFault({ at: 0, kind: 'forget', node })
    member.state = this.algorithm.state.forgotten(member.state) as AnyState
    this.monitors.forgot(node)
    this.recording.done(member.state)
  }

  private resign(node: NodeId, successor: NodeId): void {
    if (!this.canResign) throw this.impossible(`${this.algorithm.name} does not support resigning`)
    const { up, silent, state } = this.members[node]
    if (!up || silent || state.leader !== node) throw this.impossible('it does not lead')
    const step = { kind: 'resign', node, successor } as const
    this.run(step, (s) => this.handlers.resign(s, successor, this))
  }

  private change(node: NodeId, seat: NodeId, role: SeatRole): void {
    const { up, silent, state } = this.members[node]
    const { change, configuration } = this.handlers
    if (change === undefined || configuration === undefined) {
      throw this.impossible(`the members of a group of ${this.algorithm.name} cannot change`)
    }
    if (!up || silent || state.leader !== node) throw this.impossible('it does not lead')
    const fault = { at: 0, kind: 'change', node, seat, role } as const
    this.run({ kind: 'fault', node, fault }, (s) =>
      change(s, changeOfSeat(configuration(s), seat, role), this),
    )
  }

  /** Proves that the incarnations of a peer that have ended by now have ended. */
  private proveDeath(node: NodeId, peer: NodeId): void {
    const { up, silent } = this.members[node]
    if (!up || silent) throw this.impossible('it has not started')
    const { incarnation, up: isUp } = this.members[peer]
    const last = isUp ? incarnation - 1 : incarnation
    const fault = { at: 0, kind: 'proof', node, peer } as const
    this.run({ kind: 'fault', node, fault }, (s) =>
      this.handlers.dead(s, peer, (id) => id !== 0 && id <= last, this),
    )
  }

  private recordFault(fault: Fault & { readonly node: NodeId }): void {
    const { node } = fault
    this.recording.step(this.steps, { kind: 'fault', node, fault }, this.members[node].state)
  }

  private run(step: Step, handler: (state: AnyState) => void): void {
    const { state } = this.members[step.node]
    this.me = step.node
    this.recording.step(this.steps, step, state)
    handler(state)
    this.recording.done(state)
    this.monitors.changed(step.node, state.leader, state.term, this.steps)
  }

  private record(step: Step): void {
    this.recording.step(this.steps, step, null)
    this.recording.done(null)
  }

  private begin(node: NodeId, start: 'boot' | 'settled'): void {
    const member = this.members[node]
    this.me = node
    if (start === 'settled') this.handlers.settled(member.state, this.group.strongest, this)
    if (!member.up) return this.forget(member)
    this.monitors.wentUp(node, 0)
    this.monitors.changed(node, member.state.leader, member.state.term, 0)
  }

  private forget(member: SteppedMember): void {
    member.state = this.algorithm.state.afterCrash(member.state) as AnyState
    for (const list of [member.timers, member.requests, member.watches]) list.clear()
    member.draws.length = 0
  }

  private idOf(label: number): NodeId {
    if (label >= 1 && label <= this.group.members) return this.labels.of(label)
    throw this.impossible(`there is no member ${label}; members are 1 to ${this.group.members}`)
  }

  private impossible(why: string): StepError {
    const step = this.current === null ? '' : ` (${writeStep(this.current)})`
    return new StepError(`step ${this.steps + 1}${step} cannot happen: ${why}`)
  }
}
