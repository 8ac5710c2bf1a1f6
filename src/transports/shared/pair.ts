/**
 * The connection of this process with one peer, as the groups on it share it: announces groups, passes frames to their
 * channels, tells all of them when it is lost, and counts the beats that stand for their heartbeats.
 *
 * **No frame is missed.** A process counts the frames of a connection, and its beats and answers carry the count. Where
 * the counts differ, a frame was dropped, which may have ended a group's rest: the connection is closed, which ends the
 * rest of every group. A follower that wakes says so before it answers the next beat, so an answer vouches for
 * every follower that has not.
 */
import type { Clock } from '../../clock/monotonic.ts'
import type { Json } from '../../core/schema.ts'
import { quote, type Introduction, type Rejection } from '../handshake.ts'
import type { Endpoint, LinkLoss } from '../transport.ts'
import { Beats } from './beats.ts'
import { Channel, type ChannelPort, type LocalMember, type RestRole } from './channel.ts'
import { asJson, readPairFrame, type PairFrame } from './pair-frames.ts'

/** What a pair needs of the port. */
export interface PairPort {
  readonly id: string
  readonly clock: Clock
  /** The groups that this process has joined. */
  readonly joined: Iterable<string>
  /** Whether groups of this process rest. */
  readonly sharesHeartbeats: boolean
  /** The connections to all peers. */
  readonly endpoint: Pick<Endpoint, 'send' | 'probe' | 'release'>
  refused(reason: string): void
  /** A peer accepts this process. */
  accepted(): void
  /** The peer has seen this later process of the name, which is not connected. */
  outdated(seen: number): void
  /** A leader rests: beats are due in each of its periods. */
  leaderRests(periodMs: number): void
}

interface Offer {
  readonly number: number
  /** Forgotten where it is one of many: the peer is asked again when this process joins the group. */
  introduction?: Introduction | undefined
}

/** How many introductions are kept of groups that this process has not joined, and how many groups a peer has at most. */
const MOST_INTRODUCTIONS = 1024
const MOST_GROUPS = 100_000

/** How often a peer that lacks a member, or rejects it, is asked again. */
const AGAIN_MS = 100

export class Pair implements ChannelPort {
  readonly peer: string
  readonly beats: Beats
  isConnected = false
  isComplete = false
  /** By group. */
  readonly channels = new Map<string, Channel>()
  /** The groups of the peer, by name and by its numbers. */
  private readonly offers = new Map<string, Offer>()
  private readonly groupOf = new Map<number, string>()
  /** Groups of the peer that this process has not joined, whose introductions are kept. */
  private readonly spare = new Set<string>()
  private readonly port: PairPort
  private hasSession = false
  private sent = 0
  private received = 0
  private questions = 0
  private readonly resting: Record<RestRole, Set<Channel>> = {
    leads: new Set(),
    follows: new Set(),
  }

  constructor(port: PairPort, peer: string) {
    this.port = port
    this.peer = peer
    this.beats = new Beats(port.clock, {
      beat: (number) => this.write(['beat', number, this.sent]),
      late: (role) => this.wakeAll(role),
    })
  }

  /** How often beats are due; Infinity: no leader rests. */
  get beatMs(): number {
    return this.resting.leads.size === 0 ? Infinity : this.beats.periodMs.leads
  }

  // Channels.

  add(member: LocalMember, seat: number): void {
    const known = this.channels.get(member.group)
    if (known !== undefined) {
      known.seat = seat
      return
    }
    const channel = new Channel(this, member, this.peer, seat)
    this.channels.set(member.group, channel)
    if (!this.isConnected) return
    const offer = this.offers.get(member.group)
    // The peer may have a member whose announcement is on its way or lost, or one that lacks this peer: it is asked.
    const asks = offer === undefined ? this.isComplete : offer.introduction === undefined
    this.spare.delete(member.group)
    this.sendOpen(channel, asks)
    if (offer?.introduction !== undefined) channel.introduced(offer.introduction, offer.number)
  }

  /** The member has left its group, which has ended it; or it runs, and has no such peer any more. */
  remove(group: string, hasLeft: boolean): void {
    const channel = this.channels.get(group)
    if (channel === undefined) return
    this.wake(channel)
    channel.end()
    this.channels.delete(group)
    const theirs = this.offers.get(group)
    if (hasLeft) this.write(['close', channel.member.number])
    else if (theirs !== undefined) this.sendRejection(theirs.number, noPeer(this.peer))
  }

  // Events of the connection.

