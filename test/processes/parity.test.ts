/** The same scenario in virtual time and on real processes over loopback TCP: the same outcome. */
import { spawnSync } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { detectors } from '../../src/detectors/index.ts'
import { finish, parseSettings, summarize, World, type Settings } from '../../src/sim/index.ts'
import { Herd, program } from '../support/fleet.ts'
import { sleep } from '../support/wait.ts'

const herds: Herd[] = []
afterEach(async () => {
  await Promise.all(herds.splice(0).map(async (herd) => herd.close()))
})

/** Faults far enough apart that each election is over before the next fault, on a busy machine too. */
const SCENARIOS: readonly Settings[] = [
  [['crash', '3@1s']],
  [
    ['crash', '3@1s'],
    ['recover', '3@2500ms'],
  ],
  [
    ['crash', '3@1s'],
    ['recover', '3@2s'],
    ['crash', '1@3500ms'],
  ],
  [
    ['pause', '3@1s'],
    ['resume', '3@3s'],
  ],
]

/** For who has words for it. */
const RESIGNATIONS: readonly Settings[] = [[['resign', '3@1s']], [['resign', '3>1@1s']]]

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

async function real(settings: Settings, algorithm: string): Promise<Outcome> {
  const safety = algorithm === 'bully-fd-quorum' ? 'quorum' : 'advisory'
  const flags = ['--safety', safety, '--algorithm', algorithm, '--detection', '450ms']
  const herd = await Herd.open({ members: 3, flags })
  herds.push(herd)
  // Who is sticky keeps whoever led before the strongest had come up.
  if ((await herd.agreed(() => herd.names)) !== 'c') stepDown(herd, 3)
  await herd.agreed(() => herd.names, 'b')
  const { faults } = parseSettings(settings, { algorithms, detectors })
  let clockUs = 0
  for (const fault of faults) {
    await sleep((fault.at - clockUs) / 1000)
    clockUs = fault.at
    if (!('node' in fault)) throw new Error(`no process can be told to ${fault.kind}`)
    const name = nameOf(fault.node)
    if (fault.kind === 'crash') herd.fleet.kill(name)
    else if (fault.kind === 'recover') herd.fleet.start(name)
    else if (fault.kind === 'pause') herd.fleet.pause(name)
    else if (fault.kind === 'resume') herd.fleet.resume(name)
    else if (fault.kind === 'resign') stepDown(herd, fault.successor)
  }
  await sleep(2000)
  return { leader: await herd.agreed(), up: herd.running()() }
}

/** Whoever leads hands over. */
function stepDown({ state }: Herd, successor: number | undefined): void {
  const named = successor === undefined ? [] : ['--to', nameOf(successor)]
  const { stdout } = spawnSync(program, ['step-down', '--state', state, ...named], {
    encoding: 'utf8',
  })
  expect(stdout).toBe('handed over\n')
}

function nameOf(member: number): string {
  return 'abc'[member - 1]
}

function show(settings: Settings): string {
  return settings.map(([key, value]) => `${key} ${value}`).join(', ')
}

const cases = [
  ...SCENARIOS.map((scenario, i) => {
    const algorithm = i % 2 === 0 ? 'bully-fd' : 'bully'
    return [algorithm, show(scenario), scenario] as const
  }),
  ...RESIGNATIONS.map((scenario) => ['bully-fd-quorum', show(scenario), scenario] as const),
]

test.each(cases)('%s: %s', async (algorithm, _, scenario) => {
  const settings: Settings = [['algorithm', algorithm], ['nodes', '3'], ...scenario]
  expect(await real(settings, algorithm)).toEqual(simulated(settings))
})
