/** Starts five member processes that elect by the roulette wheel, kills their leader, and measures the election and detection time and the time of a draw. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LeaderReport, MeasuredMember } from './member.ts'

const PROGRAM = fileURLToPath(new URL('./member.js', import.meta.url))
const NAMES = ['a', 'b', 'c', 'd', 'e']
/** On loopback a message takes far less, unless the machine is busy. */
export const TIMING = { message: 10, period: 50, detection: 150, lease: 200 }
/** An election that takes longer than this has failed. */
const LIMIT_MS = 20_000

export interface Loss {
  /** From the `kill -9` of the leader until all four survivors name the same next one. */
  readonly ms: number
  /** Until the first survivor noticed. */
  readonly noticedMs: number
  /** How long a draw took each survivor that drew for long enough. */
  readonly drawsMs: readonly number[]
}

/** What a member last reported, and when it lost its leader. */
interface Belief {
  readonly leader: string | null
  readonly at: number
  readonly lostAt: number
  readonly drawMs: number | null
}

export class FiveProcesses {
  private readonly algorithm: MeasuredMember['algorithm']
  private readonly safety: MeasuredMember['safety']
  // In memory where possible: the time of a disk is not to be measured.
  private readonly state = mkdtempSync(
    join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'wheel-'),
  )
  private readonly children = new Map<string, ChildProcess>()
  private readonly beliefs = new Map<string, Belief>()
  private members: Record<string, string> = {}
  private wake: () => void = () => undefined

  private constructor(algorithm: string, safety: MeasuredMember['safety']) {
    this.algorithm = algorithm
    this.safety = safety
  }

  static async open(algorithm: string, safety: MeasuredMember['safety']): Promise<FiveProcesses> {
    const cluster = new FiveProcesses(algorithm, safety)
    const ports = await freePorts(NAMES.length)
    cluster.members = Object.fromEntries(NAMES.map((name, i) => [name, `127.0.0.1:${ports[i]}`]))
    for (const name of NAMES) cluster.start(name)
    return cluster
  }

  /** Kills the leader, waits for the next one, and starts the killed member again. */
  async loseLeader(pauseMs: number, signal: AbortSignal): Promise<Loss> {
    const leader = await this.agreed(NAMES, signal)
    await wait(pauseMs)
    const survivors = NAMES.filter((name) => name !== leader)
    const child = this.children.get(leader)!
    this.beliefs.delete(leader)
    const killed = Number(process.hrtime.bigint()) / 1e6
    child.kill('SIGKILL')
    await this.agreed(survivors, signal, leader)
    const beliefs = survivors.map((name) => this.beliefs.get(name)!)
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    this.start(leader)
    return {
      ms: Math.max(...beliefs.map(({ at }) => at)) - killed,
      noticedMs: Math.min(...beliefs.map(({ lostAt }) => lostAt)) - killed,
      drawsMs: beliefs.flatMap(({ drawMs }) => (drawMs === null ? [] : [drawMs])),
    }
  }

  close(): void {
    for (const child of this.children.values()) child.kill('SIGKILL')
    rmSync(this.state, { recursive: true, force: true })
  }

  private start(id: string): void {
    const { algorithm, safety, state, members } = this
    const options: MeasuredMember = { id, members, algorithm, safety, state, timing: TIMING }
    // A group of its own: Ctrl-C reaches the parent only, which ends it.
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true,
    })
    this.children.set(id, child)
    child.on('error', () => undefined)
    child.on('message', (report: LeaderReport) => {
      if (this.children.get(id) === child && child.signalCode === null) this.record(id, report)
    })
  }

  private record(id: string, { at, leader, drawMs }: LeaderReport): void {
    const now = Number(at) / 1e6
    const before = this.beliefs.get(id)
    const isLost = leader === null && before?.leader !== null
    const lostAt = isLost ? now : (before?.lostAt ?? now)
    this.beliefs.set(id, { leader, at: now, lostAt, drawMs })
    this.wake()
  }

  private async agreed(
    names: readonly string[],
    signal: AbortSignal,
    not?: string,
  ): Promise<string> {
    const limit = performance.now() + LIMIT_MS
    for (;;) {
      signal.throwIfAborted()
      const leaders = names.map((name) => this.beliefs.get(name)?.leader ?? null)
      const [first] = leaders
      if (first !== null && first !== not && leaders.every((leader) => leader === first))
        return first
      if (performance.now() > limit) {
        throw new Error(`five processes found no leader in ${LIMIT_MS / 1000} s: ${leaders.join()}`)
      }
      // Until the next report; at the latest after 100 ms, to look at the limit and the signal.
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100)
        this.wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}

/** Free ports of the loopback interface. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(async (server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map(async (server) => once(server.close(), 'close')))
  return ports
}
