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
import { CounterSymmetry } from '../reduction/counter-symmetry.ts'
import { Effects } from './effects.ts'
import type { MessageContents } from '../state/message-contents.ts'
import {
  flagsOf,
  Mode,
  SEEN_DOWN,
  SEEN_UP,
  WATCHED,
  WATCHED_DOWN,
  withFlags,
  type LocalState,
  type LocalStates,
} from '../state/local-states.ts'
import { FRESH, IdFreshness } from '../reduction/id-freshness.ts'
import type { FieldValues, RecordLayout } from '../state/record-layout.ts'
import { WordTable } from '../tables/word-table.ts'

/** Where ids are kept as they are, there may be as many of them. */
const MOST_IDS = 2 ** 14

/** What can happen to a member. The last four are not its own steps: a fault, or news of one. */
export type LocalEvent =
  | { readonly kind: 'start' }
  | { readonly kind: 'settled'; readonly leader: NodeId }
  | { readonly kind: 'message'; readonly from: NodeId; readonly content: number }
  | { readonly kind: 'timeout'; readonly timer: number }
  | { readonly kind: 'up' | 'down'; readonly peer: NodeId }
  | { readonly kind: 'drawn'; readonly k: number }
  | { readonly kind: 'resign'; readonly successor: NodeId }
  | { readonly kind: 'crash' | 'recover' }
  | { readonly kind: 'peerDown' | 'peerUp' | 'peerStarted'; readonly peer: NodeId }

/** The kinds of events by number. */
export const EventKind = {
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
} as const satisfies Record<LocalEvent['kind'], number>

/** A message that a step sends. Ids and counters are in the terms of the case. */
interface SentMessage {
  readonly to: NodeId
  readonly content: number
  readonly ids: number
  readonly values: Int32Array
}

export interface LocalTransition {
  readonly local: number
  /** The member's ids and counters after the step, in the terms of the case. */
  readonly values: Int32Array
  readonly sent: readonly SentMessage[]
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

export class TransitionCache {
  readonly localStates: LocalStates
  readonly contents: MessageContents
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
  private readonly sources: IdFreshness | null
  private readonly counters: CounterSymmetry
  private readonly effects: Effects
  private readonly keys = new WordTable()
  private readonly transitions: LocalTransition[] = []
  /** Ids as they are, where sources are part of the identity; label ↔ id. */
  private readonly rawIds: number[] = [0]
  private readonly labelOf = new Map<number, number>([[0, 0]])
  private readonly exact: boolean

  constructor(
    algorithm: Algorithm,
    group: Group,
    options: OptionValues,
    parts: { locals: LocalStates; letters: MessageContents; exact: boolean; recoveries: boolean },
  ) {
    this.algorithm = algorithm
    this.localStates = parts.locals
    this.contents = parts.letters
    this.exact = parts.exact
    this.handlers = handlersOf(algorithm, group, options)
    this.canResign = canResign(algorithm, group, options)
    this.namesObsolete = namesObsolete(algorithm, group, options)
    const { layout } = this.localStates
    this.termIndex = layout.counters.findIndex(({ name }) => name === 'term')
    const trusted = !this.exact && layout.sources.length > 0
    this.sources = trusted ? new IdFreshness(algorithm, parts.recoveries) : null
    this.counters = new CounterSymmetry(algorithm.name, this.localStates, this.contents)
    this.effects = new Effects(this.localStates.timerNames, group.timing.watchMs)
  }

  get size(): number {
    return this.transitions.length
  }

  /** Whether a timer lasts longer than the detector takes to find a death. */
  outlastsDetection(timer: number): boolean {
    return ((this.effects.shortTimers >>> timer) & 1) === 0
  }

  /** The reaction to the case that `key` names; undefined where it is met for the first time: `learn` it. */
  find(key: Int32Array, length: number): LocalTransition | undefined {
    const number = this.keys.add(key, length)
    return this.keys.added ? undefined : this.transitions[number]
  }

  /** Runs the handler for the case that `recall` did not know. */
  compute(the: LocalCase): LocalTransition {
    const after = this.perform(the, null)
    if (this.sources !== null && the.event.kind !== 'crash' && the.event.kind !== 'settled') {
      const perturbed = (source: string) => this.perform(the, source)
      this.sources.verify(the.event.kind === 'start', after, the.labels, perturbed)
    }
    this.judgeCounters(the)
    const reaction = this.translate(the, after)
    this.transitions.push(reaction)
    return reaction
  }

  /** Whether a message can change nothing any more. Both with their ids and counters. */
  isObsolete(member: Int32Array, from: NodeId, sent: Int32Array): boolean {
    const { record } = this.localStates.get(member[0], FRESH)
    const message = this.contents.get(sent[0])
    this.fill(this.localStates.layout, record, member.subarray(1))
    this.fill(this.contents.all[sent[0]].layout, message, sent.subarray(1))
    return this.handlers.obsolete(record as AnyState, from, message as unknown as AnyMessage)
  }

  private judgeCounters(the: LocalCase): void {
    const { kind } = the.event
    if (kind === 'crash' || kind === 'settled') return
    const message = kind === 'message' ? this.contents.all[the.event.content].layout : null
    this.counters.verify(kind, the.values, message, (values) =>
      this.perform({ ...the, values }, null),
    )
  }

