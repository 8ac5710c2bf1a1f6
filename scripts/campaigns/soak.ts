/**
 * Random faults on real processes, and a check of what they wrote: `npm run soak -- --faults 500`.
 * Members are killed, stopped, told to stop and cut off, one fault on top of another; a quiet phase ends it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LocalCluster } from '../../src/testing/local-cluster.ts'
import { namesOf } from '../../src/cli/commands/up.ts'
import { Namespaces } from '../../src/testing/namespaces.ts'
import { Random } from '../../src/core/random.ts'
import { until } from '../../src/testing/wait.ts'
import { holdingsOf, violationsOf, type Noted } from './soak-check.ts'
import { commandLine, count, file, oneOf, fail } from '../support/command-line.ts'

export interface SoakOptions {
  readonly faults: number
  readonly members: number
  readonly seed: number
  readonly flags: readonly string[]
  /** Cuts are the network's own: each member in a namespace. */
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
const QUIET_LIMIT_MS = 60_000

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const names = namesOf(options.members)
  const state = mkdtempSync(join(tmpdir(), 'bellwether-soak-'))
  const notes: Noted[] = []
  const cluster = await LocalCluster.open(
    {
      names,
      program: PROGRAM,
      state,
      flags: options.flags,
      restart: true,
      ...(options.network && { network: options.network }),
    },
    (entry) => notes.push(entry),
  )
  try {
    await agreement(notes, names, cluster)
    const faults = await hurt(cluster, names, options, () => leaderOf(notes))
    const quietAt = performance.now()
    for (const name of names) cluster.resume(name)
    cluster.heal()
    await agreement(notes, names, cluster)
    const agreedAfterMs = performance.now() - quietAt
    await cluster.close()
    const leaderlessMs = leaderless(notes)
    const terms = holdingsOf(notes).length
    return { faults, terms, leaderlessMs, agreedAfterMs, violations: violationsOf(notes), notes }
  } finally {
    await cluster.close()
    rmSync(state, { recursive: true, force: true })
  }
}

async function hurt(
  cluster: LocalCluster,
  names: readonly string[],
  options: SoakOptions,
  leader: () => string | undefined,
) {
  const random = new Random(options.seed)
  const some = (): string => names[random.below(names.length)]
  const counts: Record<string, number> = {}
  const kinds = [
    'kill',
    'kill',
    'pause',
    'pause',
    'pause',
    'stop',
    'isolate',
    'cut',
    'cut',
  ] as const
  for (let i = 1; i <= options.faults; i++) {
    const kind = kinds[random.below(kinds.length)]
    // Every other fault meets whoever leads.
    const name = (random.chance(0.5) ? leader() : undefined) ?? some()
    counts[kind] = (counts[kind] ?? 0) + 1
    if (kind === 'cut') cut(cluster, options, name, some(), random.chance(0.3))
    else cluster[kind](name)
    await sleep(50 + random.below(700))
    // Longer than the lease: whoever led must find that out by itself.
    if (kind === 'pause' && random.chance(0.4)) await sleep(400 + random.below(1200))
    // Most faults end before the next one; some stay.
    if (kind === 'pause' && random.chance(0.9)) cluster.resume(name)
    if (random.chance(0.6)) cluster.heal()
    if (random.chance(0.1)) for (const one of names) cluster.resume(one)
    if (i % 25 === 0) options.progress?.(`${i} of ${options.faults} faults\n`)
  }
  return counts
}

/** Some cuts swallow one direction only, where the network can do that. */
function cut(
  cluster: LocalCluster,
  { network }: SoakOptions,
  a: string,
  b: string,
  oneWay: boolean,
): void {
  if (oneWay && network !== undefined) network.cutOneWay(a, b)
  else cluster.cut(a, b)
}

function leaderOf(notes: readonly Noted[]): string | undefined {
  const last = notes.findLast(({ event }) => event === 'elected' || event === 'lost')
  return last?.event === 'elected' ? last.node : undefined
}

async function agreement(notes: readonly Noted[], names: readonly string[], cluster: LocalCluster) {
  await until(
    () => {
      const leaders = names.map((name) => {
        const own = notes.findLast(
          ({ node, event }) => node === name && (event === 'leader' || event === 'exited'),
        )
        return own?.event === 'leader' ? own.leader : null
      })
      const running = names.every((name) => cluster.conditionOf(name) === 'running')
      return running && leaders[0] !== null && leaders.every((leader) => leader === leaders[0])
    },
    'agreement',
    QUIET_LIMIT_MS,
  )
}

/** How long nobody held a valid term, from the first to the last. */
function leaderless(notes: readonly Noted[]): number {
  let [covered, gaps] = [Infinity, 0]
  for (const { fromMs, untilMs } of holdingsOf(notes).toSorted((a, b) => a.fromMs - b.fromMs)) {
    gaps += Math.max(0, fromMs - covered)
    covered = covered === Infinity ? untilMs : Math.max(covered, untilMs)
  }
  return gaps
}

function networkOf(members: number, cuts: string): Namespaces | null {
  if (cuts === 'process') return null
  const why = Namespaces.whyUnavailable()
  if (why !== undefined) {
    fail('npm run soak', `${why}; --cuts process cuts inside the members instead`)
  }
  return Namespaces.open(namesOf(members))
}

async function main(): Promise<void> {
  const { flags } = commandLine({
    run: 'npm run soak',
    does:
      'Random faults on real processes, and a check of what they wrote. Prints JSON; exit code 1 if\n' +
      'anything that is promised was broken.',
    flags: {
      faults: count(500, 'how many faults'),
      members: count(5, 'how many members'),
      seed: count(1, 'of the faults'),
      notes: file('where every note of the members is kept'),
      cuts: oneOf(
        ['namespaces', 'process'],
        'namespaces',
        "by the kernel, or in the members' transport",
      ),
    },
  })
  const { members } = flags
  using network = networkOf(members, flags.cuts)
  const { notes, ...report } = await soak({
    faults: flags.faults,
    members,
    seed: flags.seed,
    ...(network && { network }),
    flags: ['--detection', '600ms', '--lease', '800ms'],
    progress: (text) => process.stderr.write(text),
  })
  if (flags.notes !== undefined) {
    writeFileSync(flags.notes, notes.map((note) => `${JSON.stringify(note)}\n`).join(''))
  }
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  if (report.violations.length > 0) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
