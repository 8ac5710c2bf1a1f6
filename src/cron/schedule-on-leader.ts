/** Runs a job by the application's own scheduler, such as node-cron, while this member leads. */
import type { Term } from '../runtime/term.ts'
import type { Leads } from './schedule.ts'

/** The part of node-cron that is used; others need a wrapper of one line. */
export interface Scheduler {
  schedule(expression: string, job: () => void): { stop(): unknown }
}

/**
 * The schedule exists only while this member leads: when the term ends no new run begins, and the next leader waits for
 * the one that runs, or for the drain. A run that throws ends the work, as it does in `lead`.
 */
export async function scheduleOnLeader<T extends Term>(
  election: Leads<T>,
  scheduler: Scheduler,
  expression: string,
  job: (term: T) => unknown,
): Promise<void> {
  await election.lead(async (term) => {
    const running = new Set<Promise<void>>()
    await new Promise<void>((resolve, reject) => {
      const run = async (): Promise<void> => {
        try {
          await job(term)
        } catch (error) {
          end(() => reject(error instanceof Error ? error : new Error(String(error))))
        }
      }
      const task = scheduler.schedule(expression, () => {
        if (term.signal.aborted) return
        const one = run().finally(() => running.delete(one))
        running.add(one)
      })
      const end = (settle: () => void): void => {
        void Promise.resolve(task.stop())
          .then(async () => Promise.all(running))
          .then(settle)
      }
      if (term.signal.aborted) end(resolve)
      else term.signal.addEventListener('abort', () => end(resolve), { once: true })
    })
  })
}
