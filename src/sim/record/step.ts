/** The types of the steps and sendings of a run, and the interface of a recorder that receives them. */
import type { AnyMessage, AnyState } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Fault } from '../faults/fault-catalogue.ts'

/** The module of a member that a frame or a timer belongs to. */
export type Part = 'election' | 'detector'

/** A message on its way to `node`; `sent` is the number of its sending. */
interface Delivery {
  readonly node: NodeId
  readonly from: NodeId
  readonly part: Part
  readonly message: AnyMessage
  readonly sent: number
}

export type Step =
  | { readonly kind: 'settled'; readonly node: NodeId; readonly leader: NodeId }
  | { readonly kind: 'start'; readonly node: NodeId }
  | ({ readonly kind: 'deliver' } & Delivery)
  /** A second copy is in flight from now on; the member takes no step yet. */
  | ({ readonly kind: 'duplicate' } & Delivery)
  /** The message ends without being handled. */
  | ({ readonly kind: 'lose'; readonly why: string } & Delivery)
  | {
      readonly kind: 'timeout'
      readonly node: NodeId
      readonly part: Part
      readonly timer: string
      readonly peer: NodeId
    }
  | { readonly kind: 'up' | 'down'; readonly node: NodeId; readonly peer: NodeId }
  | { readonly kind: 'drawn'; readonly node: NodeId; readonly name: string; readonly k: number }
  | { readonly kind: 'resign'; readonly node: NodeId; readonly successor: NodeId }
  | { readonly kind: 'fault'; readonly node: NodeId; readonly fault: Fault }

export interface Sending {
  readonly from: NodeId
  readonly to: NodeId
  readonly part: Part
  readonly message: AnyMessage
  readonly sent: number
  /** Why it was lost as it was sent, or null. */
  readonly lost: string | null
}

export interface Recorder {
  /** A step begins; `state` is that of the acting member before it. */
  step(at: number, step: Step, state: AnyState | null): void
  sent(sending: Sending): void
  violated(sentence: string): void
  /** The step is over; `state` is that of the acting member after it. */
  done(state: AnyState | null): void
}
