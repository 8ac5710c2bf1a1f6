/** Faults of messages that are under way: one is lost, held up, or arrives twice. */
import type { Agenda, Event } from '../queue/schedule.ts'
import { Kind, type Frame } from '../queue/event-kinds.ts'
import type { Fault } from './fault.ts'
import type { Ground } from '../world-context.ts'
import type { Post } from '../network/outbox.ts'

export type Meddling = Extract<Fault, { place: number }>

/** Rewrites what is to come. Rare, and worth no index: it reads the whole agenda. */
export function meddle(agenda: Agenda, post: Post, ground: Ground, fault: Meddling): void {
  const { from, to, place } = fault
  const pending = agenda.pending()
  const onLink = pending.filter(
    ({ kind, node, a, b }) =>
      kind === Kind.DELIVER && node === to && a === from && b === ground.incarnation[to],
  )
  const event = onLink[place - 1] as Event | undefined
  if (event === undefined) return
  const frame = event.payload as Frame
  switch (fault.kind) {
    case 'discard':
      agenda.load(
        agenda.now,
        pending.filter((other) => other !== event),
      )
      post.end(frame)
      return post.lose(from, to, frame, 'discarded')
    case 'delay': {
      const until = event.time + fault.us
      const held = new Set(onLink.slice(place - 1))
      const moved = pending.map((other) =>
        held.has(other) ? { ...other, time: Math.max(other.time, until) } : other,
      )
      agenda.load(agenda.now, moved)
      return post.wires.holdUp(from, to, until)
    }
    case 'repeat':
      return post.deliver(from, to, frame)
  }
}
