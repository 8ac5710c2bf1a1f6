/** The same scenario in virtual time and on real processes over loopback TCP: the same outcome. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { parseTrace } from '../../src/sim/record/trace.ts'
import { detectors } from '../../src/detectors/index.ts'
import { finish, parseSettings, summarize, World, type Settings } from '../../src/sim/index.ts'
import { TestCluster, program } from '../../scripts/support/test-cluster.ts'

/**
 * Settings without steps. Faults are far enough apart that each election is over before the next fault, on a
 * busy machine too.
 */
const folder = new URL('../scenarios/parity/', import.meta.url)
const files = readdirSync(folder)

function read(file: string): Settings {
  const { settings } = parseTrace(readFileSync(new URL(file, folder), 'utf8'))
  return settings.filter(([key]) => key !== 'mode')
}

interface Outcome {
  readonly leader: string | null
  readonly up: readonly string[]
}

function simulated(settings: Settings): Outcome {
  const world = new World(parseSettings(settings, { algorithms, detectors }))
  finish(world)
  const { leader, agreed, members, violations } = summarize(world)
  expect([agreed, violations]).toEqual([true, []])
  const up = members.filter((member) => member.up).map(({ id }) => nameOf(id))
  return { leader: leader === null ? null : nameOf(leader), up }
}

async function real(settings: Settings): Promise<Outcome> {
  const {
    faults,
    algorithm: { name: algorithm },
  } = parseSettings(settings, { algorithms, detectors })
  const safety = algorithm === 'bully-fd-quorum' ? 'quorum' : 'advisory'
  const flags = ['--safety', safety, '--algorithm', algorithm, '--detection', '450ms']
  await using cluster = await TestCluster.open({ members: 3, flags })
  // Without preemption the member that led before the strongest started stays leader.
  if ((await cluster.agreed(() => cluster.names)) !== 'c') stepDown(cluster, 3)
  await cluster.agreed(() => cluster.names, 'b')
  let clockUs = 0
  for (const fault of faults) {
    await sleep((fault.at - clockUs) / 1000)
    clockUs = fault.at
    if (!('node' in fault)) throw new Error(`no process can be told to ${fault.kind}`)
    const name = nameOf(fault.node)
    if (fault.kind === 'crash') cluster.processes.kill(name)
    else if (fault.kind === 'recover') cluster.processes.start(name)
    else if (fault.kind === 'pause') cluster.processes.pause(name)
    else if (fault.kind === 'resume') cluster.processes.resume(name)
    else if (fault.kind === 'resign') stepDown(cluster, fault.successor)
  }
  await sleep(2000)
  return { leader: await cluster.agreed(), up: cluster.running()() }
}

/** The leader hands over. */
function stepDown({ state }: TestCluster, successor: number | undefined): void {
  const named = successor === undefined ? [] : ['--to', nameOf(successor)]
  const { stdout } = spawnSync(program, ['step-down', '--state', state, ...named], {
    encoding: 'utf8',
  })
  expect(stdout).toMatch(/^handed over(?: to \w+)?\n$/u)
}

function nameOf(member: number): string {
  return 'abc'[member - 1]
}

test('there are some', () => {
  expect(files.length).toBeGreaterThan(0)
})

test.each(files)('%s', async (file) => {
  const settings = read(file)
  expect(await real(settings)).toEqual(simulated(settings))
})
