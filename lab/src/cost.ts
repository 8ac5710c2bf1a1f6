/** What an election cost, beside what is proven about it. */
import type { Frame } from './engine/film.ts'
import type { Run } from './engine/protocol.ts'
import { countAtMost, once } from './engine/sorted.ts'

export interface Bound {
  readonly formula: string
  readonly messages: number
}

/** a members are up, f are down, of n. Each bound is for one election in which nothing more fails. */
const BOUNDS: Readonly<Record<string, (a: number, f: number) => Bound>> = {
  bully: (a, f) => ({ formula: 'a·f + a(a−1) + a−1', messages: a * f + a * (a - 1) + a - 1 }),
  'garcia-molina': (a, f) => ({ formula: 'f + 6(a−1)', messages: f + 6 * (a - 1) }),
  'bully-fd': (a, f) => ({ formula: '3(a−1) + f', messages: 3 * (a - 1) + f }),
  'bully-fd-quorum': (a, f) => ({ formula: '3(a−1) + f', messages: 3 * (a - 1) + f }),
  'chang-roberts': (a, f) => {
    const n = a + f
    return { formula: 'n(n+1)/2 + n', messages: (n * (n + 1)) / 2 + n }
  },
  ring: (a, f) => ({ formula: '2n·a', messages: 2 * (a + f) * a }),
}

export function boundOf(algorithm: string, nodes: Frame['nodes']): Bound | null {
  const up = nodes.filter((node) => node.up).length
  const of = BOUNDS[algorithm] as ((a: number, f: number) => Bound) | undefined
  return up === 0 || of === undefined ? null : of(up, nodes.length - up)
}

export interface Episode {
  readonly from: number
  readonly to: number
  readonly over: boolean
  /** Messages of the election proper. */
  readonly messages: number
}

/** How many messages of elections proper the first steps sent. */
const electionSums = once(({ happenings }: Run) => {
  const sums = new Uint32Array(happenings.length + 1)
  happenings.forEach(({ sendings }, i) => {
    const sent = sendings.filter(({ purpose }) => purpose === 'election').length
    sums[i + 1] = sums[i] + sent
  })
  return sums
})

/** The last stretch without an agreed leader, as far as it has come. */
export function episodeAt(run: Run, index: number, time: number): Episode | null {
  const band = run.space.leaderless.findLast(({ from }) => from <= time)
  if (band === undefined) return null
  const sums = electionSums(run)
  const first = countAtMost(run.happenings, band.from - 1, ({ at }) => at)
  const last = Math.min(
    index + 1,
    countAtMost(run.happenings, band.to, ({ at }) => at),
  )
  const messages = Math.max(0, sums[Math.max(first, last)] - sums[first])
  return { from: band.from, to: Math.min(band.to, time), over: time >= band.to, messages }
}

/** How long there was no agreed leader, until now. */
export function leaderlessUntil(run: Run, time: number): number {
  return run.space.leaderless.reduce(
    (sum, { from, to }) => sum + Math.max(0, Math.min(to, time) - from),
    0,
  )
}
