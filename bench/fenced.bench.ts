/** Measures failover of fenced leadership and of a lease election on one etcd, recovery after leader and etcd were killed, changes of leader without a fault, and terms that do not rise. */
import { setTimeout as sleep } from 'node:timers/promises'
import { atMs, nowMs, type TestCluster } from '../scripts/support/test-cluster.ts'
import { has, RealServer } from '../scripts/support/servers.ts'
import { until } from '../src/testing/wait.ts'
import { row, type Entry, type Row, type Scale } from './harness.ts'
import { Contest } from './rivals/contest.ts'
import { ETCD } from './rivals/rivals.ts'
import { median, openCluster, recover } from './support/failover.ts'

const MEMBERS = 3

interface Figures {
  readonly fencedMs: number[]
  readonly leaseMs: number[]
  /** Until the next token, after a killed engine was started again. */
  readonly outages: Outage[]
  /** Terms that did not rise above all before them. */
  readonly falling: number
  /** How often the lease election changed its leader without a failure. */
  readonly unstable: number
}

interface Outage {
  /** From the start of its process. */
  readonly startedMs: number
  /** From the moment that it answers; 0 where a member was served before us. */
  readonly answersMs: number
}

/** By turns, so that a busy neighbour slows both alike. */
async function measure(times: number, outages: number, idleMs: number): Promise<Figures> {
  const server = await RealServer.open('etcd', ETCD.serverFlags)
  const lease = await Contest.open(ETCD, MEMBERS, server)
  const cluster = await openCluster(MEMBERS, ['--engine', server.flag()])
  try {
    await lease.settled()
    await sleep(idleMs)
    const unstable = lease.elections - 1
    const figures: Figures = {
      fencedMs: [],
      leaseMs: [],
      outages: [],
      falling: 0,
      unstable,
    }
    for (let i = 0; i < times; i++) {
      figures.fencedMs.push(await failLeader(cluster))
      figures.leaseMs.push((await lease.failLeader()).first)
    }
    lease.stop()
    for (let i = 0; i < outages; i++) figures.outages.push(await outage(cluster, server))
    const terms = cluster.of('elected').toSorted((a, b) => atMs(a) - atMs(b))
    const falling = terms.filter(({ term }, i) => i > 0 && term <= terms[i - 1].term).length
    return { ...figures, falling }
  } finally {
    lease.stop()
    await cluster.close()
    await server.close()
  }
}

/** Milliseconds from `kill -9` of the leader until the next one has its token. */
async function failLeader(cluster: TestCluster): Promise<number> {
  const leader = await cluster.agreed(() => cluster.names)
  await sleep(200 + 300 * Math.random())
  const before = cluster.entries.length
  const started = nowMs()
  cluster.processes.kill(leader)
  const next = await until(() => cluster.of('elected', before)[0], 'the next leader')
  await recover(cluster, leader, 'kill')
  return atMs(next) - started
}

/** The engine is killed with the leader, and started again. */
async function outage(cluster: TestCluster, server: RealServer): Promise<Outage> {
  const leader = await cluster.agreed(() => cluster.names)
  const before = cluster.entries.length
  // The engine first: otherwise a quick successor gets its token before.
  const gone = server.kill()
  cluster.processes.kill(leader)
  await gone
  await sleep(1000)
  if (cluster.of('elected', before).length > 0) throw new Error('elected without an engine')
  const started = nowMs()
  await server.start()
  const answers = nowMs()
  const next = await until(() => cluster.of('elected', before)[0], 'the next leader')
  await recover(cluster, leader, 'kill')
  const at = atMs(next)
  return { startedMs: at - started, answersMs: Math.max(0, at - answers) }
}

async function run(scale: Scale): Promise<Row[]> {
  if (!has('etcd')) return [row('not measured: etcd is not installed', 0, '')]
  const full = scale === 'full'
  const figures = await measure(full ? 30 : 1, full ? 10 : 1, full ? 10_000 : 100)
  const [fenced, lease] = [median(figures.fencedMs), median(figures.leaseMs)]
  const note = `${ETCD.how}; ${MEMBERS} members`
  return [
    row('fenced(etcd), kill -9 to the next token', fenced, 'ms'),
    row('fenced(etcd), kill -9 to the next token, worst', Math.max(...figures.fencedMs), 'ms'),
    row('lease election, kill -9 to elected', lease, 'ms', { note }),
    row('lease election, new leaders without a fault', figures.unstable, ''),
    row('fenced is faster by', lease / fenced, '×', full ? { bound: { min: 20 } } : {}),
    row(
      'engine killed too: recovery after its return, worst',
      Math.max(...figures.outages.map(({ answersMs }) => answersMs)),
      'ms',
      { bound: { max: 2000 }, note: `of ${figures.outages.length}, from its first answer` },
    ),
    row(
      '… from the start of its process, worst',
      Math.max(...figures.outages.map(({ startedMs }) => startedMs)),
      'ms',
      { note: 'its own start included' },
    ),
    row('terms that did not rise', figures.falling, '', { bound: { max: 0 } }),
  ]
}

export default {
  name: 'fenced',
  describe: 'failover with fenced(etcd) and with a lease election, and recovery of a killed etcd',
  run,
} satisfies Entry
