/**
 * A process that is a member of many groups over one port: opens the port, joins groups with the options that they share,
 * and leaves all of them when it is closed.
 */
import { join as joinPath } from 'node:path'
import { setImmediate } from '../clock/native-timers.ts'
import { checkNames } from '../core/errors/configuration-error.ts'
import type { Json } from '../core/schema.ts'
import { FileStore } from '../stores/file.ts'
import { memberFile } from '../stores/member-files.ts'
import { SharedPort, type PortRecord } from '../transports/shared/shared-port.ts'
import type { Transport } from '../transports/transport.ts'
import { ElectionClosedError } from './errors.ts'
import type { Election } from './handle.ts'
import {
  checkOptionTable,
  durationMs,
  wrong,
  type Duration,
  type OptionsOf,
} from './options/option-kinds.ts'
import {
  JOIN_OPTIONS,
  OPEN_OPTIONS,
  TIMING_OPTIONS,
  type JoinOptions,
  type Safety,
} from './options/option-table.ts'

/**
 * What `open` takes: options of `join`, but for the group. Those that are not about the process (`id`, `listen`,
 * `transport`) hold for each group, unless its `join` says otherwise.
 */
export interface OpenOptions extends Omit<JoinOptions, 'group'>, OptionsOf<typeof OPEN_OPTIONS> {}

/** What `join` of a node takes: what differs from the options of its `open`. */
export type NodeGroupOptions<S extends Safety = Safety, M extends Json = Json> = Partial<
  Omit<JoinOptions<S, M>, 'id' | 'listen' | 'transport' | 'group'>
> & { readonly group: string }

/** A process in many groups. */
export interface ElectionNode extends AsyncDisposable {
  readonly id: string
  /** Where this process listens. */
  readonly address: string
  /** The groups that it has joined. */
  readonly groups: readonly string[]
  /** The election of a group that it has joined; undefined: it has not. */
  election(group: string): Election | undefined
  /** Counters of the connections that all groups share. */
  readonly counters: Readonly<Record<string, number>>
  /** Joins a group, by its name or with options of its own. Rejects as `join` of the package does. */
  join<S extends Safety = 'quorum', M extends Json = Json>(
    group: string | NodeGroupOptions<S, M>,
  ): Promise<Election<S, M>>
  /** Leaves all groups, as `close` of an election does, and then the port. */
  close(options?: { readonly drain?: Duration }): Promise<void>
}

type Join = (options: JoinOptions<never>, left: () => void) => Promise<Election>

/** The name of the processes where none is given. */
export const DEFAULT_NODE_NAME = OPEN_OPTIONS.name.default
const OPEN_NAMES = Object.keys({ ...OPEN_OPTIONS, ...JOIN_OPTIONS }).filter(
  (name) => name !== 'group',
)

export class PortNode implements ElectionNode {
  private readonly options: OpenOptions
  private readonly port: SharedPort
  private readonly store: FileStore
  private readonly joinGroup: Join
  private readonly elections = new Map<string, Election>()
  private readonly joined: ((election: Election) => void)[] = []
  private turn: Promise<void> = Promise.resolve()
  private closing: Promise<void> | undefined

  private constructor(options: OpenOptions, port: SharedPort, store: FileStore, join: Join) {
    this.options = options
    this.port = port
    this.store = store
    this.joinGroup = join
  }

  static async open(options: OpenOptions, transport: Transport, join: Join): Promise<PortNode> {
    checkNames(options, OPEN_NAMES)
    const id = JOIN_OPTIONS.id.check(options.id, 'id')
    const { name, shareHeartbeats } = checkOptionTable(OPEN_OPTIONS, {
      name: options.name,
      shareHeartbeats: options.shareHeartbeats,
    })
    const members =
      options.members === undefined ? [] : JOIN_OPTIONS.members.check(options.members, 'members')
    const own = members.find((member) => member.name === id)?.address
    const listen =
      options.listen ?? own ?? wrong('listen', 'is missing: say where this process listens')
    options.signal?.throwIfAborted()
    const store = openStore(options, name, id)
    try {
      const record = new ProcessRecord(store)
      const peers = members.map((member) => ({ id: member.name, address: member.address }))
      const answerMs = durationMs(
        options.timing?.detection ?? TIMING_OPTIONS.detection.defaultText,
        'timing.detection',
      )
      const given = { id, name, transport, answerMs, shareHeartbeats, record }
      const port = await SharedPort.open({
        ...given,
        incarnation: record.incarnation,
        listen: JOIN_OPTIONS.listen.check(listen, 'listen'),
        peers: peers.filter((peer) => peer.id !== id),
      })
      const node = new PortNode(options, port, store, join)
      options.signal?.addEventListener('abort', () => void node.close(), { once: true })
      return node
    } catch (error) {
      store.close()
      throw error
    }
  }

