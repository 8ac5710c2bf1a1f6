/** Starts the threads that help a check, so that it uses several cores, and says how much memory it may use. */
import { Worker } from 'node:worker_threads'
import { algorithms } from '../../algorithms/index.ts'
import type { CheckConfig, Helpers, SearchToHelp } from '../../check/index.ts'

/** A search as a thread receives it: an algorithm has functions, which only its name can carry over. */
export interface HelperData extends Omit<SearchToHelp, 'config'> {
  readonly config: Omit<CheckConfig, 'algorithm'> & { readonly algorithm: string }
}

/** More threads than parts of the table of states would have nothing to do. */
export const MAX_JOBS = 64
/** With fewer states a search ends before a thread that helps it has started. */
const STATES_TO_SHARE = 50_000
/** Of the free memory: the rest is for what a search does not count, and for other programs. */
const SHARE_OF_FREE = 0.75

/** The program of a helper. From source, in benchmarks and tests, tsx has to be loaded in each thread. */
const PROGRAM = new URL('./search-helper.js', import.meta.url)
const SOURCE = `import('tsx/esm/api').then((tsx) => {
  tsx.register()
  return import('${PROGRAM.href.replace(/js$/, 'ts')}')
})`
const IS_SOURCE = import.meta.url.endsWith('.ts')

/** So many bytes that the machine does not swap: a search that needs more ends with a sentence. */
export function memoryToUse(): number {
  return Math.floor(SHARE_OF_FREE * process.availableMemory())
}

/** Helpers for a check on so many cores; null: one core needs none. */
export function helpersOf(jobs: number, fromStates = STATES_TO_SHARE): Helpers | null {
  if (jobs === 1) return null
  return {
    fromStates,
    start({ config, memory }: SearchToHelp): void {
      const { algorithm } = config
      if (!algorithms.includes(algorithm)) return
      const workerData: HelperData = { config: { ...config, algorithm: algorithm.name }, memory }
      for (let helper = 1; helper < jobs; helper++) {
        const worker = IS_SOURCE
          ? new Worker(SOURCE, { workerData, eval: true })
          : new Worker(PROGRAM, { workerData })
        // A search goes on without a helper that has not joined, and notices if one that has joined fails.
        worker.on('error', () => {})
        worker.unref()
      }
    },
  }
}
