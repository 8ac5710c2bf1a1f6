/** Failover of real processes, as a ratio to the bare limit measured in the same run; and what idling costs. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { atMs, TestCluster } from '../scripts/support/test-cluster.ts'
import { until } from '../src/testing/wait.ts'
import type { Entry, Row, Scale } from './frame.ts'
import { bareFailover } from './support/bare-mesh.ts'

const ADVISORY = ['--safety', 'advisory']
const QUORUM = ['--trust-refusals']

/** In memory where there is such a folder: what a disk adds is the disk's, not ours. */
const STATE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Fifty processes at once take a while on two cores. */
const START_LIMIT_MS = 120_000

async function open(members: number, flags: readonly string[]): Promise<TestCluster> {
  const cluster = await TestCluster.open({
    members,
    flags,
    state: mkdtempSync(join(STATE, 'bellwether-')),
  })
  await cluster.agreed(() => cluster.names, undefined, START_LIMIT_MS)
  return cluster
}

type Blow = 'kill' | 'stop' | 'pause'

/** Milliseconds until all survivors know the next leader: from the blow, and without any leader. */
interface Took {
  readonly all: number
  readonly leaderless: number
}

async function strike(cluster: TestCluster, blow: Blow): Promise<Took> {
  const leader = await cluster.agreed(() => cluster.names)
  await sleep(300 + 200 * Math.random())
  const before = cluster.entries.length
  const started = Number(process.hrtime.bigint()) / 1e6
  cluster.processes[blow](leader)
  const survivors = cluster.names.filter((name) => name !== leader)
  const next = await cluster.agreed(() => survivors, leader)
  const learnt = survivors.map((name) =>
    cluster
      .of('leader', before)
      .find(({ node, leader: believed }) => node === name && believed === next)!,
  )
  const lost = cluster.of('lost', before).find(({ node }) => node === leader)
  const known = Math.max(...learnt.map(atMs))
  // Whoever is told to stop leads until it lets go.
  const until = blow === 'stop' && lost !== undefined ? atMs(lost) : started
  await revive(cluster, leader, blow)
  return { all: known - started, leaderless: known - until }
}

async function revive(cluster: TestCluster, name: string, blow: Blow): Promise<void> {
  if (blow === 'pause') cluster.processes.resume(name)
  else {
    await until(() => cluster.processes.conditionOf(name) === 'dead')
    cluster.processes.start(name)
  }
  // It comes back, and may take the lead: wait until all that is over.
  await sleep(800)
  await cluster.agreed(() => cluster.names)
}

type Progress = (text: string) => void

async function pauses(
  members: number,
  flags: readonly string[],
  times: number,
  progress: Progress,
): Promise<number[]> {
  const cluster = await open(members, flags)
  try {
    const took: number[] = []
    for (let i = 1; i <= times; i++) {
      took.push((await strike(cluster, 'pause')).all)
      progress(`  SIGSTOP (${flags.at(-1)}) ${i} of ${times}: ${took.at(-1)!.toFixed(1)} ms\n`)
    }
    return took
  } finally {
    await cluster.close()
  }
}

