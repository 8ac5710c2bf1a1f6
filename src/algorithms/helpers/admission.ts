/**
 * Decides when a member without state may vote: when its group is founded, or when its peers have told it every vote
 * that it may have forgotten.
 *
 * A member that has lost its state does not know what it voted for, and cannot tell its loss from a first start. So a
 * member without state asks all others (Who?) and promises nothing until one of these holds:
 *
 *   founding   All members answered Who? without state: the group has never run. The member that finds this out
 *              tells all others (Found), which have answered it. With `founding: majority` a majority
 *              suffices if no member with state answers; then two groups may be founded if the list of members
 *              names enough machines that never ran.
 *   admission  The member has outwaited every lease and candidacy that its forgotten answers extend, and then
 *              n − q + 1 admitted members have told it their votes, where q is a majority. Of any q voters,
 *              at least one is among them, or is the member itself.
 *
 * It asks again and again, with the same id: a busy member may answer late. After the wait it asks anew.
 *
 * The number n − q + 1 is sound only while the group has its first configuration: later ones may rest on a member that
 * has forgotten them. In a group that has changed, a member without state is removed and added again, under a new seat.
 * A seat that the first configuration does not name is admitted by the configuration that names it as an observer.
 *
 * `founding: given` admits each member at its first start, for hosts in which no state is lost.
 */
