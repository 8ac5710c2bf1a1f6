/** Decides when members handle events: keeps which are paused, slow or busy, and the events that wait for them. */
import type { NodeId } from '../../core/node-id.ts'
import type { ScheduledEvent } from '../queue/schedule.ts'
import { EventKind } from '../queue/event-kinds.ts'

export class MemberSpeed {
  /** No member is paused, slow or busy: the common case, which needs no lookups. */
  isImmediate: boolean
  private readonly processingUs: number
  /** What is added to that for a slow member, and until when a member is busy. */
  private readonly slow = new Map<NodeId, number>()
  private readonly busyUntil = new Map<NodeId, number>()
  private readonly backlog = new Map<NodeId, ScheduledEvent[]>()

  constructor(processingUs: number) {
    this.processingUs = processingUs
    this.isImmediate = processingUs === 0
  }

  /** When a message that arrives now will have been handled; −1: at once. */
  handledAt(node: NodeId, now: number): number {
    const handlingUs = this.processingUs + (this.slow.get(node) ?? 0)
    const free = this.busyUntil.get(node) ?? -1
    if (handlingUs === 0 && free < now) return -1
    const done = Math.max(now, free) + handlingUs
    this.busyUntil.set(node, done)
    return done
  }

  slowDown(node: NodeId, us: number): void {
    if (us === 0) this.slow.delete(node)
    else this.slow.set(node, us)
    this.look()
  }

  isPaused(node: NodeId): boolean {
    return this.backlog.has(node)
  }

  pause(node: NodeId): void {
    if (!this.backlog.has(node)) this.backlog.set(node, [])
    this.isImmediate = false
  }

  /** Defers an event of a paused member; returns false where the event takes place in spite of the pause. */
  defer(event: ScheduledEvent): boolean {
    const { kind, node } = event
    // The network goes on: sent messages leave, and messages in flight arrive.
    if (kind === EventKind.DEPART || kind === EventKind.DELIVER) return false
    this.backlog.get(node)?.push(event)
    return true
  }

  /**
   * Ends the pause and returns what waited, in the order in which it came, with two exceptions: expired
   * deadlines come first (duty 7 of a host), then the detector's timers, because an event loop runs its
   * timers before it reads its sockets.
   */
  resume(node: NodeId, isDeadline: (timer: number) => boolean): readonly ScheduledEvent[] {
    const kept = this.backlog.get(node) ?? []
    this.backlog.delete(node)
    this.look()
    const order = ({ kind, a }: ScheduledEvent): number => {
      if (kind === EventKind.TIMER && isDeadline(a)) return 0
      return kind === EventKind.DETECTOR_TIMER ? 1 : 2
    }
    return kept.sort((a, b) => order(a) - order(b))
  }

  forget(node: NodeId): void {
    this.busyUntil.delete(node)
    this.look()
  }

  private look(): void {
    const { processingUs, slow, busyUntil, backlog } = this
    this.isImmediate =
      processingUs === 0 && slow.size === 0 && busyUntil.size === 0 && backlog.size === 0
  }
}