  connected(isAnswer = false): void {
    if (this.isConnected) this.reset({ kind: 'closed' })
    this.isConnected = true
    this.sent = 0
    this.write(['session', isAnswer])
    for (const channel of this.channels.values()) this.sendOpen(channel, false)
    this.sendJoined()
  }

  lost(loss: LinkLoss): void {
    this.isConnected = false
    if (loss.kind !== 'rejected') return this.reset(loss)
    // This is about the process: each member has an incarnation of its own.
    const { seen, ...difference } = loss
    this.reset(difference)
    if (seen !== undefined) this.port.outdated(seen)
  }

  now(): number {
    return this.port.clock.now()
  }

  private reset(loss: LinkLoss): void {
    this.isComplete = false
    this.hasSession = false
    this.received = 0
    this.offers.clear()
    this.groupOf.clear()
    this.spare.clear()
    this.beats.stop()
    for (const channel of this.channels.values()) {
      this.endRest(channel)
      channel.lose(loss)
    }
  }

  frame(payload: Json): void {
    const frame = readPairFrame(payload)
    if (frame === undefined) return this.port.refused(`${this.peer}: a malformed frame`)
    if (frame[0] === 'session') return this.began(frame[1])
    this.received += 1
    this.take(frame)
  }

  /** The peer has begun a connection anew, which this side did not notice. */
  private began(isAnswer: boolean): void {
    this.port.accepted() // not before: on its own dial the peer may still reject this process
    if (this.hasSession && !isAnswer) this.connected(true)
    this.hasSession = true
    this.received = 0
  }

  private take(frame: Exclude<PairFrame, readonly ['session', boolean]>): void {
    switch (frame[0]) {
      case 'open':
        return this.opened(frame[1], frame[2], frame[3])
      case 'joined':
        return this.complete(frame[1], frame[2])
      case 'reject':
        return this.rejected(frame[1], frame[2])
      case 'close':
        return this.closed(frame[1])
      case 'rest?':
        return this.askedToRest(this.channelOf(frame[1]), frame[2])
      case 'rest':
        return this.agreed(this.channelOf(frame[1]), frame[2])
      case 'wake':
        return this.woken(this.channelOf(frame[1]))
      case 'beat':
      case 'answer':
        return this.counted(frame[0], frame[1], frame[2])
      default: {
        const channel = this.channelOf(frame[0])
        if (channel?.isOpen === true) channel.member.events.frame(this.peer, frame[1])
      }
    }
  }

  private opened(number: number, introduction: Introduction, asks: boolean): void {
    const { cluster } = introduction
    this.forget(cluster)
    if (this.offers.size >= MOST_GROUPS)
      return this.end(`announces more than ${MOST_GROUPS} groups`)
    this.offers.set(cluster, { number, introduction })
    this.groupOf.set(number, cluster)
    if (!this.channels.has(cluster)) this.keepFew(cluster)
    const channel = this.channels.get(cluster)
    if (channel === undefined) {
      if (asks) this.sendJoined()
      return
    }
    if (asks) this.sendOpen(channel, false)
    this.endRest(channel)
    channel.introduced(introduction, number)
  }

  private forget(group: string): void {
    const offer = this.offers.get(group)
    if (offer === undefined) return
    this.offers.delete(group)
    this.spare.delete(group)
    if (this.groupOf.get(offer.number) === group) this.groupOf.delete(offer.number)
  }

  private keepFew(group: string): void {
    this.spare.add(group)
    if (this.spare.size <= MOST_INTRODUCTIONS) return
    const [oldest] = this.spare
    this.spare.delete(oldest)
    this.offers.get(oldest)!.introduction = undefined
  }

  private complete(sent: number, others: readonly string[]): void {
    if (this.misses(sent)) return
    this.isComplete = true
    for (const [group, channel] of this.channels) {
      if (this.offers.has(group)) continue
      if (others.includes(group)) channel.rejected(noPeer(this.port.id))
      else channel.absent()
    }
  }

  private closed(number: number): void {
    const channel = this.channelOf(number)
    const group = this.groupOf.get(number)
    this.groupOf.delete(number)
    // The member may have announced itself again, under another number.
    if (group === undefined || this.offers.get(group)?.number !== number) return
    this.forget(group)
    if (channel === undefined) return
    this.endRest(channel)
    channel.absent()
  }

  private rejected(number: number, rejection: Rejection): void {
    const channel = [...this.channels.values()].find(({ member }) => member.number === number)
    if (channel === undefined) return
    this.endRest(channel)
    channel.rejected(rejection)
  }

  private channelOf(number: number): Channel | undefined {
    return this.channels.get(this.groupOf.get(number) ?? '')
  }

