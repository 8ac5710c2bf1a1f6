/** Carries out faults in a world: records each one, and applies it as its declaration says. */
import { NONE, type NodeId } from '../../core/node-id.ts'
import { refuseImpossibleFault } from '../config.ts'
import { EventKind } from '../queue/event-kinds.ts'
import type { World } from '../world/world.ts'
import { declarationOf, type Fault } from './fault-catalogue.ts'
import { MessagesInFlight } from './messages-in-flight.ts'

export class FaultInjector {
  readonly world: World
  readonly messages: MessagesInFlight

  constructor(world: World) {
    this.world = world
    this.messages = new MessagesInFlight(world)
  }

  inject(fault: Fault): void {
    const { recorder, now, config, states } = this.world
    const { apply, followUp, unrecorded } = declarationOf(fault.kind)
    refuseImpossibleFault(config, fault)
    if (unrecorded !== true) {
      const node = 'node' in fault ? fault.node : NONE
      recorder?.step(now, { kind: 'fault', node, fault }, states[node] ?? null)
      apply?.(this, fault)
      recorder?.done(states[node] ?? null)
    }
    followUp?.(this, fault)
  }

  crash(node: NodeId): void {
    const { world } = this
    if (!world.isUp(node)) return
    world.monitors.wentDown(node, world.now)
    world.incarnation[node] += 1
    world.members.end(node)
    world.speed.forget(node)
    world.detectors.crashed(node)
  }

  /** The member announces itself, and starts when every announcement has arrived (B15). */
  recover(node: NodeId): void {
    const { world } = this
    const { members, detectors, now } = world
    if (world.isUp(node)) return
    world.incarnation[node] += 1
    world.monitors.wentUp(node, now)
    members.beginStartupWait(node)
    detectors.recovered(node)
    detectors.begin(node, true)
    members.scheduleStart(node, now + Math.round(1000 * world.config.timing.messageMs))
  }

  pause(node: NodeId): void {
    if (this.world.isUp(node)) this.world.speed.pause(node)
  }

  resign(node: NodeId, successor: NodeId): void {
    const { now, incarnation, speed, members } = this.world
    const [kind, b] = [EventKind.RESIGN, incarnation[node]]
    const event = { time: now, kind, node, a: successor, b, payload: undefined }
    if (speed.isPaused(node)) speed.defer(event)
    else members.dispatch(kind, node, successor, b, undefined)
  }

  /** A member that is down or paused gets no proof. */
  proveDeath(node: NodeId, peer: NodeId): void {
    const { world } = this
    if (!world.isUp(node) || world.speed.isPaused(node)) return
    const last = world.incarnation[peer] + (world.isUp(peer) ? 0 : 1)
    world.members.proveDeath(node, peer, (incarnation) => incarnation !== 0 && incarnation <= last)
  }
}
