/**
 * Starts a guardian process that runs and ends a command, and sends it orders and deadlines. The guardian starts the
 * command only while it holds a deadline. If this process crashes, a pipe breaks, and the guardian kills the command;
 * if the guardian cannot, a witness in the group of the command does. If this process is stopped, the last deadline
 * passes, and the guardian ends the command. If the guardian is stopped or killed, this process kills the command.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { monotonic } from '../../clock/monotonic.ts'
import { sleep } from '../../clock/sleep.ts'
import type { Term } from '../../index.ts'
import { CommandProcesses } from './command-processes.ts'

/** How often the guardian receives the deadline of the term, at least. */
const REPORT_MS = 100
/**
 * The part of a lease for which a command may run on after its lease was lost. A successor leads a tenth of a lease
 * after it; the other half is for the drift of the clocks and for the kill.
 */
const GRACE_PART = 1 / 20

export interface CommandTimes {
  readonly leaseMs: number
  /** How long the command may take to stop when leadership is given up in order. */
  readonly drainMs: number
  /** Until when no other member leads, on the monotonic clock; it rises while this member leads or drains. */
  leadsUntil(): number
}

export class GuardedCommand {
  /** The process group of the command; 0 if it never started. */
  readonly pid: Promise<number>
  /** Whether the guardian ended the command at a deadline. */
  wasOverdue = false
  private readonly guardian: ChildProcess
  private readonly times: CommandTimes
  private readonly graceMs: number
  private processes: CommandProcesses | undefined
  private readonly exit: Promise<number | null>
  private readonly over = new AbortController()

  constructor(command: readonly string[], env: NodeJS.ProcessEnv, times: CommandTimes) {
    const program = fileURLToPath(new URL('./guardian.js', import.meta.url))
    const mark = randomBytes(12).toString('hex')
    this.times = times
    this.graceMs = times.leaseMs * GRACE_PART
    const args = [program, String(this.graceMs), mark, ...command]
    this.guardian = spawn(process.execPath, args, {
      stdio: ['pipe', 'inherit', 'inherit', 'pipe', 'pipe'],
      env,
      detached: true,
    })
    for (const pipe of this.guardian.stdio) pipe?.on('error', () => undefined)
    // The lifeline: it is only held.
    ;(this.guardian.stdio[4] as Socket | undefined)?.unref()
    this.exit = new Promise((resolve) => {
      this.guardian.on('error', () => resolve(null))
      this.guardian.on('exit', (code) => {
        this.processes?.kill() // what the command left behind, or all of it if the guardian was killed
        resolve(code)
      })
    })
    void this.exit.then(() => this.over.abort())
    this.pid = this.reported(mark)
    void this.reportDeadlines()
  }

  /** Ends the command when the term ends. Resolves to its exit code. */
  async during(term: Term): Promise<number | null> {
    term.signal.addEventListener('abort', () => void this.stop(term), { once: true })
    if (term.signal.aborted) void this.stop(term)
    return this.exit
  }

  private async reported(mark: string): Promise<number> {
    const report = this.guardian.stdio[3] as Socket | null
    return new Promise((resolve) => {
      void this.exit.then(() => resolve(0))
      if (report === null) return
      createInterface({ input: report }).on('line', (line) => {
        if (line === 'overdue') this.wasOverdue = true
        else {
          this.processes = new CommandProcesses(Number(line), mark)
          resolve(Number(line))
        }
      })
    })
  }

  /** Leadership that was given up in order stays with this member while the command drains. Lost leadership does not. */
  private async stop({ signal }: Term): Promise<void> {
    const { reason } = signal.reason as { readonly reason?: string }
    const isOrderly = reason === 'stepped-down' || reason === 'closed'
    const { drainMs } = this.times
    this.order(isOrderly ? `drain ${drainMs}` : 'lost')
    const killAt = monotonic.now() + (isOrderly ? drainMs : this.graceMs)
    while (!this.over.signal.aborted) {
      const lostAt = isOrderly ? this.times.leadsUntil() + this.graceMs : Infinity
      const leftMs = Math.min(killAt, lostAt) - monotonic.now()
      if (leftMs <= 0) this.killNow()
      await sleep(Math.min(Math.max(leftMs, 20), REPORT_MS), this.over.signal)
    }
  }

  /** By itself too: the guardian may be stopped. */
  private killNow(): void {
    this.order('kill')
    this.processes?.kill()
  }

  private async reportDeadlines(): Promise<void> {
    const everyMs = Math.min(REPORT_MS, Math.max(10, this.times.leaseMs / 20))
    while (!this.over.signal.aborted) {
      this.order(`until ${this.times.leadsUntil()}`)
      await sleep(everyMs, this.over.signal)
    }
  }

  private order(text: string): void {
    if (this.guardian.stdin?.writable === true) this.guardian.stdin.write(`${text}\n`)
  }
}