  /** Dials the peer, or announces a member again that the peer lacks or rejects. */
  probe(channel: Channel): void {
    if (channel.isOpen) return
    if (!this.isConnected) return this.port.endpoint.probe(this.peer)
    const now = this.port.clock.now()
    if (!this.isComplete || now - channel.askedAt < AGAIN_MS) return
    this.sendOpen(channel, true)
  }

  // Rest.

  /** The leader of a group asks its follower here to rest. */
  ask(channel: Channel): void {
    this.questions += 1
    channel.asked = this.questions
    this.write(['rest?', channel.member.number, channel.asked])
  }

  private askedToRest(channel: Channel | undefined, question: number): void {
    if (channel?.isOpen !== true || !this.port.sharesHeartbeats) return
    this.endRest(channel)
    if (channel.member.events.restAsked?.(this.peer) !== true) return
    this.write(['rest', channel.member.number, question])
    this.begin(channel, 'follows')
  }

  /** The follower may have woken since it agreed to an earlier question. */
  private agreed(channel: Channel | undefined, question: number): void {
    if (channel?.asked !== question) return
    channel.asked = null
    this.begin(channel, 'leads')
    channel.member.events.restAgreed?.(this.peer)
  }

  private begin(channel: Channel, role: RestRole): void {
    channel.rest = role
    channel.restsSince = this.port.clock.now()
    this.resting[role].add(channel)
    this.beats.expect(role, channel.member.periodMs)
    if (role === 'leads') this.port.leaderRests(channel.member.periodMs)
  }

  /** This process's member wakes: the peer's is told. */
  wake(channel: Channel): void {
    if (channel.rest === null && channel.asked === null) return
    this.endRest(channel)
    this.write(['wake', channel.member.number])
  }

  /** The peer's member has woken. */
  private woken(channel: Channel | undefined): void {
    if (channel === undefined) return
    const rested = channel.rest !== null
    this.endRest(channel)
    if (rested) channel.member.events.woken?.()
  }

  private wakeAll(role: RestRole): void {
    for (const { member } of this.resting[role]) member.events.woken?.()
  }

  private endRest(channel: Channel): void {
    channel.asked = null
    const { rest } = channel
    if (rest === null) return
    channel.lastBeat = this.lastBeat(channel)
    channel.rest = null
    this.resting[rest].delete(channel)
    if (this.resting[rest].size === 0) this.beats.forget(rest)
  }

  /**
   * When the last beat was sent that vouches for the followers here, or arrived from the leader's process. Beats from
   * before the rest count for nothing, and those that counted when it ended count on.
   */
  lastBeat(channel: Channel): number {
    if (channel.rest === null) return channel.lastBeat
    const at = channel.rest === 'leads' ? this.beats.answeredAt : this.beats.heardAt
    return at >= channel.restsSince ? at : -Infinity
  }

  /** The clock has leapt: no beat that is out counts. */
  leapt(): void {
    this.beats.void()
    this.wakeAll('leads')
    this.wakeAll('follows')
  }

  private counted(kind: 'beat' | 'answer', number: number, sent: number): void {
    if (this.misses(sent)) return
    if (kind === 'answer') return this.beats.answered(number)
    this.beats.heard()
    this.write(['answer', number, this.sent])
  }

  /** Whether a frame was dropped before the one that says so; then the connection ends. */
  private misses(sent: number): boolean {
    // That frame itself is counted on this side, and not in its own count.
    const missed = sent + 1 - this.received
    if (missed === 0) return false
    this.end(`${missed} frames were dropped`)
    return true
  }

  private end(why: string): void {
    this.port.refused(`${this.peer}: ${why}`)
    this.lost({ kind: 'closed' })
    this.port.endpoint.release(this.peer)
  }

  // Frames.

  sendFrame(number: number, payload: Json): void {
    this.write([number, payload])
  }

  private sendOpen(channel: Channel, asks: boolean): void {
    const { member } = channel
    if (asks) channel.askedAt = this.port.clock.now()
    this.write(['open', member.number, member.introductionTo(this.peer), asks])
  }

  private sendJoined(): void {
    const others = [...this.port.joined].filter((group) => !this.channels.has(group))
    this.write(['joined', this.sent, others])
  }

  sendRejection(theirNumber: number, rejection: Rejection): void {
    this.write(['reject', theirNumber, rejection])
  }

  private write(frame: PairFrame): void {
    if (!this.isConnected) return
    this.port.endpoint.send(this.peer, asJson(frame))
    if (frame[0] !== 'session') this.sent += 1
  }
}

function noPeer(id: string): Rejection {
  return { field: 'id', detail: `${quote(id)} is no peer of this member` }
}
