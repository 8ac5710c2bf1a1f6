/**
 * Fault proxies between all members of a cluster: every frame between two members passes through one, whichever
 * of the two opened the connection.
 */
import type { Peer } from '../transports/transport.ts'
import { FaultProxy, type FaultProxyOptions } from './fault-proxy.ts'
import { NO_FAULTS, type Faults } from './frame-faults.ts'

export class FaultMesh implements AsyncDisposable {
  private readonly members: readonly Peer[]
  /** For each member, the proxies of the peers that it connects to. */
  private readonly proxies: ReadonlyMap<string, ReadonlyMap<string, FaultProxy>>

  private constructor(
    members: readonly Peer[],
    proxies: ReadonlyMap<string, ReadonlyMap<string, FaultProxy>>,
  ) {
    this.members = members
    this.proxies = proxies
  }

  static async open(
    members: readonly Peer[],
    { seed = 1, ...options }: Omit<FaultProxyOptions, 'address'> = {},
  ): Promise<FaultMesh> {
    const proxies = new Map<string, Map<string, FaultProxy>>()
    let opened = 0
    for (const { id } of members) {
      const own = new Map<string, FaultProxy>()
      for (const peer of members) {
        if (peer.id === id) continue
        opened += 1
        own.set(peer.id, await FaultProxy.open(peer.address, { ...options, seed: seed + opened }))
      }
      proxies.set(id, own)
    }
    return new FaultMesh(members, proxies)
  }

  /** The addresses for one member: its own, and the proxies of its peers. */
  peersFor(id: string): Peer[] {
    return this.members.map((peer) => {
      const proxy = this.proxies.get(id)?.get(peer.id)
      return proxy === undefined ? peer : { id: peer.id, address: proxy.address }
    })
  }

  /** Faults of the frames from one member to another. */
  set(from: string, to: string, faults: Partial<Faults>): void {
    this.between(from, to).there.set(faults)
    this.between(to, from).back.set(faults)
  }

  /** Faults of all frames. */
  setAll(faults: Partial<Faults>): void {
    for (const { there, back } of this.all()) {
      there.set(faults)
      back.set(faults)
    }
  }

  /** Only members of one part reach each other. A member in no part reaches no other. */
  partition(...parts: readonly (readonly string[])[]): void {
    for (const { id: from } of this.members) {
      for (const { id: to } of this.members) {
        const together = parts.some((part) => part.includes(from) && part.includes(to))
        if (from !== to) this.set(from, to, { cut: !together })
      }
    }
  }

  heal(): void {
    this.setAll(NO_FAULTS)
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map((proxy) => proxy.close()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  private between(dialler: string, target: string): FaultProxy {
    const proxy = this.proxies.get(dialler)?.get(target)
    if (proxy === undefined) throw new RangeError(`${dialler} and ${target} are not two members`)
    return proxy
  }

  private all(): FaultProxy[] {
    return [...this.proxies.values()].flatMap((own) => [...own.values()])
  }
}
