/** The ways in which a command of `run` could outlive its term, each as one fault on a group of runners. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LEASE_MS, signal, type RunnerGroup } from './runner-group.ts'

interface RunCase {
  readonly means: string
  /** The command, as a shell script; `$BEAT` records when it runs. */
  readonly script: string
  /** Injects the fault into the term that runs, waits for the next term, and repairs. */
  readonly inject: (group: RunnerGroup) => Promise<void>
}

const PLAIN = 'exec $BEAT'
const STUBBORN = 'exec $BEAT stubborn'
const LEAVING_THE_GROUP = 'setsid $BEAT stubborn & timeout 60 $BEAT stubborn & wait; wait'
/** It leaves the group, and keeps of its environment only what it needs to record when it runs. */
const CLEARING = 'env -i PATH="$PATH" BELLWETHER_TERM="$BELLWETHER_TERM" setsid $BEAT stubborn &'

async function failTheRunner(group: RunnerGroup): Promise<void> {
  const { name } = await group.current()
  const fault = Math.random() < 0.5 ? 'SIGSTOP' : 'SIGKILL'
  signal(group.pidOf(name), fault)
  await group.nextTerm(2 * LEASE_MS)
  if (fault === 'SIGSTOP') signal(group.pidOf(name), 'SIGCONT')
  else await group.restart(name)
  await sleep(300)
}

export const RUN_CASES = {
  'stopped-runner': {
    means: 'the runner is stopped as soon as its guardian exists',
    script: PLAIN,
    inject: async (group) => {
      const { name } = await group.nextGuardian()
      signal(group.pidOf(name), 'SIGSTOP')
      await group.nextTerm(2 * LEASE_MS)
      signal(group.pidOf(name), 'SIGCONT')
      await sleep(300)
    },
  },
  frozen: {
    means:
      'runner and guardian are stopped up to 150 ms after the birth of the guardian, and resumed later',
    script: PLAIN,
    inject: async (group) => {
      const { name, guardian } = await group.nextGuardian()
      await sleep(Math.random() * 150)
      const pids = [group.pidOf(name), guardian]
      for (const pid of pids) signal(pid, 'SIGSTOP')
      await group.nextTerm(2 * LEASE_MS)
      for (const pid of Math.random() < 0.5 ? pids : pids.toReversed()) signal(pid, 'SIGCONT')
      await sleep(300)
    },
  },
  'lost-lease': {
    means: 'the leader is cut off; the command ignores SIGTERM',
    script: STUBBORN,
    inject: async (group) => {
      const { name } = await group.current()
      group.net.partition(['a', 'b', 'c'].filter((other) => other !== name))
      await group.nextTerm(2 * LEASE_MS)
      group.net.heal()
      await sleep(300)
    },
  },
  'left-group': {
    means:
      'the runner is stopped or killed; the command has left its process group by setsid and timeout',
    script: LEAVING_THE_GROUP,
    inject: failTheRunner,
  },
  'cleared-environment': {
    means:
      'the runner is stopped or killed; the command has left its process group and cleared its environment',
    script: `${CLEARING} wait`,
    inject: failTheRunner,
  },
  'stopped-guardian': {
    means: 'the guardian is stopped and the runner is killed',
    script: `${CLEARING} ${LEAVING_THE_GROUP}; wait`,
    inject: async (group) => {
      const { name, guardian } = await group.current()
      signal(guardian, 'SIGSTOP')
      signal(group.pidOf(name), 'SIGKILL')
      await group.nextTerm(2 * LEASE_MS)
      signal(guardian, 'SIGCONT')
      await group.restart(name)
    },
  },
} satisfies Readonly<Record<string, RunCase>>

export type RunCaseName = keyof typeof RUN_CASES
