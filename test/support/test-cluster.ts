/** Members as real processes, whose events a test reads and whose ends it sees to. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import {
  LocalCluster,
  type LocalClusterOptions,
  type MemberNetworks,
} from '../../src/testing/local-cluster.ts'
import { namesOf } from '../../src/cli/commands/up.ts'
import type { EventRecord } from '../../src/index.ts'
import { until } from './wait.ts'

export const program = fileURLToPath(new URL('../../bin/bellwether.js', import.meta.url))

export interface TestClusterOptions {
  readonly members?: number
  readonly flags?: readonly string[]
  readonly restart?: boolean
  /** Where the state is kept; a new folder unless given. */
  readonly state?: string
  readonly network?: MemberNetworks
  readonly launch?: LocalClusterOptions['launch']
  readonly flagsOf?: LocalClusterOptions['flagsOf']
  /** In place of the command line. */
  readonly program?: string
  /** Fields of a configuration file, where there are no flags for them. */
  readonly config?: object
  readonly priorities?: Readonly<Record<string, number>>
}

export class TestCluster {
  readonly entries: EventRecord[] = []
  readonly state: string
  readonly names: readonly string[]
  processes!: LocalCluster
  private readonly beliefs = new Map<string, string | null>()

  private constructor(names: readonly string[], state: string) {
    this.names = names
    this.state = state
  }

  static async open(outset: TestClusterOptions = {}): Promise<TestCluster> {
    const names = namesOf(outset.members ?? 5)
    const state = outset.state ?? mkdtempSync(join(tmpdir(), 'bellwether-cluster-'))
    const cluster = new TestCluster(names, state)
    const flags = ['--group', 'cluster', ...(outset.flags ?? [])]
    const restart = outset.restart ?? false
    const { network, launch, flagsOf, config, priorities } = outset
    if (config !== undefined) {
      const file = join(state, 'config.json')
      writeFileSync(file, JSON.stringify(config))
      flags.push('--config', file)
    }
    const options = {
      names,
      program: outset.program ?? program,
      state,
      flags,
      restart,
      ...(network && { network }),
      ...(launch && { launch }),
      ...(flagsOf && { flagsOf }),
      ...(priorities && { priorities }),
    }
    cluster.processes = await LocalCluster.open(options, (entry) => {
      cluster.entries.push(entry)
      if (entry.event === 'leader') cluster.beliefs.set(entry.node, entry.leader)
      if (entry.event === 'exited' || entry.event === 'started') cluster.beliefs.delete(entry.node)
    })
    return cluster
  }

  /** The leader that all members which run and are asked agree on. */
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

  /** Whom a member follows: null nobody, undefined where it has not said yet. */
  believes(name: string): string | null | undefined {
    return this.beliefs.get(name)
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
}

/** Each member's terms rise, each is lost once at most; with `unique`, no term is anybody else's. */
export function expectSound(cluster: TestCluster, { unique = true } = {}): void {
  const elected = cluster.of('elected')
  for (const name of cluster.names) {
    const terms = elected.filter(({ node }) => node === name).map(({ term }) => term)
    expect(terms).toEqual(terms.toSorted((a, b) => a - b))
    expect(new Set(terms).size).toBe(terms.length)
    const lost = cluster.of('lost').filter(({ node }) => node === name)
    expect(new Set(lost.map(({ term }) => term)).size).toBe(lost.length)
    for (const { term } of lost) expect(terms).toContain(term)
  }
  if (!unique) return
  const all = elected.map(({ term }) => term)
  expect(new Set(all).size).toBe(all.length)
}

/** Milliseconds of CLOCK_MONOTONIC at which something happened. */
export function atMs({ at }: EventRecord): number {
  return Number(BigInt(at)) / 1e6
}

/** Whether a process runs; one that has ended and waits for its parent does not. */
export function isAlive(pid: number): boolean {
  return !['', 'Z', 'X'].includes(statOf(String(pid))[0])
}

/** Whether any process of a group runs. */
export function isGroupAlive(group: number): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .some((pid) => statOf(pid)[2] === String(group) && isAlive(Number(pid)))
}

/** State, parent, group … of a process; its name before them may hold spaces and brackets. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return ['']
  }
}
