/** `npm run endure`: a long trial of real processes. Counts needless elections (stalls, load, restarts) or commands that ran beside a later term's (run), slow heals of a network (heals), large groups that are slow to elect (crowds), terms valid at once after restarts with edited lists or lost state (lists), or leaders at once in a rolling upgrade and back (upgrades), or while timing and keys change (changes). */
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { TestCluster } from '../support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { busyCores } from '../support/busy-cores.ts'
import { RUN_CASES, type RunCaseName } from '../support/run-cases.ts'
import { amount, commandLine, count, oneOf, fail } from '../support/command-line.ts'
import { changeTrial } from './endure/change-trial.ts'
import { CROWDS, crowdTrial } from './endure/crowd-trial.ts'
import { HEAL_CASES, healTrial } from './endure/heal-trial.ts'
import { listTrial } from './endure/list-trial.ts'
import { runTrial } from './endure/run-trial.ts'
import { upgradeTrial } from './endure/upgrade-trial.ts'

interface Outcome {
  readonly trial: string
  /** What is counted: elections, overlaps or slow heals; and how many may be. */
  readonly found: number
  readonly allowed: number
  readonly [more: string]: unknown
}

interface Extent {
  readonly times: number
  readonly minutes: number
  readonly seed: number
}

interface Trial {
  readonly means: string
  /** How often, unless the command line says. */
  readonly times: number
  run(extent: Extent): Promise<Outcome[]>
}

const progress = (text: string): boolean => process.stderr.write(`${text}\n`)

const TRIALS = {
  stalls: {
    means: 'a follower is paused for 1.2 s',
    times: 20,
    run: async ({ times }) => [await stalls('quorum', times), await stalls('advisory', times)],
  },
  load: {
    means: 'all cores are busy',
    times: 0,
    run: async ({ minutes }) => [await load(minutes)],
  },
  restarts: {
    means: 'the strongest is killed',
    times: 100,
    run: async ({ times }) => [await restarts('sticky', times), await restarts('takeover', times)],
  },
  run: {
    means: 'commands of `run` whose runner or guardian is stopped, killed or cut off',
    times: 200,
    run: async ({ times }) => {
      const outcomes: Outcome[] = []
      for (const name of Object.keys(RUN_CASES))
        outcomes.push(await runTrial(name as RunCaseName, times))
      return outcomes
    },
  },
  heals: {
    means: 'a real network is cut for 5 to 70 s',
    times: 10,
    // At the same time: they mostly wait.
    run: async ({ times }) => Promise.all(HEAL_CASES.map(async (one) => healTrial(one, times))),
  },
  crowds: {
    means: '50 members, then 100, start at once on this machine',
    times: 3,
    run: async ({ times }) => {
      const outcomes: Outcome[] = []
      for (const one of CROWDS) outcomes.push(await crowdTrial(one, times))
      return outcomes
    },
  },
  lists: {
    means: 'members restart with edited lists, among kills, pauses and lost states',
    times: 200,
    run: async ({ times, seed }) => [await listTrial(times, seed, progress)],
  },
  upgrades: {
    means: 'members go from the previous release to this one and back',
    times: 10,
    run: async ({ times }) => [await underLoad(async () => upgradeTrial(times, progress))],
  },
  changes: {
    means: 'timing and keys change, and every member restarts after each step',
    times: 10,
    run: async ({ times }) => [await underLoad(async () => changeTrial(times, progress))],
  },
} satisfies Readonly<Record<string, Trial>>

/** Pauses a follower, another one each time, for more than two detection times. */
async function stalls(safety: string, times: number): Promise<Outcome> {
  await using cluster = await TestCluster.open({
    flags: ['--safety', safety, '--detection', '500ms'],
  })
  const leader = await cluster.agreed(() => cluster.names)
  await sleep(1000)
  const before = cluster.entries.length
  const followers = cluster.names.filter((name) => name !== leader)
  for (let i = 1; i <= times; i++) {
    const follower = followers[i % followers.length]
    cluster.processes.pause(follower)
    await sleep(1200)
    cluster.processes.resume(follower)
    await sleep(300)
    progress(`${safety}: stall ${i} of ${times}, ${cluster.of('elected', before).length} elections`)
  }
  const elections = cluster.of('elected', before).length
  return { trial: 'stalls', safety, times, found: elections, allowed: 0, load: loadavg()[0] }
}

async function load(minutes: number): Promise<Outcome> {
  await using cluster = await TestCluster.open({ flags: ['--detection', '500ms'] })
  await cluster.agreed(() => cluster.names)
  await sleep(1000)
  const before = cluster.entries.length
  return await underLoad(async () => {
    for (let i = 1; i <= 6 * minutes; i++) {
      await sleep(10_000)
      const elections = cluster.of('elected', before).length
      progress(`${i * 10} s, ${elections} elections, load ${loadavg()[0].toFixed(1)}`)
    }
    return { trial: 'load', minutes, found: cluster.of('elected', before).length, allowed: 0 }
  })
}

/** While all cores are busy. */
async function underLoad(trial: () => Promise<Outcome>): Promise<Outcome> {
  using _ = busyCores()
  const outcome = await trial()
  return { ...outcome, load: loadavg()[0] }
}

const MAX_PER_HOUR = 4

async function restarts(preemption: string, times: number): Promise<Outcome> {
  const takeover = { after: '300ms', stableFor: '200ms', maxPerHour: MAX_PER_HOUR }
  await using cluster = await TestCluster.open({
    flags: ['--detection', '600ms', '--trust-refusals'],
    config: { preemption: preemption === 'sticky' ? 'sticky' : takeover },
    priorities: { e: 5 },
  })
  await cluster.agreed(() => cluster.names)
  let led = 0
  for (let i = 1; i <= times; i++) {
    if (cluster.believes('e') === 'e') led += 1
    cluster.processes.kill('e')
    await until(() => cluster.processes.conditionOf('e') === 'dead')
    cluster.processes.start('e')
    await sleep(1000)
    progress(`${preemption}: restart ${i} of ${times}, ${cluster.of('elected').length} elections`)
  }
  await cluster.agreed(() => cluster.names)
  const elections = cluster.of('elected').length
  // The first one, one for each kill while it led, and the take-overs.
  const handed = preemption === 'sticky' ? 0 : 4 * MAX_PER_HOUR
  return { trial: 'restarts', preemption, times, led, found: elections, allowed: 1 + led + handed }
}

const { flags, words } = commandLine({
  run: 'npm run endure',
  does:
    'Runs a long trial of real processes. Prints JSON; exit code 1 if more was found (needless elections,\n' +
    'commands that ran beside a later term, slow heals) than is allowed.',
  words: {
    trial: oneOf(
      Object.keys(TRIALS) as (keyof typeof TRIALS)[],
      undefined,
      Object.entries(TRIALS)
        .map(([name, { means }]) => `${name}: ${means}`)
        .join('; '),
    ),
  },
  flags: {
    times: count(
      0,
      'how often; 0: 20 stalls, 100 restarts, 200 runs of each case, 10 heals, 3 crowds, 200 lists, 10 upgrades, 10 changes',
    ),
    minutes: amount(10, 'how long the load lasts'),
    seed: count(1, 'the first seed of lists'),
  },
})
const { trial } = words
if (trial === undefined) fail('npm run endure', `which trial: ${Object.keys(TRIALS).join(', ')}?`)
const times = flags.times === 0 ? TRIALS[trial].times : flags.times
const outcomes = await TRIALS[trial].run({ times, minutes: flags.minutes, seed: flags.seed })
process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`)
if (outcomes.some(({ found, allowed }) => found > allowed)) process.exitCode = 1
