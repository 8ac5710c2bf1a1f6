/**
 * `npm run soak`: injects random faults into real member processes, and checks the records that the members wrote.
 * Members are killed, paused, stopped and cut off, one fault on top of another; a quiet phase ends the soak.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Random } from '../../src/core/random.ts'
import type { Namespaces } from '../../src/testing/namespaces.ts'
import { commandLine, count } from '../support/command-line.ts'
import { runSoak, SOAK_FLAGS } from '../support/soak-command.ts'
import { TestCluster } from '../support/test-cluster.ts'
import { holdingsOf, leaderlessMs, violationsOf, type Noted } from './soak-check.ts'

export interface SoakOptions {
  readonly faults: number
  readonly members: number
  readonly seed: number
  readonly flags: readonly string[]
  /** Each member in a network namespace of its own, so that the kernel cuts links. */
  readonly network?: Namespaces
  readonly progress?: (text: string) => void
}

export interface SoakReport {
  readonly faults: Readonly<Record<string, number>>
  readonly terms: number
  readonly leaderlessMs: number
  readonly agreedAfterMs: number
  readonly violations: readonly string[]
  readonly notes: readonly Noted[]
}

const PROGRAM = fileURLToPath(new URL('./soak-member.js', import.meta.url))
const LIMIT_MS = 60_000
const KINDS = ['kill', 'kill', 'pause', 'pause', 'pause', 'stop', 'isolate', 'cut', 'cut'] as const

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { members, flags, network } = options
  await using cluster = await TestCluster.open({
    members,
    program: PROGRAM,
    flags,
    restart: true,
    ...(network && { network }),
  })
  const agreement = async (): Promise<string> =>
    cluster.agreed(() => cluster.names, undefined, LIMIT_MS)
  await agreement()
  const faults = await injectFaults(cluster, options)
  const quietAt = performance.now()
  for (const name of cluster.names) cluster.processes.resume(name)
  cluster.processes.heal()
  await agreement()
  const agreedAfterMs = performance.now() - quietAt
  await cluster.close()
  const notes: readonly Noted[] = cluster.entries
  const holdings = holdingsOf(notes)
  return {
    faults,
    terms: holdings.length,
    leaderlessMs: leaderlessMs(holdings),
    agreedAfterMs,
    violations: violationsOf(notes),
    notes,
  }
}

async function injectFaults(cluster: TestCluster, options: SoakOptions) {
  const { names, processes } = cluster
  const random = new Random(options.seed)
  const some = (): string => names[random.below(names.length)]
  const counts: Record<string, number> = {}
  for (let i = 1; i <= options.faults; i++) {
    const kind = KINDS[random.below(KINDS.length)]
    // Every other fault hits the leader.
    const name = (random.chance(0.5) ? cluster.leader() : undefined) ?? some()
    counts[kind] = (counts[kind] ?? 0) + 1
    if (kind === 'cut') {
      const [peer, isOneWay] = [some(), random.chance(0.3)]
      // Only a network of its own can cut one direction.
      if (isOneWay && options.network !== undefined) options.network.cutOneWay(name, peer)
      else processes.cut(name, peer)
    } else processes[kind](name)
    await sleep(50 + random.below(700))
    // Longer than the lease: a paused leader must notice on its own.
    if (kind === 'pause' && random.chance(0.4)) await sleep(400 + random.below(1200))
    // Most faults end before the next one; some stay.
    if (kind === 'pause' && random.chance(0.9)) processes.resume(name)
    if (random.chance(0.6)) processes.heal()
    if (random.chance(0.1)) for (const one of names) processes.resume(one)
    if (i % 25 === 0) options.progress?.(`${i} of ${options.faults} faults\n`)
  }
  return counts
}

async function main(): Promise<void> {
  const run = 'npm run soak'
  const { flags } = commandLine({
    run,
    does:
      'Injects random faults into real member processes and checks the records that they wrote. Prints JSON;\n' +
      'exit code 1 if a promise was broken.',
    flags: {
      faults: count(500, 'how many faults'),
      members: count(5, 'how many members'),
      seed: count(1, 'the random seed of the faults'),
      ...SOAK_FLAGS,
    },
  })
  const timing = ['--detection', '600ms', '--lease', '800ms']
  await runSoak({ run, ...flags }, (surroundings) =>
    soak({ ...flags, ...surroundings, flags: timing }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
