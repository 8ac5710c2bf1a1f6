/** What the world does to its members, and when (virtual microseconds). */
import type { NodeId } from '../../core/node-id.ts'

interface Moment {
  readonly at: number
}
interface AtNode extends Moment {
  readonly kind: 'crash' | 'recover' | 'pause' | 'resume'
  readonly node: NodeId
}
/** From now on every message at the node takes this much longer to handle; 0 ends it. */
interface Slow extends Moment {
  readonly kind: 'slow'
  readonly node: NodeId
  readonly us: number
}
/** Nothing passes from any of `from` to any of `to`: one direction. */
interface Cut extends Moment {
  readonly kind: 'cut'
  readonly from: readonly NodeId[]
  readonly to: readonly NodeId[]
}
/** Cuts end: those from any of `from` to any of `to`, or all. */
interface Heal extends Moment {
  readonly kind: 'heal'
  readonly from?: readonly NodeId[]
  readonly to?: readonly NodeId[]
}
/** The next message from `from` to `to` is lost. */
interface Drop extends Moment {
  readonly kind: 'drop'
  readonly from: NodeId
  readonly to: NodeId
}
/**
 * Something happens to a message under way: of those from `from` to `to` the `place`-th to arrive, 1 being the
 * next. It is lost, or a copy of it leaves now, or it is held up, and with it those behind it. Where there is
 * none, nothing happens.
 */
interface UnderWay extends Moment {
  readonly kind: 'discard' | 'repeat'
  readonly from: NodeId
  readonly to: NodeId
  readonly place: number
}
interface Delay extends Moment {
  readonly kind: 'delay'
  readonly from: NodeId
  readonly to: NodeId
  readonly place: number
  readonly us: number
}
/** Recorded as faults, whether or not they find something to do. */
export type InjectedFault = AtNode | Slow | Cut | Heal | Drop | UnderWay | Delay
/**
 * The node's host wants it to lead no longer, and names whom it would have instead, or nobody. A step of the
 * member itself, recorded as one. Where it does not lead, nothing happens. A paused member is told when it
 * resumes, as a stopped process gets its signals when it goes on.
 */
export interface Resignation extends Moment {
  readonly kind: 'resign'
  readonly node: NodeId
  /** Absent or NONE: nobody is named. */
  readonly successor?: NodeId
}
export type Fault = InjectedFault | Resignation
