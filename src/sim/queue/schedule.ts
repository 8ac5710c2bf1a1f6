/** Stores the pending events of a world in the order of their times, with their contents in columns. */
import type { NodeId } from '../../core/node-id.ts'
import { enlarged, EventQueue } from './event-queue.ts'

export interface ScheduledEvent {
  readonly time: number
  readonly kind: number
  readonly node: NodeId
  readonly a: number
  readonly b: number
  readonly payload: unknown
}

export class Schedule {
  /** The event that was taken last. Plain fields: the hot path allocates nothing for an event. */
  kind = 0
  node: NodeId = 0
  a = 0
  b = 0
  payload: unknown = undefined

  private readonly queue = new EventQueue()
  /** Kind, node, a and b of each event, side by side: an event is one cache line. */
  private columns = new Int32Array(4 * 1024)
  private payloads: unknown[] = []

  get now(): number {
    return this.queue.now
  }

  push(time: number, kind: number, node: NodeId, a: number, b: number, payload: unknown): void {
    const event = this.queue.push(time)
    const at = 4 * event
    if (at >= this.columns.length) this.grow()
    const { columns } = this
    columns[at] = kind
    columns[at + 1] = node
    columns[at + 2] = a
    columns[at + 3] = b
    this.payloads[event] = payload
  }

  /** Takes the next event into the fields above; false when there is none. */
  take(): boolean {
    const event = this.queue.pop()
    if (event < 0) return false
    const { columns } = this
    const at = 4 * event
    this.kind = columns[at]
    this.node = columns[at + 1]
    this.a = columns[at + 2]
    this.b = columns[at + 3]
    this.payload = this.payloads[event]
    this.payloads[event] = undefined
    return true
  }

  pending(): ScheduledEvent[] {
    return this.queue.pending().map(({ event, time }) => ({
      time,
      kind: this.columns[4 * event],
      node: this.columns[4 * event + 1],
      a: this.columns[4 * event + 2],
      b: this.columns[4 * event + 3],
      payload: this.payloads[event],
    }))
  }

  replace(events: readonly ScheduledEvent[]): void {
    this.queue.clear()
    this.payloads = []
    for (const { time, kind, node, a, b, payload } of events)
      this.push(time, kind, node, a, b, payload)
  }

  private grow(): void {
    this.columns = enlarged(this.columns, new Int32Array(4 * this.queue.capacity))
  }
}
