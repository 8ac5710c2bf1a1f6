/**
 * What a member does when something happens to it. Handlers are functions of the member's configuration
 * and the event, so each distinct case runs once and is remembered: on the hot path no handler runs.
 *
 * A case is what a handler can tell apart: ids up to renaming, counters up to a shift. What it leaves
 * behind is remembered in the same terms and translated back into those of the global state.
 */
import {
  canResign,
  handlersOf,
  namesObsolete,
  type Algorithm,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type OptionValues,
} from '../../core/algorithm.ts'
import { unreachable } from '../../core/assert.ts'
import type { Group } from '../../core/group.ts'
import { LayoutOverflow } from '../../core/packed-layout.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { Counters } from '../reduction/counter-duties.ts'
import { Effects } from './effects.ts'
import type { Letters } from '../state/message-contents.ts'
import {
  flagsOf,
  Mode,
  SEEN_DOWN,
  SEEN_UP,
  WATCHED,
  WATCHED_DOWN,
  withFlags,
  type Local,
  type Locals,
} from '../state/local-states.ts'
import { FRESH, Sources } from '../reduction/id-source-duties.ts'
import type { Loose, Split } from '../state/split-record.ts'
import { WordTable } from '../tables/word-table.ts'

/** Where ids are kept as they are, there may be as many of them. */
const MOST_IDS = 2 ** 14

/** What can happen to a member. The last four are not its own steps: a fault, or news of one. */
export type Event =
  | { readonly kind: 'start' }
  | { readonly kind: 'settled'; readonly leader: NodeId }
  | { readonly kind: 'message'; readonly from: NodeId; readonly letter: number }
  | { readonly kind: 'timeout'; readonly timer: number }
  | { readonly kind: 'up' | 'down'; readonly peer: NodeId }
  | { readonly kind: 'drawn'; readonly k: number }
  | { readonly kind: 'resign'; readonly successor: NodeId }
  | { readonly kind: 'crash' | 'recover' }
  | { readonly kind: 'peerDown' | 'peerUp' | 'peerStarted'; readonly peer: NodeId }

/** The kinds of events by number. */
export const Kind = {
  start: 0,
  settled: 1,
  message: 2,
  timeout: 3,
  up: 4,
  down: 5,
  drawn: 6,
  crash: 7,
  recover: 8,
  peerDown: 9,
  peerUp: 10,
  peerStarted: 11,
  resign: 12,
} as const satisfies Record<Event['kind'], number>

/** A message that a step sends. Ids and counters are in the terms of the case. */
interface Sending {
  readonly to: NodeId
  readonly letter: number
  readonly ids: number
  readonly values: Int32Array
}

export interface Reaction {
  readonly local: number
  /** The member's ids and counters after the step, in the terms of the case. */
  readonly values: Int32Array
  readonly sendings: readonly Sending[]
  /** Bit t: timer t was set, armed as it may have been. */
  readonly timersSet: number
  /** Bit j: it asked the detector about member j. */
  readonly requested: number
  /** The member's term fell. */
  readonly termFell: boolean
  /** After the step the member leads. */
  readonly leads: boolean
  /** Of an answer: nothing comes of it but that the question is closed. */
  readonly idle: boolean
}

export class Reactions {
  readonly locals: Locals
  readonly letters: Letters
  /** Which counter is the term; -1 where the term is none. */
  readonly termIndex: number
  /** The types of messages that were handled. */
  readonly handled = new Set<string>()
  readonly canResign: boolean
  /** Whether the algorithm says which messages are stale. */
  readonly namesObsolete: boolean
  /** Whether anybody was ever told to lead no longer. */
  resigned = false
  private readonly algorithm: Algorithm
  private readonly handlers: AnyHandlers
  private readonly sources: Sources | null
  private readonly counters: Counters
  private readonly effects: Effects
  private readonly cases = new WordTable()
  private readonly remembered: Reaction[] = []
  /** Ids as they are, where sources are part of the identity; label ↔ id. */
  private readonly rawIds: number[] = [0]
  private readonly labelOf = new Map<number, number>([[0, 0]])
  private readonly exact: boolean

