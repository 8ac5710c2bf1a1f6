/** Tests that a search in several threads has the result of a search in one: counts, judgements, counterexample. */
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { Checker, type CheckOptions, type CheckResult } from '../../src/check/index.ts'
import { Control } from '../../src/check/search/search-memory.ts'
import { helpersOf } from '../../src/cli/check/search-helpers.ts'

/** Checks with helpers, for which the search waits as soon as it has asked for them. */
async function checked(
  options: CheckOptions,
  helpers: number,
  began: (control: Int32Array) => void = () => {},
): Promise<CheckResult> {
  let control: Int32Array = Int32Array.of()
  const threads = helpersOf(1 + helpers, 200)
  const checker = new Checker(
    options,
    threads && {
      ...threads,
      start(search) {
        threads.start(search)
        control = new Int32Array(search.memory.control)
        began(control)
      },
    },
  )
  while (!checker.done) {
    checker.advance()
    while (control.length > 0 && Atomics.load(control, Control.JOINED) < helpers) {
      await setTimeout(1)
    }
  }
  expect(control.length > 0).toBe(helpers > 0)
  return checker.result()
}

/** All of a result but the memory, which grows with the threads. */
function comparable(result: CheckResult): unknown {
  return { ...result, bytes: 0, config: null }
}

const pair = { members: 3, crashes: 1, recoveries: 1 }

it.each<[string, Omit<CheckOptions, 'algorithm'>]>([
  ['bully-fd', { ...pair, reduction: false }],
  ['bully-fd', { ...pair, reduction: false, maxStates: 7001 }],
  ['bully-fd-quorum', { members: 3, resignations: 1, judge: ['one leader at a time'] }],
  ['roulette', { ...pair, maxTerm: 1 }],
  ['bully-fd-as-printed', { ...pair, start: 'settled' }],
  ['bully-as-printed', { ...pair, start: 'settled' }],
])('%s with %j has the same result in one, two and three threads', async (name, budget) => {
  const algorithm = algorithms.find((it) => it.name === name)!
  const alone = comparable(await checked({ algorithm, ...budget }, 0))
  for (const helpers of [1, 2]) {
    expect(comparable(await checked({ algorithm, ...budget }, helpers))).toEqual(alone)
  }
})

it('a helper that is woken again and again takes part in each phase once', async () => {
  const algorithm = algorithms.find((it) => it.name === 'bully-fd')!
  const budget = { algorithm, ...pair, reduction: false, maxStates: 7001 }
  const alone = comparable(await checked(budget, 0))
  // The first thread may be halted between its order and the notice of it: the helpers then wake after their work.
  const wakers: Worker[] = []
  const wake = (control: Int32Array): void => {
    const code = `const control = require('node:worker_threads').workerData
      for (;;) Atomics.notify(control, ${Control.ORDER})`
    wakers.push(new Worker(code, { workerData: control, eval: true }))
  }
  for (const helpers of [1, 2]) {
    expect(comparable(await checked(budget, helpers, wake))).toEqual(alone)
    await wakers.pop()!.terminate()
  }
  expect(wakers).toEqual([])
})
