/**
 * Translates the options of a real cluster into the simulator settings that resemble it most, and says whether
 * simulated leaders can resign with them.
 */
import { algorithms } from '../../algorithms/index.ts'
import { leadersResign, type Settings } from '../../sim/index.ts'

interface Given {
  readonly safety?: string
  readonly algorithm?: string
  readonly period?: string
}

/**
 * On one machine a message takes less than a millisecond, and a refused connection proves at once that a process
 * has ended. That resembles a perfect detector that takes a few milliseconds.
 */
export function nearestSettings({ safety, algorithm, period }: Given): Settings {
  const byDefault = safety === 'advisory' ? 'bully-fd' : 'bully-fd-quorum'
  return [
    ['algorithm', algorithm ?? byDefault],
    ['seed', '1'],
    ['detection', '1ms..5ms'],
    ['period', period ?? '500ms'],
    ['latency', '200us..1ms'],
  ]
}

export function letResign(settings: Settings): boolean {
  const given = settings.find(([key]) => key === 'algorithm')?.[1]
  const algorithm = algorithms.find(({ name }) => name === given)
  return algorithm !== undefined && leadersResign(algorithm)
}
