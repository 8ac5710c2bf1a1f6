/**
 * Removes obsolete messages from states, those that cannot change anything any more, and verifies that the algorithm
 * names only such. The full search can deliver or lose such a message without effect; until then it only delays what
 * waits for its link. So a state without the message stands for the same state with it. Only the algorithm knows which
 * messages are obsolete (`obsolete`, src/core/algorithm.ts). This file verifies that they have no effect now;
 * test/check/reduction.test.ts, that they never have one.
 *
 * Guards that wait for a link wait until it is empty, so the place of a message does not matter. Where
 * guards wait otherwise (asynchronous timers wait only for heartbeats, a bound counts messages), an
 * obsolete message is removed when it could be delivered: no other message is before it.
 */
import { BellwetherError } from '../../core/errors/bellwether-error.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { InFlight } from '../state/inbox-components.ts'
import { Mode } from '../state/local-states.ts'
import { PairTable } from '../tables/pair-table.ts'
import { encodeEvent, EventKind } from '../transitions/events.ts'
import type { Model } from '../transitions/model.ts'

export class ObsoleteMessageError extends BellwetherError {
  override readonly name = 'ObsoleteMessageError'
  readonly code = 'algorithm'
}

export interface RemovedMessage {
  readonly from: NodeId
  readonly to: NodeId
  readonly place: number
}

export class ObsoleteMessages {
  private readonly model: Model
  private readonly allMembers: number
  private readonly anyPlace: boolean
  /** The rest of an inbox, by member; whether a message is obsolete, by member, and sender and message. */
  private readonly restCache = new PairTable()
  private readonly obsoleteCache = new PairTable()

  constructor(model: Model) {
    const { members, order, timers, maxInFlight } = model.config
    this.model = model
    this.allMembers = (2 << members) - 2
    this.anyPlace = order === 'any' || (timers === 'sync' && maxInFlight === null)
  }

  get bytes(): number {
    return this.restCache.bytes + this.obsoleteCache.bytes
  }

  remove(node: NodeId, member: number, inbox: number): number {
    const who = (member << 3) | node
    const known = this.restCache.get(who, inbox)
    if (known >= 0) return known
    const { inboxes } = this.model
    const messages = inboxes.messagesIn(inbox)
    const obsolete = this.obsoleteIn(node, member, messages)
    const rest =
      obsolete.size === 0 ? inbox : inboxes.numberOf(messages.filter((it) => !obsolete.has(it)))
    this.restCache.set(who, inbox, rest)
    return rest
  }

  /** The messages that `remove` removes, in order: each place is the one after the removals before. */
  removed(node: NodeId, member: number, inbox: number): RemovedMessage[] {
    const messages = this.model.inboxes.messagesIn(inbox)
    const obsolete = this.obsoleteIn(node, member, messages)
    const kept = new Int32Array(this.model.n + 1)
    const removed: RemovedMessage[] = []
    for (const it of messages) {
      if (obsolete.has(it)) removed.push({ from: it.from, to: node, place: kept[it.from] })
      else kept[it.from] += 1
    }
    return removed
  }

  private obsoleteIn(node: NodeId, member: number, messages: readonly InFlight[]): Set<InFlight> {
    const obsolete = new Set<InFlight>()
    const blocked = new Set<NodeId>()
    for (const it of messages) {
      if (blocked.has(it.from)) continue
      if (this.isObsolete(node, member, it)) obsolete.add(it)
      else if (!this.anyPlace) blocked.add(it.from)
    }
    return obsolete
  }

  private isObsolete(node: NodeId, member: number, { from, message }: InFlight): boolean {
    const who = (member << 3) | node
    const what = (message << 3) | from
    const known = this.obsoleteCache.get(who, what)
    if (known >= 0) return known === 1
    const { members, inboxes, runner } = this.model
    const words = inboxes.messages.wordsOf(message)
    const isObsolete = runner.isObsolete(members.wordsOf(member), from, words)
    if (isObsolete) this.verify(node, member, from, message)
    this.obsoleteCache.set(who, what, isObsolete ? 1 : 0)
    return isObsolete
  }

  /** Verifies that a message has no effect. A member that has not started receives nothing. */
  private verify(node: NodeId, member: number, from: NodeId, message: number): void {
    const { config, contents, members, inboxes, transitions } = this.model
    if (members.local[member].mode !== Mode.UP) return
    const event = encodeEvent(EventKind.message, from, message)
    const transition = transitions.of(node, member, this.allMembers, event)
    const { sent, timersSet, requested } = transition
    if (transition.member === member && sent.length === 0 && (timersSet | requested) === 0) return
    const { type } = contents.all[inboxes.messages.wordsOf(message)[0]]
    throw new ObsoleteMessageError(
      `${config.algorithm.name} calls ${type} from ${from} to ${node} obsolete, but the message has an ` +
        'effect. An obsolete message changes nothing when it arrives, now or at any later time.',
    )
  }
}
