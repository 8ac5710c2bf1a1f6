/** The page's side of the worker that checks. It is loaded when it is first asked for. */
import { WorkerClient } from '../simulation/worker-client.ts'
import type { CheckerQuestions } from './checker-protocol.ts'

let shared: WorkerClient<CheckerQuestions> | undefined

export function checker(): WorkerClient<CheckerQuestions> {
  return (shared ??= new WorkerClient(
    () => new Worker(new URL('./checker-worker.ts', import.meta.url), { type: 'module' }),
  ))
}
