/** The interface through which a world runs the failure detectors of all its members. */
import type { AnyMessage } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'

export interface Detectors {
  /** Verdicts that are still to come; a run is not quiet before they are out. */
  readonly awaited: number
  begin(node: NodeId, recovered: boolean): void
  crashed(node: NodeId): void
  recovered(node: NodeId): void
  request(me: NodeId, peer: NodeId, serial: number): void
  watch(me: NodeId, peer: NodeId): void
  unwatch(me: NodeId, peer: NodeId): void
  knownDown(me: NodeId, peer: NodeId): void
  heard(me: NodeId, from: NodeId): void
  message(me: NodeId, from: NodeId, message: AnyMessage): void
  answer(me: NodeId, peer: NodeId, serial: number, verdict: unknown): void
  timeout(me: NodeId, timer: number, peer: NodeId, serial: number): void
}
