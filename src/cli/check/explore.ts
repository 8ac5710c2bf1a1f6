/** Runs a check to its end or to Ctrl-C, on several cores, with a line of progress on a terminal. */
import { setImmediate } from 'node:timers/promises'
import { Checker, type CheckOptions, type CheckResult } from '../../check/index.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { count } from '../../explore/check-report.ts'
import { helpersOf } from './search-helpers.ts'

export async function explore(
  options: CheckOptions,
  jobs: number,
): Promise<{ result: CheckResult; seconds: number }> {
  const started = performance.now()
  const elapsed = (): number => (performance.now() - started) / 1000
  const checker = new Checker(options, helpersOf(jobs))
  const progress = new ProgressLine(() => {
    const { states, depth, frontier, bytes } = checker.progress
    const rate = Math.round(states / elapsed())
    return `${count(states)} states, ${count(rate)}/s, frontier ${count(frontier)}, depth ${depth}, ${Math.round(bytes / 2 ** 20)} MiB`
  })
  const interrupt = (): void => checker.interrupt()
  process.once('SIGINT', interrupt)
  let yieldedAt = performance.now()
  while (!checker.done) {
    checker.advance()
    progress.tick()
    if (performance.now() - yieldedAt < 50) continue
    await setImmediate()
    yieldedAt = performance.now()
  }
  process.removeListener('SIGINT', interrupt)
  progress.end()
  return { result: checker.result(), seconds: elapsed() }
}
