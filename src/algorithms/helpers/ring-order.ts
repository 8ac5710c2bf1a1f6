/** Finds the next member on a ring that is not known to be down. */
import type { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { ReadonlyNodeSet } from '../../core/node-set.ts'

/** The first member after `me` on the ring that is in neither set; NONE if there is none. */
export function nextOf(
  group: Group,
  me: NodeId,
  down: ReadonlyNodeSet,
  gone: ReadonlyNodeSet = down,
): NodeId {
  for (let k = 1; k < group.members; k++) {
    const next = group.successor(me, k)
    if (!down.has(next) && !gone.has(next)) return next
  }
  return NONE
}
