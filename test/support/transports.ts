/** Endpoints that record the events of a transport, and functions that wait for them. */
import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises'
import { CLUSTER } from '../../scripts/support/attacker.ts'
import { freePorts } from '../../src/testing/local-cluster.ts'
import type { Json } from '../../src/core/schema.ts'
import type {
  Endpoint,
  Identity,
  LinkEvents,
  LinkLoss,
  Peer,
  Transport,
} from '../../src/transports/transport.ts'

export type Told =
  | { readonly event: 'connected'; readonly peer: string; readonly incarnation: number }
  | { readonly event: 'frame'; readonly peer: string; readonly payload: Json }
  | { readonly event: 'lost'; readonly peer: string; readonly loss: LinkLoss }
  | { readonly event: 'refused'; readonly reason: string }

/** Records every event of a transport, and wakes the tests that wait for one. */
export class Log implements LinkEvents {
  readonly told: Told[] = []
  /** Called in the callback itself, for tests that answer at once. */
  onFrame: (peer: string, payload: Json) => void = () => {}
  onLost: (peer: string, loss: LinkLoss) => void = () => {}
  private waiting: (() => void)[] = []

  connected(peer: string, incarnation: number): void {
    this.add({ event: 'connected', peer, incarnation })
  }

  frame(peer: string, payload: Json): void {
    this.add({ event: 'frame', peer, payload })
    this.onFrame(peer, payload)
  }

  lost(peer: string, loss: LinkLoss): void {
    this.add({ event: 'lost', peer, loss })
    this.onLost(peer, loss)
  }

  refused(reason: string): void {
    this.add({ event: 'refused', reason })
  }

  frames(peer?: string): Json[] {
    return this.told.flatMap((it) =>
      it.event === 'frame' && (peer === undefined || it.peer === peer) ? [it.payload] : [],
    )
  }

  losses(peer: string): LinkLoss[] {
    return this.told.flatMap((it) => (it.event === 'lost' && it.peer === peer ? [it.loss] : []))
  }

  reasons(): string[] {
    return this.told.flatMap((it) => (it.event === 'refused' ? [it.reason] : []))
  }

  connections(peer: string): number[] {
    return this.told.flatMap((it) =>
      it.event === 'connected' && it.peer === peer ? [it.incarnation] : [],
    )
  }

  /** Resolves when the condition holds, judged again after every event; the test's time-out bounds it. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve)
      })
    }
  }

  private add(told: Told): void {
    this.told.push(told)
    const waking = this.waiting
    this.waiting = []
    for (const wake of waking) wake()
  }
}

export interface Member {
  readonly id: string
  readonly endpoint: Endpoint
  readonly log: Log
}

/** Endpoints that end with the test: `await using cluster = new Cluster()`. */
export class Cluster implements AsyncDisposable {
  private readonly members: Member[] = []

  async start(
    transport: Transport,
    id: string,
    peers: readonly Peer[],
    more: Partial<Identity> & { readonly at?: string; readonly log?: Log } = {},
  ): Promise<Member> {
    const own = peers.find((peer) => peer.id === id)?.address
    const { at = own ?? '127.0.0.1:0', log = new Log(), ...rest } = more
    const identity = { ...CLUSTER, id, incarnation: 1, ...rest }
    const endpoint = await transport.listen(identity, at, peers, log)
    const member = { id, endpoint, log }
    this.members.push(member)
    return member
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map(({ endpoint }) => endpoint.close()))
  }
}

/** Runs some turns of the event loop, so that everything ready happens, without a clock. */
export async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await immediate()
}

/** Polls every millisecond, for conditions that no event reports; the test's time-out bounds it. */
export async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(1)
}

export async function peersOf(...ids: string[]): Promise<Peer[]> {
  const ports = await freePorts(ids.length)
  return ids.map((id, k) => ({ id, address: `127.0.0.1:${ports[k]}` }))
}
