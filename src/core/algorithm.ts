/**
 * The contract between an election algorithm and its host: types of state, handlers, timers, promises and options, and
 * functions that declare an algorithm and query it; host-contract.ts has the host's side.
 *
 * An algorithm is a value: a state, messages, timers, and handlers that mutate the state of the member
 * `out.me` and request effects through `out`. Handlers run to completion, never re-enter, return nothing,
 * and read no clock, socket or random source. One set of handlers serves every member of a group.
 */
import type { Change, ChangeRefusal, Configuration } from './configuration.ts'
import type { Group } from './group.ts'
import type { NodeId } from './node-id.ts'
import type { ReadonlyNodeSet } from './node-set.ts'
import type { Field, Fields, Json, RecordOf, RecordSchema, UnionOf, UnionSchema } from './schema.ts'

/** What every algorithm's state exposes to its host. */
export interface ElectionState {
  /** The papers' status: Norm, Elec, Wait … */
  status: string
  /** The member that this member follows; NONE during an election. */
  leader: NodeId
  /** The largest term that this member has accepted. It never falls, not even across a crash. */
  term: number
}

/** Collects the effects of a handler. The host carries them out after the handler has returned. */
export interface Out<M, T extends string = string, D extends string = string> {
  /** The member whose step this is. */
  readonly me: NodeId
  /** The id of this incarnation, never 0. Only `start` and `settled` may read it, and keep it in a field of kind `id`. */
  readonly incarnation: number
  send(peer: NodeId, message: M): void
  /** Sets a timer, anew if it is set. With `maxMs` the host draws the time from the range. */
  set(timer: T, minMs: number, maxMs?: number): void
  clear(timer: T): void
  /** Request_FD: exactly one answer, `up` or `down`, true at some moment after the latest request. */
  request(peer: NodeId): void
  /** A standing request: gets `down` as soon as it is known, at most once, and never `up`. */
  watch(peer: NodeId): void
  unwatch(peer: NodeId): void
  /** The host answers with `drawn(name, k)`, 0 ≤ k < n. */
  draw(name: D, n: number): void
}

/** Whether an incarnation, by its id, is proven to have ended. */
export type IsOver = (incarnation: number) => boolean

export interface Handlers<S, M, T extends string = string, D extends string = string> {
  /** First start and recovery. Only stable fields keep their values. */
  start(s: S, out: Out<M, T, D>): void
  message(s: S, from: NodeId, message: M, out: Out<M, T, D>): void
  timeout?(s: S, timer: T, out: Out<M, T, D>): void
  up?(s: S, peer: NodeId, out: Out<M, T, D>): void
  /** The detector's answer to `request`, or what a `watch` reports. */
  down?(s: S, peer: NodeId, out: Out<M, T, D>): void
  drawn?(s: S, name: D, k: number, out: Out<M, T, D>): void
  /** The host asks this member to resign, in favour of `successor` unless that is NONE. */
  resign?(s: S, successor: NodeId, out: Out<M, T, D>): void
  /**
   * The host asks the leader to write a configuration. A change that a rule refuses does nothing, but for this: where the
   * leader has not yet written in its own term, it first writes its present configuration again. So a host that is told
   * `not committed` asks again, until the change is written.
   */
  change?(s: S, change: Change, out: Out<M, T, D>): void
  /** Only reads: which rule would refuse the change now. */
  changeRefusal?(s: S, change: Change, me: NodeId): ChangeRefusal
  /** Only reads: the configuration that the member has adopted. */
  configuration?(s: S): Configuration
  /**
   * Proof of death, which is more than a detector's `down`: the host can prove that incarnations of the peer
   * have ended. `isOver` tells of which incarnation that is proven; of 0, which is unknown, it never is. The
   * proof may come late: the peer may have started again, and it proves nothing about that incarnation.
   */
  dead?(s: S, peer: NodeId, isOver: IsOver, out: Out<M, T, D>): void
  /** Whether a message can change nothing any more, whenever it arrives. Only reads; a host may ask before `start`. */
  obsolete?(s: S, from: NodeId, message: M): boolean
  /**
   * Only reads: whether heartbeats would change nothing but times and ids. A leader asks its host's peers to rest, which
   * are its followers; a follower is asked by `peers`, which are its leader alone.
   */
  rests?(s: S, peers: ReadonlyNodeSet, me: NodeId): boolean
  /**
   * The member rests, and beats between two processes have stood for its heartbeats (host-contract.ts). To its leader: as
   * if a round had begun now, and all followers that rest had answered it. To a follower: as if it answered one now.
   */
  beaten?(s: S, out: Out<M, T, D>): void
  /** Makes a fresh state that of a member that has long followed `leader` (on a ring: none) and known the `down`. */
  settled(s: S, leader: NodeId, out: Out<M, T, D>, down?: ReadonlyNodeSet): void
}

