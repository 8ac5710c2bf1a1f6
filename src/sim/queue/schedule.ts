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
  private kinds = new Uint8Array(1024)
  private nodes = new Int32Array(1024)
  private as = new Int32Array(1024)
  private bs = new Int32Array(1024)
  private payloads: unknown[] = []

  get now(): number {
    return this.queue.now
  }

  push(time: number, kind: number, node: NodeId, a: number, b: number, payload: unknown): void {
    const event = this.queue.push(time)
    if (event >= this.kinds.length) this.grow()
    this.kinds[event] = kind
    this.nodes[event] = node
    this.as[event] = a
    this.bs[event] = b
    this.payloads[event] = payload
  }

  /** Takes the next event into the fields above; false when there is none. */
  take(): boolean {
    const event = this.queue.pop()
    if (event < 0) return false
    this.kind = this.kinds[event]
    this.node = this.nodes[event]
    this.a = this.as[event]
    this.b = this.bs[event]
    this.payload = this.payloads[event]
    this.payloads[event] = undefined
    return true
  }

  pending(): ScheduledEvent[] {
    return this.queue.pending().map(({ event, time }) => ({
      time,
      kind: this.kinds[event],
      node: this.nodes[event],
      a: this.as[event],
      b: this.bs[event],
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
    const { capacity } = this.queue
    this.kinds = enlarged(this.kinds, new Uint8Array(capacity))
    this.nodes = enlarged(this.nodes, new Int32Array(capacity))
    this.as = enlarged(this.as, new Int32Array(capacity))
    this.bs = enlarged(this.bs, new Int32Array(capacity))
  }
}