  constructor(
    algorithm: Algorithm,
    group: Group,
    options: OptionValues,
    parts: { locals: Locals; letters: Letters; exact: boolean; recoveries: boolean },
  ) {
    this.algorithm = algorithm
    this.locals = parts.locals
    this.letters = parts.letters
    this.exact = parts.exact
    this.handlers = handlersOf(algorithm, group, options)
    this.canResign = canResign(algorithm, group, options)
    this.namesObsolete = namesObsolete(algorithm, group, options)
    const { split } = this.locals
    this.termIndex = split.counters.findIndex(({ name }) => name === 'term')
    const trusted = !this.exact && split.sources.length > 0
    this.sources = trusted ? new Sources(algorithm, parts.recoveries) : null
    this.counters = new Counters(algorithm.name, this.locals, this.letters)
    this.effects = new Effects(this.locals.timerNames, group.timing.watchMs)
  }

  get size(): number {
    return this.remembered.length
  }

  /** Whether a timer lasts longer than the detector takes to find a death. */
  outlastsDetection(timer: number): boolean {
    return ((this.effects.shortTimers >>> timer) & 1) === 0
  }

  /** The reaction to the case that `key` names; undefined where it is met for the first time: `learn` it. */
  recall(key: Int32Array, length: number): Reaction | undefined {
    const number = this.cases.add(key, length)
    return this.cases.added ? undefined : this.remembered[number]
  }

  /** Runs the handler for the case that `recall` did not know. */
  learn(the: Case): Reaction {
    const after = this.perform(the, null)
    if (this.sources !== null && the.event.kind !== 'crash' && the.event.kind !== 'settled') {
      const perturbed = (source: string) => this.perform(the, source)
      this.sources.judge(the.event.kind === 'start', after, the.labels, perturbed)
    }
    this.judgeCounters(the)
    const reaction = this.translate(the, after)
    this.remembered.push(reaction)
    return reaction
  }

  /** Whether a message can change nothing any more. Both with their ids and counters. */
  isStale(member: Int32Array, from: NodeId, sent: Int32Array): boolean {
    const { record } = this.locals.get(member[0], FRESH)
    const message = this.letters.get(sent[0])
    this.fill(this.locals.split, record, member.subarray(1))
    this.fill(this.letters.all[sent[0]].split, message, sent.subarray(1))
    return this.handlers.obsolete(record as AnyState, from, message as unknown as AnyMessage)
  }

  private judgeCounters(the: Case): void {
    const { kind } = the.event
    if (kind === 'crash' || kind === 'settled') return
    const message = kind === 'message' ? this.letters.all[the.event.letter].split : null
    this.counters.judge(kind, the.values, message, (values) =>
      this.perform({ ...the, values }, null),
    )
  }

  /** Runs the handler on a fresh copy. `perturbed`: the source that is larger than usual. */
  private perform(the: Case, perturbed: string | null): Performed {
    const { split } = this.locals
    const local = this.locals.get(the.local, FRESH)
    if (perturbed !== null) local.record[perturbed] = (local.record[perturbed] as number) + 64
    this.fill(split, local.record, the.values)
    const before: Loose = { ...local.record }
    this.effects.begin(the.me, the.alive, local)
    this.handle(the, local)
    const { sent, timersSet, requested } = this.effects
    return { before, local, sent: sent.slice(), timersSet, requested }
  }

  private handle(the: Case, local: Local): void {
    const { event } = the
    const { handlers, effects } = this
    const state = local.record as AnyState
    switch (event.kind) {
      case 'start':
        local.mode = Mode.UP
        return handlers.start(state, effects)
      case 'settled':
        local.mode = Mode.UP
        return handlers.settled(state, event.leader, effects)
      case 'message': {
        const { split } = this.letters.all[event.letter]
        const message = this.letters.get(event.letter)
        this.handled.add(message['type'] as string)
        this.fill(split, message, the.values.subarray(this.locals.split.values))
        return handlers.message(state, event.from, message as unknown as AnyMessage, effects)
      }
      case 'timeout':
        local.timers &= ~(1 << event.timer)
        return handlers.timeout(state, this.locals.timerNames[event.timer], effects)
      case 'up':
        local.requests = withFlags(local.requests, event.peer, 0)
        return handlers.up(state, event.peer, effects)
      case 'down':
        local.requests = withFlags(local.requests, event.peer, 0)
        local.watches = withFlags(local.watches, event.peer, 0)
        return handlers.down(state, event.peer, effects)
      case 'drawn': {
        const [{ name }, ...others] = local.draws
        local.draws = others
        return handlers.drawn(state, name, event.k, effects)
      }
      case 'resign':
        this.resigned = true
        return handlers.resign(state, event.successor, effects)
      case 'crash':
        return this.crash(local)
      case 'recover':
        local.mode = Mode.SILENT
        return
      case 'peerDown':
      case 'peerUp':
      case 'peerStarted':
        return noteFate(local, event.peer, event.kind)
      default:
        return unreachable(event)
    }
  }

