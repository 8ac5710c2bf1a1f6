/** The program of a thread of `bellwether simulate --seeds`: runs the seeds that it is asked for. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Settings } from '../../sim/settings/settings.ts'
import { sampleSeeds } from '../seeds/seed-samples.ts'
import type { Part } from './run-parts.ts'

const { settings, first: firstSeed } = workerData as { settings: Settings; first: number }
parentPort!.on('message', ({ first, last }: Part) => {
  const samples = sampleSeeds(settings, firstSeed + first, firstSeed + last)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage(samples)
})
