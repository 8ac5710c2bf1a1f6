/** The page's side of the worker that simulates. */
import { WorkerClient } from './worker-client.ts'
import type { WorkerQuestions } from './worker-protocol.ts'

/** What a player of runs needs of it. */
export type SimulationClient = Pick<WorkerClient<WorkerQuestions>, 'ask' | 'cancel'>

let shared: SimulationClient | undefined

/** One worker serves the whole page. */
export function simulation(): SimulationClient {
  return (shared ??= new WorkerClient(
    () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  ))
}
