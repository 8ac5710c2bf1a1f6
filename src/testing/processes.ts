/**
 * Runs members as processes, as users do: starts, kills, stops, pauses and resumes them, and collects their output. A
 * FaultMesh or Namespaces cuts the links between them.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { sleep } from '../clock/sleep.ts'

/** What runs as a member: a program, its arguments, and additions to the environment of this process. */
export interface Launch {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Gives the process a process group of its own and a channel for messages from this process. */
  readonly controlled?: boolean
}

export type ProcessCondition = 'running' | 'paused' | 'dead'

/** How long a process may take to end before it is killed. */
const STOP_MS = 5000

export class Processes implements AsyncDisposable {
  private readonly launchOf: (name: string) => Launch
  private readonly observe: (name: string, child: ChildProcess) => void
  private readonly children = new Map<string, ChildProcess>()
  private readonly paused = new Set<string>()
  private readonly printed = new Map<string, string>()

  /** `observe` sees each process when it starts; without it `output` collects what the process prints. */
  constructor(
    launchOf: (name: string) => Launch,
    observe?: (name: string, child: ChildProcess) => void,
  ) {
    this.launchOf = launchOf
    this.observe = observe ?? ((name, child) => this.collectOutput(name, child))
  }

  /** Resolves when the process runs; the member may not take part yet. */
  async start(name: string): Promise<number> {
    const child = this.spawn(name)
    await once(child, 'spawn')
    return child.pid!
  }

  /** @internal */
  spawn(name: string): ChildProcess {
    if (this.isRunning(name)) throw new Error(`${name} runs already`)
    const { command, args = [], env = {}, controlled = false } = this.launchOf(name)
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe', ...(controlled ? (['ipc'] as const) : [])],
      detached: controlled,
      env: { ...process.env, ...env },
    })
    child.on('error', () => undefined)
    this.paused.delete(name)
    this.children.set(name, child)
    this.observe(name, child)
    return child
  }

  /** All output of the member, across all incarnations. */
  output(name: string): string {
    return this.printed.get(name) ?? ''
  }

  isRunning(name: string): boolean {
    const child = this.children.get(name)
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null
  }

  conditionOf(name: string): ProcessCondition {
    if (!this.isRunning(name)) return 'dead'
    return this.paused.has(name) ? 'paused' : 'running'
  }

  childOf(name: string): ChildProcess | undefined {
    return this.isRunning(name) ? this.children.get(name) : undefined
  }

  /** As `kill -9`. Resolves when the process has ended. */
  async kill(name: string): Promise<void> {
    await this.end(name, 'SIGKILL')
  }

  /** As an operator stops it: the member drains, resigns and leaves. Resolves when the process has ended. */
  async stop(name: string): Promise<void> {
    await this.end(name, 'SIGTERM')
  }

  /** The process executes nothing; its clock runs on, and its connections stay open. */
  pause(name: string): void {
    this.running(name).kill('SIGSTOP')
    this.paused.add(name)
  }

  resume(name: string): void {
    this.running(name).kill('SIGCONT')
    this.paused.delete(name)
  }

  /** Ends all processes: SIGTERM, then SIGKILL. */
  async close(): Promise<void> {
    const running = [...this.children.keys()].filter((name) => this.isRunning(name))
    await Promise.all(
      running.map(async (name) => {
        this.resume(name)
        const ended = new AbortController()
        this.running(name).once('exit', () => ended.abort())
        this.running(name).kill('SIGTERM')
        await sleep(STOP_MS, ended.signal)
        if (!ended.signal.aborted) await this.kill(name)
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  private async end(name: string, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.running(name)
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  private running(name: string): ChildProcess {
    const child = this.childOf(name)
    if (child === undefined) throw new Error(`${name} does not run`)
    return child
  }

  private collectOutput(name: string, child: ChildProcess): void {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => this.printed.set(name, `${this.output(name)}${String(chunk)}`))
    }
  }
}
