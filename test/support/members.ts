/** A cluster of members in one process, over a transport in memory, that ends with the test. */
import { afterEach } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { detectors } from '../../src/detectors/index.ts'
import type { View } from '../../src/runtime/election-events.ts'
import { MemberElection } from '../../src/runtime/election.ts'
import type { Election } from '../../src/runtime/handle.ts'
import type { JoinOptions, Safety } from '../../src/runtime/options/option-table.ts'
import { startOf } from '../../src/runtime/membership/start.ts'
import type { Implementations } from '../../src/runtime/options/resolve-options.ts'
import type { Json } from '../../src/core/schema.ts'
import type { LinkEvents } from '../../src/transports/transport.ts'
import type { Store, Stored } from '../../src/stores/store.ts'
import { MemoryHub } from '../../src/transports/memory.ts'
import { until } from '../../src/testing/wait.ts'

export const registry: Implementations = {
  algorithms,
  detectors,
  byDefault: { advisory: 'bully-fd', quorum: 'bully-fd-quorum', detector: 'link' },
}

/** Ten times as fast as the default. */
export const QUICK = { period: 50, detection: 150, lease: 200 }

const opened: MemberElection[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((election) => election.close({ drain: 0 })))
})

export class Cluster {
  readonly net = new MemoryHub({ schedule: (run) => void setImmediate(run) })
  readonly disks = new Map<string, MemoryDisk>()
  readonly members = new Map<string, MemberElection>()
  private readonly names: readonly string[]
  private readonly options: Partial<JoinOptions>

  constructor(names: readonly string[], options: Partial<JoinOptions> = {}) {
    this.names = names
    this.options = options
    for (const name of names) this.disks.set(name, new MemoryDisk())
  }

  async start<S extends Safety = Safety>(id: string, more: Partial<JoinOptions<S>> = {}) {
    const members = Object.fromEntries(this.names.map((name) => [name, `${name}:1`]))
    const usual = { group: 'test', id, members, timing: QUICK, founding: 'majority' } as const
    const given = { ...usual, ...this.options, ...more }
    const { transport = this.net } = given
    const disk = this.disks.get(id) ?? new MemoryDisk()
    this.disks.set(id, disk)
    const { resolved, start } = await startOf(given, registry, transport, disk)
    const election = new MemberElection<S>(resolved, transport, disk, start)
    opened.push(election)
    this.members.set(id, election)
    return election.open()
  }

  async startAll(): Promise<Election[]> {
    return Promise.all(this.names.map(async (name) => this.start(name)))
  }

  /** As `kill -9`: the member announces nothing, and its peers' connections are refused. */
  kill(id: string): void {
    this.net.crash(id)
    this.members.delete(id)
  }

  /** Waits until all running members follow one leader, other than `except`; returns it. */
  async agreed(except?: string): Promise<string> {
    return until(() => {
      const leaders = [...this.members.values()].map(({ view }) => leaderOf(view))
      const [first] = leaders
      const same = leaders.every((leader) => leader === first && leader !== except)
      return same ? first : undefined
    })
  }

  get leader(): Election {
    return [...this.members.values()].find(({ view }) => view.kind === 'leader' && view.me)!
  }
}

export function leaderOf(view: View): string | undefined {
  return view.kind === 'leader' ? view.leader : undefined
}

/** Delivers a payload to a member as if its transport had received it from the peer. */
export function deliver(election: Election, from: string, payload: Json): void {
  const { host } = election as unknown as { host: { member: { links: LinkEvents } } }
  host.member.links.frame(from, payload)
}

/** A store that outlives its member, counts writes, and can be full. */
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
