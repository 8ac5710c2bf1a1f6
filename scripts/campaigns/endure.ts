/** `npm run endure`: counts elections of real processes in a long trial: followers that stall, busy cores, or restarts of the strongest member. */
import { spawn, type ChildProcess } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { TestCluster } from '../support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { amount, commandLine, count, oneOf, fail } from '../support/command-line.ts'

interface Outcome {
  readonly trial: string
  readonly elections: number
  readonly allowed: number
  readonly [more: string]: unknown
}

interface Extent {
  readonly times: number
  readonly minutes: number
}

const progress = (text: string): boolean => process.stderr.write(`${text}\n`)

const TRIALS: Readonly<
  Record<'stalls' | 'load' | 'restarts', (extent: Extent) => Promise<Outcome[]>>
> = {
  stalls: async ({ times }) => [await stalls('quorum', times), await stalls('advisory', times)],
  load: async ({ minutes }) => [await load(minutes)],
  restarts: async ({ times }) => [
    await restarts('sticky', times),
    await restarts('takeover', times),
  ],
}

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
  return { trial: 'stalls', safety, times, elections, allowed: 0, load: loadavg()[0] }
}

async function load(minutes: number): Promise<Outcome> {
  await using cluster = await TestCluster.open({ flags: ['--detection', '500ms'] })
  const busy: ChildProcess[] = []
  try {
    await cluster.agreed(() => cluster.names)
    await sleep(1000)
    const before = cluster.entries.length
    for (let i = 0; i < availableParallelism(); i++) {
      busy.push(spawn('yes', { stdio: ['ignore', 'ignore', 'ignore'] }))
    }
    for (let i = 1; i <= 6 * minutes; i++) {
      await sleep(10_000)
      const elections = cluster.of('elected', before).length
      progress(`${i * 10} s, ${elections} elections, load ${loadavg()[0].toFixed(1)}`)
    }
    const elections = cluster.of('elected', before).length
    return { trial: 'load', minutes, elections, allowed: 0, load: loadavg()[0] }
  } finally {
    for (const child of busy) child.kill('SIGKILL')
  }
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
  return { trial: 'restarts', preemption, times, led, elections, allowed: 1 + led + handed }
}

const { flags, words } = commandLine({
  run: 'npm run endure',
  does:
    'Runs a long trial of real processes. Prints JSON; exit code 1 if there were false elections, or more\n' +
    'take-overs than allowed.',
  words: {
    trial: oneOf(
      ['stalls', 'load', 'restarts'],
      undefined,
      'stalls: a follower is paused for 1.2 s; load: all cores are busy; restarts: the strongest is killed',
    ),
  },
  flags: {
    times: count(0, 'how often; 0: 20 stalls, 100 restarts'),
    minutes: amount(10, 'how long the load lasts'),
  },
})
const { trial } = words
if (trial === undefined) fail('npm run endure', 'which trial: stalls, load or restarts?')
const times = flags.times === 0 ? (trial === 'stalls' ? 20 : 100) : flags.times
const outcomes = await TRIALS[trial]({ times, minutes: flags.minutes })
process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`)
if (outcomes.some(({ elections, allowed }) => elections > allowed)) process.exitCode = 1
