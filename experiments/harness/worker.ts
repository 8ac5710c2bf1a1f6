/** The program of a worker thread: runs each experiment whose name it is sent, and sends back its findings. */
import { parentPort, workerData } from 'node:worker_threads'
import { experiments } from './registry.ts'
import { setupOf, type SetupOptions } from './setup.ts'

const setup = setupOf(workerData as SetupOptions)

parentPort!.on('message', (name: string) => {
  const experiment = experiments.find((one) => one.name === name)!
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage(experiment.measure(setup))
})
