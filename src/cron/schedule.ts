/** Runs a job at the ticks of a cron expression, on the leader only; with a record, a new leader can run the last missed tick. */
import { sleep } from '../clock/sleep.ts'
import { checkNames, ConfigurationError } from '../core/errors/configuration-error.ts'
import { loadPackage } from '../engines/engine.ts'
import type { LeadOptions } from '../runtime/lead-scope.ts'
import type { Term } from '../runtime/term.ts'
import type { JobRecord } from './job-record.ts'

/** The part of an election that is used. */
export interface Leads<T extends Term> {
  lead(work: (term: T) => unknown, options?: LeadOptions): Promise<void>
}

export interface ScheduleOptions extends LeadOptions {
  /** Five fields, or six with seconds first: `0 3 * * *`. */
  readonly cron: string
  /** Such as `Europe/Zurich`; by default that of the process, which must be the same on all replicas. */
  readonly timezone?: string
  /**
   * What happens to ticks at which no leader could run: `skip` forgets them, `run-once` runs the last of them when there
   * is a leader again. `run-once` needs a `record`.
   */
  readonly missed?: 'run-once' | 'skip'
  /** The name of the job in the record; by default the expression. */
  readonly name?: string
  /** Where all replicas read and note which tick was begun: no tick is begun twice. */
  readonly record?: JobRecord
}

const NAMES = Object.keys({
  cron: true,
  timezone: true,
  missed: true,
  name: true,
  record: true,
  drain: true,
  onError: true,
  signal: true,
} satisfies Record<keyof ScheduleOptions, true>)

/** The wall clock may be set: it is read again at least this often. */
const LONGEST_SLEEP_MS = 30_000

/**
 * Runs `work` with the term and the tick. Runs do not overlap: ticks that pass during a run are missed ticks. Work that
 * throws is reported, and the member steps down, as in `lead`. Resolves when the election is closed. Rejects with
 * MissingClientError where the package `croner` is not installed.
 */
export async function schedule<T extends Term>(
  election: Leads<T>,
  options: ScheduleOptions,
  work: (term: T, tick: Date) => unknown,
): Promise<void> {
  checkNames(options, NAMES, 'schedule')
  if (typeof work !== 'function') throw new ConfigurationError('work', 'must be a function')
  const { Cron } = await loadPackage('schedule', 'croner', async () => import('croner'))
  const job = new Job(options, work, Cron)
  const { drain, onError, signal } = options
  await election.lead(async (term) => job.run(term), {
    ...(drain !== undefined && { drain }),
    ...(onError !== undefined && { onError }),
    ...(signal !== undefined && { signal }),
  })
}

/** The part of `croner` that is used. */
interface Ticks {
  nextRun(after?: Date): Date | null
  previousRuns(count: number, before: Date): Date[]
}
type Cron = new (cron: string, options: { paused: boolean; timezone?: string }) => Ticks

class Job<T extends Term> {
  private readonly ticks: Ticks
  private readonly name: string
  private readonly catchesUp: boolean
  private readonly record: JobRecord | undefined
  private readonly work: (term: T, tick: Date) => unknown

  constructor(options: ScheduleOptions, work: (term: T, tick: Date) => unknown, Cron: Cron) {
    const { cron, timezone, missed = 'skip', name = cron, record } = options
    if (missed !== 'skip' && missed !== 'run-once') {
      throw new ConfigurationError('missed', `must be run-once or skip, not ${String(missed)}`)
    }
    if (missed === 'run-once' && record === undefined) {
      throw new ConfigurationError(
        'missed',
        'run-once needs a record that all replicas can read: give record, such as jobRecord.postgres(pool)',
      )
    }
    this.ticks = parse(Cron, cron, timezone)
    this.name = name
    this.catchesUp = missed === 'run-once'
    this.record = record
    this.work = work
  }

  async run(term: T): Promise<void> {
    const { signal } = term
    let after = await this.lastTick(term)
    while (!signal.aborted) {
      const next = this.ticks.nextRun(after)
      if (next === null) return
      await this.reach(next, signal)
      if (signal.aborted) return
      const tick = this.latestSince(next)
      term.assert()
      if ((await this.record?.begin(term, this.name, tick)) ?? true) await this.work(term, tick)
      after = this.catchesUp ? tick : new Date()
    }
  }

  /** Ticks after this one are due. A job that has never run begins now. */
  private async lastTick(term: T): Promise<Date> {
    const now = new Date()
    if (!this.catchesUp) return now
    const last = await this.record!.last(term, this.name)
    if (last === null) await this.record!.begin(term, this.name, now)
    return last ?? now
  }

  /** Of several ticks that have passed, the last. */
  private latestSince(tick: Date): Date {
    const [latest] = this.ticks.previousRuns(1, new Date(Date.now() + 1))
    return latest !== undefined && latest > tick ? latest : tick
  }

  private async reach(tick: Date, signal: AbortSignal): Promise<void> {
    for (;;) {
      const ms = tick.getTime() - Date.now()
      if (ms <= 0 || signal.aborted) return
      await sleep(Math.min(ms, LONGEST_SLEEP_MS), signal)
    }
  }
}

function parse(Cron: Cron, cron: string, timezone: string | undefined): Ticks {
  try {
    const ticks = new Cron(cron, { paused: true, ...(timezone !== undefined && { timezone }) })
    ticks.nextRun() // throws where the time zone does not exist
    return ticks
  } catch (error) {
    const { message } = error as Error
    const field = /time ?zone/iu.test(message) ? 'timezone' : 'cron'
    throw new ConfigurationError(field, message)
  }
}
