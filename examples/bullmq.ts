/**
 * A BullMQ worker on one replica only: the worker exists while this member leads, and the next leader waits until its
 * current job is done. For queues whose jobs must run one after the other. Needs: npm install bullmq ioredis
 */
import { Worker, type ConnectionOptions, type Job } from 'bullmq'
import { once } from 'node:events'
import type { Election, Fenced, FencedTerm } from 'bellwether'

export async function workOnLeader(
  election: Election<'quorum' | Fenced>,
  queue: string,
  connection: ConnectionOptions,
  process: (job: Job, term: FencedTerm) => Promise<unknown>,
): Promise<void> {
  await election.lead(async (term) => {
    const worker = new Worker(
      queue,
      async (job) => {
        term.assert()
        return process(job, term)
      },
      { connection },
    )
    worker.on('error', (error) => console.error(error))
    if (!term.signal.aborted) await once(term.signal, 'abort')
    await worker.close() // waits for the current job
  })
}
