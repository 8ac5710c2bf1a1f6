/** Decides when members handle events: keeps which are paused, slow, busy or writing, and the events that wait for them. */
import type { NodeId } from '../../core/node-id.ts'
import type { ScheduledEvent } from '../queue/schedule.ts'
import { EventKind } from '../queue/event-kinds.ts'

export class MemberSpeed {
  /** No member is paused, slow, busy or writing: the common case, which needs no lookups. */
  isImmediate: boolean
  private readonly processingUs: number
  /** What is added to that for a slow member, and until when a member is busy. */
  private readonly slow = new Map<NodeId, number>()
  private readonly busyUntil = new Map<NodeId, number>()
  private readonly paused = new Set<NodeId>()
  private readonly writing = new Set<NodeId>()
  /** The events of members that are paused or writing. */
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
    return this.paused.has(node)
  }

  /** Whether the member is paused, or waits for its disk. */
  isHeld(node: NodeId): boolean {
    return this.backlog.has(node)
  }

  get isWriting(): boolean {
    return this.writing.size > 0
  }

  pause(node: NodeId): void {
    this.paused.add(node)
    this.hold(node)
  }

  beginWrite(node: NodeId): void {
    this.writing.add(node)
    this.hold(node)
  }

  endWrite(node: NodeId): void {
    this.writing.delete(node)
  }

  /** Defers an event of a member that is held; returns false where the event takes place all the same. */
  defer(event: ScheduledEvent): boolean {
    const { kind, node } = event
    // The network goes on: sent messages leave, and messages in flight arrive.
    if (kind === EventKind.DEPART || kind === EventKind.DELIVER) return false
    if (kind === EventKind.WRITTEN && !this.paused.has(node)) return false
    this.backlog.get(node)?.push(event)
    return true
  }

  /**
   * Returns what waited, in the order in which it came, with three exceptions: the end of a write comes first,
   * because it ends a step; then expired deadlines (duty 7 of a host), then the detector's timers, because an
   * event loop runs its timers before it reads its sockets.
   */
  release(node: NodeId, isDeadline: (timer: number) => boolean): readonly ScheduledEvent[] {
    const kept = this.backlog.get(node) ?? []
    const isOver = !this.writing.has(node) || kept.some(({ kind }) => kind === EventKind.WRITTEN)
    if (this.paused.has(node) || !isOver) return []
    this.backlog.delete(node)
    this.look()
    const order = ({ kind, a }: ScheduledEvent): number => {
      if (kind === EventKind.WRITTEN) return -1
      if (kind === EventKind.TIMER && isDeadline(a)) return 0
      return kind === EventKind.DETECTOR_TIMER ? 1 : 2
    }
    return kept.sort((a, b) => order(a) - order(b))
  }

  resume(node: NodeId): void {
    this.paused.delete(node)
  }

  forget(node: NodeId): void {
    this.busyUntil.delete(node)
    this.paused.delete(node)
    this.writing.delete(node)
    this.look()
  }

  private hold(node: NodeId): void {
    if (!this.backlog.has(node)) this.backlog.set(node, [])
    this.isImmediate = false
  }

  private look(): void {
    const { processingUs, slow, busyUntil, backlog } = this
    this.isImmediate =
      processingUs === 0 && slow.size === 0 && busyUntil.size === 0 && backlog.size === 0
  }
}
