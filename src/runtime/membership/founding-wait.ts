/** Says for whom a member without state waits: a group that has never run is founded when all of its members are up. */
import type { Host } from '../host/host.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'

/** The members that are not connected, while the group may have to be founded by all of them; else none. */
export function awaitedFounders(options: ResolvedOptions, host: Host): string[] {
  const { algorithm, algorithmOptions, roles, names, me } = options
  const { admittedField } = algorithm.assumes
  if (admittedField === undefined || algorithmOptions['founding'] !== 'all') return []
  if (host.state[admittedField] !== false) return []
  return [...roles.keys()]
    .filter((peer) => peer !== me && roles.get(peer) !== 'observer')
    .filter((peer) => host.peerState(peer).lastReceivedAt === undefined)
    .map((peer) => names[peer])
}

export function foundingText(names: readonly string[]): string {
  return (
    `waits for ${names.join(', ')}: a group that has never run is founded when all of its members are up ` +
    "(or with founding: 'majority')"
  )
}