  get id(): string {
    return this.options.id
  }

  get address(): string {
    return this.port.address
  }

  get groups(): readonly string[] {
    return [...this.elections.keys()]
  }

  get counters(): Readonly<Record<string, number>> {
    return this.port.counters
  }

  election(group: string): Election | undefined {
    return this.elections.get(group)
  }

  /** Calls for each group that it has joined, and for those that it joins later. */
  eachElection(call: (election: Election) => void): void {
    for (const election of this.elections.values()) call(election)
    this.joined.push(call)
  }

  async join<S extends Safety = 'quorum', M extends Json = Json>(
    wanted: string | NodeGroupOptions<S, M>,
  ): Promise<Election<S, M>> {
    const { name: _name, listen: _listen, shareHeartbeats: _share, ...shared } = this.options
    const own = typeof wanted === 'string' ? { group: wanted } : wanted
    const { group } = own
    await this.nextTurn()
    if (this.isClosing) await this.refuseJoin()
    const options = { ...shared, ...own, id: this.id, transport: this.port.transport }
    const election = await this.joinGroup(options as JoinOptions<never>, () => {
      if (this.elections.get(group) === election) this.elections.delete(group)
    })
    this.elections.set(group, election)
    for (const call of this.joined) call(election)
    if (this.isClosing) await this.refuseJoin(election)
    return election as unknown as Election<S, M>
  }

  private get isClosing(): boolean {
    return this.closing !== undefined
  }

  private async refuseJoin(election?: Election): Promise<never> {
    await election?.close()
    throw new ElectionClosedError(this.id)
  }

  /** Each start writes to the disk: what has arrived is handled between two of them. */
  private async nextTurn(): Promise<void> {
    const mine = this.turn
    this.turn = mine.then(
      async () =>
        new Promise((resolve) => {
          setImmediate(() => resolve())
        }),
    )
    await mine
  }

  async close(options?: { readonly drain?: Duration }): Promise<void> {
    this.closing ??= this.leave(options)
    await this.closing
  }

  private async leave(options?: { readonly drain?: Duration }): Promise<void> {
    await Promise.all([...this.elections.values()].map(async (election) => election.close(options)))
    await this.port.close()
    this.store.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** How far the number of one process may leap in all: peers accept no larger leap (transports/seen-incarnation.ts). */
const MOST_LEAP = 1000

/**
 * The number of this start: with it peers know the earlier process from this one. A process whose folder was lost begins
 * again after the number that its peers have seen. One that a peer has accepted does not: it may be a copy, or the earlier
 * of two.
 */
class ProcessRecord implements PortRecord {
  incarnation: number
  private readonly store: FileStore
  private isAccepted: boolean
  private leapt = 0

  constructor(store: FileStore) {
    const stored = store.read()
    this.store = store
    this.isAccepted = stored?.state['accepted'] === true
    this.incarnation = (stored?.incarnation ?? 0) + 1
    this.write()
  }

  accepted(): void {
    if (this.isAccepted) return
    this.isAccepted = true
    this.write()
  }

  passOver(seen: number): number | undefined {
    const leap = seen + 1 - this.incarnation
    if (this.isAccepted || this.leapt + leap > MOST_LEAP) return undefined
    this.leapt += leap
    this.incarnation = seen + 1
    this.write()
    return this.incarnation
  }

  private write(): void {
    const { incarnation, isAccepted } = this
    this.store.write({ incarnation, state: isAccepted ? { accepted: true } : {} })
  }
}

function openStore({ state = JOIN_OPTIONS.state.default }: OpenOptions, name: string, id: string) {
  if (typeof state !== 'string') {
    return wrong('state', 'must be a folder: each group of a node has a file of its own in it')
  }
  return new FileStore(joinPath(state, memberFile(name, id, 'port')), { cluster: name, member: id })
}