/**
 * `period`: may fire at any time. `answer`: bounds an answer; with synchronous timers it fires only when no
 * message is in flight, no detector request is open and no `answer` timer of lower order is set.
 * `deadline`: the member's own lease. A host that measures time processes no other event once it is over,
 * however late the event loop is, and reports to its user when the earliest deadline ends. `hold`: a period
 * that safety relies on; it must not end early by the member's own clock.
 */
export type TimerKind =
  | { readonly kind: 'period'; readonly deadline?: true; readonly hold?: true }
  | { readonly kind: 'answer'; readonly order: number }

export const period: TimerKind = { kind: 'period' }
export const deadline: TimerKind = { kind: 'period', deadline: true }
export const hold: TimerKind = { kind: 'period', hold: true }
export function answer(order: number): TimerKind {
  return { kind: 'answer', order }
}

/** Messages that hosts count apart from the election proper: periodic ones, and those that correct a term or a belief. */
export type Purpose = 'heartbeat' | 'repair'

/** What an algorithm promises under its assumptions. Monitors and the checker judge these promises. */
export interface Promises {
  /**
   * Any two members that are up and follow a leader follow the same one: at every moment, or in the end. `in groups`: at
   * every moment those that follow one in the same term do, and in the end those of each part of the network.
   */
  readonly agreement: 'always' | 'eventually' | 'in groups'
  readonly leader: 'highest' | 'any'
  readonly oneLeaderPerTerm?: boolean
  /** A member's accepted term never falls. */
  readonly termsRise: boolean
  /** The stable counter of the largest term that a member voted for, where leaders need the votes of a majority. */
  readonly voteField?: string
  /**
   * The option that is 0 where there is no lease. Otherwise no two members hold an unexpired lease at once: each leads
   * until its earliest `deadline`, by its own clock.
   */
  readonly leaseOption?: string
  /** The status of a candidate, where a new leader's term exceeds all that had been won when its candidacy began. */
  readonly candidateStatus?: string
  /** How leases and votes are kept, for judges that look inside. */
  readonly safeguards?: Safeguards
}

/** Names of fields and timers of an algorithm whose leases and votes a majority keeps. */
export interface Safeguards {
  /** The stable counter of the largest term with this member's vote. */
  readonly vote: string
  /** The stable flag of members that may vote, and the timer of the others: until its end they keep what they may have promised. */
  readonly admitted: string
  readonly wait: string
  /** A bonded member votes for no other member than this one; NONE: for none. The timer ends the bond. */
  readonly bonded: string
  readonly bondedTo: string
  readonly bond: string
  /** Where a vote binds: the status of a candidate, the set of members whose votes it has counted, and their term. */
  readonly counted?: {
    readonly status: string
    readonly voters: string
    readonly termOf: (s: AnyState, me: NodeId) => number
  }
}

/** The faults under which the promises hold. The conformance suite draws its faults from these. */
export interface Assumptions {
  readonly crashes: boolean
  readonly recoveries: boolean
  /** A finite number of messages may be lost. */
  readonly loss: boolean
  /** Messages arrive within Tm, so that a time-out proves something. */
  readonly synchrony: boolean
  /** Without a majority of the configured members up there is no leader, and none is promised. */
  readonly majority?: boolean
  /**
   * The stable flag of members that may vote, where a member without state may not. Progress then needs a founded group:
   * more up members that have it than a majority can miss, or all up and none that ever had it.
   */
  readonly admittedField?: string
}

export interface Algorithm {
  readonly name: string
  readonly title: string
  /** Whether it follows a printed text to the letter, defects included. */
  readonly specimen: boolean
  readonly topology: 'complete' | 'ring'
  readonly state: RecordSchema
  readonly messages: UnionSchema
  readonly purposes: Readonly<Record<string, Purpose>>
  readonly timers: Readonly<Record<string, TimerKind>>
  readonly options: Options
  /** Options for the checker, which has no clock and tries every number: small ranges, no lease. */
  readonly untimed: OptionValues
  /** Options for the checker with clocks, besides: a lease of one period. */
  readonly clocked: OptionValues
  readonly promises: Promises
  readonly assumes: Assumptions
  /** Completes the stable fields that the version before this one wrote. */
  readonly upgrade?: Upgrade
  handlers(group: Group, options: OptionValues): Handlers<AnyState, AnyMessage>
}

type StoredFields = { readonly [field: string]: Json }
type Upgrade = (stored: StoredFields) => StoredFields

export type Option =
  | { readonly type: 'choice'; readonly default: string; readonly choices: readonly string[] }
  | {
      readonly type: 'number'
      readonly default: number
      readonly min: number
      readonly max: number
    }
export type Options = Readonly<Record<string, Option>>
export type OptionValues = Readonly<Record<string, string | number>>
/** The values that a declaration of options allows. */
export type ValuesOf<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { choices: readonly (infer C)[] } ? C : number
}

/** An option that takes one of a few words; the first is the default. */
export function choiceOption<const C extends readonly [string, ...string[]]>(
  ...choices: C
): { readonly type: 'choice'; readonly default: C[0]; readonly choices: C } {
  return { type: 'choice', default: choices[0], choices }
}

