/**
 * The contract between an election algorithm and whatever runs it.
 *
 * An algorithm is a value: a state, messages, timers, and handlers that mutate the state of the member
 * `out.me` and say through `out` what should happen. Handlers run to completion, never re-enter, return
 * nothing, read no clock, socket or random source. One set of handlers serves every member of a world.
 */
import type { Group } from './group.ts'
import type { NodeId } from './node-id.ts'
import type { ReadonlyNodeSet } from './node-set.ts'
import type { Field, Fields, RecordOf, RecordSchema, UnionOf, UnionSchema } from './schema.ts'

/** What every algorithm's state exposes to its host. */
export interface ElectionState {
  /** The papers' status: Norm, Elec, Wait … */
  status: string
  /** Whom I follow; NONE while I am electing. */
  leader: NodeId
  /** The number of the leadership that I last accepted. Never falls, whatever crashes. */
  term: number
}

/** Where a handler puts its effects. The host carries them out after the step. */
export interface Out<M, T extends string = string, D extends string = string> {
  /** The member whose step this is. */
  readonly me: NodeId
  send(peer: NodeId, message: M): void
  /** Arms a timer, again if it is armed. With `maxMs` the host draws from the range. */
  set(timer: T, minMs: number, maxMs?: number): void
  clear(timer: T): void
  /** Request_FD: exactly one answer, `up` or `down`, true at some moment after the latest request. */
  request(peer: NodeId): void
  /** A standing request: `down` as soon as it is known, at most once. Never says `up`. */
  watch(peer: NodeId): void
  unwatch(peer: NodeId): void
  /** The host answers with `drawn(name, k)`, 0 ≤ k < n. */
  draw(name: D, n: number): void
}

export interface Handlers<S, M, T extends string = string, D extends string = string> {
  /** First boot and recovery. Only stable fields hold what they held. */
  start(s: S, out: Out<M, T, D>): void
  message(s: S, from: NodeId, message: M, out: Out<M, T, D>): void
  timeout?(s: S, timer: T, out: Out<M, T, D>): void
  /** The detector's answer to `request`. */
  up?(s: S, peer: NodeId, out: Out<M, T, D>): void
  /** The detector's answer to `request`, or the news that a `watch` waited for. */
  down?(s: S, peer: NodeId, out: Out<M, T, D>): void
  drawn?(s: S, name: D, k: number, out: Out<M, T, D>): void
  /** The host wants this member to lead no longer; `successor` is whom it names, or NONE. */
  resign?(s: S, successor: NodeId, out: Out<M, T, D>): void
  /** More than a detector's `down`: the host can prove that the peer's last life has ended. */
  dead?(s: S, peer: NodeId, out: Out<M, T, D>): void
  /**
   * Whether a message can change nothing any more, whatever happens until it arrives: a host may drop it.
   * Reads, and changes nothing. Before `start` it is asked with what a crash left.
   */
  obsolete?(s: S, from: NodeId, message: M): boolean
  /**
   * Turns a fresh state into that of a member that has long followed `leader` (rings: nobody), and has
   * long known that `down` are down.
   */
  settled(s: S, leader: NodeId, out: Out<M, T, D>, down?: ReadonlyNodeSet): void
}

/**
 * `period`: may fire at any time. `answer`: bounds an answer; with synchronous timers it fires only when
 * nothing is in flight, no detector request is open and no `answer` timer of lower order is armed.
 * With `deadline`: the member's own lease. A host that measures time lets nothing else happen once it is
 * over, however late the loop is, and tells its user when the earliest of them ends.
 */
export type TimerKind =
  | { readonly kind: 'period'; readonly deadline?: true }
  | { readonly kind: 'answer'; readonly order: number }

export const period: TimerKind = { kind: 'period' }
export const deadline: TimerKind = { kind: 'period', deadline: true }
export function answer(order: number): TimerKind {
  return { kind: 'answer', order }
}

/**
 * What a message is for, where it is not the election proper: `heartbeat` (periodic), `repair` (brings a
 * term or a belief up to date). They are counted apart.
 */
export type Purpose = 'heartbeat' | 'repair'

