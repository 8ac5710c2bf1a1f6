/** The program of a thread that helps a check: `helpersOf` in search-helpers.ts starts it. */
import { workerData } from 'node:worker_threads'
import { algorithms } from '../../algorithms/index.ts'
import { helpWith } from '../../check/checker.ts'
import { assert } from '../../core/assert.ts'
import type { HelperData } from './search-helpers.ts'

const { config, memory } = workerData as HelperData
const algorithm = algorithms.find(({ name }) => name === config.algorithm)
assert(algorithm !== undefined, `there is no algorithm ${config.algorithm}`)
helpWith({ config: { ...config, algorithm }, memory })
