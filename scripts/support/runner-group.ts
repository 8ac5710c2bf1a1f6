/**
 * Three runners of one command in network namespaces, and an independent monitor: the command itself records when it
 * runs, and two terms whose records overlap are counted.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Namespaces } from '../../src/testing/namespaces.ts'
import { until } from '../../src/testing/wait.ts'
import { childrenOf } from './linux-processes.ts'
import { program } from './test-cluster.ts'

const NAMES = ['a', 'b', 'c']
export const LEASE_MS = 800
const TIMING = ['--detection', '600ms', '--period', '200ms', '--lease', `${LEASE_MS}ms`]
const BEATING = fileURLToPath(new URL('./beating-command.js', import.meta.url))

interface Beat {
  readonly term: number
  readonly atMs: number
  readonly pid: number
}

export class RunnerGroup implements AsyncDisposable {
  readonly net = Namespaces.open(NAMES)
  private readonly folder = mkdtempSync(join(tmpdir(), 'bellwether-runners-'))
  private readonly runners = new Map<string, ChildProcess>()
  private readonly command: readonly string[]
  private output = ''
  private lastTerm = 0

  /** `script` is a shell script in which `$BEAT` runs the recording command. */
  constructor(script: string) {
    this.command = ['sh', '-c', script]
    writeFileSync(this.file, '')
    for (const name of NAMES) this.start(name)
  }

  start(name: string): void {
    const members = NAMES.map((one) => `${one}=${this.net.hostOf(one)}:7400`).join(',')
    const own = ['--id', name, '--members', members, '--state', join(this.folder, name)]
    const flags = [...own, ...TIMING, '--insecure-plaintext', '--again', '--drain', '10s']
    const [command, ...args] = this.net.enter(name)
    const run = [process.execPath, program, 'run', ...flags, '--', ...this.command]
    const child = spawn(command, [...args, ...run], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, BEAT: `${process.execPath} ${BEATING} ${this.file}` },
    })
    child.stderr.on(
      'data',
      (chunk) => (this.output = `${this.output}${String(chunk)}`.slice(-4000)),
    )
    this.runners.set(name, child)
  }

  pidOf(name: string): number {
    return this.runners.get(name)!.pid!
  }

  /** Kills a runner and starts it again. */
  async restart(name: string): Promise<void> {
    const runner = this.runners.get(name)!
    const ended = runner.exitCode !== null || runner.signalCode !== null
    const exit = ended ? undefined : once(runner, 'exit')
    runner.kill('SIGKILL')
    await exit
    this.start(name)
  }

  get beats(): Beat[] {
    const lines = readFileSync(this.file, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => {
      const [term, at, pid] = line.split(' ')
      return { term: Number(term), atMs: Number(BigInt(at)) / 1e6, pid: Number(pid) }
    })
  }

  /** Waits until the command of a later term has run for a while. */
  async nextTerm(forMs: number): Promise<void> {
    const after = Math.max(this.lastTerm, ...this.beats.map(({ term }) => term))
    await until(
      () => {
        const last = Math.max(...this.beats.map(({ term }) => term))
        const beats = this.beats.filter(({ term }) => term === last)
        return last > after && beats.at(-1)!.atMs - beats[0].atMs > forMs
      },
      () => `a term after ${after}: ${this.output}`,
      30_000,
    )
  }

  /** Ends the command in order, and waits for the birth of the next guardian. Returns it with its runner. */
  async nextGuardian(): Promise<{ name: string; guardian: number }> {
    const known = new Set(NAMES.flatMap((name) => childrenOf(this.pidOf(name))))
    await until(() => this.beats.length > 0, 'the command')
    this.signalCommand('SIGUSR2')
    for (let i = 0; i < 30_000; i++) {
      for (const name of NAMES) {
        const guardian = firstChild(this.pidOf(name), known)
        if (guardian !== undefined) return { name, guardian }
      }
      await nextTurn()
      if (i % 10 === 9) await sleep(1)
    }
    throw new Error('no guardian was started')
  }

  /** The runner of the command that runs now, and its guardian. */
  async current(): Promise<{ name: string; guardian: number }> {
    return until(() => {
      const found = NAMES.map((name) => ({ name, guardian: childrenOf(this.pidOf(name))[0] }))
      return found.find(({ guardian }) => guardian !== undefined)
    })
  }

  private signalCommand(how: NodeJS.Signals): void {
    for (const pid of new Set(this.beats.map((beat) => beat.pid))) signal(pid, how)
  }

  /** The longest time for which a term's command ran beside that of a later term; 0 if none did. Forgets the beats. */
  overlapMs(): number {
    const times = new Map<number, { first: number; last: number }>()
    for (const { term, atMs } of this.beats) {
      const { first } = times.get(term) ?? { first: atMs }
      times.set(term, { first, last: atMs })
    }
    const terms = [...times].toSorted(([a], [b]) => a - b)
    this.lastTerm = Math.max(this.lastTerm, ...times.keys())
    writeFileSync(this.file, '')
    const overlaps = terms.flatMap(([, { last }], i) =>
      terms.slice(i + 1).map(([, { first }]) => last - first),
    )
    return Math.max(0, ...overlaps)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of NAMES) {
      for (const guardian of childrenOf(this.pidOf(name))) signal(guardian, 'SIGCONT')
      signal(this.pidOf(name), 'SIGKILL')
    }
    this.signalCommand('SIGKILL')
    await sleep(200)
    this.net.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private get file(): string {
    return join(this.folder, 'beats')
  }
}

/** Reads one short file where the kernel shows the children of a process: quick enough to catch a process at its birth. */
function firstChild(parent: number, known: ReadonlySet<number>): number | undefined {
  try {
    const text = readFileSync(`/proc/${parent}/task/${parent}/children`, 'latin1')
    return text
      .split(' ')
      .filter(Boolean)
      .map(Number)
      .find((pid) => !known.has(pid))
  } catch {
    return undefined
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}