import { answer, choiceOption, period, type Out } from '../../core/algorithm.ts'
import type { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { ReadonlyNodeSet } from '../../core/node-set.ts'
import { majority } from '../../core/quorum.ts'
import {
  counter,
  flag,
  id,
  nodeSet,
  optional,
  stable,
  type RecordOf,
  type UnionOf,
} from '../../core/schema.ts'

export const admissionFields = {
  admitted: stable(flag), // may vote
  waited: flag, // not admitted: has outwaited every lease
  question: id, // the round of Who? that is out
  fresh: nodeSet, // members without state that answered it
  seated: nodeSet, // admitted members that answered it
  changed: optional(flag), // a member said that the group no longer has its first configuration
  counted: nodeSet, // members whose Who? this member answered without state
}

export function admissionMessages(stride: number) {
  return {
    'who?': { round: id },
    who: { round: id, admitted: flag, vote: counter(stride), changed: optional(flag) },
    found: {},
  }
}

/** `wait` is later than every other time-out: no candidacy of before is left. */
export const admissionTimers = { wait: answer(4), ask: period }

export const admissionOptions = { founding: choiceOption('given', 'all', 'majority') }

type Fields = RecordOf<typeof admissionFields> & {
  readonly term: number
  /** Where the group can change: 0 in the first configuration. */
  readonly configTerm?: number
}

/** How an algorithm keeps its votes. */
export interface Votes<S> {
  /** The largest vote of an admitted member. */
  largest(s: S): number
  /** The member that is not admitted asks again: what it was told does not count. */
  forget(s: S): void
  /** An admitted member has told `me` its largest vote. */
  hear(s: S, vote: number, me: NodeId): void
  /** The member is admitted: it takes over what it was told, or there is nothing to be told. */
  settle(s: S, isTold: boolean): void
}

/** The votes of bully-fd-quorum: what a member is told stays apart from its term until it is admitted. */
export const lapsingVotes: Votes<Fields & { term: number; vote: number; known: number }> = {
  largest: (s) => s.vote,
  forget: (s) => {
    s.vote = s.term
  },
  hear: (s, vote) => {
    if (vote > s.vote) s.vote = vote
  },
  settle: (s, isTold) => {
    if (isTold) s.term = s.vote
    s.vote = s.term
    s.known = s.term
  },
}

type Message = UnionOf<ReturnType<typeof admissionMessages>>
type Sink = Pick<Out<Message, keyof typeof admissionTimers>, 'me' | 'send' | 'set' | 'clear'>

interface Settings {
  readonly group: Group
  readonly founding: 'given' | 'all' | 'majority'
  /** Longer than every lease, whatever the clock drift. */
  readonly waitMs: number
  /** How often a small group is asked again. */
  readonly askMs: number
}

/** A larger group is asked less often: while it waits for its last member, all ask all. */
const OFTEN_ASKED = 10

export class Admission<S extends Fields> {
  private readonly settings: Settings
  private readonly newRound: (s: S) => number
  private readonly votes: Votes<S>

  constructor(settings: Settings, newRound: (s: S) => number, votes: Votes<S>) {
    this.settings = settings
    this.newRound = newRound
    this.votes = votes
  }

  /** Whether the member may take part at once. Otherwise it begins to ask. */
  begin(s: S, out: Sink): boolean {
    if (this.settings.founding === 'given') s.admitted = true
    if (s.admitted) return true
    out.set('wait', this.settings.waitMs)
    this.askAnew(s, out)
    return this.isDecided(s, out, false)
  }

  /** Answers that were given before do not count. */
  private askAnew(s: S, out: Sink): void {
    s.question = this.newRound(s)
    const isRunning = s.seated.size > 0
    s.fresh.clear()
    s.seated.clear()
    this.votes.forget(s)
    this.ask(s, out, isRunning)
  }

  /** `all`: also where the strongest, which found a large group and ask all, would do. */
  private ask(s: S, out: Sink, all: boolean): void {
    const { group, askMs, founding } = this.settings
    const isWide = all || founding === 'majority' || group.looksForAll(out.me)
    for (const peer of group.voters) {
      if (peer === out.me || !(isWide || group.looksForAll(peer))) continue
      out.send(peer, { type: 'who?', round: s.question })
    }
    out.set('ask', askMs * Math.max(1, group.members / OFTEN_ASKED))
  }

  /** Returns whether the member is admitted by this time-out. */
  timeout(s: S, timer: keyof typeof admissionTimers, out: Sink): boolean {
    if (s.admitted) return false
    if (timer === 'wait') {
      s.waited = true
      this.askAnew(s, out)
    } else if (this.isDecided(s, out, true)) return true
    else this.ask(s, out, s.seated.size > 0 || s.fresh.size === 0)
    return false
  }

  /** Returns whether the member is admitted by this message. */
  message(s: S, from: NodeId, m: Message, out: Sink): boolean {
    switch (m.type) {
      case 'who?':
        this.answerTo(s, from, m.round, out)
        return false
      case 'who':
        return !s.admitted && m.round === s.question && this.hear(s, from, m, out)
      case 'found':
        return !s.admitted && s.counted.has(from) && this.admit(s, false, out)
    }
  }

  private answerTo(s: S, from: NodeId, round: number, out: Sink): void {
    const { admitted } = s
    const vote = admitted ? this.votes.largest(s) : s.term
    const changed = (s.configTerm ?? 0) !== 0
    out.send(from, { type: 'who', round, admitted, vote, changed })
    if (admitted) return
    s.counted.add(from)
    // In a large group it may have started after this member asked.
    const { group } = this.settings
    const isLate = group.looksForAll(out.me) && !group.looksForAll(from)
    if (isLate && !s.fresh.has(from)) out.send(from, { type: 'who?', round: s.question })
  }

  /** A configuration with these observers has arrived. Returns whether the member is admitted by it. */
  isNamed(s: S, observers: ReadonlyNodeSet, out: Sink): boolean {
    const { group } = this.settings
    const isNew = !group.voters.has(out.me) && !group.observers.has(out.me)
    return isNew && observers.has(out.me) && this.admit(s, false, out)
  }

  private hear(s: S, from: NodeId, m: Extract<Message, { type: 'who' }>, out: Sink): boolean {
    const { admitted, vote } = m
    if (m.changed) s.changed = true
    if (admitted) {
      s.fresh.delete(from)
      s.seated.add(from)
      this.votes.hear(s, vote, out.me)
    } else {
      s.seated.delete(from)
      s.fresh.add(from)
    }
    return this.isDecided(s, out, false)
  }

  /** `late`: who has not answered by now is away. */
  private isDecided(s: S, out: Sink, late: boolean): boolean {
    const { group, founding } = this.settings
    const { length } = group.voters
    if (s.changed) return false
    const fresh = s.fresh.size + 1
    const suffices = late && founding === 'majority' && fresh >= majority(length)
    const mayFound = s.seated.size === 0 && group.voters.has(out.me)
    if (mayFound && (fresh === length || suffices)) {
      for (const peer of s.fresh) out.send(peer, { type: 'found' })
      return this.admit(s, false, out)
    }
    if (!s.waited || s.seated.size < length - majority(length) + 1) return false
    return this.admit(s, true, out)
  }

  private admit(s: S, isTold: boolean, out: Sink): boolean {
    s.admitted = true
    s.waited = false
    this.votes.settle(s, isTold)
    s.question = 0
    for (const set of [s.fresh, s.seated, s.counted]) set.clear()
    out.clear('wait')
    out.clear('ask')
    return true
  }
}

/** Whether a message of the admission can change nothing any more. */
export function isObsolete(s: Pick<Fields, 'admitted' | 'question'>, m: Message): boolean {
  return m.type !== 'who?' && (s.admitted || (m.type === 'who' && m.round !== s.question))
}
