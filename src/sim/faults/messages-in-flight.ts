/**
 * Carries out faults of messages in flight: finds one in the schedule and loses, delays or copies it. `place` says
 * which message of the link, in the order of arrival, from 1. Where there is none, nothing happens.
 */
import type { NodeId } from '../../core/node-id.ts'
import { EventKind, type Frame } from '../queue/event-kinds.ts'
import type { ScheduledEvent } from '../queue/schedule.ts'
import type { World } from '../world/world.ts'

export class MessagesInFlight {
  private readonly world: World

  constructor(world: World) {
    this.world = world
  }

  discard(from: NodeId, to: NodeId, place: number): void {
    const { pending, found } = this.find(from, to, place)
    if (found.length === 0) return
    const { schedule, outbox } = this.world
    const frame = found[0].payload as Frame
    schedule.replace(pending.filter((event) => event !== found[0]))
    outbox.end(frame)
    outbox.lose(from, to, frame, 'discarded')
  }

  /** Those behind the message do not overtake it. */
  delay(from: NodeId, to: NodeId, place: number, us: number): void {
    const { pending, found } = this.find(from, to, place)
    if (found.length === 0) return
    const until = found[0].time + us
    const delayed = new Set(found)
    this.world.schedule.replace(
      pending.map((event) =>
        delayed.has(event) ? { ...event, time: Math.max(event.time, until) } : event,
      ),
    )
    this.world.outbox.network.delayUntil(from, to, until, this.world.now)
  }

  repeat(from: NodeId, to: NodeId, place: number): void {
    const { found } = this.find(from, to, place)
    if (found.length > 0) this.world.outbox.deliver(from, to, found[0].payload as Frame)
  }

  /** The message and those behind it. Reads the whole schedule: such faults are too rare for an index. */
  private find(
    from: NodeId,
    to: NodeId,
    place: number,
  ): { pending: ScheduledEvent[]; found: ScheduledEvent[] } {
    const { schedule, incarnation } = this.world
    const pending = schedule.pending()
    const onLink = pending.filter(
      ({ kind, node, a, b }) =>
        kind === EventKind.DELIVER && node === to && a === from && b === incarnation[to],
    )
    return { pending, found: onLink.slice(place - 1) }
  }
}
