/** Measures the checker on Bully_FD with three members: states per second on one and two cores, and bytes per state. */
import { setTimeout } from 'node:timers/promises'
import { bullyFd } from '../dist/algorithms/index.js'
import { Checker, type CheckOptions, type Helpers } from '../dist/check/index.js'
import { Control } from '../dist/check/search/search-memory.js'
import { helpersOf } from '../dist/cli/check/search-helpers.js'
import { row, type Entry, type Row, type Scale } from './harness.ts'

interface Rate {
  /** States a second: of processor time, and of time on the clock. */
  readonly processor: number
  readonly clock: number
  readonly states: number
  readonly bytes: number
}

/**
 * Three members. Two crashes and recoveries: a quarter of a million states. Five: five million, for the threads. Each runs
 * every handler itself, and its engine compiles all code anew, in threads of its own that need the cores too. That takes
 * about a second of processor time in all, whatever the search: a large part of a short one, which no second thread halves.
 */
function optionsOf(scale: Scale, faults: number): CheckOptions {
  const budget = scale === 'tiny' ? { crashes: 1 } : { crashes: faults, recoveries: faults }
  return { algorithm: bullyFd, members: 3, ...budget, reduction: false }
}

/** Measures from the moment at which all threads have joined. */
async function measure(options: CheckOptions, jobs: number): Promise<Rate> {
  let control: Int32Array = Int32Array.of()
  const threads = helpersOf(jobs, 1)
  const helpers: Helpers | null = threads && {
    ...threads,
    start(search) {
      threads.start(search)
      control = new Int32Array(search.memory.control)
    },
  }
  const checker = new Checker(options, helpers)
  if (helpers !== null) checker.advance()
  while (control.length > 0 && Atomics.load(control, Control.JOINED) < jobs - 1) {
    await setTimeout(1)
  }
  const before = checker.progress.states
  const started = performance.now()
  const used = process.cpuUsage()
  do checker.advance()
  while (checker.progress.frontier > 0)
  const { states, bytes } = checker.progress
  const { user, system } = process.cpuUsage(used)
  const clock = (states - before) / ((performance.now() - started) / 1000)
  checker.interrupt()
  return { processor: (states - before) / ((user + system) / 1e6), clock, states, bytes }
}

async function best(options: CheckOptions, jobs: number, rounds: number): Promise<Rate> {
  let fastest: Rate | null = null
  for (let round = 0; round < rounds; round++) {
    const rate = await measure(options, jobs)
    if (fastest === null || rate.clock > fastest.clock) fastest = rate
  }
  return fastest!
}

const entry: Entry = {
  name: 'check',
  describe: 'states of bully-fd per second, n = 3, on one core and on two; bytes per state',
  async run(scale): Promise<Row[]> {
    const rounds = scale === 'tiny' ? 1 : 5
    const small = await best(optionsOf(scale, 2), 1, rounds)
    const few = Math.min(3, rounds)
    const one = await best(optionsOf(scale, 5), 1, few)
    const two = await best(optionsOf(scale, 5), 2, few)
    const note = (states: number, times = rounds): string =>
      `without reduction, best of ${times}; ${states} states`
    return [
      row('states a second', small.processor, '/s', {
        bound: { min: 350_000 },
        note: `of processor time, ${note(small.states)}`,
      }),
      row('one thread', one.clock, '/s', {
        note: `of time on the clock, ${note(one.states, few)}`,
      }),
      row('two threads', two.clock, '/s', {
        note: 'of time on the clock; needs two cores that are free',
      }),
      row('two threads by one', two.clock / one.clock, '×', { bound: { min: 1.7 } }),
      row('two threads by one, if both cores were free', (2 * two.processor) / one.processor, '×', {
        note: 'at most: what the second thread adds to the processor time',
      }),
      row('memory of a state', small.bytes / small.states, 'B', {
        bound: { max: scale === 'tiny' ? Infinity : 40 },
        note: 'with its steps',
      }),
    ]
  },
}
export default entry
