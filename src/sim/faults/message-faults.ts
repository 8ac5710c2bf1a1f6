/** Faults of messages that are under way: one is lost, held up, or arrives twice. */
import type { Schedule, ScheduledEvent } from '../queue/schedule.ts'
import { EventKind, type Frame } from '../queue/event-kinds.ts'
import type { Fault } from './fault.ts'
import type { WorldContext } from '../world-context.ts'
import type { Outbox } from '../network/outbox.ts'

export type MessageFault = Extract<Fault, { place: number }>

/** Rewrites what is to come. Rare, and worth no index: it reads the whole schedule. */
export function applyMessageFault(
  schedule: Schedule,
  outbox: Outbox,
  context: WorldContext,
  fault: MessageFault,
): void {
  const { from, to, place } = fault
  const pending = schedule.pending()
  const onLink = pending.filter(
    ({ kind, node, a, b }) =>
      kind === EventKind.DELIVER && node === to && a === from && b === context.incarnation[to],
  )
  const event = onLink[place - 1] as ScheduledEvent | undefined
  if (event === undefined) return
  const frame = event.payload as Frame
  switch (fault.kind) {
    case 'discard':
      schedule.replace(pending.filter((other) => other !== event))
      outbox.end(frame)
      return outbox.lose(from, to, frame, 'discarded')
    case 'delay': {
      const until = event.time + fault.us
      const held = new Set(onLink.slice(place - 1))
      const moved = pending.map((other) =>
        held.has(other) ? { ...other, time: Math.max(other.time, until) } : other,
      )
      schedule.replace(moved)
      return outbox.network.holdUp(from, to, until)
    }
    case 'repeat':
      return outbox.deliver(from, to, frame)
  }
}