export function numberOption(byDefault: number, min: number, max: number): Option {
  return { type: 'number', default: byDefault, min, max }
}

interface ElectionFields extends Fields {
  readonly status: Field<string>
  readonly leader: Field<NodeId>
  readonly term: Field<number>
}

/** An algorithm as its own file writes it, fully typed. */
interface Definition<
  SF extends ElectionFields,
  MV extends Readonly<Record<string, Fields>>,
  T extends string,
  O extends Options,
  D extends string,
>
  extends
    Pick<Algorithm, 'name' | 'title' | 'promises' | 'assumes'>,
    Partial<Pick<Algorithm, 'specimen' | 'topology' | 'upgrade'>> {
  readonly state: RecordSchema<SF>
  readonly messages: UnionSchema<MV>
  readonly purposes?: Readonly<Partial<Record<keyof MV, Purpose>>>
  readonly timers: Readonly<Record<T, TimerKind>>
  readonly draws?: readonly D[]
  readonly options?: O
  readonly untimed?: Partial<ValuesOf<O>>
  readonly clocked?: Partial<ValuesOf<O>>
  handlers(group: Group, options: ValuesOf<O>): Handlers<RecordOf<SF>, UnionOf<MV>, T, D>
}

/** Declares an algorithm. The types of its state, messages and timers are checked here and erased for the hosts. */
export function algorithm<
  SF extends ElectionFields,
  MV extends Readonly<Record<string, Fields>>,
  T extends string,
  O extends Options = Record<never, never>,
  const D extends string = never,
>(definition: Definition<SF, MV, T, O, D>): Algorithm {
  return {
    specimen: false,
    topology: 'complete',
    purposes: {},
    options: {},
    untimed: {},
    clocked: {},
    ...definition,
  } as unknown as Algorithm
}

/** States and messages with their types erased, as hosts pass them on. */
export type AnyState = ElectionState & Record<string, unknown>
export interface AnyMessage {
  readonly type: string
  readonly [field: string]: unknown
}
/** What an algorithm has as a whole or not at all: a group whose members change while it runs. */
type Register<H> = Pick<H, Extract<keyof H, 'change' | 'changeRefusal' | 'configuration'>>

type AllHandlers = Handlers<AnyState, AnyMessage>
export type AnyHandlers = Required<Omit<AllHandlers, keyof Register<AllHandlers>>> &
  Register<AllHandlers>

/** The handlers of an algorithm for a group; those that it does not implement do nothing. */
export function handlersOf(
  algorithm: Algorithm,
  group: Group,
  options: OptionValues = {},
): AnyHandlers {
  const ignore = (): void => undefined
  const optional = { timeout: ignore, up: ignore, down: ignore, drawn: ignore, resign: ignore }
  const rest = { rests: () => false, beaten: ignore }
  const others = { ...optional, ...rest, dead: ignore, obsolete: () => false }
  return { ...others, ...own(algorithm, group, options) }
}

export function canResign(algorithm: Algorithm, group: Group, options: OptionValues = {}): boolean {
  return 'resign' in own(algorithm, group, options)
}

/** Whether a group of this algorithm can change its members while it runs. */
export function canChange(algorithm: Algorithm, group: Group, options: OptionValues = {}): boolean {
  return 'change' in own(algorithm, group, options)
}

export function namesObsolete(algorithm: Algorithm, group: Group, options: OptionValues): boolean {
  return 'obsolete' in own(algorithm, group, options)
}

/** The words of the field `status`. */
export function statusesOf({ state }: Algorithm): readonly string[] {
  const { shape } = state.fields['status']
  return shape.type === 'oneOf' ? shape.names : []
}

/** Whether the algorithm promises that at most one member holds a lease. */
export function promisesLease({ promises, options }: Algorithm, given: OptionValues): boolean {
  const { leaseOption } = promises
  return leaseOption !== undefined && (given[leaseOption] ?? options[leaseOption].default) !== 0
}

function own(algorithm: Algorithm, group: Group, options: OptionValues) {
  const values: Record<string, string | number> = {}
  for (const [name, option] of Object.entries(algorithm.options)) values[name] = option.default
  return algorithm.handlers(group, { ...values, ...options })
}

/**
 * Writes a term for people: where terms name their leader, as a count and a member, such as `1·e` instead of 1029. `stride` is that of the algorithm's field `term`: a term is a count times the stride, plus the `NodeId` of its leader. */
export function termText(
  term: number,
  stride: number,
  nameOf: (id: number) => string | number,
): string {
  if (stride === 1 || term < stride) return String(term)
  return `${Math.floor(term / stride)}·${nameOf(term % stride)}`
}

/** Makes the function that writes the terms of an algorithm. */
export function termWriter(
  { state }: { readonly state: RecordSchema },
  nameOf: (id: number) => string | number,
): (term: number) => string {
  const { stride } = state.fields['term']
  return (term) => termText(term, stride, nameOf)
}
