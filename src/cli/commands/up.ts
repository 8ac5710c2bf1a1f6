/** `bellwether up`: a real cluster of processes on this machine, live. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import type { EventRecord, JoinOptions } from '../../index.ts'
import { LocalCluster } from '../../testing/local-cluster.ts'
import { LiveView } from '../terminal/cluster-view.ts'
import { onStop } from '../processes/on-stop.ts'
import { parsePort } from '../options/port.ts'
import type { UpLab } from '../lab/up-lab.ts'

interface Flags {
  readonly nodes: number
  readonly safety?: string
  readonly algorithm?: string
  readonly detector?: string
  readonly period?: string
  readonly detection?: string
  readonly lease?: string
  readonly restart: boolean
  readonly json?: true
  /** The port, or true for any. */
  readonly lab?: number | true
  readonly open: boolean
}

const MOST = 50
const GROUP = 'up'

export function upCommand(): Command {
  return new Command('up')
    .description(
      'Start a cluster of real processes on this machine and watch it.\n' +
        'Safety is quorum with trustRefusals: the members are children of this process on the loopback\n' +
        'interface, where a refused dial proves that a process has ended.',
    )
    .option('-n, --nodes <n>', 'how many members', parseCount, 5)
    .option('--safety <promise>', 'quorum (default) or advisory')
    .option('--algorithm <name>', 'which algorithm runs')
    .option('--detector <name>', 'which failure detector runs')
    .option('--period <time>', 'how often periodic work is done (default 500ms)')
    .option('--detection <time>', 'how long a silent peer is trusted (default 1.5s)')
    .option('--lease <time>', 'how long a leader leads without a majority (default 2s)')
    .option('--no-restart', 'leave dead members dead; else they come back after 2 s')
    .option('--json', 'one JSON event per line, as without a terminal')
    .option('--lab [port]', 'show the cluster in the web lab, with buttons to hurt it', parsePort)
    .option('--no-open', 'with --lab: only print the address, on standard error')
    .action(up)
}

function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > MOST) {
    throw new InvalidArgumentError(`must be a whole number from 1 to ${MOST}.`)
  }
  return count
}

async function up(flags: Flags): Promise<void> {
  const names = namesOf(flags.nodes)
  await check(flags, names)
  const live = flags.json !== true && process.stdout.isTTY && process.stdin.isTTY
  const view = live ? new LiveView(names, promiseOf(flags)) : null
  const state = mkdtempSync(join(tmpdir(), 'bellwether-'))
  const lab = await openLab(flags, names, state)
  const tell = (entry: EventRecord): void => {
    lab?.tell(entry)
    if (view === null) process.stdout.write(`${JSON.stringify(entry)}\n`)
    else view.tell(entry)
  }
  const cluster = await LocalCluster.open(
    {
      names,
      program: process.argv[1],
      state,
      flags: memberFlags(flags),
      restart: flags.restart,
    },
    tell,
  )
  lab?.watch(cluster)
  if (lab !== null && view !== null) view.lab = lab.url
  let deserted = false
  await new Promise<void>((resolve) => {
    const desert = (): void => {
      deserted = true
      resolve()
    }
    onStop((signal) => (signal === 'SIGHUP' ? desert() : resolve()))
    // Whoever reads us has gone: nobody sees this cluster any more.
    process.stdout.on('error', desert)
    if (view !== null) process.stdin.on('error', desert)
    view?.open(cluster, state, resolve)
  })
  view?.close(deserted)
  await cluster.close()
  await lab?.close()
  if (deserted && view !== null) endByHangUp()
}

/** Node would restore the modes of a terminal that is gone, and abort since it cannot. */
function endByHangUp(): void {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}

function promiseOf({ safety = 'quorum' }: Flags): string {
  if (safety !== 'quorum') return `safety ${safety}`
  return 'safety quorum, trustRefusals: all are children of this process, on loopback'
}

/** What members would refuse is said once, here, instead of by each of them again and again. */
async function check(flags: Flags, names: readonly string[]): Promise<void> {
  const { safety, algorithm, detector, period, detection, lease } = flags
  const given = present({ safety, algorithm, detector })
  const timing = present({ period, detection, lease })
  if (Object.keys({ ...given, ...timing }).length === 0) return
  const { checkOptions } = await import('../../index.ts') // members are not kept waiting for it otherwise
  const members = Object.fromEntries(names.map((name, i) => [name, `127.0.0.1:${i + 1}`]))
  checkOptions({
    ...(given as Partial<JoinOptions>),
    group: GROUP,
    id: names[0],
    members,
    timing,
    trustRefusals: true,
  })
}

function present(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

async function openLab(flags: Flags, names: string[], state: string): Promise<UpLab | null> {
  if (flags.lab === undefined) return null
  // Members are not kept waiting for what only the lab needs.
  const [{ openInBrowser }, { nearestSettings }, { UpLab }] = await Promise.all([
    import('./lab.ts'),
    import('../lab/nearest-settings.ts'),
    import('../lab/up-lab.ts'),
  ])
  const port = flags.lab === true ? 0 : flags.lab
  const settings = nearestSettings(flags)
  const lab = await UpLab.open({ names, state, group: GROUP, port, settings })
  process.stderr.write(`The lab is at ${lab.url}\n`)
  if (flags.open && process.stdout.isTTY) openInBrowser(lab.url)
  return lab
}

function memberFlags(flags: Flags): string[] {
  const { safety, algorithm, detector, period, detection, lease } = flags
  const given = present({ safety, algorithm, detector, period, detection, lease })
  const texts = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value])
  return ['--group', GROUP, '--trust-refusals', ...texts]
}

/** a, b, c …; beyond 26: m01, m02 … The last one is the strongest. */
export function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    count <= 26 ? String.fromCodePoint(97 + i) : `m${String(i + 1).padStart(2, '0')}`,
  )
}
