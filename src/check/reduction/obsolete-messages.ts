/**
 * A message that can change nothing any more, whatever happens until it arrives, need not be under way.
 * The full search can have it delivered, or lost, and nothing comes of it; until then it only keeps back
 * what waits for its link. So a state without it stands for the same state with it, and it is dropped at
 * once. Only the algorithm knows which messages are dead (`obsolete`, src/core/algorithm.ts). That nothing
 * comes of them now is seen here; that nothing ever will, by test/check/reduction.test.ts.
 *
 * What waits for a link waits until it is empty, and then the place does not matter. Where it does not
 * wait so (asynchronous timers wait for heartbeats only, a bound counts messages), a dead letter goes
 * when it could be delivered: none that lives is before it.
 */
import type { NodeId } from '../../core/node-id.ts'
import { eventCode, type MemberTransitions } from '../transitions/member-transitions.ts'
import type { InboxComponents, InFlight } from '../state/inbox-components.ts'
import { Mode } from '../state/local-states.ts'
import type { MemberComponents } from '../state/member-components.ts'
import type { CheckConfig } from '../options.ts'
import { PairTable } from '../tables/pair-table.ts'
import { FRESH_LABEL } from '../state/components.ts'
import { EventKind, type TransitionCache } from '../transitions/transition-cache.ts'

/** An algorithm calls a message stale from which something comes. */
export class ObsoleteMessageError extends Error {
  override readonly name = 'StaleLetterError'
}

/** A message that was dropped from its place in a link. */
export interface RemovedMessage {
  readonly from: NodeId
  readonly to: NodeId
  readonly place: number
}

export interface ObsoleteMessagesOptions {
  readonly options: CheckConfig
  readonly members: MemberComponents
  readonly inboxes: InboxComponents
  readonly cache: TransitionCache
  readonly transitions: MemberTransitions
}

export class ObsoleteMessages {
  private readonly parts: ObsoleteMessagesOptions
  private readonly everybody: number
  private readonly anywhere: boolean
  /** What is left of an inbox; whether a message is dead, by member, and sender and message. */
  private readonly removeCache = new PairTable()
  private readonly verdicts = new PairTable()

  constructor(parts: ObsoleteMessagesOptions) {
    const { members, order, timers, maxInFlight } = parts.options
    this.parts = parts
    this.everybody = (2 << members) - 2
    this.anywhere = order === 'any' || (timers === 'sync' && maxInFlight === null)
  }

  get bytes(): number {
    return this.removeCache.bytes + this.verdicts.bytes
  }

  /** What is left of an inbox of a member's without what is dead for it. */
  remove(node: NodeId, member: number, inbox: number): number {
    const who = (member << 3) | node
    const known = this.removeCache.get(who, inbox)
    if (known >= 0) return known
    const contents = this.parts.inboxes.contents(inbox)
    const dead = this.obsoleteIn(node, member, contents)
    const rest =
      dead.size === 0 ? inbox : this.parts.inboxes.numberOf(contents.filter((it) => !dead.has(it)))
    this.removeCache.set(who, inbox, rest)
    return rest
  }

  /** Which messages are dropped, one after the other: each place is the one that it has then. */
  removed(node: NodeId, member: number, inbox: number): RemovedMessage[] {
    const contents = this.parts.inboxes.contents(inbox)
    const dead = this.obsoleteIn(node, member, contents)
    const alive = new Int32Array(this.parts.options.members + 1)
    const dropped: RemovedMessage[] = []
    for (const it of contents) {
      if (dead.has(it)) dropped.push({ from: it.from, to: node, place: alive[it.from] })
      else alive[it.from] += 1
    }
    return dropped
  }

  private obsoleteIn(node: NodeId, member: number, contents: readonly InFlight[]): Set<InFlight> {
    const dead = new Set<InFlight>()
    const blocked = new Set<NodeId>()
    for (const it of contents) {
      if (blocked.has(it.from)) continue
      if (this.isObsolete(node, member, it)) dead.add(it)
      else if (!this.anywhere) blocked.add(it.from)
    }
    return dead
  }

  private isObsolete(node: NodeId, member: number, { from, message }: InFlight): boolean {
    const who = (member << 3) | node
    const what = (message << 3) | from
    const known = this.verdicts.get(who, what)
    if (known >= 0) return known === 1
    const { members, inboxes, cache } = this.parts
    const words = members.wordsOf(member)
    const isDead = cache.isObsolete(words, from, inboxes.messages.wordsOf(message))
    if (isDead) this.judge(node, member, from, message)
    this.verdicts.set(who, what, isDead ? 1 : 0)
    return isDead
  }

  /** Nothing must come of it. Who has not started yet hears nothing. */
  private judge(node: NodeId, member: number, from: NodeId, message: number): void {
    const { options, members, inboxes, cache, transitions } = this.parts
    if (members.summaryOf[member].mode !== Mode.UP) return
    const event = eventCode(EventKind.message, from, message)
    const outcome = transitions.of(node, member, this.everybody, event, FRESH_LABEL)
    const { sent, timersSet, requested } = outcome
    if (outcome.member === member && sent.length === 0 && (timersSet | requested) === 0) return
    const { type } = cache.contents.all[inboxes.messages.wordsOf(message)[0]]
    throw new ObsoleteMessageError(
      `${options.algorithm.name}: ${type} from ${from} to ${node} is called stale, and something ` +
        'comes of it. A stale message changes nothing when it arrives, now or at any later time.',
    )
  }
}
