/**
 * A command under a guardian: a process of its own that holds the command's process group and a line to
 * us. If we die, the line breaks, and the guardian kills the group. If we are stopped, the deadline that
 * we last told it passes, and it does what we should. If it dies, we do it ourselves.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Term } from '../../index.ts'
import { monotonic } from '../../clock/monotonic.ts'
import { sleep } from '../../clock/sleep.ts'

/** How often the guardian hears until when the term lasts. */
const TELL_MS = 100

export class Guarded {
  /** The command's process group. */
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
    this.pid = new Promise((resolve) => {
      this.guardian.stdio[3]!.on('data', (chunk: Buffer) => {
        this.group = Number(chunk.toString())
        resolve(this.group)
      })
      this.guardian.on('exit', () => resolve(0))
      this.guardian.on('error', () => resolve(0))
    })
    this.exit = new Promise((resolve) => {
      this.guardian.on('error', () => resolve(null))
      this.guardian.on('exit', (code) => {
        this.killGroup() // whatever the command left behind, or the guardian when it was killed
        resolve(code)
      })
    })
  }

  /** Ends the command when the term ends: asks, and kills after the drain. Gives its exit code. */
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
      await sleep(TELL_MS, over)
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