  private crash(local: Local): void {
    local.mode = Mode.DOWN
    local.record = this.algorithm.state.afterCrash(local.record)
    local.timers = 0
    local.requests = 0
    local.watches = 0
    local.draws = []
  }

  /** Puts ids and counters, in the terms of the case, into a record. */
  private fill(split: Split, record: Loose, values: Int32Array): void {
    split.ids.forEach((name, i) => {
      record[name] = this.exact ? this.rawIds[values[i]] : values[i]
    })
    split.counters.forEach(({ name }, i) => (record[name] = values[split.ids.length + i]))
  }

  private translate(the: Case, performed: Performed): Reaction {
    const { before, local, sent, timersSet, requested } = performed
    const fresh = new Map<number, number>()
    const idOf = (raw: number): number => {
      // Those who have long followed one leader know its election by one id.
      if (this.exact || the.event.kind === 'settled') return this.labelled(raw)
      if (raw <= the.labels) return raw
      if (!fresh.has(raw)) fresh.set(raw, the.labels + 1 + fresh.size)
      return fresh.get(raw)!
    }
    const read = (split: Split, record: Loose): Int32Array =>
      Int32Array.from([
        ...split.ids.map((name) => idOf(record[name] as number)),
        ...split.counters.map(({ name }) => record[name] as number),
      ])
    const { record, mode } = local
    const values = read(this.locals.split, record)
    const sendings = sent.map(({ to, message }) => {
      const letter = this.letters.number(message)
      const { split, ids } = this.letters.all[letter]
      return { to, letter, ids, values: read(split, message) }
    })
    const number = this.locals.number(local)
    return {
      local: number,
      values,
      sendings,
      timersSet,
      requested,
      termFell: this.termIndex >= 0 && (record['term'] as number) < (before['term'] as number),
      leads: mode === Mode.UP && record['leader'] === the.me && the.me !== NONE,
      idle:
        sent.length === 0 && (timersSet | requested) === 0 && this.closesOnly(the, number, values),
    }
  }

  private closesOnly({ event, local, values }: Case, after: number, then: Int32Array): boolean {
    if (event.kind !== 'up' && event.kind !== 'down') return false
    return after === this.locals.without(local, event.peer) && then.every((v, i) => v === values[i])
  }

  private labelled(raw: number): number {
    const known = this.labelOf.get(raw)
    if (known !== undefined) return known
    this.labelOf.set(raw, this.rawIds.length)
    if (this.rawIds.length === MOST_IDS)
      throw new LayoutOverflow('too many ids to keep them as they are')
    return this.rawIds.push(raw) - 1
  }
}

/** A case: what happens to whom. */
export interface Case {
  readonly me: NodeId
  readonly event: Event
  readonly local: number
  /** Bit j: member j is up and within reach. */
  readonly alive: number
  /** Ids and counters of the member, then of the message, in the terms of the case. */
  readonly values: Int32Array
  /** Ids are 1..labels. */
  readonly labels: number
}

interface Performed {
  readonly before: Loose
  readonly local: Local
  readonly sent: readonly { readonly to: NodeId; readonly message: AnyMessage }[]
  readonly timersSet: number
  readonly requested: number
}

/** The fate of a peer, as far as the detector may tell of it later. */
function noteFate(local: Local, peer: NodeId, kind: 'peerDown' | 'peerUp' | 'peerStarted'): void {
  const request = flagsOf(local.requests, peer)
  const watch = flagsOf(local.watches, peer)
  if (kind === 'peerDown') {
    if (request !== 0) local.requests = withFlags(local.requests, peer, request | SEEN_DOWN)
    if (watch !== 0) local.watches = withFlags(local.watches, peer, WATCHED_DOWN)
  } else if (kind === 'peerUp') {
    if (request !== 0) local.requests = withFlags(local.requests, peer, request | SEEN_UP)
  } else if (watch !== 0) local.watches = withFlags(local.watches, peer, WATCHED)
}
