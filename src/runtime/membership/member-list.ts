/** Lists the members of a group as one member knows them: role, seat, address, priority, and when each was last heard of. */
import { monotonic } from '../../clock/monotonic.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Host } from '../host/host.ts'
import type { MemberRole } from './group-configuration.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'

export interface MemberEntry {
  readonly id: string
  /** A voter is counted in elections, and may lead; a witness is counted, and never leads. */
  readonly role: MemberRole
  /** The number that stands for the member in terms. */
  readonly seat: number
  readonly address: string
  /** The larger number is the stronger member. */
  readonly priority: number
  /** How many milliseconds ago a frame of it arrived: null where none has, 0 for this member. */
  readonly seen: number | null
}

export function memberList(options: ResolvedOptions, host: Host): MemberEntry[] {
  const now = monotonic.now()
  const { names, addresses, priorities, roles, me } = options
  const seen = (peer: NodeId): number | null => {
    if (peer === me) return 0
    const { lastReceivedAt } = host.peerState(peer)
    return lastReceivedAt === undefined ? null : Math.round(now - lastReceivedAt)
  }
  return [...roles].map(([seat, role]) => ({
    id: names[seat],
    role,
    seat,
    address: addresses.get(names[seat])!,
    priority: priorities[seat],
    seen: seen(seat),
  }))
}
