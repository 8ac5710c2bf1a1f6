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

/**
 * The last world of each algorithm and detector. The engine drops compiled code when no closure is left that uses it, and
 * would compile the handlers of an algorithm again and again: a quarter of the processor time of a hunt.
 */
const lastWorlds = new Map<string, World>()

/** The first promise that the run breaks, or null. */
export function judge(draft: Draft, tally: Tally | null = null): Violation | null {
  const config = configurationOf(draft)
  const world = new World(config)
  const detector = config.detector === 'perfect' ? config.detector : config.detector.name
  lastWorlds.set(`${config.algorithm.name} ${detector}`, world)
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
