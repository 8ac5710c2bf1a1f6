/**
 * Accepts connections and limits their number: handshakes under way, handshakes of one address, and connections that
 * passed. A connection has a few seconds to pass; then the link of its peer takes it over. Until then it costs one
 * descriptor and at most one short frame of memory.
 */
import { isIP, type Socket } from 'node:net'
import { isLoopback, type Address } from '../address.ts'
import { AcceptedHandshake } from './accepted-handshake.ts'
import { refuse, type EndpointContext } from './endpoint-context.ts'
import { victimOf } from './handshake-slots.ts'
import type { Link } from './link.ts'

export class Listener {
  private readonly pending = new Set<AcceptedHandshake>()
  private readonly passed = new Set<Socket>()
  private readonly context: EndpointContext
  private readonly links: ReadonlyMap<string, Link>
  /** Addresses of peers: those that are configured as numbers, and those from which one has connected. */
  private readonly peerAddresses = new Set<string>()

  constructor(
    context: EndpointContext,
    links: ReadonlyMap<string, Link>,
    addresses: readonly Address[],
  ) {
    this.context = context
    this.links = links
    for (const address of addresses) this.know(address)
  }

  /** A peer has this address now. */
  know({ host }: Address): void {
    if (isIP(host) > 0) this.peerAddresses.add(bare(host))
  }

  accept(raw: Socket): void {
    const { context, pending, passed, cap } = this
    context.counters.accepted += 1
    if (passed.size >= cap) {
      raw.destroy()
      return refuse(context, 'overCap', `more than ${cap} connections`)
    }
    const source = bare(raw.remoteAddress ?? '')
    const isPeerAddress = this.peerAddresses.has(source)
    this.makeRoom(source, isPeerAddress)
    const handshake = new AcceptedHandshake(context, raw, this.links, {
      source,
      isPeerAddress,
      done: (hasPassed) => {
        pending.delete(handshake)
        if (!hasPassed || raw.destroyed) return
        this.peerAddresses.add(source)
        passed.add(raw)
        raw.once('close', () => passed.delete(raw))
      },
    })
    pending.add(handshake)
  }

  close(): void {
    for (const handshake of this.pending) handshake.destroy()
  }

  private get cap(): number {
    const { connections } = this.context.limits
    return connections === 0 ? 4 * (this.links.size + 1) + 16 : connections
  }

  /** All members may dial at once when they start together. */
  private get mostPending(): number {
    return Math.max(this.context.limits.pendingHandshakes, 2 * this.links.size)
  }

  private makeRoom(source: string, isPeerAddress: boolean): void {
    const { pending, context } = this
    if (!isPeerAddress && !isLoopback(source)) {
      const same = [...pending].filter((other) => other.source === source)
      if (same.length >= context.limits.pendingPerSource) victimOf(same)?.evict()
    }
    while (pending.size >= this.mostPending) victimOf(pending)?.evict()
  }
}

/** An IPv4 address of a socket that takes IPv6 as well. */
function bare(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/u, '')
}
