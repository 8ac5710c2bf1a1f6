/**
 * One endpoint of a process that any number of groups share: gives each group a transport of its own, with one connection
 * for each pair of processes below all of them.
 *
 * The groups see a transport like any other: their members introduce themselves to each other, have incarnations of their
 * own, and learn what happens to a peer. What the connection shows about a process concerns every group that it serves;
 * a process that runs without a member of a group has shown that this member has ended.
 */
import { processLeaps, type Leaps } from '../../clock/leaps.ts'
import { monotonic, type Clock, type Timer } from '../../clock/monotonic.ts'
import type { Json } from '../../core/schema.ts'
import { TransportError } from '../errors.ts'
import { introductionOf, isRecord, newProcessToken } from '../handshake.ts'
import type { Endpoint, Identity, LinkEvents, LinkLoss, Peer, Transport } from '../transport.ts'
import type { LocalMember } from './channel.ts'
import { GroupEndpoint } from './group-endpoint.ts'
import { Pair, type PairPort } from './pair.ts'

/** Keeps the incarnation of the process. Both throw where it cannot be written. */
export interface PortRecord {
  /** A peer has accepted this process: restarts do not make a copy of its record look new. */
  accepted(): void
  /** A peer has seen this later incarnation. Returns the one that follows it; undefined: this process must not take it. */
  passOver(seen: number): number | undefined
}

export interface SharedPortOptions {
  readonly id: string
  /** The name of the set of processes: others are rejected. */
  readonly name: string
  readonly incarnation: number
  readonly record?: PortRecord
  readonly transport: Transport
  readonly listen: string
  readonly peers: readonly Peer[]
  /** While no group has said how long an answer may take. */
  readonly answerMs: number
  /** Whether groups rest: beats of the connections stand for their heartbeats. */
  readonly shareHeartbeats: boolean
  /** Those of the system, unless a test moves its own. */
  readonly clock?: Clock
  readonly leaps?: Leaps
}

/** What a group's members must share is compared for each group: here it is only that the ports are shared. */
export const SHARED_CONFIGURATION = 'many groups over one port'

export class SharedPort implements PairPort {
  readonly clock: Clock
  endpoint!: Endpoint
  private readonly options: SharedPortOptions
  private readonly pairs = new Map<string, Pair>()
  private readonly groups = new Map<string, GroupEndpoint>()
  /** How long an answer may take, by group. */
  private readonly answerTimes = new Map<string, number>()
  private readonly life = newProcessToken()
  private incarnation: number
  private readonly leaps: Leaps
  private readonly beatTimer: Timer
  private numbers = 0

  private constructor(options: SharedPortOptions) {
    this.options = options
    this.incarnation = options.incarnation
    this.clock = options.clock ?? monotonic
    this.leaps = options.leaps ?? processLeaps()
    this.beatTimer = this.clock.timer(() => this.beat())
  }

  /** Throws what `listen` throws. */
  static async open(options: SharedPortOptions): Promise<SharedPort> {
    const port = new SharedPort(options)
    const { id, name, transport, listen, peers, answerMs } = options
    const shown: Identity = {
      id,
      cluster: name,
      configuration: SHARED_CONFIGURATION,
      options: { port: SHARED_CONFIGURATION },
      get incarnation() {
        return port.incarnation
      },
    }
    port.endpoint = await transport.listen(shown, listen, peers, port.events(), { answerMs })
    return port
  }

  get address(): string {
    return this.endpoint.address
  }

  get counters(): Readonly<Record<string, number>> {
    return this.endpoint.counters
  }

  /** The transport of the members that this process has in its groups. */
  readonly transport: Transport = {
    warmUp: async () => this.options.transport.warmUp?.(),
    visit: async (group, address, question, timeoutMs) => {
      const { transport, name } = this.options
      if (transport.visit === undefined) throw new TransportError('this transport visits nobody')
      const asked = isRecord(question) ? { ...question, group } : question
      return transport.visit(name, address, asked, timeoutMs)
    },
    listen: async (identity, _address, peers, events, timing) => {
      const group = identity.cluster
      if (this.groups.has(group)) {
        throw new TransportError(`this process has joined group "${group}" already`)
      }
      const member = this.memberOf(identity, events)
      const endpoint = new GroupEndpoint(this, member)
      this.groups.set(group, endpoint)
      for (const peer of peers) endpoint.setPeer(peer)
      if (timing !== undefined) endpoint.setTiming(timing)
      return Promise.resolve(endpoint)
    },
  }

