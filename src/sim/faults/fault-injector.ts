/** Carries out faults in a world: records each one, and applies it as its declaration says. */
import { NONE, type NodeId } from '../../core/node-id.ts'
import { refuseImpossibleFault } from '../config.ts'
import type { Members } from '../members/members.ts'
import type { MemberSpeed } from '../members/speed.ts'
import type { Network } from '../network/network.ts'
import type { Outbox } from '../network/outbox.ts'
import type { Detectors } from '../detectors/detectors.ts'
import { EventKind } from '../queue/event-kinds.ts'
import type { WorldContext } from '../world/world-context.ts'
import { declarationOf, type Fault } from './fault-catalogue.ts'
import { MessagesInFlight } from './messages-in-flight.ts'

export class FaultInjector {
  readonly network: Network
  readonly messages: MessagesInFlight
  readonly speed: MemberSpeed
  readonly members: Members
  private readonly context: WorldContext
  private readonly detectors: Detectors

  constructor(
    context: WorldContext,
    outbox: Outbox,
    speed: MemberSpeed,
    members: Members,
    detectors: Detectors,
  ) {
    this.network = outbox.network
    this.messages = new MessagesInFlight(context, outbox)
    this.speed = speed
    this.context = context
    this.members = members
    this.detectors = detectors
  }

  inject(fault: Fault): void {
    const { recorder, now, config } = this.context
    const { apply, followUp, unrecorded } = declarationOf(fault.kind)
    refuseImpossibleFault(config, fault)
    if (unrecorded !== true) {
      const node = 'node' in fault ? fault.node : NONE
      const { states } = this.members
      recorder?.step(now, { kind: 'fault', node, fault }, states[node] ?? null)
      apply?.(this, fault)
      recorder?.done(states[node] ?? null)
    }
    followUp?.(this, fault)
  }

  crash(node: NodeId): void {
    const { context } = this
    if (!context.isUp(node)) return
    context.monitors.wentDown(node, context.now)
    context.incarnation[node] += 1
    this.members.end(node)
    this.speed.forget(node)
    this.detectors.crashed(node)
  }

  /** The member announces itself, and starts when every announcement has arrived (B15). */
  recover(node: NodeId): void {
    const { context, members } = this
    if (context.isUp(node)) return
    context.incarnation[node] += 1
    context.monitors.wentUp(node, context.now)
    members.beginStartupWait(node)
    this.detectors.recovered(node)
    this.detectors.begin(node, true)
    members.scheduleStart(node, context.now + Math.round(1000 * context.config.timing.messageMs))
  }

  pause(node: NodeId): void {
    if (this.context.isUp(node)) this.speed.pause(node)
  }

  resign(node: NodeId, successor: NodeId): void {
    const { now, incarnation } = this.context
    const [kind, b] = [EventKind.RESIGN, incarnation[node]]
    const event = { time: now, kind, node, a: successor, b, payload: undefined }
    if (this.speed.isPaused(node)) this.speed.defer(event)
    else this.members.dispatch(kind, node, successor, b, undefined)
  }

  /** A member that is down or paused gets no proof. */
  proveDeath(node: NodeId, peer: NodeId): void {
    const { context, members, speed } = this
    if (!context.isUp(node) || speed.isPaused(node)) return
    const last = context.incarnation[peer] + (context.isUp(peer) ? 0 : 1)
    members.proveDeath(node, peer, (incarnation) => incarnation !== 0 && incarnation <= last)
  }
}
