/** Changes the members of the group of `up`: asks the leader to add, promote or remove one, and starts a process for an added member. */
import type { GroupChange } from '../../runtime/membership/changed-configuration.ts'
import { requestChange } from './change-group.ts'
import { freePorts, type LocalCluster } from '../../testing/local-cluster.ts'
import type { ReachFlags } from './reachable-members.ts'

/** How long to ask again for what passes by itself. */
const WAIT_MS = 20_000

export interface AskedChange {
  /** The member that it is about. */
  readonly name: string
  /** What came of it, as a sentence. */
  readonly done: Promise<string>
}

export class GroupKeys {
  private readonly cluster: LocalCluster
  private readonly place: ReachFlags
  private readonly names: Set<string>

  constructor(cluster: LocalCluster, place: ReachFlags) {
    this.cluster = cluster
    this.place = place
    this.names = new Set(cluster.names)
  }

  /** A new member, under the next free name. */
  add(): AskedChange {
    const name = nextName(this.names)
    this.names.add(name)
    return { name, done: this.start(name) }
  }

  promote(name: string): AskedChange {
    return { name, done: this.ask({ promote: name }, 'is a voter') }
  }

  remove(name: string): AskedChange {
    return { name, done: this.ask({ remove: name }, 'is removed') }
  }

  private async start(name: string): Promise<string> {
    const [port] = await freePorts(1)
    const address = `127.0.0.1:${port}`
    const done = 'is a member, as an observer'
    const said = await this.ask({ add: name, address }, done)
    if (said === done) this.cluster.add(name, address)
    return said
  }

  private async ask(change: GroupChange, done: string): Promise<string> {
    try {
      const failure = await requestChange({ change, done }, this.place, WAIT_MS, () => undefined)
      if (failure === undefined) return done
      return `${failure.error}${failure.rule === null ? '' : ` (${failure.rule})`}`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
}

/** a, b, c … as far as they go, then m27, m28 … */
function nextName(taken: ReadonlySet<string>): string {
  for (let i = 0; ; i++) {
    const name = i < 26 ? String.fromCodePoint(97 + i) : `m${i + 1}`
    if (!taken.has(name)) return name
  }
}
