/** What the events of a cluster say of its handovers: the time without a leader at each, and what should not have happened. */
import { atMs, type TestCluster } from '../../support/test-cluster.ts'

/** What a handover may cost, in milliseconds without a leader. */
const ALLOWED_MS = 50

/** From the end of each term to the beginning of the next. */
export function gapsOf(cluster: TestCluster): number[] {
  return cluster
    .of('elected')
    .slice(1)
    .map((elected) => {
      const lost = cluster.of('lost').filter(({ term }) => term < elected.term)
      return Math.round(atMs(elected) - Math.max(...lost.map(atMs)))
    })
}

export function violationsOf(cluster: TestCluster): string[] {
  const elected = cluster.of('elected').toSorted((a, b) => atMs(a) - atMs(b))
  const ended = new Map(cluster.of('lost').map((lost) => [lost.term, atMs(lost)]))
  return elected
    .slice(1)
    .flatMap((next, i) => {
      const before = elected[i]
      const untilMs = ended.get(before.term) ?? Infinity
      return [
        ...(atMs(next) < untilMs ? [`${before.node} and ${next.node} led at once`] : []),
        ...(next.term <= before.term
          ? [`the term of ${next.node} is not above that before it`]
          : []),
      ]
    })
    .concat(cluster.of('refused').map(({ node, reason }) => `${node} was refused: ${reason}`))
}

export function summaryOf(gapsMs: readonly number[]) {
  const ordered = gapsMs.toSorted((a, b) => a - b)
  return {
    handovers: gapsMs.length,
    medianMs: ordered[ordered.length >> 1],
    longestMs: ordered.at(-1),
    longer: gapsMs.filter((ms) => ms > ALLOWED_MS).length,
  }
}
