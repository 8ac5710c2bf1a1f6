/**
 * Holds the states of a world's members and runs every step of their handlers: messages, timers, verdicts, draws,
 * starts, crashes.
 */
import { handlersOf, type AnyHandlers, type AnyState, type IsOver } from '../../core/algorithm.ts'
import { assert } from '../../core/assert.ts'
import type { Change, Configuration } from '../../core/configuration.ts'
import { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { ReadonlyNodeSet } from '../../core/node-set.ts'
import type { Detectors } from '../detectors/module-detectors.ts'
import type { HeldFrame, Outbox } from '../network/outbox.ts'
import { EventKind, type Frame } from '../queue/event-kinds.ts'
import type { Schedule } from '../queue/schedule.ts'
import type { Monitors } from '../record/monitors.ts'
import type { Recorder, Step } from '../record/step.ts'
import { refuse } from '../world/world-context.ts'
import type { World } from '../world/world.ts'
import { timingOfData } from './configurations.ts'
import { WRITE_FAILED, type Disks } from './disks.ts'
import type { Drawn, Effects } from './effects.ts'
import type { MemberSpeed } from './speed.ts'

export class Members {
  readonly states: AnyState[]
  deliveries = 0
  /** Starts and reports to initiators that are still in the schedule. */
  pendingStarts = 0
  /** Settled members without a step. Their periodic work begins on agreement, or when initiators are idle without one. */
  waitingSettled: Set<NodeId> | null = null

  /** In the startup wait after a recovery: no message reaches the election. */
  private readonly silent: Uint8Array
  private readonly context: World
  private readonly schedule: Schedule
  private readonly monitors: Monitors
  private readonly incarnation: Int32Array
  private readonly outbox: Outbox
  private readonly speed: MemberSpeed
  private readonly detectors: Detectors
  private readonly out: Effects
  private readonly disks: Disks
  private readonly handlers: AnyHandlers
  private readonly endOf = (node: NodeId, timer: string): number | null => {
    const { timers } = this.out
    return timers.dueOf(node, timers.indexOf(timer))
  }
  /** The handlers for the timing of each `data` of a configuration. */
  private readonly retimed = new Map<string, AnyHandlers>()

  constructor(world: World) {
    const { algorithm, members, options } = world.config
    this.context = world
    this.schedule = world.schedule
    this.monitors = world.monitors
    this.incarnation = world.incarnation
    this.outbox = world.outbox
    this.speed = world.speed
    this.detectors = world.detectors
    this.out = world.effects
    this.disks = world.disks
    this.states = world.states
    this.handlers = handlersOf(algorithm, world.group, options)
    this.silent = new Uint8Array(members + 1)
  }

  /** Handles an event of a member that is not paused. */
  dispatch(kind: number, node: NodeId, a: number, b: number, payload: unknown): void {
    switch (kind) {
      case EventKind.DELIVER:
        return this.arrive(node, a, b, payload as Frame)
      case EventKind.RECEIVE:
        return this.receive(node, a, b, payload as Frame)
      case EventKind.HANDLE:
        return this.handle(node, a, b, payload as Frame)
      case EventKind.TIMER:
        return this.expire(node, a)
      case EventKind.DRAWN:
        return this.drawn(node, b, payload as Drawn)
      case EventKind.START:
        return this.start(node, b)
      case EventKind.DEPART:
        return this.outbox.depart(node, a, b, payload as Frame)
      case EventKind.NOTICE:
        return this.notice(node, a, b)
      case EventKind.RESIGN:
        return this.resign(node, a, b)
      case EventKind.LEFT:
        return this.left(node, a, b, payload as number)
      case EventKind.WRITTEN:
        return this.written(node, b, payload as readonly HeldFrame[])
      case EventKind.ANSWER:
        return this.detectors.answer(node, a, b, payload)
      case EventKind.DETECTOR_TIMER:
        return this.detectors.timeout(node, a, payload as NodeId, b)
      default:
        assert(false, `no such event: ${kind}`)
    }
  }

  /** Handles the events deferred in a pause, before any other of this microsecond. After a crash all are obsolete. */
  dispatchDeferred(node: NodeId): void {
    const { timers } = this.out
    for (const event of this.speed.release(node, (timer) => timers.isDeadline(timer))) {
      const { kind, a, b, payload } = event
      if (this.speed.isHeld(node) && this.speed.defer(event)) continue
      if (kind === EventKind.TIMER) timers.postpone(node, a, this.schedule.now)
      this.dispatch(kind, node, a, b, payload)
    }
  }

  /** Hands a verdict to the election. One `down` closes an open request and a watch of the peer. */
  answered(me: NodeId, peer: NodeId, verdict: 'up' | 'down'): void {
    const requested = this.out.requests.close(me, peer)
    const watched = verdict === 'down' && this.out.watches.delete(me, peer)
    if (!requested && !watched) {
      refuse(`the detector of ${me} reported on ${peer} without a request or a watch`)
    }
    this.begin(me)?.step(this.schedule.now, { kind: verdict, node: me, peer }, this.states[me])
    this.handlersFor(me)[verdict](this.states[me], peer, this.out)
    this.leave(me)
  }

  /** Runs and records a step of a detector module. The state of the election does not change. */
  detectorStep(step: Step, run: () => void): void {
    const { recorder, now } = this.context
    this.out.beginStep(step.node)
    recorder?.step(now, step, this.states[step.node])
    run()
    recorder?.done(this.states[step.node])
  }

  /** An incarnation ends: only the stable fields of the state are left. */
  end(node: NodeId): void {
    const { state } = this.context.config.algorithm
    this.silent[node] = 0
    this.states[node] = state.afterCrash(this.disks.surviving(node)) as AnyState
    if (this.disks.takePostponed(node)) this.monitors.term[node] = this.states[node].term
    this.waitingSettled?.delete(node)
    this.out.forget(node)
  }

  beginStartupWait(node: NodeId): void {
    this.silent[node] = 1
    this.out.beginStep(node)
  }

  /** The handlers for the timing that the member's configuration gives: a pure function of its state. */
  private handlersFor(node: NodeId): AnyHandlers {
    if (!this.context.configurations.varies) return this.handlers
    const { data } = this.configurationOf(node)
    if (data === '') return this.handlers
    const { algorithm, members, ring, options, timing } = this.context.config
    let handlers = this.retimed.get(data)
    if (handlers === undefined) {
      const group = new Group(members, timingOfData(data, timing), ring, this.context.config)
      handlers = handlersOf(algorithm, group, options)
      this.retimed.set(data, handlers)
    }
    return handlers
  }

  configurationOf(node: NodeId): Configuration {
    return this.handlers.configuration!(this.states[node])
  }

  /** Within a step that the injector of faults records. */
  change(node: NodeId, change: Change): void {
    if (this.silent[node] === 1) return
    this.begin(node)
    this.handlersFor(node).change!(this.states[node], change, this.out)
    this.finish(node)
  }

  /** Puts a member into the state of one that has long followed the strongest, without its periodic work. */
  settle(node: NodeId, knownDown: ReadonlyNodeSet): void {
    this.out.me = node
    this.out.muted = true
    this.handlersFor(node).settled(
      this.states[node],
      this.context.group.strongest,
      this.out,
      knownDown,
    )
    this.out.muted = false
  }

  startPeriodicWork(): void {
    const waitingSettled = [...(this.waitingSettled ?? [])]
    this.waitingSettled = null
    for (const node of waitingSettled) {
      this.begin(node)?.step(
        this.schedule.now,
        { kind: 'settled', node, leader: this.states[node].leader },
        this.states[node],
      )
      this.handlersFor(node).settled(this.states[node], this.states[node].leader, this.out)
      this.leave(node)
    }
  }

  scheduleStart(node: NodeId, time: number): void {
    this.pendingStarts += 1
    this.schedule.push(time, EventKind.START, node, 0, this.incarnation[node], undefined)
  }

  /** Within a step that the injector of faults records. */
  proveDeath(node: NodeId, peer: NodeId, isOver: IsOver): void {
    if (this.silent[node] === 1) return
    this.begin(node)
    this.context.detectors.ended(node, peer)
    this.handlersFor(node).dead(this.states[node], peer, isOver, this.out)
    this.finish(node)
  }

  /** A peer's announcement that it left reaches the member: proof that this incarnation, and those before it, are over. */
  private left(node: NodeId, peer: NodeId, incarnation: number, ended: number): void {
    if (incarnation !== this.incarnation[node] || !this.context.isUp(node)) return
    const { recorder, now } = this.context
    const fault = { kind: 'proof', node, peer, at: now } as const
    recorder?.step(now, { kind: 'fault', node, fault }, this.states[node])
    this.proveDeath(node, peer, (id) => id !== 0 && id <= ended)
    recorder?.done(this.states[node])
  }

  /** A message reaches its member, unless the link was cut meanwhile. */
  private arrive(node: NodeId, from: NodeId, incarnation: number, frame: Frame): void {
    const { outbox, speed } = this
    if (outbox.network.isCut(from, node) && incarnation === this.incarnation[node]) {
      outbox.end(frame)
      return outbox.lose(from, node, frame, 'the link is cut')
    }
    if (speed.isImmediate) this.handle(node, from, incarnation, frame)
    else if (speed.isHeld(node)) {
      const [time, kind] = [this.schedule.now, EventKind.RECEIVE]
      speed.defer({ time, kind, node, a: from, b: incarnation, payload: frame })
    } else this.receive(node, from, incarnation, frame)
  }

  private receive(node: NodeId, from: NodeId, incarnation: number, frame: Frame): void {
    const { schedule } = this
    const isStale = incarnation !== this.incarnation[node]
    const done = isStale ? -1 : this.speed.handledAt(node, schedule.now)
    if (done < 0) this.handle(node, from, incarnation, frame)
    else schedule.push(done, EventKind.HANDLE, node, from, incarnation, frame)
  }

  private handle(node: NodeId, from: NodeId, incarnation: number, frame: Frame): void {
    const { context, outbox } = this
    const { message, part, sent } = frame
    outbox.end(frame)
    if (incarnation !== this.incarnation[node]) {
      return outbox.lose(from, node, frame, `${context.label(node)} was down`)
    }
    if (part === 'election' && this.silent[node] === 1) {
      return outbox.lose(from, node, frame, `${context.label(node)} has not started yet`)
    }
    this.deliveries += 1
    if (part === 'detector') this.out.beginStep(node)
    else this.begin(node)
    if (context.recorder !== null) {
      const step: Step = { kind: 'deliver', node, from, part, message, sent }
      context.recorder.step(context.now, step, this.states[node])
    }
    if (part === 'detector') {
      this.detectors.message(node, from, message)
      context.recorder?.done(this.states[node])
      return
    }
    // The detector first: a request that the handler makes is about a peer that was heard.
    this.detectors.heard(node, from)
    this.handlersFor(node).message(this.states[node], from, message, this.out)
    this.leave(node)
  }

  private expire(node: NodeId, timer: number): void {
    const { schedule } = this
    const { timers } = this.out
    const due = timers.expire(node, timer, schedule.now)
    if (due === Infinity) return
    if (due > schedule.now) return schedule.push(due, EventKind.TIMER, node, timer, 0, undefined)
    const name = timers.nameOf(timer)
    this.begin(node)?.step(
      this.schedule.now,
      { kind: 'timeout', node, part: 'election', timer: name, peer: NONE },
      this.states[node],
    )
    this.handlersFor(node).timeout(this.states[node], name, this.out)
    this.leave(node)
  }

  private drawn(node: NodeId, incarnation: number, { name, k }: Drawn): void {
    if (incarnation !== this.incarnation[node]) return
    this.begin(node)?.step(this.schedule.now, { kind: 'drawn', node, name, k }, this.states[node])
    this.handlersFor(node).drawn(this.states[node], name, k, this.out)
    this.leave(node)
  }

  private start(node: NodeId, incarnation: number): void {
    this.pendingStarts -= 1
    if (incarnation !== this.incarnation[node]) return
    this.silent[node] = 0
    this.begin(node)?.step(this.schedule.now, { kind: 'start', node }, this.states[node])
    this.handlersFor(node).start(this.states[node], this.out)
    this.leave(node)
  }

  private notice(node: NodeId, peer: NodeId, incarnation: number): void {
    this.pendingStarts -= 1
    if (incarnation !== this.incarnation[node]) return
    this.begin(node)?.step(this.schedule.now, { kind: 'down', node, peer }, this.states[node])
    this.handlersFor(node).down(this.states[node], peer, this.out)
    this.leave(node)
  }

  /** Asks a leader to resign; a member that does not lead ignores it. */
  private resign(node: NodeId, successor: NodeId, incarnation: number): void {
    if (incarnation !== this.incarnation[node] || !this.context.isUp(node)) return
    if (this.silent[node] === 1 || this.states[node].leader !== node) return
    this.begin(node)?.step(
      this.schedule.now,
      { kind: 'resign', node, successor },
      this.states[node],
    )
    this.handlersFor(node).resign(this.states[node], successor, this.out)
    this.leave(node)
  }

  /** Returns the recorder, for the step that begins: where there is none, no step is made. */
  private begin(node: NodeId): Recorder | null {
    this.out.beginStep(node)
    if (this.waitingSettled !== null) this.waitingSettled.delete(node)
    if (this.disks.isUsed && this.disks.has(node)) this.outbox.hold()
    return this.context.recorder
  }

  private leave(node: NodeId): void {
    this.context.recorder?.done(this.states[node])
    this.finish(node)
  }

  private finish(node: NodeId): void {
    if (!this.disks.isUsed || this.isDurable(node)) this.observe(node)
  }

  /** Makes stable fields durable and lets the step's messages leave; false where that takes time or fails. */
  private isDurable(node: NodeId): boolean {
    const held = this.outbox.takeHeld()
    const incarnation = this.incarnation[node]
    const us = this.disks.write(node, held.length > 0)
    if (us > 0) {
      this.speed.beginWrite(node)
      this.schedule.push(this.schedule.now + us, EventKind.WRITTEN, node, 0, incarnation, held)
      return false
    }
    const failed = us === WRITE_FAILED
    if (failed) this.context.inject({ kind: 'crash', node, at: this.schedule.now })
    for (const { to, frame } of held) this.outbox.depart(node, to, incarnation, frame)
    return !failed
  }

  /** The durable write of a step is over: the rest of the step follows, and then what waited for it. */
  private written(node: NodeId, incarnation: number, held: readonly HeldFrame[]): void {
    const isCurrent = incarnation === this.incarnation[node]
    if (isCurrent) {
      this.speed.endWrite(node)
      this.disks.written(node)
    }
    for (const { to, frame } of held) this.outbox.depart(node, to, incarnation, frame)
    if (!isCurrent) return
    this.observe(node)
    this.dispatchDeferred(node)
  }

  /** The step is over: what the member exposes is compared with what it exposed before. */
  private observe(node: NodeId): void {
    const s = this.states[node]
    const { monitors } = this
    if (s.leader !== monitors.leader[node] || s.term !== monitors.term[node]) {
      monitors.changed(node, s.leader, s.term, this.schedule.now)
      if (this.waitingSettled !== null && !Number.isNaN(monitors.agreedSince))
        this.startPeriodicWork()
    }
    this.context.configurations.observe(node)
    const { leases } = monitors
    if (leases !== null && (s.leader === node || leases.isHolder(node))) {
      const end = s.leader === node ? this.out.timers.deadlineOf(node) : 0
      leases.shown(node, s.term, end, this.schedule.now)
    }
    if (monitors.safeguards === null) return
    const deadline = this.out.timers.deadlineOf(node)
    const configuration = this.context.configurations.of(node)
    const step = { s, endOf: this.endOf, deadline, configuration }
    monitors.safeguards.stepped(node, step, this.schedule.now)
  }
}
