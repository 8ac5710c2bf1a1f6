/** What the world does to its members, and when (virtual microseconds). */
import type { NodeId } from '../core/node-id.ts'

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
/** All cuts end. */
interface Heal extends Moment {
  readonly kind: 'heal'
}
/** The next message from `from` to `to` is lost. */
interface Drop extends Moment {
  readonly kind: 'drop'
  readonly from: NodeId
  readonly to: NodeId
}
export type Fault = AtNode | Slow | Cut | Heal | Drop
