/** What an election cost, beside what is proven about it. */
import type { Frame } from '../simulation/frames.ts'
import type { Run } from '../simulation/worker-protocol.ts'
import { countAtMost, memoize } from '../simulation/lookup.ts'

export interface Bound {
  readonly formula: string
  readonly messages: number
  /** Whether it holds for the run at hand; else it says what one initiator alone would cost. */
  readonly proven: boolean
}

/** a members are up, f down, of n; the initiator is the r-th strongest of those up. */
interface Group {
  readonly a: number
  readonly f: number
  readonly n: number
  readonly r: number
}

/** For one election that one member starts and in which nothing more fails. */
const FORMULAS: Readonly<Record<string, readonly [string, (group: Group) => number]>> = {
  bully: ['r·f + r(r−1) + a−1', ({ a, f, r }) => r * f + r * (r - 1) + a - 1],
  'garcia-molina': ['f + 6(a−1)', ({ a, f }) => f + 6 * (a - 1)],
  'bully-fd': ['3(a−1) + f', ({ a, f }) => 3 * (a - 1) + f],
  'bully-fd-quorum': ['3(a−1) + f', ({ a, f }) => 3 * (a - 1) + f],
  'chang-roberts': ['3n−1', ({ n }) => 3 * n - 1],
  ring: ['2n', ({ n }) => 2 * n],
}

export function boundOf({ algorithm, settings }: Run, members: Frame['members']): Bound | null {
  const up = members.filter((member) => member.up)
  const found = FORMULAS[algorithm.name] as (typeof FORMULAS)[string] | undefined
  if (up.length === 0 || found === undefined) return null
  const [formula, count] = found
  const given = settings.find(([key]) => key === 'initiator')?.[1] ?? ''
  const alone = /^\d+$/u.test(given)
  // Without an initiator: the weakest starts it, which costs most.
  const weaker = alone ? up.filter(({ label }) => label < Number(given)).length : 0
  const lowest = settings.some(([key, value]) => key === 'strongest' && value === 'lowest')
  const r = lowest ? (alone ? weaker + 1 : up.length) : up.length - weaker
  const group = { a: up.length, f: members.length - up.length, n: members.length, r }
  const messages = count(group)
  const calm = !settings.some(([key]) => ['crash', 'recover', 'resign'].includes(key))
  // The formula of Garcia-Molina's is for the strongest that is up.
  if (alone && calm && (algorithm.name !== 'garcia-molina' || r === 1)) {
    return { formula, messages, proven: true }
  }
  if (algorithm.name === 'chang-roberts' && up.length === members.length) {
    const { n } = group
    return { formula: 'n(n+1)/2 + n', messages: (n * (n + 1)) / 2 + n, proven: true }
  }
  return { formula, messages, proven: false }
}

export interface Episode {
  readonly from: number
  readonly to: number
  readonly over: boolean
  /** Messages of the election proper. */
  readonly messages: number
}

/** How many messages of elections proper the first steps sent. */
const electionSums = memoize(({ steps }: Run) => {
  const sums = new Uint32Array(steps.length + 1)
  steps.forEach(({ sendings }, i) => {
    const sent = sendings.filter(({ purpose }) => purpose === 'election').length
    sums[i + 1] = sums[i] + sent
  })
  return sums
})

/** The last stretch without an agreed leader, as far as it has come. */
export function episodeAt(run: Run, index: number, time: number): Episode | null {
  const band = run.diagram.leaderless.findLast(({ from }) => from <= time)
  if (band === undefined) return null
  const sums = electionSums(run)
  const first = countAtMost(run.steps, band.from - 1, ({ at }) => at)
  const last = Math.min(
    index + 1,
    countAtMost(run.steps, band.to, ({ at }) => at),
  )
  const messages = Math.max(0, sums[Math.max(first, last)] - sums[first])
  return { from: band.from, to: Math.min(band.to, time), over: time >= band.to, messages }
}

/** How long there was no agreed leader, until now. */
export function leaderlessUntil(run: Run, time: number): number {
  return run.diagram.leaderless.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(to, time) - from),
    0,
  )
}
