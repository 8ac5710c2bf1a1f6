/** Measures failover of real processes after SIGKILL and SIGTERM against bare sockets, after SIGSTOP against the detection time, and processor time and bytes of idle members. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSecondsOf } from '../scripts/support/linux-processes.ts'
import { atMs, nowMs, type TestCluster } from '../scripts/support/test-cluster.ts'
import { row, type Entry, type Row, type Scale } from './harness.ts'
import { Contest } from './rivals/contest.ts'
import { LIMIT } from './rivals/rivals.ts'
import { median, openCluster, recover, type Failure } from './support/failover.ts'

const ADVISORY = ['--safety', 'advisory']
const QUORUM = ['--trust-refusals']

/** Milliseconds until all survivors know the next leader: from the failure, and without any leader. */
interface Took {
  readonly all: number
  readonly leaderless: number
}

async function failLeader(cluster: TestCluster, failure: Failure): Promise<Took> {
  const leader = await cluster.agreed(() => cluster.names)
  await sleep(300 + 200 * Math.random())
  const before = cluster.entries.length
  const started = nowMs()
  cluster.processes[failure](leader)
  const survivors = cluster.names.filter((name) => name !== leader)
  const next = await cluster.agreed(() => survivors, leader)
  const learnt = survivors.map((name) =>
    cluster
      .of('leader', before)
      .find(({ node, leader: believed }) => node === name && believed === next)!,
  )
  const lost = cluster.of('lost', before).find(({ node }) => node === leader)
  const known = Math.max(...learnt.map(atMs))
  // A leader that is stopped in order leads until it resigns.
  const until = failure === 'stop' && lost !== undefined ? atMs(lost) : started
  await recover(cluster, leader, failure)
  return { all: known - started, leaderless: known - until }
}

type Progress = (text: string) => void

async function pauses(
  members: number,
  flags: readonly string[],
  times: number,
  progress: Progress,
): Promise<number[]> {
  await using cluster = await openCluster(members, flags)
  const took: number[] = []
  for (let i = 1; i <= times; i++) {
    took.push((await failLeader(cluster, 'pause')).all)
    progress(`  SIGSTOP (${flags.at(-1)}) ${i} of ${times}: ${took.at(-1)!.toFixed(1)} ms\n`)
  }
  return took
}

/** By turns, so that a busy neighbour slows all of them alike. */
async function kills(members: number, times: number, progress: Progress = () => undefined) {
  const list = (): number[] => []
  const took = {
    bare: list(),
    advisory: list(),
    quorum: list(),
    stopped: list(),
    orderly: list(),
  }
  await using bare = await Contest.open(LIMIT, members)
  await using advisory = await openCluster(members, ADVISORY)
  await using quorum = await openCluster(members, QUORUM)
  for (let i = 1; i <= times; i++) {
    took.bare.push((await bare.failLeader()).all)
    took.advisory.push((await failLeader(advisory, 'kill')).all)
    took.quorum.push((await failLeader(quorum, 'kill')).all)
    const stop = await failLeader(quorum, 'stop')
    took.stopped.push(stop.all)
    took.orderly.push(stop.leaderless)
    const latest = [took.bare, took.advisory, took.quorum, took.orderly].map((ms) =>
      ms.at(-1)!.toFixed(1),
    )
    progress(`  ${i} of ${times}: bare, advisory, quorum, SIGTERM ${latest.join(', ')} ms\n`)
  }
  return took
}

/** Percent of a core and payload bytes a second of each member, the leader's apart. */
async function idle(members: number, flags: readonly string[], seconds: number) {
  await using cluster = await openCluster(members, flags)
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
}

async function usage(cluster: TestCluster, name: string): Promise<{ cpuS: number; bytes: number }> {
  const cpuS = cpuSecondsOf(cluster.processes.pidOf(name)!)
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
  const [limit, advisoryMs, quorumMs, stoppedMs, orderlyMs] = Object.values(took).map(median)
  const rows: Row[] = [
    row('bare limit, kill -9 to all know', limit, 'ms'),
    row('advisory + link, kill -9', advisoryMs, 'ms', { note: 'state on the disk' }),
    ratio('advisory + link, kill -9, against the limit', advisoryMs / limit, 2, 'aim 1.5'),
    row('quorum + trustRefusals, kill -9', quorumMs, 'ms'),
    ratio('quorum + trustRefusals, kill -9, against the limit', quorumMs / limit, 2),
    row('quorum, SIGTERM, from the signal to all know', stoppedMs, 'ms'),
    ratio('quorum, SIGTERM, from the signal, against the limit', stoppedMs / limit, 1),
    row('quorum, SIGTERM, from lost to all know', orderlyMs, 'ms'),
    ratio('quorum, SIGTERM, without a leader, against the limit', orderlyMs / limit, 1),
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
    row('idle, 5 members, mean', five.cpu, '% core', { bound: { max: 0.5 } }),
    row('idle, 5 members, leader', five.leaderCpu, '% core'),
    row('idle, 5 members, mean', five.bytes, 'B/s', { bound: { max: 500 } }),
    row('idle, 5 members, leader', five.leaderBytes, 'B/s'),
    row('idle at 50 ms, mean', quick.cpu, '% core', { bound: { max: 1.5 } }),
    row('idle at 50 ms, leader', quick.leaderCpu, '% core'),
    row('idle, 50 members, mean', fifty.cpu, '% core'),
    row('idle, 50 members, leader', fifty.leaderCpu, '% core'),
    row('idle, 50 members, mean', fifty.bytes, 'B/s'),
    ratio('idle, 50 members against 5, core', fifty.cpu / five.cpu, 2),
    ratio('idle, 50 members against 5, bytes', fifty.bytes / five.bytes, 2),
  ]
}

function ratio(metric: string, value: number, max: number, note?: string): Row {
  return row(metric, value, '×', { bound: { max }, ...(note !== undefined && { note }) })
}

export default {
  name: 'failover',
  describe: 'failover of real processes against bare sockets, and what idle members cost',
  run,
} satisfies Entry
