/**
 * Decides which handshake under way on an accepted connection gives way to a new one. Connections that send nothing
 * give way first, then those of unknown addresses, of the address with the most; a dialler that has proved itself gives
 * way last. So idle connections, however many, do not keep a member out, even at a long round trip.
 */
export interface HandshakeSlot {
  /** The address of the dialler. */
  readonly source: string
  /** It is the address of a configured peer. */
  readonly isPeerAddress: boolean
  hasSpoken(): boolean
  hasProved(): boolean
}

/** A random choice among equals: a flood at any rate leaves each of them a chance. */
export function victimOf<S extends HandshakeSlot>(
  slots: Iterable<S>,
  random: () => number = Math.random,
): S | undefined {
  let weakest: S[] = []
  let lowest = Infinity
  for (const slot of slots) {
    const rank = rankOf(slot)
    if (rank < lowest) [weakest, lowest] = [[], rank]
    if (rank === lowest) weakest.push(slot)
  }
  const crowd = fromBusiestSource(weakest)
  return crowd[Math.floor(random() * crowd.length)]
}

function rankOf(slot: HandshakeSlot): number {
  if (slot.hasProved()) return 3
  return (slot.isPeerAddress ? 1 : 0) + (slot.hasSpoken() ? 1 : 0)
}

function fromBusiestSource<S extends HandshakeSlot>(slots: readonly S[]): readonly S[] {
  const bySource = new Map<string, S[]>()
  for (const slot of slots) {
    const same = bySource.get(slot.source)
    if (same === undefined) bySource.set(slot.source, [slot])
    else same.push(slot)
  }
  let most: readonly S[] = []
  for (const same of bySource.values()) if (same.length > most.length) most = same
  return most
}
