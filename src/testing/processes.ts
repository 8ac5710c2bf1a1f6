/**
 * Members that are processes of their own, as users run them: started, killed, stopped, let go on. What parts
 * them from each other is a FaultMesh, or Namespaces.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { sleep } from '../clock/sleep.ts'

/** What is run for a member: a program, its arguments, and what its environment has beside this process's. */
export interface Launch {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Who is told to stop has this long. */
const STOP_MS = 5000

export class Processes implements AsyncDisposable {
  private readonly launchOf: (name: string) => Launch
  private readonly children = new Map<string, ChildProcess>()
  private readonly printed = new Map<string, string>()

  constructor(launchOf: (name: string) => Launch) {
    this.launchOf = launchOf
  }

  /** Resolves when the process runs, which is not yet when it takes part. */
  async start(name: string): Promise<number> {
    if (this.isRunning(name)) throw new Error(`${name} runs already`)
    const { command, args = [], env = {} } = this.launchOf(name)
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    const note = (chunk: unknown): void => {
      this.printed.set(name, `${this.output(name)}${String(chunk)}`)
    }
    child.stdout.on('data', note)
    child.stderr.on('data', note)
    await once(child, 'spawn')
    this.children.set(name, child)
    return child.pid!
  }

  /** All that the member printed, in all of its lives. */
  output(name: string): string {
    return this.printed.get(name) ?? ''
  }

  isRunning(name: string): boolean {
    const child = this.children.get(name)
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** As `kill -9`. Resolves when it is gone. */
  async kill(name: string): Promise<void> {
    await this.end(this.childOf(name), 'SIGKILL')
  }

  /** As an operator stops it: it drains, resigns and leaves. Resolves when it is gone. */
  async stop(name: string): Promise<void> {
    await this.end(this.childOf(name), 'SIGTERM')
  }

  /** Stopped in the middle of whatever it does; its clock runs on, and its connections stay open. */
  pause(name: string): void {
    this.childOf(name).kill('SIGSTOP')
  }

  resume(name: string): void {
    this.childOf(name).kill('SIGCONT')
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    const running = [...this.children.keys()].filter((name) => this.isRunning(name))
    await Promise.all(
      running.map(async (name) => {
        const child = this.childOf(name)
        child.kill('SIGCONT')
        const gone = new AbortController()
        child.once('exit', () => gone.abort())
        child.kill('SIGTERM')
        await sleep(STOP_MS, gone.signal)
        if (!gone.signal.aborted) await this.kill(name)
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  private async end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  private childOf(name: string): ChildProcess {
    if (!this.isRunning(name)) throw new Error(`${name} does not run`)
    return this.children.get(name)!
  }
}
