/** Starts the candidates of one rival as processes, kills their leader, and measures when the next one leads and when all survivors know it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RealServer } from '../../scripts/support/servers.ts'
import { freePorts } from '../../src/testing/local-cluster.ts'
import type { Rival } from './rivals.ts'

/** Milliseconds from `kill -9` of the leader. */
export interface Failover {
  readonly first: number
  /** NaN where a candidate does not know who leads, unless it does itself. */
  readonly all: number
  /** Processor time of the survivors' main threads until the next one leads and is known. */
  readonly usedMs: number
}

interface Candidate {
  readonly child: ChildProcess
  /** The slot that it says leads, and since when; undefined: it has said nothing. */
  leader?: number | null
  at: number
}

const LIMIT_MS = 120_000

export class Contest implements AsyncDisposable {
  private readonly rival: Rival
  private readonly ports: readonly number[]
  private readonly settings: object
  private readonly ownServer: RealServer | undefined
  private readonly folder: string
  private readonly candidates: Candidate[] = []
  /** How often a candidate has begun to lead. */
  elections = 0
  private changes = 0
  private wake: () => void = () => undefined

  private constructor(
    rival: Rival,
    ports: readonly number[],
    server: RealServer | undefined,
    ownServer: RealServer | undefined,
  ) {
    this.rival = rival
    this.ports = ports
    this.ownServer = ownServer
    this.folder = mkdtempSync(join(tmpdir(), 'bellwether-rival-'))
    const url = server === undefined ? {} : { url: server.url() }
    this.settings = { ...rival.settings, ...url, ...(rival.hasState && { state: this.folder }) }
  }

  /** Without `server`, starts one if the rival needs one. */
  static async open(rival: Rival, members: number, server?: RealServer): Promise<Contest> {
    const own =
      rival.server === undefined || server !== undefined
        ? undefined
        : await RealServer.open(rival.server, rival.serverFlags)
    const contest = new Contest(rival, await freePorts(members), server ?? own, own)
    for (let slot = 0; slot < members; slot++) contest.start(slot)
    return contest
  }

  async failLeader(): Promise<Failover> {
    const leader = await this.settled()
    await sleep(this.rival.jitterMs * Math.random())
    const killed = this.candidates[leader]
    const survivors = this.candidates.filter((one) => one !== killed)
    const usedBefore = processorMs(survivors)
    const started = Number(process.hrtime.bigint()) / 1e6
    killed.child.kill('SIGKILL')
    const next = await this.until(() => {
      const slot = this.agreedBy(survivors)
      return slot !== undefined && this.candidates[slot].at > started ? slot : undefined
    })
    const first = this.candidates[next].at - started
    const known = Math.max(...survivors.map(({ at }) => at)) - started
    const usedMs = processorMs(survivors) - usedBefore
    this.start(leader)
    return { first, all: this.rival.observes ? known : NaN, usedMs }
  }

  /** Ends the candidates. */
  stop(): void {
    for (const { child } of this.candidates) child.kill('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop()
    await this.ownServer?.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** The leader on which all candidates have agreed for a while. */
  async settled(): Promise<number> {
    for (;;) {
      const leader = await this.until(() => this.agreedBy(this.candidates))
      const { changes } = this
      await sleep(this.rival.settleMs)
      if (changes === this.changes) return leader
    }
  }

  /** The one candidate that says that it leads, and that the others name if they can. */
  private agreedBy(candidates: readonly Candidate[]): number | undefined {
    const leaders = this.candidates.flatMap((one, slot) =>
      candidates.includes(one) && one.leader === slot ? [slot] : [],
    )
    if (leaders.length !== 1) return undefined
    const isKnown = candidates.every(({ leader }) => leader === leaders[0])
    return isKnown || !this.rival.observes ? leaders[0] : undefined
  }

  private async until<T>(get: () => T | undefined): Promise<T> {
    const deadline = setTimeout(() => this.wake(), LIMIT_MS)
    const until = performance.now() + LIMIT_MS
    try {
      for (let value = get(); ; value = get()) {
        if (value !== undefined) return value
        if (performance.now() > until) throw new Error(`${this.rival.name}: no leader in time`)
        await new Promise<void>((resolve) => {
          this.wake = resolve
        })
      }
    } finally {
      clearTimeout(deadline)
    }
  }

  private start(slot: number): void {
    const path = fileURLToPath(new URL(this.rival.program, import.meta.url))
    const args = [path, String(slot), this.ports.join(','), JSON.stringify(this.settings)]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const candidate: Candidate = { child, at: 0 }
    this.candidates[slot] = candidate
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { at, leader } = JSON.parse(line) as { at: string; leader: number | null }
      candidate.leader = leader
      candidate.at = Number(BigInt(at)) / 1e6
      this.changes += 1
      if (leader === slot) this.elections += 1
      this.wake()
    })
  }
}

/** What the kernel has counted for their main threads. */
function processorMs(candidates: readonly Candidate[]): number {
  const nanoseconds = candidates.map(({ child }) =>
    Number(readFileSync(`/proc/${child.pid}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, ns) => sum + ns, 0) / 1e6
}
