/** Measures many groups over one port against one group: processor time, bytes and memory of three processes, and their elections after a kill. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../src/testing/local-cluster.ts'
import { row, type Entry, type Row, type Scale } from './harness.ts'

const PROGRAM = joinPath(import.meta.dirname, 'groups/process.js')
const IDS = ['a', 'b', 'c']
const GROUPS: Readonly<Record<Scale, number>> = { tiny: 5, quick: 1000, full: 1000 }
const MEASURED_MS: Readonly<Record<Scale, number>> = { tiny: 500, quick: 10_000, full: 60_000 }
/** Until all groups rest. */
const REST_MS: Readonly<Record<Scale, number>> = { tiny: 100, quick: 8000, full: 15_000 }
const LONGEST_MS = 300_000

interface Sample {
  readonly leaders: number
  readonly leads: number
  readonly cpuMs: number
  readonly atMs: number
  readonly bytes: number
  readonly frames: number
  readonly connections: number
  readonly residentBytes: number
}

class Trio implements AsyncDisposable {
  private readonly children: ChildProcess[]
  private readonly folder: string
  private readonly count: number

  private constructor(children: ChildProcess[], folder: string, count: number) {
    this.children = children
    this.folder = folder
    this.count = count
  }

  static async start(count: number, shareHeartbeats: boolean): Promise<Trio> {
    // In memory, where that is possible: the time of the disk is not measured here.
    const memory = '/dev/shm'
    const folder = mkdtempSync(
      joinPath(existsSync(memory) ? memory : tmpdir(), 'bellwether-groups-'),
    )
    const ports = await freePorts(IDS.length)
    const members = Object.fromEntries(IDS.map((id, i) => [id, `127.0.0.1:${ports[i]}`]))
    const children = IDS.map((id) => {
      const state = joinPath(folder, id)
      return fork(PROGRAM, [JSON.stringify({ id, members, state, count, shareHeartbeats })])
    })
    await Promise.all(children.map(async (child) => once(child, 'message')))
    return new Trio(children, folder, count)
  }

  async sample(without?: string): Promise<Sample[]> {
    return Promise.all(
      this.children.map(async (child) => {
        const answer = once(child, 'message')
        child.send({ without })
        return ((await answer) as [Sample])[0]
      }),
    )
  }

  /** Milliseconds until each process knows a leader of each group. */
  async led(without?: string): Promise<number> {
    const beganAt = performance.now()
    while (performance.now() - beganAt < LONGEST_MS) {
      const samples = await this.sample(without)
      if (samples.every(({ leaders }) => leaders === this.count)) return performance.now() - beganAt
      await sleep(20)
    }
    throw new Error(`no leaders of ${this.count} groups in ${LONGEST_MS} ms`)
  }

  /** As kill -9. */
  async kill(): Promise<void> {
    const child = this.children.pop()!
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.children.length > 0) await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

interface Idle {
  /** Of the process that takes most. */
  readonly cpuPercent: number
  readonly bytesPerSecond: number
  readonly framesPerSecond: number
  readonly residentBytes: number
  readonly startMs: number
  readonly failoverMs: number
}

async function measure(count: number, shareHeartbeats: boolean, scale: Scale): Promise<Idle> {
  const beganAt = performance.now()
  await using trio = await Trio.start(count, shareHeartbeats)
  await trio.led()
  const startMs = performance.now() - beganAt
  await sleep(REST_MS[scale])
  const before = await trio.sample()
  await sleep(MEASURED_MS[scale])
  const after = await trio.sample()
  const most = (rate: (from: Sample, to: Sample, seconds: number) => number): number =>
    Math.max(...before.map((from, i) => rate(from, after[i], (after[i].atMs - from.atMs) / 1000)))
  const idle = {
    cpuPercent: most((from, to, seconds) => (to.cpuMs - from.cpuMs) / seconds / 10),
    bytesPerSecond: most((from, to, seconds) => (to.bytes - from.bytes) / seconds),
    framesPerSecond: most((from, to, seconds) => (to.frames - from.frames) / seconds),
    residentBytes: most((_, to) => to.residentBytes),
  }
  await trio.kill()
  return { ...idle, startMs, failoverMs: await trio.led(IDS.at(-1)) }
}

const entry: Entry = {
  name: 'groups',
  describe:
    'processor time, bytes and memory of 1,000 groups between 3 processes over one port each, with shareHeartbeats and without, against one group',
  async run(scale, progress = () => undefined): Promise<Row[]> {
    const count = GROUPS[scale]
    progress('1 group … ')
    const one = await measure(1, false, scale)
    progress(`${count} groups … `)
    const own = await measure(count, false, scale)
    progress(`${count} groups with shareHeartbeats … `)
    const many = await measure(count, true, scale)
    const kilobytes = (many.residentBytes - one.residentBytes) / 1024 / Math.max(1, count - 1)
    const inAll = `${count} groups, shareHeartbeats`
    const apart = `${count} groups`
    return [
      row('1 group: processor', one.cpuPercent, '%', { note: 'of one core, the busiest process' }),
      row(
        `${inAll}: processor`,
        many.cpuPercent,
        '%',
        scale === 'tiny' ? {} : { bound: { max: 2 } },
      ),
      row(`${apart}: processor`, own.cpuPercent, '%'),
      row('1 group: sent', one.bytesPerSecond, 'B/s'),
      row(`${inAll}: sent`, many.bytesPerSecond, 'B/s'),
      row(`${apart}: sent`, own.bytesPerSecond, 'B/s'),
      row('1 group: frames', one.framesPerSecond, '/s'),
      row(`${inAll}: frames`, many.framesPerSecond, '/s'),
      row(`${apart}: frames`, own.framesPerSecond, '/s'),
      row('1 group: memory', one.residentBytes / 2 ** 20, 'MiB', { note: 'resident' }),
      row(`${inAll}: memory`, many.residentBytes / 2 ** 20, 'MiB', { note: 'resident' }),
      row(`${apart}: memory`, own.residentBytes / 2 ** 20, 'MiB', { note: 'resident' }),
      row('memory of one more group', kilobytes, 'KiB'),
      row(`${inAll}: start`, many.startMs, 'ms', { note: 'until all leaders are known' }),
      row(`${apart}: start`, own.startMs, 'ms', { note: 'until all leaders are known' }),
      row('1 group: leader after kill -9', one.failoverMs, 'ms'),
      row(`${inAll}: leaders after kill -9`, many.failoverMs, 'ms', {
        note: 'of the process that leads a third',
      }),
      row(`${apart}: leaders after kill -9`, own.failoverMs, 'ms'),
    ]
  },
}
export default entry
