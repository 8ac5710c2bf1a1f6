/**
 * Finds out, where nobody votes, that this member is named by a configuration that was lost, because two leaders wrote side
 * by side, or was replaced by another member of its name. Its peers then reject it, so no message of the election can tell
 * it. It asks them, as a visitor, which configuration they have.
 */
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

  /** With votes a configuration lasts once a majority has it, and no member starts with another one. */
  rejectedBy(peer: NodeId, field: string): void {
    const votes = this.options.algorithm.promises.oneLeaderPerTerm === true
    if (!FIELDS.has(field) || votes || this.asked.has(peer)) return
    this.asked.add(peer)
    void this.ask(peer).finally(() => this.asked.delete(peer))
  }

  /** The peer may have the older configuration, and adopt this member's soon: it is asked until they connect. */
  private async ask(peer: NodeId): Promise<void> {
    const { signal, transport, host, options } = this
    while (!signal.aborted && host.peerState(peer).trouble !== undefined) {
      const address = options.addresses.get(options.names[peer])
      if (address === undefined || transport.visit === undefined) return
      const answer = await transport
        .visit(options.groupName, address, { ask: 'group' }, ANSWER_MS)
        .catch(() => null) // asked again
      if (signal.aborted) return
      if (this.isLostBy(answer)) return this.isLost()
      await sleep(AGAIN_MS, signal)
    }
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
