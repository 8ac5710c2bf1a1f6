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
import { eventCode, type Cases } from '../transitions/transitions.ts'
import type { Inboxes, UnderWay } from '../state/inbox-components.ts'
import { Mode } from '../state/local-states.ts'
import type { Members } from '../state/member-components.ts'
import type { CheckOptions } from '../options.ts'
import { PairTable } from '../tables/pair-table.ts'
import { FRESH_LABEL } from '../state/components.ts'
import { Kind, type Reactions } from '../transitions/transition-cache.ts'

/** An algorithm calls a message stale from which something comes. */
export class StaleLetterError extends Error {
  override readonly name = 'StaleLetterError'
}

/** A message that was dropped from its place in a link. */
export interface Dropped {
  readonly from: NodeId
  readonly to: NodeId
  readonly place: number
}

export interface DeadLetterParts {
  readonly options: CheckOptions
  readonly members: Members
  readonly inboxes: Inboxes
  readonly reactions: Reactions
  readonly cases: Cases
}

export class DeadLetters {
  private readonly parts: DeadLetterParts
  private readonly everybody: number
  private readonly anywhere: boolean
  /** What is left of an inbox; whether a message is dead, by member, and sender and message. */
  private readonly rests = new PairTable()
  private readonly verdicts = new PairTable()

  constructor(parts: DeadLetterParts) {
    const { members, order, timers, maxInFlight } = parts.options
    this.parts = parts
    this.everybody = (2 << members) - 2
    this.anywhere = order === 'any' || (timers === 'sync' && maxInFlight === null)
  }

  get bytes(): number {
    return this.rests.bytes + this.verdicts.bytes
  }

  /** What is left of an inbox of a member's without what is dead for it. */
  rest(node: NodeId, member: number, inbox: number): number {
    const who = (member << 3) | node
    const known = this.rests.get(who, inbox)
    if (known >= 0) return known
    const contents = this.parts.inboxes.contents(inbox)
    const dead = this.deadOf(node, member, contents)
    const rest =
      dead.size === 0 ? inbox : this.parts.inboxes.numberOf(contents.filter((it) => !dead.has(it)))
    this.rests.set(who, inbox, rest)
    return rest
  }

  /** Which messages are dropped, one after the other: each place is the one that it has then. */
  dropped(node: NodeId, member: number, inbox: number): Dropped[] {
    const contents = this.parts.inboxes.contents(inbox)
    const dead = this.deadOf(node, member, contents)
    const alive = new Int32Array(this.parts.options.members + 1)
    const dropped: Dropped[] = []
    for (const it of contents) {
      if (dead.has(it)) dropped.push({ from: it.from, to: node, place: alive[it.from] })
      else alive[it.from] += 1
    }
    return dropped
  }

  private deadOf(node: NodeId, member: number, contents: readonly UnderWay[]): Set<UnderWay> {
    const dead = new Set<UnderWay>()
    const blocked = new Set<NodeId>()
    for (const it of contents) {
      if (blocked.has(it.from)) continue
      if (this.isDead(node, member, it)) dead.add(it)
      else if (!this.anywhere) blocked.add(it.from)
    }
    return dead
  }

  private isDead(node: NodeId, member: number, { from, message }: UnderWay): boolean {
    const who = (member << 3) | node
    const what = (message << 3) | from
    const known = this.verdicts.get(who, what)
    if (known >= 0) return known === 1
    const { members, inboxes, reactions } = this.parts
    const words = members.wordsOf(member)
    const isDead = reactions.isStale(words, from, inboxes.messages.wordsOf(message))
    if (isDead) this.judge(node, member, from, message)
    this.verdicts.set(who, what, isDead ? 1 : 0)
    return isDead
  }

  /** Nothing must come of it. Who has not started yet hears nothing. */
  private judge(node: NodeId, member: number, from: NodeId, message: number): void {
    const { options, members, inboxes, reactions, cases } = this.parts
    if (members.local[member].mode !== Mode.UP) return
    const event = eventCode(Kind.message, from, message)
    const outcome = cases.outcome(node, member, this.everybody, event, FRESH_LABEL)
    const { sendings, timersSet, requested } = outcome
    if (outcome.member === member && sendings.length === 0 && (timersSet | requested) === 0) return
    const { type } = reactions.letters.all[inboxes.messages.wordsOf(message)[0]]
    throw new StaleLetterError(
      `${options.algorithm.name}: ${type} from ${from} to ${node} is called stale, and something ` +
        'comes of it. A stale message changes nothing when it arrives, now or at any later time.',
    )
  }
}
