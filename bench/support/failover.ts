/** Opens clusters of processes, recovers failed members, starts programs that print JSON lines, reads the clock and computes medians, for the benchmarks of failover. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { TestCluster } from '../../scripts/support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'

/** In memory where possible: the time of a disk is not to be measured. */
export const STATE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Fifty processes at once take a while on two cores. */
const START_LIMIT_MS = 120_000

export async function openCluster(members: number, flags: readonly string[]): Promise<TestCluster> {
  const state = mkdtempSync(join(STATE, 'bellwether-'))
  const cluster = await TestCluster.open({ members, flags, state })
  await cluster.agreed(() => cluster.names, undefined, START_LIMIT_MS)
  return cluster
}

export type Failure = 'kill' | 'stop' | 'pause'

/** Brings a failed member back and waits until all members agree. */
export async function recover(cluster: TestCluster, name: string, failure: Failure) {
  if (failure === 'pause') cluster.processes.resume(name)
  else {
    await until(() => cluster.processes.conditionOf(name) === 'dead')
    cluster.processes.start(name)
  }
  // It may take over the leadership: wait until that has happened.
  await sleep(800)
  await cluster.agreed(() => cluster.names)
}

/** Starts a program of this folder, and adds each line of JSON that it prints to `lines`. */
export function startProgram(file: string, args: readonly string[], lines: unknown[]) {
  const program = fileURLToPath(new URL(file, import.meta.url))
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  createInterface({ input: child.stdout! }).on('line', (line) => {
    lines.push(JSON.parse(line) as unknown)
  })
  return child
}

/** Milliseconds of CLOCK_MONOTONIC, the clock of event records. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
