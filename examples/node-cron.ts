/**
 * node-cron (and croner, cron, node-schedule …) on one replica only. The schedule exists only while this member leads:
 * when the term ends no new run begins, and the next leader waits for the one that runs, or for the drain.
 *
 *     import cron from 'node-cron'
 *     await scheduleOnLeader(election, cron, '0 3 * * *', async (term) => { … })
 */
import type { Election, Safety, TermOf } from 'bellwether'

export interface Cron {
  schedule(expression: string, job: () => void): { stop(): unknown }
}

export async function scheduleOnLeader<S extends Safety>(
  election: Election<S>,
  cron: Cron,
  expression: string,
  job: (term: TermOf<S>) => Promise<unknown>,
): Promise<void> {
  await election.lead(async (term) => {
    const running = new Set<Promise<unknown>>()
    const task = cron.schedule(expression, () => {
      if (term.signal.aborted) return
      const run = job(term).catch(() => undefined)
      running.add(run)
      void run.then(() => running.delete(run))
    })
    await new Promise<void>((resolve) => {
      if (term.signal.aborted) resolve()
      term.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await task.stop()
    await Promise.all(running)
  })
}
