/** `up --lab`: serves the lab for the local cluster, shows the cluster live and applies the faults that a user asks for. */
import { existsSync } from 'node:fs'
import type { EventRecord } from '../../index.ts'
import { msOf, statusOf } from '../../live/follow-member.ts'
import { sampleOf, type Condition, type FaultRequest, type Hello } from '../../live/live-record.ts'
import { monotonic } from '../../clock/monotonic.ts'
import type { LocalCluster } from '../../testing/local-cluster.ts'
import { LabServer } from './lab-server.ts'
import { FaultError, LiveRoutes } from './live-routes.ts'
import { endpointFile, readEndpoint } from '../processes/member-endpoints.ts'

export interface UpLabOptions {
  readonly names: readonly string[]
  /** The folder and the group of the members' endpoint files. */
  readonly state: string
  readonly group: string
  readonly port: number
  readonly settings: Hello['settings']
}

/** How often the lab looks for pauses and cuts, which are no events. */
const LOOK_MS = 50
/** How long a round of status requests to all members takes. */
const ROUND_MS = 500

export class UpLab {
  private readonly options: UpLabOptions
  private readonly routes: LiveRoutes
  private readonly gone = new AbortController()
  private readonly conditions = new Map<string, Condition>()
  private readonly wanted = new Set<string>()
  private readonly timers: NodeJS.Timeout[] = []
  private server: LabServer | undefined
  private cluster: LocalCluster | undefined
  private cuts = ''
  private next = 0

  private constructor(options: UpLabOptions) {
    this.options = options
    const { names: members, settings } = options
    this.routes = new LiveRoutes({ members, settings, fault: (asked) => this.fault(asked) })
  }

  /** Listens before the cluster starts: no event is missed, and a port that is in use starts no process. */
  static async open(options: UpLabOptions): Promise<UpLab> {
    const lab = new UpLab(options)
    lab.server = await LabServer.open({ port: options.port, route: lab.routes.route })
    return lab
  }

  /** With the token in the fragment, which browsers never send. */
  get url(): string {
    return `${this.server!.url}#/live?token=${this.routes.token}`
  }

  watch(cluster: LocalCluster): void {
    this.cluster = cluster
    this.timers.push(
      setInterval(() => this.look(), LOOK_MS),
      setInterval(() => void this.ask(), ROUND_MS / this.options.names.length),
    )
  }

  tell(entry: EventRecord): void {
    const { node, pid, event, leader, term, termText, reason, peer } = entry
    const at = msOf(entry.at)
    const record = { kind: 'entry', at, node, pid, event, leader, term, termText } as const
    this.routes.tell({ ...record, reason, ...(peer === undefined ? {} : { peer }) })
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer)
    this.gone.abort()
    this.routes.close()
    await this.server?.close()
  }

  /** Reports changed pauses and cuts. Starts and exits are events of their own. */
  private look(): void {
    const { cluster } = this
    if (cluster === undefined) return
    const at = monotonic.now()
    for (const name of this.options.names) {
      const condition = cluster.conditionOf(name)
      const before = this.conditions.get(name)
      this.conditions.set(name, condition)
      if (condition === 'dead' && this.wanted.delete(name)) cluster.start(name)
      if (condition === before || (condition !== 'paused' && before !== 'paused')) continue
      if (condition !== 'dead') this.routes.tell({ kind: 'condition', at, node: name, condition })
    }
    const pairs = this.options.names.flatMap((a) =>
      [...cluster.cutsOf(a)].filter((b) => a < b).map((b): [string, string] => [a, b]),
    )
    const cuts = JSON.stringify(pairs)
    if (cuts !== this.cuts && (pairs.length > 0 || this.cuts !== '')) {
      this.routes.tell({ kind: 'cuts', at, pairs })
      this.cuts = cuts
    }
  }

  private async ask(): Promise<void> {
    const { names, state, group } = this.options
    const name = names[this.next++ % names.length]
    if (this.cluster?.conditionOf(name) !== 'running') return
    const file = endpointFile(state, group, name)
    if (!existsSync(file)) return
    const status = await statusOf(`http://${readEndpoint(file).http}`, this.gone.signal)
    if (status !== null && !this.gone.signal.aborted) {
      this.routes.tell(sampleOf(status, monotonic.now(), name))
    }
  }

  private fault({ action, node, peer }: FaultRequest): void {
    const cluster = this.cluster!
    for (const name of [node, peer]) {
      if (name !== undefined && !this.options.names.includes(name)) {
        throw new FaultError(`there is no member ${name}`)
      }
    }
    if (action === 'heal') cluster.heal()
    else if (node === undefined) throw new FaultError(`${action} needs a node`)
    else if (action === 'cut') {
      if (peer === node) throw new FaultError('a member has no link to itself')
      if (peer === undefined) cluster.isolate(node)
      else cluster.cut(node, peer)
    } else this.apply(action, node, cluster.conditionOf(node), cluster)
    this.look()
  }

  private apply(
    action: Exclude<FaultRequest['action'], 'heal' | 'cut'>,
    node: string,
    condition: 'running' | 'paused' | 'dead',
    cluster: LocalCluster,
  ): void {
    if (action === 'restart') {
      if (condition === 'dead') return cluster.start(node)
      this.wanted.add(node)
      if (condition === 'paused') cluster.resume(node)
      return cluster.stop(node)
    }
    const fits = action === 'resume' ? condition === 'paused' : condition !== 'dead'
    if (!fits || (action === 'pause' && condition === 'paused')) {
      throw new FaultError(`${node} is ${condition}`)
    }
    if (action === 'stop' && condition === 'paused') cluster.resume(node)
    cluster[action](node)
  }
}
