/** Runs parts of a hunt: draws each run by its number, judges it, counts what it met, and reports those that break a promise. */
import type { Violation } from '../record/monitors.ts'
import { finish } from '../run.ts'
import { World } from '../world/world.ts'
import { configurationOf, drawRun, type Draft, type HuntPlan } from './draft.ts'
import { emptyTally, TallyRecorder, type Tally } from './tally.ts'

/** A run that broke a promise. */
export interface Catch {
  readonly run: number
  readonly algorithm: string
  readonly violation: Violation
}

export interface HuntPart {
  readonly tally: Tally
  readonly catches: readonly Catch[]
}

/** The first promise that the run breaks, or null. */
export function judge(draft: Draft, tally: Tally | null = null): Violation | null {
  const world = new World(configurationOf(draft))
  const recorder = tally === null ? null : new TallyRecorder(tally, draft.algorithm.name)
  world.recorder = recorder
  if (draft.untilUs === null) finish(world)
  else world.runUntil(draft.untilUs)
  recorder?.end(world)
  return world.monitors.violations[0] ?? null
}

/** Runs `first` to `last` − 1. Ends after the first that breaks a promise unless `goesOn`. */
export function huntPart(plan: HuntPlan, first: number, last: number, goesOn = false): HuntPart {
  const tally = emptyTally()
  const catches: Catch[] = []
  for (let run = first; run < last; run++) {
    const draft = drawRun(plan, run)
    const violation = judge(draft, tally)
    if (violation === null) continue
    catches.push({ run, algorithm: draft.algorithm.name, violation })
    if (!goesOn) break
  }
  return { tally, catches }
}
