/**
 * The contract of a failure detector, a pure module with a state, messages and timers of its own: its types, and the
 * function that declares one. Each member runs one beside its election, and every frame names the one that it belongs
 * to.
 *
 * Promises to the election: each `request` gets exactly one answer, `up` or `down`, which was true at some
 * moment after the latest request about that peer; a `watch` gets `down` at most once and then ends. One
 * `down` about a peer ends both its open request and its watch.
 */
import type { AnyMessage, TimerKind } from './algorithm.ts'
import type { Group } from './group.ts'
import type { NodeId } from './node-id.ts'
import type { Fields, RecordOf, RecordSchema, UnionOf, UnionSchema } from './schema.ts'

export interface DetectorOut<M, T extends string = string> {
  readonly me: NodeId
  send(peer: NodeId, message: M): void
  /** There is one timer for each peer; `peer` is NONE for one that concerns no peer. */
  set(timer: T, peer: NodeId, minMs: number, maxMs?: number): void
  clear(timer: T, peer: NodeId): void
  up(peer: NodeId): void
  down(peer: NodeId): void
}

/** What a transport observed: a lost or failed connection, a refused dial, a handshake, one of a later incarnation. */
export type Evidence = 'closed' | 'refused' | 'connected' | 'restarted'

export interface DetectorHandlers<S, M, T extends string = string> {
  /** First start, or recovery if `recovered`: then the detector announces it. */
  start(s: S, recovered: boolean, out: DetectorOut<M, T>): void
  request(s: S, peer: NodeId, out: DetectorOut<M, T>): void
  watch(s: S, peer: NodeId, out: DetectorOut<M, T>): void
  unwatch(s: S, peer: NodeId, out: DetectorOut<M, T>): void
  message(s: S, from: NodeId, message: M, out: DetectorOut<M, T>): void
  timeout(s: S, timer: T, peer: NodeId, out: DetectorOut<M, T>): void
  /** An election message arrived from this peer, which was up when it sent it. */
  heard?(s: S, from: NodeId, out: DetectorOut<M, T>): void
  evidence?(s: S, peer: NodeId, evidence: Evidence, out: DetectorOut<M, T>): void
  /** Puts a peer on the down list without a report: it has long been down. */
  knownDown(s: S, peer: NodeId): void
}

export interface Detector {
  readonly name: string
  readonly title: string
  readonly state: RecordSchema
  readonly messages: UnionSchema
  readonly timers: Readonly<Record<string, TimerKind>>
  /** Whether an idle peer that is watched counts as heard at each beat of its process (host-contract.ts). */
  readonly countsBeats?: true
  /** The longest time from a request to its answer. An algorithm's periods must exceed it. */
  answerMs(group: Group): number
  /** The longest time from the crash of a watched peer, or from the watch on one that is down, to `down`. */
  watchMs(group: Group): number
  handlers(group: Group): DetectorHandlers<Record<string, unknown>, AnyMessage>
}

interface Definition<
  SF extends Fields,
  MV extends Readonly<Record<string, Fields>>,
  T extends string,
> extends Pick<Detector, 'name' | 'title' | 'countsBeats' | 'answerMs' | 'watchMs'> {
  readonly state: RecordSchema<SF>
  readonly messages: UnionSchema<MV>
  readonly timers: Readonly<Record<T, TimerKind>>
  handlers(group: Group): DetectorHandlers<RecordOf<SF>, UnionOf<MV>, T>
}

/** Declares a detector, as `algorithm` does an algorithm. */
export function detector<
  SF extends Fields,
  MV extends Readonly<Record<string, Fields>>,
  T extends string,
>(definition: Definition<SF, MV, T>): Detector {
  return definition
}

/** Handlers with their types erased, as hosts call them. */
export type AnyDetectorHandlers = Required<DetectorHandlers<Record<string, unknown>, AnyMessage>>

export function detectorHandlersOf(detector: Detector, group: Group): AnyDetectorHandlers {
  const ignore = (): void => undefined
  return { heard: ignore, evidence: ignore, ...detector.handlers(group) }
}
