/**
 * Starts a guardian process that runs and ends a command, and sends it orders and deadlines. The guardian owns the
 * process group of the command and reads orders from a pipe. If this process crashes, the pipe breaks, and the
 * guardian kills the group. If this process is stopped, the last deadline passes, and the guardian ends the group. If
 * the guardian is killed, this process kills the group.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { monotonic } from '../../clock/monotonic.ts'
import { sleep } from '../../clock/sleep.ts'
import type { Term } from '../../index.ts'

/** How often the guardian receives the deadline of the term. */
const REPORT_MS = 100

export class GuardedCommand {
  /** The process group of the command; 0 if it never started. */
  readonly pid: Promise<number>
  private readonly guardian: ChildProcess
  private readonly drainMs: number
  private group = 0
  private readonly exit: Promise<number | null>

  constructor(command: readonly string[], env: NodeJS.ProcessEnv, drainMs: number) {
    const program = fileURLToPath(new URL('./guardian.js', import.meta.url))
    this.drainMs = drainMs
    this.guardian = spawn(process.execPath, [program, ...command], {
      stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
      env,
      detached: true,
    })
    this.guardian.stdin!.on('error', () => undefined)
    this.exit = new Promise((resolve) => {
      this.guardian.on('error', () => resolve(null))
      this.guardian.on('exit', (code) => {
        this.killGroup() // what the command left behind, or all of it if the guardian was killed
        resolve(code)
      })
    })
    this.pid = new Promise((resolve) => {
      this.guardian.stdio[3]!.on('data', (chunk: Buffer) => {
        this.group = Number(chunk.toString())
        resolve(this.group)
      })
      void this.exit.then(() => resolve(0))
    })
  }

  /** Ends the command when the term ends: SIGTERM, and SIGKILL after the drain. Resolves to its exit code. */
  async during(term: Term): Promise<number | null> {
    const over = new AbortController()
    void this.exit.then(() => over.abort())
    void this.reportDeadline(term, over.signal)
    term.signal.addEventListener('abort', () => void this.stop(over.signal), { once: true })
    if (term.signal.aborted) void this.stop(over.signal)
    return this.exit
  }

  private async stop(over: AbortSignal): Promise<void> {
    this.order('term')
    await sleep(this.drainMs, over)
    if (!over.aborted) this.order('kill')
  }

  private async reportDeadline(term: Term, over: AbortSignal): Promise<void> {
    while (!over.aborted && !term.signal.aborted) {
      const leftMs = term.remainingMs()
      if (leftMs === Infinity) return
      this.order(`until ${Math.round(monotonic.now() + leftMs)} ${this.drainMs}`)
      await sleep(REPORT_MS, over)
    }
  }

  private order(text: string): void {
    if (this.guardian.stdin!.writable) this.guardian.stdin!.write(`${text}\n`)
  }

  private killGroup(): void {
    if (this.group === 0) return
    try {
      process.kill(-this.group, 'SIGKILL')
    } catch {
      // All of it has ended.
    }
  }
}