  /** Runs the handler on a fresh copy. `perturbed`: the source that is larger than usual. */
  private perform(the: LocalCase, perturbed: string | null): HandlerRun {
    const { layout } = this.localStates
    const local = this.localStates.get(the.local, FRESH)
    if (perturbed !== null) local.record[perturbed] = (local.record[perturbed] as number) + 64
    this.fill(layout, local.record, the.values)
    const before: FieldValues = { ...local.record }
    this.effects.begin(the.me, the.reachable, local)
    this.handle(the, local)
    const { sent, timersSet, requested } = this.effects
    return { before, local, sent: sent.slice(), timersSet, requested }
  }

  private handle(the: LocalCase, local: LocalState): void {
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
        const { layout } = this.contents.all[event.content]
        const message = this.contents.get(event.content)
        this.handled.add(message['type'] as string)
        this.fill(layout, message, the.values.subarray(this.localStates.layout.values))
        return handlers.message(state, event.from, message as unknown as AnyMessage, effects)
      }
      case 'timeout':
        local.timers &= ~(1 << event.timer)
        return handlers.timeout(state, this.localStates.timerNames[event.timer], effects)
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
        local.mode = Mode.STARTING
        return
      case 'peerDown':
      case 'peerUp':
      case 'peerStarted':
        return notePeer(local, event.peer, event.kind)
      default:
        return unreachable(event)
    }
  }

  private crash(local: LocalState): void {
    local.mode = Mode.DOWN
    local.record = this.algorithm.state.afterCrash(local.record)
    local.timers = 0
    local.requests = 0
    local.watches = 0
    local.draws = []
  }

  /** Puts ids and counters, in the terms of the case, into a record. */
  private fill(split: RecordLayout, record: FieldValues, values: Int32Array): void {
    split.ids.forEach((name, i) => {
      record[name] = this.exact ? this.rawIds[values[i]] : values[i]
    })
    split.counters.forEach(({ name }, i) => (record[name] = values[split.ids.length + i]))
  }

  private translate(the: LocalCase, performed: HandlerRun): LocalTransition {
    const { before, local, sent, timersSet, requested } = performed
    const fresh = new Map<number, number>()
    const idOf = (raw: number): number => {
      // Those who have long followed one leader know its election by one id.
      if (this.exact || the.event.kind === 'settled') return this.labelled(raw)
      if (raw <= the.labels) return raw
      if (!fresh.has(raw)) fresh.set(raw, the.labels + 1 + fresh.size)
      return fresh.get(raw)!
    }
    const read = (split: RecordLayout, record: FieldValues): Int32Array =>
      Int32Array.from([
        ...split.ids.map((name) => idOf(record[name] as number)),
        ...split.counters.map(({ name }) => record[name] as number),
      ])
    const { record, mode } = local
    const values = read(this.localStates.layout, record)
    const messages = sent.map(({ to, message }) => {
      const content = this.contents.number(message)
      const { layout, ids } = this.contents.all[content]
      return { to, content, ids, values: read(layout, message) }
    })
    const number = this.localStates.number(local)
    return {
      local: number,
      values,
      sent: messages,
      timersSet,
      requested,
      termFell: this.termIndex >= 0 && (record['term'] as number) < (before['term'] as number),
      leads: mode === Mode.UP && record['leader'] === the.me && the.me !== NONE,
      idle:
        sent.length === 0 && (timersSet | requested) === 0 && this.closesOnly(the, number, values),
    }
  }

  private closesOnly(
    { event, local, values }: LocalCase,
    after: number,
    then: Int32Array,
  ): boolean {
    if (event.kind !== 'up' && event.kind !== 'down') return false
    return (
      after === this.localStates.withoutRequest(local, event.peer) &&
      then.every((v, i) => v === values[i])
    )
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
export interface LocalCase {
  readonly me: NodeId
  readonly event: LocalEvent
  readonly local: number
  /** Bit j: member j is up and within reach. */
  readonly reachable: number
  /** Ids and counters of the member, then of the message, in the terms of the case. */
  readonly values: Int32Array
  /** Ids are 1..labels. */
  readonly labels: number
}

interface HandlerRun {
  readonly before: FieldValues
  readonly local: LocalState
  readonly sent: readonly { readonly to: NodeId; readonly message: AnyMessage }[]
  readonly timersSet: number
  readonly requested: number
}

/** The fate of a peer, as far as the detector may tell of it later. */
function notePeer(
  local: LocalState,
  peer: NodeId,
  kind: 'peerDown' | 'peerUp' | 'peerStarted',
): void {
  const request = flagsOf(local.requests, peer)
  const watch = flagsOf(local.watches, peer)
  if (kind === 'peerDown') {
    if (request !== 0) local.requests = withFlags(local.requests, peer, request | SEEN_DOWN)
    if (watch !== 0) local.watches = withFlags(local.watches, peer, WATCHED_DOWN)
  } else if (kind === 'peerUp') {
    if (request !== 0) local.requests = withFlags(local.requests, peer, request | SEEN_UP)
  } else if (watch !== 0) local.watches = withFlags(local.watches, peer, WATCHED)
}
