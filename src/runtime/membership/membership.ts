/**
 * What a member's handle offers to change its group: lets the leader write a change, whichever member is asked, and notices that
 * this member was removed.
 */
import { monotonic, type Cancel } from '../../clock/monotonic.ts'
import { sleep } from '../../clock/sleep.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Json } from '../../core/schema.ts'
import { TransportError } from '../../transports/errors.ts'
import { isRecord } from '../../transports/handshake.ts'
import type { Transport } from '../../transports/transport.ts'
import { ChangeError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import type { GroupChange } from './changed-configuration.ts'
import { LostConfiguration } from './lost-configuration.ts'
import { Register, type ChangeOptions } from './register.ts'

/** The leader may wait as long for a majority, and its answer takes a moment. */
const ANSWER_MS = 12_000
const ANNOUNCE_AGAIN_MS = 1000
const NOT_LEADING = 'the member that was asked does not lead: ask again'
/** Refusals that pass by themselves. */
const PASSES: ReadonlySet<string> = new Set(['not committed', 'not the leader'])

interface MembershipEvents {
  /** Throws where the options of this configuration cannot be used. */
  readonly check: (data: string) => void
  readonly removed: () => void
  /** The term in which this member leads by its user's view; null: it does not. */
  readonly leadership: () => number | null
}

export class Membership {
  private readonly options: ResolvedOptions
  private readonly host: Host
  private readonly transport: Transport
  private readonly register: Register
  private readonly removed: () => void
  private readonly lost: LostConfiguration
  private cancel: Cancel = () => undefined
  /** For good: it starts no election any more. */
  isRemoved = false
  private readonly closing = new AbortController()

  constructor(
    options: ResolvedOptions,
    host: Host,
    transport: Transport,
    { check, removed, leadership }: MembershipEvents,
  ) {
    this.options = options
    this.host = host
    this.transport = transport
    this.register = new Register(options, host, check, leadership)
    this.removed = removed
    this.lost = new LostConfiguration(options, host, transport, {
      signal: this.closing.signal,
      isLost: () => {
        if (this.isRemoved) return
        this.isRemoved = true
        host.restart(Infinity)
        removed()
      },
    })
  }

  /** This member and a peer reject each other because of this field. */
  rejectedBy(peer: NodeId, field: string): void {
    this.lost.rejectedBy(peer, field)
  }

  /** Resolves when a majority has the changed configuration. Throws ChangeError. */
  async change(change: GroupChange, options: ChangeOptions = {}): Promise<void> {
    const { algorithm, engineOnly } = this.options
    if (engineOnly) {
      throw new ChangeError(
        'unsupported',
        'a group without a mesh has no members: start and stop candidates',
      )
    }
    if (this.host.configuration === undefined) {
      throw new ChangeError(
        'unsupported',
        `a group of ${algorithm.name} cannot change while it runs`,
      )
    }
    if (this.register.isLeader) return this.register.change(change, options)
    // Who was asked by another member does not ask a third one: two could take each other for the leader.
    if (options.isForwarded === true) throw new ChangeError('not the leader', NOT_LEADING)
    await this.forward(change, options)
  }

  private async forward(change: GroupChange, { dryRun = false }: ChangeOptions): Promise<void> {
    const { names, addresses, groupName, me } = this.options
    const { leader } = this.host.state
    const address = addresses.get(names[leader] ?? '')
    if (leader === me || address === undefined || this.transport.visit === undefined) {
      throw new ChangeError('not the leader', 'no leader is known that could be asked')
    }
    const question = { ask: 'change', change: { ...change }, dryRun, isForwarded: true }
    try {
      refusedBy(await this.transport.visit(groupName, address, question, ANSWER_MS))
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
      throw new ChangeError(
        'not the leader',
        `the leader ${names[leader]} cannot be asked: ${error.message}`,
      )
    }
  }

  /**
   * A configuration without this member may still be replaced by one that no majority has refused: it counts after the
   * time in which another leader would have been elected.
   */
  reconfigured(): void {
    const { roles, me, leaseMs, group } = this.options
    this.cancel()
    if (roles.has(me) || this.isRemoved) return
    this.cancel = monotonic.after(leaseMs + 2 * group.timing.detectionMs, () => {
      this.isRemoved = true
      this.removed()
    })
  }

  /** Tells the group at which address this member is reached, if that was given and the group knows another one. */
  async announceAddress(warn: (error: Error) => void): Promise<void> {
    const { address, id } = this.options
    const { signal } = this.closing
    if (address === undefined) return
    while (!signal.aborted) {
      try {
        if (this.host.takesPart) return await this.change({ member: id, address })
      } catch (error) {
        if (!(error instanceof ChangeError) || !PASSES.has(error.rule)) return warn(error as Error)
      }
      await sleep(ANNOUNCE_AGAIN_MS, signal)
    }
  }

  close(): void {
    this.cancel()
    this.closing.abort()
  }
}

/** Throws ChangeError where the answer is a refusal. */
export function refusedBy(answer: Json): void {
  if (!isRecord(answer)) throw new ChangeError('unknown', 'the answer is malformed')
  if (answer['ok'] === true) return
  const [rule, sentence] = [answer['rule'], answer['error']]
  throw new ChangeError(
    typeof rule === 'string' ? rule : 'unsupported',
    typeof sentence === 'string' ? sentence : 'the answer is malformed',
  )
}
