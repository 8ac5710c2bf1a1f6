/**
 * Measures for some time how late timers are and how long durable writes take on this machine, and computes the
 * shortest detection time that fits.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { monotonic } from '../../clock/monotonic.ts'
import { TOO_SLOW } from '../../runtime/host/write-times.ts'
import { FileStore } from '../../stores/file.ts'

/** The lease, in detection times, where only `detection` is set. */
const LEASE = 4 / 3
/**
 * A round takes a period (a third of a detection time), and a late timer at both ends. With leases of LEASE it is over
 * in time if two such delays fit into a detection time; a half more is a margin.
 */
const LATE_PARTS = 3
const TIMER_MS = 20
const WRITE_EVERY_MS = 1000
/** Advice is rounded up to a multiple of this. */
const STEP_MS = 50

export interface ObservedTiming {
  readonly lateMs: number
  readonly writeMs: number
}

/** A state file of no member, in a folder of its own beside those of members. */
export class TrialStore implements Disposable {
  private readonly folder: string
  private readonly store: FileStore
  private writes = 0

  constructor(stateFolder: string) {
    this.folder = mkdtempSync(join(stateFolder, 'doctor-'))
    const owner = { cluster: 'doctor', member: 'doctor' }
    this.store = new FileStore(join(this.folder, 'trial'), owner)
    this.timeWrite() // creates the file, as no later write does
  }

  /** How long a vote takes to become durable. */
  timeWrite(): number {
    const startedMs = monotonic.now()
    this.store.write({ incarnation: this.writes++, state: {} })
    return monotonic.now() - startedMs
  }

  [Symbol.dispose](): void {
    this.store.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export async function observeTiming(stateFolder: string, forMs: number): Promise<ObservedTiming> {
  using trial = new TrialStore(stateFolder)
  const endMs = monotonic.now() + forMs
  let [lateMs, writeMs, writeAtMs] = [0, 0, 0]
  while (monotonic.now() < endMs) {
    const beforeMs = monotonic.now()
    await setTimeout(TIMER_MS)
    lateMs = Math.max(lateMs, monotonic.now() - beforeMs - TIMER_MS)
    if (monotonic.now() < writeAtMs) continue
    writeMs = Math.max(writeMs, trial.timeWrite())
    writeAtMs = monotonic.now() + WRITE_EVERY_MS
  }
  return { lateMs, writeMs }
}

/** Three writes in a row must fit into the first lease (src/runtime/host/write-times.ts). */
export function leastDetectionMs({ lateMs, writeMs }: ObservedTiming): number {
  const neededMs = Math.max(lateMs * LATE_PARTS, writeMs / (TOO_SLOW * LEASE))
  return Math.max(1, Math.ceil(neededMs / STEP_MS)) * STEP_MS
}