/** What an algorithm promises, within its assumptions. Monitors and the checker judge by this. */
export interface Promises {
  /** Any two up members that follow somebody follow the same: at every moment, or in the end. */
  readonly agreement: 'always' | 'eventually'
  /** Whom they agree on in the end. */
  readonly leader: 'highest' | 'any'
  readonly oneLeaderPerTerm: boolean
  /** A member's accepted term never falls. */
  readonly termsRise: boolean
  /**
   * The stable counter that holds a member's largest promise, where a leader lives by the promises of a
   * majority: at most one leader at a time has a majority that promised nothing above its term.
   */
  readonly voteField?: string
  /**
   * The status of a member that stands for election, where a new leader's term exceeds every term that
   * had been won when it began to stand.
   */
  readonly candidateStatus?: string
}

/** The world in which the promises hold. The conformance suite draws its faults from this. */
export interface Assumptions {
  readonly crashes: boolean
  readonly recoveries: boolean
  /** A finite number of messages may be lost. */
  readonly loss: boolean
  /** Messages arrive within Tm, so that a time-out proves something. */
  readonly synchrony: boolean
  /** Without a majority of the configured members up there is no leader, and none is promised. */
  readonly majority?: boolean
}

export interface Algorithm {
  readonly name: string
  /** One line for lists. */
  readonly title: string
  /** A specimen follows a printed text letter by letter, defects included. */
  readonly specimen: boolean
  readonly topology: 'complete' | 'ring'
  readonly state: RecordSchema
  readonly messages: UnionSchema
  readonly purposes: Readonly<Record<string, Purpose>>
  readonly timers: Readonly<Record<string, TimerKind>>
  readonly options: Options
  /** Options for a host without a clock, which tries every moment and every number: small, untimed. */
  readonly untimed: OptionValues
  readonly promises: Promises
  readonly assumes: Assumptions
  handlers(group: Group, options: OptionValues): Handlers<AnyState, AnyMessage>
}

/** A setting of an algorithm, with its default. */
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
type ValuesOf<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { choices: readonly (infer C)[] } ? C : number
}

/** One of a few words; the first is the default. */
export function choiceOption<const C extends readonly [string, ...string[]]>(
  ...choices: C
): { readonly type: 'choice'; readonly default: C[0]; readonly choices: C } {
  return { type: 'choice', default: choices[0], choices }
}

/** A number in a range. */
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
> {
  readonly name: string
  readonly title: string
  readonly specimen?: boolean
  readonly topology?: 'complete' | 'ring'
  readonly state: RecordSchema<SF>
  readonly messages: UnionSchema<MV>
  readonly purposes?: Readonly<Partial<Record<keyof MV, Purpose>>>
  readonly timers: Readonly<Record<T, TimerKind>>
  readonly draws?: readonly D[]
  readonly options?: O
  readonly untimed?: Partial<ValuesOf<O>>
  readonly promises: Promises
  readonly assumes: Assumptions
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
    ...definition,
  } as unknown as Algorithm
}

/** States and messages with their types erased: what a host carries about. */
export type AnyState = ElectionState & Record<string, unknown>
export interface AnyMessage {
  readonly type: string
  readonly [field: string]: unknown
}
export type AnyHandlers = Required<Handlers<AnyState, AnyMessage>>

/** The handlers of an algorithm for a group, with nothing missing. */
export function handlersOf(
  algorithm: Algorithm,
  group: Group,
  options: OptionValues = {},
): AnyHandlers {
  const ignore = (): void => undefined
  const own = algorithm.handlers(group, { ...defaults(algorithm.options), ...options })
  const silent = { timeout: ignore, up: ignore, down: ignore, drawn: ignore }
  const obsolete = (): boolean => false
  return { ...silent, resign: ignore, dead: ignore, obsolete, ...own }
}

/** Whether an algorithm has words for giving leadership up. */
export function canResign(algorithm: Algorithm, group: Group, options: OptionValues = {}): boolean {
  return 'resign' in algorithm.handlers(group, { ...defaults(algorithm.options), ...options })
}

/** Whether an algorithm says which messages can change nothing any more. */
export function namesObsolete(
  algorithm: Algorithm,
  group: Group,
  options: OptionValues = {},
): boolean {
  return 'obsolete' in algorithm.handlers(group, { ...defaults(algorithm.options), ...options })
}

function defaults(options: Options): OptionValues {
  return Object.fromEntries(Object.entries(options).map(([name, o]) => [name, o.default]))
}
