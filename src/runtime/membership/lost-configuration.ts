/**
 * Finds out that this member was replaced by another one of its name, or, where nobody votes, that its configuration was lost,
 * because two leaders wrote side by side. Its peers then reject it, so no message of the election can tell it. It asks them,
 * as a visitor, which configuration they have.
 */
import { monotonic } from '../../clock/monotonic.ts'
import { sleep } from '../../clock/sleep.ts'
import { isNewerConfiguration, type Configuration } from '../../core/configuration.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Json } from '../../core/schema.ts'
import { isRecord } from '../../transports/handshake.ts'
import type { Transport } from '../../transports/transport.ts'
import type { Host } from '../host/host.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { asConfiguration } from './group-configuration.ts'

const ANSWER_MS = 2000
const AGAIN_MS = 1000
/** Of a rejection: the peer does not know this member, or knows another one of its name. */
const FIELDS: ReadonlySet<string> = new Set(['id', 'seat'])

export type Stamp = Pick<Configuration, 'term' | 'version'>

export class LostConfiguration {
  private readonly options: ResolvedOptions
  private readonly host: Host
  private readonly transport: Transport
  private readonly signal: AbortSignal
  private readonly isLost: () => void
  private readonly asked = new Set<NodeId>()

  constructor(
    options: ResolvedOptions,
    host: Host,
    transport: Transport,
    { signal, isLost }: { readonly signal: AbortSignal; readonly isLost: () => void },
  ) {
    this.options = options
    this.host = host
    this.transport = transport
    this.signal = signal
    this.isLost = isLost
  }

  rejectedBy(peer: NodeId, field: string): void {
    if (!FIELDS.has(field) || this.asked.has(peer)) return
    this.asked.add(peer)
    void this.ask(peer).finally(() => this.asked.delete(peer))
  }

  /** The peer may have the older configuration, and adopt this member's soon: it is asked until they connect. */
  private async ask(peer: NodeId): Promise<void> {
    const { signal, transport, host, options } = this
    let lostSince = Infinity
    while (!signal.aborted && host.peerState(peer).trouble !== undefined) {
      const address = options.addresses.get(options.names[peer])
      if (address === undefined || transport.visit === undefined) return
      const answer = await transport
        .visit(options.groupName, address, { ask: 'group' }, ANSWER_MS)
        .catch(() => null) // asked again
      if (signal.aborted) return
      const now = monotonic.now()
      lostSince = this.isLostBy(answer) ? Math.min(lostSince, now) : Infinity
      if (now - lostSince >= this.waitMs) return this.isLost()
      await sleep(AGAIN_MS, signal)
    }
  }

  /** Where members vote, one that few have adopted may still be replaced: it counts when another leader could have. */
  private get waitMs(): number {
    const { algorithm, leaseMs, group } = this.options
    const votes = algorithm.promises.oneLeaderPerTerm === true
    return votes ? leaseMs + 2 * group.timing.detectionMs : 0
  }

  private isLostBy(answer: Json): boolean {
    const { configuration: own } = this.host
    if (!isRecord(answer) || own === undefined) return false
    const theirs = asConfiguration(answer['configuration'] ?? null)
    const stamp = readStamp(answer['stamp'])
    if (theirs === undefined || stamp === undefined || !isNewerConfiguration(stamp, own))
      return false
    const { id, me } = this.options
    return !Object.hasOwn(theirs.members, id) || theirs.members[id].seat !== me
  }
}

function readStamp(json: Json | undefined): Stamp | undefined {
  if (!isRecord(json)) return undefined
  const { term, version } = json
  return typeof term === 'number' && typeof version === 'number' ? { term, version } : undefined
}