  private memberOf(identity: Identity, events: LinkEvents): LocalMember {
    this.numbers += 1
    return {
      number: this.numbers,
      group: identity.cluster,
      events,
      periodMs: Infinity,
      introductionTo: (to) => introductionOf(identity, { security: 'plain', life: this.life, to }),
    }
  }

  async close(): Promise<void> {
    this.beatTimer.stop()
    for (const { beats } of this.pairs.values()) beats.stop()
    await this.endpoint.close()
  }

  // What groups ask.

  get id(): string {
    return this.options.id
  }

  get sharesHeartbeats(): boolean {
    return this.options.shareHeartbeats
  }

  get joined(): Iterable<string> {
    return this.groups.keys()
  }

  pairWith({ id, address }: Pick<Peer, 'id' | 'address'>): Pair {
    this.endpoint.setPeer({ id, address })
    return this.pairOf(id)
  }

  /** The peer may connect before this process has joined a group with it. */
  private pairOf(peer: string): Pair {
    const known = this.pairs.get(peer)
    if (known !== undefined) return known
    const pair = new Pair(this, peer)
    this.pairs.set(peer, pair)
    return pair
  }

  setAnswerTime(group: string, answerMs: number): void {
    this.answerTimes.set(group, answerMs)
    let least = Infinity
    for (const ms of this.answerTimes.values()) least = Math.min(least, ms)
    this.endpoint.setTiming({ answerMs: least, groups: this.answerTimes.size })
  }

  left(group: string): void {
    this.groups.delete(group)
    this.answerTimes.delete(group)
  }

  // Beats.

  /** The next beat is sent at once where it would be later than this leader's period, or where none is due. */
  leaderRests(periodMs: number): void {
    const now = this.clock.now()
    if (this.beatTimer.due > now + periodMs) this.beatTimer.set(now)
  }

  private beat(): void {
    this.beatTimer.due = Infinity
    this.countLeap()
    const now = this.clock.now()
    let periodMs = Infinity
    for (const pair of this.pairs.values()) {
      if (pair.beatMs === Infinity) continue
      periodMs = Math.min(periodMs, pair.beatMs)
      pair.beats.send()
    }
    if (periodMs < Infinity) this.beatTimer.set(now + periodMs)
  }

  private countLeap(): void {
    if (this.leaps.take() === 0) return
    for (const pair of this.pairs.values()) pair.leapt()
  }

  refused(reason: string): void {
    for (const { member } of this.groups.values()) member.events.refused(reason)
  }

  accepted(): void {
    this.keep((record) => record.accepted())
  }

  outdated(seen: number): void {
    if (seen < this.incarnation) return
    this.keep((record) => {
      this.incarnation = record.passOver(seen) ?? this.incarnation
    })
  }

  private keep(write: (record: PortRecord) => void): void {
    try {
      if (this.options.record !== undefined) write(this.options.record)
    } catch (error) {
      this.refused((error as Error).message)
    }
  }

  // What the connections report.

  private events(): LinkEvents {
    return {
      connected: (peer) => this.pairOf(peer).connected(),
      frame: (peer, payload) => {
        this.countLeap()
        this.pairOf(peer).frame(payload)
      },
      lost: (peer, loss: LinkLoss) => this.pairOf(peer).lost(loss),
      refused: () => undefined, // counted
      asked: async (visitor, question) => this.asked(visitor, question),
    }
  }

  private async asked(visitor: string, question: Json): Promise<Json> {
    const group = isRecord(question) ? question['group'] : undefined
    if (typeof group === 'string') {
      const answer = this.groups.get(group)?.member.events.asked
      const absent = `this process has not joined group "${group}"`
      return answer === undefined ? { error: absent } : answer(visitor, question)
    }
    const groups = [...this.groups.keys()].toSorted()
    if (isRecord(question) && question['ask'] === 'groups') return { groups }
    return { error: `this process serves ${groups.length} groups over one port: name one`, groups }
  }
}
