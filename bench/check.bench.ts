/** Measures the checker on Bully_FD with three members: states per second of processor time, and bytes per state. */
import { bullyFd } from '../src/algorithms/index.ts'
import { Checker } from '../src/check/index.ts'
import { row, type Entry, type Row } from './harness.ts'

/** Three members, two crashes, two recoveries: a quarter of a million states. */
const entry: Entry = {
  name: 'check',
  describe: 'states of bully-fd per second, n = 3, one core; bytes per state',
  run(scale): Row[] {
    const budget = scale === 'tiny' ? 1 : 2
    const rates: number[] = []
    let bytes = 0
    let states = 0
    for (let round = 0; round < (scale === 'tiny' ? 1 : 5); round++) {
      const checker = new Checker({
        algorithm: bullyFd,
        members: 3,
        crashes: budget,
        recoveries: scale === 'tiny' ? 0 : budget,
        reduction: false,
      })
      const started = process.cpuUsage()
      do checker.advance()
      while (checker.progress.frontier > 0)
      states = checker.progress.states
      bytes = checker.progress.bytes
      const { user, system } = process.cpuUsage(started)
      rates.push(states / ((user + system) / 1e6))
    }
    return [
      row('states a second', Math.max(...rates), '/s', {
        bound: { min: 150_000 },
        note: `of processor time, best of ${rates.length}; ${states} states`,
      }),
      row('memory of a state', bytes / states, 'B', { note: 'with its steps' }),
    ]
  },
}
export default entry
