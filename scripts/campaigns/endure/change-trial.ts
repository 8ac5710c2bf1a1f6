/**
 * One trial of `npm run endure -- changes`: the timing of three members is changed and changed back, and their shared key
 * is replaced, as docs/guide/change.md does both. After each step every member restarts, one at a time, with the options
 * and the keys of that step. Counts leaders at once, terms that fell, and the time without a leader.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { program, TestCluster } from '../../support/test-cluster.ts'
import { countHandovers, gapsOf, restart, violationsOf } from './handovers.ts'

const call = promisify(execFile)

const OLD = 'the old key of all members, 0123456789'
const FRESH = 'the new key of all members, 0123456789'
const REPLACED = [FRESH]
const QUICK = { detection: '600ms', lease: '800ms' }
const SLOW = { detection: '900ms', lease: '1200ms' }

interface Step {
  readonly does: string
  readonly timing: typeof QUICK
  /** The keys of every member, the one with which it dials first. */
  readonly keys: readonly string[]
}

const FIRST: Step = { does: 'the group is founded', timing: QUICK, keys: [OLD] }

/** Each differs from the step before it in the timing or in the keys. */
const STEPS: readonly Step[] = [
  { does: 'the timing becomes slower', timing: SLOW, keys: FIRST.keys },
  { does: 'members accept the new key', timing: SLOW, keys: [OLD, FRESH] },
  { does: 'members dial with the new key', timing: SLOW, keys: [FRESH, OLD] },
  { does: 'members refuse the old key', timing: SLOW, keys: REPLACED },
  { does: 'the timing becomes quicker', timing: QUICK, keys: REPLACED },
]

export async function changeTrial(times: number, progress: (text: string) => void) {
  return {
    trial: 'changes',
    steps: STEPS.length * times,
    restarts: STEPS.length * 3 * times,
    ...(await countHandovers(times, progress, changeEverything)),
  }
}

async function changeEverything() {
  const state = mkdtempSync(join(tmpdir(), 'bellwether-changes-'))
  const keyFile = (name: string): string => join(state, `${name}.key`)
  let step = FIRST
  const giveKeys = (): void => {
    for (const name of ['a', 'b', 'c', 'operator'])
      writeFileSync(keyFile(name), `${step.keys.join('\n')}\n`, { mode: 0o600 })
  }
  giveKeys()
  await using cluster: TestCluster = await TestCluster.open({
    members: 3,
    state,
    protection: [],
    flagsOf: (name) => ['--shared-key', keyFile(name), ...flagsOf(step.timing)],
  })
  const terms: string[] = []
  let leader = await cluster.agreed(() => cluster.names)
  for (const next of STEPS) {
    const before = step
    step = next
    const since = cluster.entries.length
    if (next.keys !== before.keys) giveKeys()
    if (next.timing !== before.timing) {
      const set = Object.entries(next.timing).map(([name, value]) => `timing.${name}=${value}`)
      const where = ['--group', 'cluster', '--peer', cluster.processes.addresses.get(leader)!]
      const protection = ['--shared-key', keyFile('operator')]
      await call(process.execPath, [program, 'configure', ...set, ...where, ...protection])
    }
    if (cluster.of('lost', since).length > 0) terms.push(`a term ended: ${next.does}`)
    for (const name of cluster.names) await restart(cluster, name)
    leader = await cluster.agreed(() => cluster.names)
  }
  return { gapsMs: gapsOf(cluster), violations: [...violationsOf(cluster), ...terms] }
}

function flagsOf(options: object): string[] {
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
}
