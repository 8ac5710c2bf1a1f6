/**
 * One group on the connection of two processes: compares the introductions of its two members, holds frames until both
 * have accepted each other, and knows whether the group rests on the beats of the connection.
 */
import type { Json } from '../../core/schema.ts'
import { compare, compareSeats, type Introduction, type Rejection } from '../handshake.ts'
import { SeenIncarnation } from '../seen-incarnation.ts'
import type { LinkEvents, LinkLoss } from '../transport.ts'

/** A member of one group in this process, as its channels see it. */
export interface LocalMember {
  /** Its number in the frames of this process. */
  readonly number: number
  readonly group: string
  readonly events: LinkEvents
  /** The time between two heartbeats of its group. */
  periodMs: number
  introductionTo(peer: string): Introduction
}

/** What a channel sends and asks of the pair. */
export interface ChannelPort {
  now(): number
  sendFrame(number: number, payload: Json): void
  sendRejection(theirNumber: number, rejection: Rejection): void
  /** Finds out whether the peer's member can be reached, if the channel is not open. */
  probe(channel: Channel): void
}

/** As for the incarnations of processes (tcp/endpoint-context.ts). */
const REMEMBERED_MS = 10 * 60_000

/** Frames that wait until the channel is open. */
const MOST_WAITING = 64

/** The sentence of a member whose peer's process runs without it. */
const ABSENT = 'its process runs, and has not joined this group'

export type RestRole = 'leads' | 'follows'

export class Channel {
  readonly member: LocalMember
  readonly peer: string
  seat: number
  isOpen = false
  /** Whether beats of the connection stand for heartbeats of this group, and since when. */
  rest: RestRole | null = null
  restsSince = Infinity
  /** The last beat that counted when the rest ended. */
  lastBeat = -Infinity
  /** When the peer was last asked for its member. */
  askedAt = -Infinity
  /** The question whether the peer rests, which it has not answered; null: none. */
  asked: number | null = null
  private readonly pair: ChannelPort
  private readonly waiting: Json[] = []
  private readonly seen = new SeenIncarnation()
  /** Whether the member waits for news of the peer: a peer that stays away is reported to those only. */
  private isWanted = true
  private lastLoss: LinkLoss['kind'] | undefined

  constructor(pair: ChannelPort, member: LocalMember, peer: string, seat: number) {
    this.pair = pair
    this.member = member
    this.peer = peer
    this.seat = seat
  }

  send(payload: Json): void {
    if (this.isOpen) return this.pair.sendFrame(this.member.number, payload)
    this.waiting.push(payload)
    if (this.waiting.length > MOST_WAITING) this.waiting.shift()
    this.probe()
  }

  /** The member wants to know whether the peer can be reached. */
  probe(): void {
    if (this.isOpen) return
    this.isWanted = true
    this.pair.probe(this)
  }

  /** The peer's member has introduced itself; `theirNumber` is its number. Reports what follows from it. */
  introduced(theirs: Introduction, theirNumber: number): void {
    const rejection = this.judge(theirs)
    if (rejection !== undefined) {
      this.pair.sendRejection(theirNumber, rejection)
      return this.rejected({ field: rejection.field, detail: rejection.detail })
    }
    const isNew = theirs.incarnation !== this.seen.latest
    if (this.isOpen && !isNew) return
    if (this.isOpen) this.lose({ kind: 'closed' })
    this.seen.note(theirs.incarnation, this.pair.now())
    this.isOpen = true
    this.isWanted = true
    this.member.events.connected(this.peer, theirs.incarnation, theirs.protocol)
    for (const payload of this.waiting.splice(0)) this.send(payload)
  }

  /** This member and the peer's reject each other. */
  rejected(rejection: Rejection): void {
    this.lose({ kind: 'rejected', ...rejection })
  }

  /** The peer's process says that it runs and has no member of this group: the one that it had has ended. */
  absent(): void {
    this.lose({ kind: 'refused', cause: ABSENT })
  }

  lose(loss: LinkLoss): void {
    const isNews = this.isWanted || loss.kind !== this.lastLoss
    this.end()
    this.isWanted = loss.kind === 'closed'
    this.lastLoss = loss.kind
    if (isNews) this.member.events.lost(this.peer, loss)
  }

  /** The member has left, or has no such peer any more. */
  end(): void {
    if (this.isOpen) this.seen.disconnected(this.pair.now())
    this.isOpen = false
    this.asked = null
    this.waiting.length = 0
  }

  private judge(theirs: Introduction): Rejection | undefined {
    return (
      compare(this.member.introductionTo(theirs.id), theirs) ??
      compareSeats(this.seat, theirs) ??
      this.seen.rejectionOf(theirs.incarnation, this.isOpen, REMEMBERED_MS, this.pair.now())
    )
  }
}
