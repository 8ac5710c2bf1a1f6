/** What happened in a run, step by step: what traces, pictures and the lab are made from. */
import type { AnyMessage, AnyState } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Fault } from '../faults/fault-catalogue.ts'

/** Which of the two modules of a member a frame belongs to. */
export type Part = 'election' | 'detector'

export type Step =
  | { readonly kind: 'settled'; readonly node: NodeId; readonly leader: NodeId }
  | { readonly kind: 'start'; readonly node: NodeId }
  /** `duplicate`: a second copy is under way from now on; nothing happens to the member yet. */
  | {
      readonly kind: 'deliver' | 'duplicate'
      readonly node: NodeId
      readonly from: NodeId
      readonly part: Part
      readonly message: AnyMessage
      readonly sent: number
    }
  | {
      readonly kind: 'timeout'
      readonly node: NodeId
      readonly part: Part
      readonly timer: string
      readonly peer: NodeId
    }
  | { readonly kind: 'up' | 'down'; readonly node: NodeId; readonly peer: NodeId }
  | { readonly kind: 'drawn'; readonly node: NodeId; readonly name: string; readonly k: number }
  /** Its host wants it to lead no longer. */
  | { readonly kind: 'resign'; readonly node: NodeId; readonly successor: NodeId }
  | { readonly kind: 'fault'; readonly node: NodeId; readonly fault: Fault }
  /** A message ends without being handled: its receiver is down, or the link was cut under way. */
  | {
      readonly kind: 'lose'
      readonly node: NodeId
      readonly from: NodeId
      readonly part: Part
      readonly message: AnyMessage
      readonly sent: number
      readonly why: string
    }

/** Follows a run. `sent` numbers tie a delivery to its sending. */
export interface Recorder {
  /** A step begins; `state` is that of the acting member, before. */
  step(at: number, step: Step, state: AnyState | null): void
  sent(
    from: NodeId,
    to: NodeId,
    part: Part,
    message: AnyMessage,
    sent: number,
    lost: string | null,
  ): void
  /** The last step broke a promise. */
  violated(sentence: string): void
  /** The step is over; `state` is that of the acting member, after. */
  done(state: AnyState | null): void
}
