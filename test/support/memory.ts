/** Members of one process that reach each other by name: links that can be cut, lives that can be ended. */
import type { Json } from '../../src/core/index.ts'
import type { Store, Stored } from '../../src/stores/store.ts'
import type { Endpoint, Identity, LinkEvents, Transport } from '../../src/transports/transport.ts'

interface Party {
  readonly identity: Identity
  readonly events: LinkEvents
  readonly linked: Set<string>
}

export class MemoryNet {
  readonly delayMs: number
  private readonly parties = new Map<string, Party>()
  private readonly cuts = new Set<string>()

  constructor(delayMs = 0) {
    this.delayMs = delayMs
  }

  /** Silence between the two, both ways. */
  cut(a: string, b: string): void {
    this.cuts.add(`${a} ${b}`).add(`${b} ${a}`)
  }

  heal(): void {
    this.cuts.clear()
  }

  /** As `kill -9`: connections close, and whoever dials is refused. */
  kill(id: string): void {
    const party = this.parties.get(id)
    this.parties.delete(id)
    for (const peer of party?.linked ?? []) {
      this.parties.get(peer)?.linked.delete(id)
      this.later(() => this.parties.get(peer)?.events.lost(id, { kind: 'closed' }))
    }
  }

  get transport(): Transport {
    return {
      listen: (identity, address, _peers, events) => {
        const party: Party = { identity, events, linked: new Set() }
        this.parties.set(identity.id, party)
        return Promise.resolve(this.endpoint(party, address))
      },
    }
  }

  private endpoint(party: Party, address: string): Endpoint {
    const me = party.identity.id
    const isOpen = (): boolean => this.parties.get(me) === party
    const reach = (peer: string): Party | undefined => {
      if (!isOpen() || this.cuts.has(`${me} ${peer}`)) return undefined
      const other = this.parties.get(peer)
      if (other === undefined) {
        this.later(() => isOpen() && party.events.lost(peer, { kind: 'refused' }))
      } else if (!party.linked.has(peer)) this.link(party, other)
      return other
    }
    return {
      address,
      counters: {},
      probe: (peer) => void reach(peer),
      release: (peer) => void party.linked.delete(peer),
      send: (peer, payload: Json) => {
        const other = reach(peer)
        const bytes = JSON.stringify(payload)
        this.later(() => {
          if (this.cuts.has(`${me} ${peer}`) || this.parties.get(peer) !== other) return
          other?.events.frame(me, JSON.parse(bytes) as Json)
        })
      },
      close: () => {
        if (isOpen()) this.later(() => this.kill(me))
        return new Promise((resolve) => {
          setTimeout(resolve, this.delayMs + 1)
        })
      },
    }
  }

  private link(a: Party, b: Party): void {
    a.linked.add(b.identity.id)
    b.linked.add(a.identity.id)
    this.later(() => a.events.connected(b.identity.id, b.identity.incarnation))
    this.later(() => b.events.connected(a.identity.id, a.identity.incarnation))
  }

  private later(action: () => void): void {
    if (this.delayMs === 0) setImmediate(action)
    else setTimeout(action, this.delayMs)
  }
}

/** A disk that outlives its member. */
export class MemoryDisk implements Store {
  writes = 0
  full = false
  private stored: Stored | null = null

  read(): Stored | null {
    return this.stored
  }

  write(stored: Stored): void {
    if (this.full) throw new Error('no space left on the disk')
    this.writes += 1
    this.stored = stored
  }

  close(): void {}
}
