/** A real cluster's options as settings of the simulator: as near as virtual time comes to it. */
import { algorithms } from '../../algorithms/index.ts'
import { leadersResign, type Settings } from '../../sim/index.ts'

interface Given {
  readonly safety?: string
  readonly algorithm?: string
  readonly period?: string
}

/**
 * On one machine a message takes well under a millisecond, and a refused dial shows at once that a process
 * has ended: that is a perfect detector which takes a few milliseconds.
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

/** Whether a leader can resign under these settings. */
export function letResign(settings: Settings): boolean {
  const given = settings.find(([key]) => key === 'algorithm')?.[1]
  const algorithm = algorithms.find(({ name }) => name === given)
  return algorithm !== undefined && leadersResign(algorithm)
}
