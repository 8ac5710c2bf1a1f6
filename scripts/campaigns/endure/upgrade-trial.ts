/**
 * One trial of `npm run endure -- upgrades`: three members go from the previous release to the present code and back, one
 * at a time, as an operator restarts them; counts leaders at once, terms that fell, and the time without a leader.
 */
import { previousProgram } from '../../support/previous-release.ts'
import { atMs, program, TestCluster } from '../../support/test-cluster.ts'
import { until } from '../../../src/testing/wait.ts'

const FLAGS = ['--detection', '600ms', '--lease', '800ms']
/** What a step may cost, in milliseconds without a leader. */
const ALLOWED_MS = 50

export async function upgradeTrial(times: number, progress: (text: string) => void) {
  const gapsMs: number[] = []
  const violations: string[] = []
  for (let i = 1; i <= times; i++) {
    const rolled = await rollForwardAndBack()
    gapsMs.push(...rolled.gapsMs)
    violations.push(...rolled.violations)
    progress(
      `${i} of ${times}: gaps of ${rolled.gapsMs.join(', ')} ms, ${violations.length} violations`,
    )
  }
  const ordered = gapsMs.toSorted((a, b) => a - b)
  return {
    trial: 'upgrades',
    found: violations.length,
    allowed: 0,
    times,
    violations,
    steps: 6 * times,
    handovers: gapsMs.length,
    medianMs: ordered[ordered.length >> 1],
    longestMs: ordered.at(-1),
    longer: gapsMs.filter((ms) => ms > ALLOWED_MS).length,
  }
}

/** Forward in the order of the names, then back: each member runs each release beside each other member in the other one. */
async function rollForwardAndBack() {
  const previous = previousProgram()
  const present = new Set<string>()
  await using cluster = await TestCluster.open({
    members: 3,
    flags: FLAGS,
    launch: (name) => ({ program: present.has(name) ? program : previous }),
  })
  await cluster.agreed(() => cluster.names)
  for (const release of ['present', 'previous']) {
    for (const name of cluster.names) {
      cluster.processes.stop(name)
      await until(() => cluster.processes.conditionOf(name) === 'dead')
      if (release === 'present') present.add(name)
      else present.delete(name)
      await cluster.agreed(cluster.running())
      cluster.processes.start(name)
      await cluster.agreed(() => cluster.names)
    }
  }
  return { gapsMs: gapsOf(cluster), violations: violationsOf(cluster) }
}

/** From the end of each term to the beginning of the next. */
function gapsOf(cluster: TestCluster): number[] {
  return cluster
    .of('elected')
    .slice(1)
    .map((elected) => {
      const lost = cluster.of('lost').filter(({ term }) => term < elected.term)
      return Math.round(atMs(elected) - Math.max(...lost.map(atMs)))
    })
}

function violationsOf(cluster: TestCluster): string[] {
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
