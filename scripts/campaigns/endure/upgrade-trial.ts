/**
 * One trial of `npm run endure -- upgrades`: three members go from the previous release to the present code and back, one
 * at a time, as an operator restarts them; counts leaders at once, terms that fell, and the time without a leader.
 */
import { previousProgram } from '../../support/previous-release.ts'
import { program, TestCluster } from '../../support/test-cluster.ts'
import { countHandovers, gapsOf, restart, violationsOf } from './handovers.ts'

const FLAGS = ['--detection', '600ms', '--lease', '800ms']

export async function upgradeTrial(times: number, progress: (text: string) => void) {
  const counted = await countHandovers(times, progress, rollForwardAndBack)
  return { trial: 'upgrades', steps: 6 * times, ...counted }
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
      if (release === 'present') present.add(name)
      else present.delete(name)
      await restart(cluster, name)
    }
  }
  return { gapsMs: gapsOf(cluster), violations: violationsOf(cluster) }
}