/** By turns, so that a busy neighbour slows all of them alike. */
async function kills(members: number, times: number, progress: Progress = () => undefined) {
  const bare: number[] = []
  const advisory: number[] = []
  const quorum: number[] = []
  const stopped: number[] = []
  const orderly: number[] = []
  const first = await open(members, ADVISORY)
  const second = await open(members, QUORUM)
  try {
    for (let i = 1; i <= times; i++) {
      bare.push(await bareFailover(members))
      advisory.push((await strike(first, 'kill')).all)
      quorum.push((await strike(second, 'kill')).all)
      const stop = await strike(second, 'stop')
      stopped.push(stop.all)
      orderly.push(stop.leaderless)
      const latest = [bare, advisory, quorum, orderly].map((took) => took.at(-1)!.toFixed(1))
      progress(`  ${i} of ${times}: bare, advisory, quorum, SIGTERM ${latest.join(', ')} ms\n`)
    }
  } finally {
    await Promise.all([first.close(), second.close()])
  }
  return {
    limit: median(bare),
    advisory: median(advisory),
    quorum: median(quorum),
    stopped: median(stopped),
    orderly: median(orderly),
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/** Percent of a core and payload bytes a second of each member, the leader's apart. */
async function idle(members: number, flags: readonly string[], seconds: number) {
  const cluster = await open(members, flags)
  try {
    await sleep(2000)
    const leader = await cluster.agreed(() => cluster.names)
    const before = await Promise.all(cluster.names.map(async (name) => usage(cluster, name)))
    await sleep(1000 * seconds)
    const after = await Promise.all(cluster.names.map(async (name) => usage(cluster, name)))
    const cpu = cluster.names.map((_, i) => (100 * (after[i].cpuS - before[i].cpuS)) / seconds)
    const bytes = cluster.names.map((_, i) => (after[i].bytes - before[i].bytes) / seconds)
    const lead = cluster.names.indexOf(leader)
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length
    return { cpu: mean(cpu), bytes: mean(bytes), leaderCpu: cpu[lead], leaderBytes: bytes[lead] }
  } finally {
    await cluster.close()
  }
}

const TICKS_PER_SECOND = 100

async function usage(cluster: TestCluster, name: string): Promise<{ cpuS: number; bytes: number }> {
  const stat = readFileSync(`/proc/${cluster.processes.pidOf(name)}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const cpuS = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  const contact = readFileSync(join(cluster.state, `cluster.${name}.contact`), 'utf8')
  const { http } = JSON.parse(contact) as { http: string }
  const metrics = await (await fetch(`http://${http}/metrics`)).text()
  const bytes = Number(/name="bytesSent"\} (\d+)/u.exec(metrics)?.[1] ?? NaN)
  return { cpuS, bytes }
}

const TIMES = { tiny: 1, quick: 15, full: 100 }

async function run(scale: Scale, progress: Progress = () => undefined): Promise<Row[]> {
  const members = scale === 'tiny' ? 3 : 5
  const took = await kills(members, TIMES[scale], progress)
  const { limit, advisory, quorum, stopped, orderly } = took
  const rows: Row[] = [
    { metric: 'bare limit, kill -9 to all know', value: limit, unit: 'ms' },
    { metric: 'advisory + link, kill -9', value: advisory, unit: 'ms', note: `state in ${STATE}` },
    ratio('advisory + link, kill -9, against the limit', advisory / limit, 2, 'aim 1.5'),
    { metric: 'quorum + trustRefusals, kill -9', value: quorum, unit: 'ms' },
    ratio('quorum + trustRefusals, kill -9, against the limit', quorum / limit, 2),
    { metric: 'quorum, SIGTERM, from the signal to all know', value: stopped, unit: 'ms' },
    ratio('quorum, SIGTERM, from the signal, against the limit', stopped / limit, 1),
    { metric: 'quorum, SIGTERM, from lost to all know', value: orderly, unit: 'ms' },
    ratio('quorum, SIGTERM, without a leader, against the limit', orderly / limit, 1),
  ]
  if (scale === 'tiny') return rows
  const times = scale === 'full' ? 15 : 5
  for (const detectionMs of [500, 50]) {
    const flags = [...ADVISORY, ...(detectionMs === 50 ? QUICK : ['--detection', '500ms'])]
    const stopped = median(await pauses(members, flags, times, progress))
    rows.push(ratio(`SIGSTOP at ${detectionMs} ms, against detection`, stopped / detectionMs, 1.3))
  }
  return [...rows, ...(await idleRows(scale === 'full' ? 30 : 10, progress))]
}

/** As docs/guide/timing.md says for so short a time: what costs is that processes are woken. */
const QUICK = ['--detection', '50ms', '--period', '32ms', '--message', '1ms']

async function idleRows(seconds: number, progress: Progress): Promise<Row[]> {
  progress(`  idling, ${seconds} s: 5 members\n`)
  const five = await idle(5, [], seconds)
  progress('  … 5 members at 50 ms\n')
  const quick = await idle(5, [...ADVISORY, ...QUICK], seconds)
  progress('  … 50 members\n')
  const fifty = await idle(50, [], seconds)
  return [
    { metric: 'idle, 5 members, mean', value: five.cpu, unit: '% core', bound: { max: 0.5 } },
    { metric: 'idle, 5 members, leader', value: five.leaderCpu, unit: '% core' },
    { metric: 'idle, 5 members, mean', value: five.bytes, unit: 'B/s', bound: { max: 500 } },
    { metric: 'idle, 5 members, leader', value: five.leaderBytes, unit: 'B/s' },
    { metric: 'idle at 50 ms, mean', value: quick.cpu, unit: '% core', bound: { max: 1.5 } },
    { metric: 'idle at 50 ms, leader', value: quick.leaderCpu, unit: '% core' },
    { metric: 'idle, 50 members, mean', value: fifty.cpu, unit: '% core' },
    { metric: 'idle, 50 members, leader', value: fifty.leaderCpu, unit: '% core' },
    { metric: 'idle, 50 members, mean', value: fifty.bytes, unit: 'B/s' },
    ratio('idle, 50 members against 5, core', fifty.cpu / five.cpu, 2),
    ratio('idle, 50 members against 5, bytes', fifty.bytes / five.bytes, 2),
  ]
}

function ratio(metric: string, value: number, max: number, note?: string): Row {
  return { metric, value, unit: '×', bound: { max }, ...(note === undefined ? {} : { note }) }
}

export default {
  name: 'failover',
  describe: 'failover of real processes against the bare limit, and what idling costs',
  run,
} satisfies Entry
