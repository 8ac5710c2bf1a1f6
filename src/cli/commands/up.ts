/**
 * `bellwether up`: starts a cluster of processes on this machine, restarts members that end, and shows it live in the
 * terminal, as JSON lines or in the lab.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import type { EventRecord } from '../../index.ts'
import type { OptionTable } from '../../runtime/options/option-kinds.ts'
import { JOIN_OPTIONS } from '../../runtime/options/option-table.ts'
import { LocalCluster } from '../../testing/local-cluster.ts'
import { GroupKeys } from '../processes/member-changes.ts'
import { ClusterView } from '../terminal/cluster-view.ts'
import {
  addFlags,
  argumentsOf,
  parsePort,
  type FlagValues,
  valuesOf,
  wholeNumber,
} from '../options/option-flags.ts'
import { onStop } from '../processes/stop-signals.ts'
import type { UpLab } from '../lab/up-lab.ts'

interface Flags extends FlagValues {
  readonly safety?: string
  readonly algorithm?: string
  readonly period?: string
  readonly nodes: number
  readonly restart: boolean
  readonly json?: true
  /** The port, or true for any. */
  readonly lab?: number | true
  readonly open: boolean
}

const MOST = 50
const GROUP = 'up'
/** The options that all members share, except those that `up` sets itself. */
const UP_OPTIONS = Object.fromEntries(
  Object.entries(JOIN_OPTIONS as OptionTable).filter(
    ([name, { shared }]) => shared && !['group', 'members', 'trustRefusals'].includes(name),
  ),
)

export function upCommand(): Command {
  const command = new Command('up')
    .summary('Start a cluster of real processes on this machine and watch it.')
    .description(
      'Start a cluster of real processes on this machine and watch it. The members are children of this ' +
        'process on the loopback interface, where a refused connection proves that a process has ended: ' +
        'they run with --trust-refusals.',
    )
    .option('-n, --nodes <n>', 'how many members', wholeNumber(1, MOST), 5)
  return addFlags(command, UP_OPTIONS)
    .option('--no-restart', 'do not restart members that have ended; else they restart after 2 s')
    .option('--json', 'print one JSON event per line, as without a terminal')
    .option('--lab [port]', 'show the cluster in the web lab, with buttons for faults', parsePort)
    .option('--no-open', 'with --lab: only print the address, on standard error')
    .action(up)
}

async function up(flags: Flags): Promise<void> {
  const names = namesOf(flags.nodes)
  await check(flags, names)
  const live = flags.json !== true && process.stdout.isTTY && process.stdin.isTTY
  const promise = `safety ${flags.safety ?? 'quorum'}, with trustRefusals: all members are children of this process`
  const view = live ? new ClusterView(names, promise) : null
  const state = mkdtempSync(join(tmpdir(), 'bellwether-'))
  // At the very end, when the members have ended, however this process leaves.
  process.on('exit', () => rmSync(state, { recursive: true, force: true }))
  const lab = await openLab(flags, names, state)
  const report = (record: EventRecord): void => {
    lab?.tell(record)
    if (view === null) process.stdout.write(`${JSON.stringify(record)}\n`)
    else view.show(record)
  }
  const cluster = await LocalCluster.open(
    {
      names,
      program: process.argv[1],
      state,
      flags: ['--group', GROUP, '--trust-refusals', ...argumentsOf(flags, UP_OPTIONS)],
      restart: flags.restart,
    },
    report,
  )
  lab?.watch(cluster)
  if (lab !== null && view !== null) view.lab = lab.url
  let hungUp = false
  await new Promise<void>((resolve) => {
    const hangUp = (): void => {
      hungUp = true
      resolve()
    }
    onStop((signal) => (signal === 'SIGHUP' ? hangUp() : resolve()))
    // The reader or the terminal has gone.
    process.stdout.on('error', hangUp)
    if (view !== null) process.stdin.on('error', hangUp)
    view?.open(cluster, new GroupKeys(cluster, { state, group: GROUP }), state, resolve)
  })
  view?.close(hungUp)
  await cluster.close()
  await lab?.close()
  if (!hungUp || view === null) return
  rmSync(state, { recursive: true, force: true })
  // Ends by the signal: at a normal exit Node would restore the modes of a terminal that has gone, and abort.
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}

/** Reports a wrong option once, before each member would. */
async function check(flags: Flags, names: readonly string[]): Promise<void> {
  const given = valuesOf(flags, UP_OPTIONS)
  if (Object.keys(given).length === 0) return
  const { checkOptions } = await import('../../index.ts') // loaded only here: members start sooner
  const members = Object.fromEntries(names.map((name, i) => [name, `127.0.0.1:${i + 1}`]))
  checkOptions({ ...given, group: GROUP, id: names[0], members, trustRefusals: true })
}

async function openLab(flags: Flags, names: string[], state: string): Promise<UpLab | null> {
  if (flags.lab === undefined) return null
  // Loaded only for the lab: members start sooner.
  const [{ openInBrowser }, { nearestSettings }, { UpLab }] = await Promise.all([
    import('./lab.ts'),
    import('../lab/nearest-settings.ts'),
    import('../lab/up-lab.ts'),
  ])
  const port = flags.lab === true ? 0 : flags.lab
  const settings = nearestSettings(flags)
  const lab = await UpLab.open({ names, state, group: GROUP, port, settings })
  process.stderr.write(`The lab is at ${lab.url}\n`)
  if (flags.open && process.stdout.isTTY) openInBrowser(privatePage(state, lab.url))
  return lab
}

/** A page that leads to the lab: the arguments of a browser can be read by every user (ps), and the link has the token. */
function privatePage(folder: string, url: string): string {
  const page = join(folder, 'lab.html')
  const text = `<!doctype html><meta http-equiv="refresh" content="0; url=${url}"><a href="${url}">The lab</a>\n`
  writeFileSync(page, text, { flag: 'wx', mode: 0o600 })
  return pathToFileURL(page).href
}

/** a, b, c …; beyond 26: m01, m02 … The last one is the strongest. */
export function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    count <= 26 ? String.fromCodePoint(97 + i) : `m${String(i + 1).padStart(2, '0')}`,
  )
}
