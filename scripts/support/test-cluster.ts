/** Starts a cluster of real member processes, records their events, and waits for their agreement. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LocalCluster, type LocalClusterOptions } from '../../src/testing/local-cluster.ts'
import { namesOf } from '../../src/cli/commands/up.ts'
import type { EventRecord } from '../../src/index.ts'
import { until } from '../../src/testing/wait.ts'

export const program = fileURLToPath(new URL('../../bin/bellwether.js', import.meta.url))

/** The options of the local cluster, with defaults: five members, a new state folder, no restarts. */
interface TestClusterOptions extends Partial<Omit<LocalClusterOptions, 'names'>> {
  readonly members?: number
  /** Fields of a configuration file, for options that have no flag. */
  readonly config?: object
}

export class TestCluster implements AsyncDisposable {
  readonly entries: EventRecord[] = []
  readonly state: string
  readonly names: readonly string[]
  processes!: LocalCluster
  private readonly beliefs = new Map<string, string | null>()

  private constructor(names: readonly string[], state: string) {
    this.names = names
    this.state = state
  }

  static async open(options: TestClusterOptions = {}): Promise<TestCluster> {
    const { members = 5, config, ...rest } = options
    const names = namesOf(members)
    const state = rest.state ?? mkdtempSync(join(tmpdir(), 'bellwether-cluster-'))
    const cluster = new TestCluster(names, state)
    const flags = ['--group', 'cluster', ...(rest.flags ?? [])]
    if (config !== undefined) {
      const file = join(state, 'config.json')
      writeFileSync(file, JSON.stringify(config))
      flags.push('--config', file)
    }
    cluster.processes = await LocalCluster.open(
      { program, restart: false, ...rest, names, state, flags },
      (entry) => {
        cluster.entries.push(entry)
        if (entry.event === 'leader') cluster.beliefs.set(entry.node, entry.leader)
        if (entry.event === 'exited' || entry.event === 'started')
          cluster.beliefs.delete(entry.node)
      },
    )
    return cluster
  }

  /** Waits until all of these members follow one leader, other than `not`; returns it. */
  async agreed(members = this.running(), not?: string, limitMs = 30_000): Promise<string> {
    return until(
      () => {
        const leaders = members().map((name) => this.beliefs.get(name))
        const [first] = leaders
        const known = first !== undefined && first !== null && first !== not
        return known && leaders.every((leader) => leader === first) ? first : undefined
      },
      () => `agreement: ${JSON.stringify([...this.beliefs])} ${JSON.stringify(this.of('exited'))}`,
      limitMs,
    )
  }

  /** The leader that a member last reported: null for none, undefined before its first report. */
  believes(name: string): string | null | undefined {
    return this.beliefs.get(name)
  }

  /** The member that was elected last, unless a term was lost since. */
  leader(): string | undefined {
    const last = this.entries.findLast(({ event }) => event === 'elected' || event === 'lost')
    return last?.event === 'elected' ? last.node : undefined
  }

  running(): () => readonly string[] {
    return () => this.names.filter((name) => this.processes.conditionOf(name) === 'running')
  }

  of(event: EventRecord['event'], since = 0): EventRecord[] {
    return this.entries.slice(since).filter((entry) => entry.event === event)
  }

  async close(): Promise<void> {
    await this.processes.close()
    rmSync(this.state, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** The time of an event, in milliseconds of CLOCK_MONOTONIC. */
export function atMs({ at }: EventRecord): number {
  return Number(BigInt(at)) / 1e6
}

/** Milliseconds of CLOCK_MONOTONIC, the clock of event records. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
