/**
 * Opens fault proxies between all members of a cluster, so that every frame between two of them passes through one,
 * and sets faults, partitions and heals.
 */
import type { Peer } from '../transports/transport.ts'
import { FaultProxy, type FaultProxyOptions } from './fault-proxy.ts'
import { NO_FAULTS, type Faults } from './frame-faults.ts'

export class FaultMesh implements AsyncDisposable {
  private readonly members: readonly Peer[]
  private readonly proxies = new Map<string, FaultProxy>()

  private constructor(members: readonly Peer[]) {
    this.members = members
  }

  static async open(
    members: readonly Peer[],
    { seed = 1, ...options }: Omit<FaultProxyOptions, 'address'> = {},
  ): Promise<FaultMesh> {
    const mesh = new FaultMesh(members)
    for (const { id } of members) {
      for (const peer of members) {
        if (peer.id === id) continue
        const own = { ...options, seed: seed + mesh.proxies.size + 1 }
        mesh.proxies.set(keyOf(id, peer.id), await FaultProxy.open(peer.address, own))
      }
    }
    return mesh
  }

  /** The addresses for one member: its own, and the proxies of its peers. */
  peersFor(id: string): Peer[] {
    return this.members.map((peer) => {
      const proxy = this.proxies.get(keyOf(id, peer.id))
      return proxy === undefined ? peer : { id: peer.id, address: proxy.address }
    })
  }

  set(from: string, to: string, faults: Partial<Faults>): void {
    this.between(from, to).there.set(faults)
    this.between(to, from).back.set(faults)
  }

  setAll(faults: Partial<Faults>): void {
    for (const { there, back } of this.proxies.values()) {
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
    await Promise.all([...this.proxies.values()].map((proxy) => proxy.close()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  private between(from: string, to: string): FaultProxy {
    const proxy = this.proxies.get(keyOf(from, to))
    if (proxy === undefined) throw new RangeError(`${from} and ${to} are not two members`)
    return proxy
  }
}

function keyOf(from: string, to: string): string {
  return JSON.stringify([from, to])
}
