/** Carries out faults in a world: records each one, and applies it as its declaration says. */
import type { AnyState } from '../../core/algorithm.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { EventKind } from '../queue/event-kinds.ts'
import type { World } from '../world/world.ts'
import { ChangeRequests } from './change-requests.ts'
import { declarationOf, type Fault } from './fault-catalogue.ts'
import { MessagesInFlight } from './messages-in-flight.ts'

export class FaultInjector {
  readonly world: World
  readonly messages: MessagesInFlight
  readonly requests: ChangeRequests

  constructor(world: World) {
    this.world = world
    this.messages = new MessagesInFlight(world)
    this.requests = new ChangeRequests(world, this)
  }

  inject(fault: Fault): void {
    const { recorder, now, states } = this.world
    const { apply, followUp, unrecorded } = declarationOf(fault.kind)
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
    this.note(node)
    world.speed.forget(node)
    world.detectors.crashed(node)
    world.configurations.refresh()
  }

  /** The member is down: what it stores is judged. */
  private note(node: NodeId): void {
    const { monitors, states, configurations, now } = this.world
    monitors.safeguards?.wentDown(node, states[node], configurations.of(node), now)
  }

  forget(node: NodeId): void {
    const { world } = this
    if (world.isUp(node)) return
    world.states[node] = world.config.algorithm.state.forgotten(world.states[node]) as AnyState
    world.monitors.forgot(node)
    this.note(node)
    world.configurations.observe(node)
  }

  /** The member announces itself, and starts when every announcement has arrived (B15). */
  recover(node: NodeId): void {
    const { world } = this
    const { members, detectors, now } = world
    if (world.isUp(node)) return
    world.incarnation[node] += 1
    world.monitors.wentUp(node, now)
    world.configurations.refresh()
    members.beginStartupWait(node)
    detectors.recovered(node)
    detectors.begin(node, true)
    members.scheduleStart(node, now + Math.round(1000 * world.config.timing.messageMs))
  }

  pause(node: NodeId): void {
    if (this.world.isUp(node)) this.world.speed.pause(node)
  }

  calm(): void {
    const { outbox, config } = this.world
    outbox.network.calm(Math.max(0, Math.round(1000 * config.timing.messageMs) - 1))
  }

  resign(node: NodeId, successor: NodeId): void {
    const { now, incarnation, speed, members } = this.world
    const [kind, b] = [EventKind.RESIGN, incarnation[node]]
    const event = { time: now, kind, node, a: successor, b, payload: undefined }
    if (speed.isHeld(node)) speed.defer(event)
    else members.dispatch(kind, node, successor, b, undefined)
  }

  /** Every peer learns that this incarnation is over, each at a time of its own. */
  leave(node: NodeId, us: number): void {
    const { world } = this
    if (!world.isUp(node)) return
    const ended = 1 + world.incarnation[node]
    this.crash(node)
    for (const peer of world.group.everyone) {
      if (peer === node || world.outbox.network.lossOf(node, peer) !== null) continue
      const late = us > 0 ? world.random.below(us + 1) : 0
      const at = late + world.outbox.network.arrival(node, peer, world.now)
      world.schedule.push(at, EventKind.LEFT, peer, node, world.incarnation[peer], ended)
    }
  }

  /** A member that is down or paused gets no proof. */
  proveDeath(node: NodeId, peer: NodeId): void {
    const { world } = this
    if (!world.isUp(node) || world.speed.isHeld(node)) return
    const last = world.incarnation[peer] + (world.isUp(peer) ? 0 : 1)
    world.members.proveDeath(node, peer, (incarnation) => incarnation !== 0 && incarnation <= last)
  }
}
