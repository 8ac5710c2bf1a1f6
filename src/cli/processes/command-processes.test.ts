/** Processes of a command that leave its group, clear their environment, or outlive their parents. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { until } from '../../testing/wait.ts'
import { CommandProcesses } from './command-processes.ts'

const pids: number[] = []
afterEach(() => {
  for (const pid of pids.splice(0)) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
})

/** A command that prints the id of the process that leaves it. */
async function started(script: string) {
  const child: ChildProcess = spawn('sh', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, BELLWETHER_RUN: 'mark' },
  })
  const lines = createInterface({ input: child.stdout! })
  const pid = await new Promise<number>((resolve) => {
    lines.once('line', (line) => resolve(Number(line)))
  })
  pids.push(pid, child.pid!)
  return { command: new CommandProcesses(child.pid!, 'mark'), parent: child.pid!, pid }
}

/** A zombie has ended. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /u.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

const LEAVING = `setsid sh -c 'trap "" TERM; echo $$; while :; do sleep 0.05; done' & wait`

describe.skipIf(!existsSync('/proc/self/stat'))('the processes of a command', () => {
  test.each([
    ['left the group', LEAVING],
    ['left the group and cleared its environment', `env -i PATH="$PATH" ${LEAVING}`],
  ])('one that %s ends with its parent, which is killed', async (_what, script) => {
    const { command, parent, pid } = await started(script)
    command.kill()
    await until(() => !isRunning(parent) && !isRunning(pid))
  })

  test.each([
    ['left the group', LEAVING],
    ['left the group and cleared its environment', `env -i PATH="$PATH" ${LEAVING}`],
  ])('one that %s is killed where its parent ended when it was asked to', async (_what, script) => {
    const { command, parent, pid } = await started(script)
    command.signal('SIGTERM')
    await until(() => !isRunning(parent))
    await sleep(20)
    expect(isRunning(pid)).toBe(true)
    command.kill()
    await until(() => !isRunning(pid))
  })
})
