/** Counts the handovers of a cluster: the time without a leader at each, and what should not have happened. */
import { until } from '../../../src/testing/wait.ts'
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

/** Restarts a member as an operator does, who waits until the others agree, and then all. */
export async function restart(cluster: TestCluster, name: string): Promise<void> {
  cluster.processes.stop(name)
  await until(() => cluster.processes.conditionOf(name) === 'dead')
  await cluster.agreed(cluster.running())
  cluster.processes.start(name)
  await cluster.agreed(() => cluster.names)
}

/** Repeats a trial, and counts its gaps and violations. */
export async function countHandovers(
  times: number,
  progress: (text: string) => void,
  once: () => Promise<{ readonly gapsMs: number[]; readonly violations: string[] }>,
) {
  const gapsMs: number[] = []
  const violations: string[] = []
  for (let i = 1; i <= times; i++) {
    const found = await once()
    gapsMs.push(...found.gapsMs)
    violations.push(...found.violations)
    progress(
      `${i} of ${times}: gaps of ${found.gapsMs.join(', ')} ms, ${violations.length} violations`,
    )
  }
  const ordered = gapsMs.toSorted((a, b) => a - b)
  return {
    found: violations.length,
    allowed: 0,
    times,
    violations,
    handovers: gapsMs.length,
    medianMs: ordered[ordered.length >> 1],
    longestMs: ordered.at(-1),
    longer: gapsMs.filter((ms) => ms > ALLOWED_MS).length,
  }
}
