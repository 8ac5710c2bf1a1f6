/** Counts the messages of the last election, computes the number that theory gives for it, and sums the time without an agreed leader. */
import type { Frame } from '../simulation/frames.ts'
import type { Run } from '../simulation/worker-protocol.ts'
import { countAtMost } from '../../../src/core/binary-search.ts'
import { memoize } from '../simulation/memoize.ts'

export interface Bound {
  readonly formula: string
  readonly messages: number
  /** Whether it is proven for this run. If not, it is the cost of an election with one initiator. */
  readonly proven: boolean
}

/** Of n members a are up and f are down. The initiator is the r-th strongest of those that are up. */
interface ElectionSize {
  readonly a: number
  readonly f: number
  readonly n: number
  readonly r: number
}

/** The cost of an election that one member starts and during which no further fault occurs. */
const FORMULAS: Readonly<Record<string, readonly [string, (size: ElectionSize) => number]>> = {
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
  // Without an initiator: the weakest starts the election, which costs most.
  const weaker = alone ? up.filter(({ label }) => label < Number(given)).length : 0
  const lowest = settings.some(([key, value]) => key === 'strongest' && value === 'lowest')
  const r = lowest ? (alone ? weaker + 1 : up.length) : up.length - weaker
  const size = { a: up.length, f: members.length - up.length, n: members.length, r }
  const messages = count(size)
  const calm = !settings.some(([key]) => ['crash', 'recover', 'resign'].includes(key))
  // The formula of garcia-molina holds for the strongest member that is up.
  if (alone && calm && (algorithm.name !== 'garcia-molina' || r === 1)) {
    return { formula, messages, proven: true }
  }
  if (algorithm.name === 'chang-roberts' && up.length === members.length) {
    const { n } = size
    return { formula: 'n(n+1)/2 + n', messages: (n * (n + 1)) / 2 + n, proven: true }
  }
  return { formula, messages, proven: false }
}

/** A period without an agreed leader, up to the moment that is shown. */
export interface Episode {
  readonly from: number
  readonly to: number
  readonly over: boolean
  /** Messages of the election, without heartbeats and those of the detector. */
  readonly messages: number
}

/** The number of election messages that the first steps sent. */
const electionSums = memoize(({ steps }: Run) => {
  const sums = new Uint32Array(steps.length + 1)
  steps.forEach(({ sent }, i) => {
    const count = sent.filter((purpose) => purpose === 'election').length
    sums[i + 1] = sums[i] + count
  })
  return sums
})

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

/** How long the members have had no agreed leader until a moment. */
export function leaderlessUntil(run: Run, time: number): number {
  return run.diagram.leaderless.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(to, time) - from),
    0,
  )
}
