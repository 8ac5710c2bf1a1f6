/**
 * One trial of `npm run endure -- upgrades`: three members go from the previous release to the present code and back, one
 * at a time, as an operator restarts them; counts leaders at once, terms that fell, and the time without a leader.
 */
import { previousProgram } from '../../support/previous-release.ts'
import { program, TestCluster } from '../../support/test-cluster.ts'
import { until } from '../../../src/testing/wait.ts'
import { gapsOf, summaryOf, violationsOf } from './handovers.ts'

const FLAGS = ['--detection', '600ms', '--lease', '800ms']

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
  return {
    trial: 'upgrades',
    found: violations.length,
    allowed: 0,
    times,
    violations,
    steps: 6 * times,
    ...summaryOf(gapsMs),
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
