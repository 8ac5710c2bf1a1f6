/** Shrinks a run of a hunt that broke a promise, and writes it as a trace, a command and a link to the lab. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HuntPlan } from '../../sim/hunt/draft.ts'
import { configurationOf, drawRun } from '../../sim/hunt/draft.ts'
import type { Catch } from '../../sim/hunt/hunt.ts'
import { shrink } from '../../sim/hunt/shrink.ts'
import { recordRun, traceOf } from '../../sim/run.ts'
import { commandOf, queryOf } from '../../sim/settings/settings-link.ts'
import { showSettings } from '../../sim/settings/settings.ts'

/** A run that broke a promise, as programs get it. */
export interface Failure {
  readonly run: number
  readonly algorithm: string
  readonly property: string
  readonly sentence: string
  readonly atMs: number
  readonly members: number
  readonly faults: number
  /** How many runs the shrinking took. */
  readonly tries: number
  readonly command: string
  readonly link: string
  readonly trace: string
}

export function shrunkRun(plan: HuntPlan, caught: Catch, folder: string): Failure {
  const { draft, violation, tries } = shrink(drawRun(plan, caught.run), caught.violation)
  const config = configurationOf(draft)
  const trace = join(folder, `hunt-${plan.seed}-${caught.run}.trace`)
  writeFileSync(trace, traceOf(config, recordRun(config).recording))
  const settings = showSettings(config)
  return {
    run: caught.run,
    algorithm: caught.algorithm,
    property: violation.property,
    sentence: violation.sentence,
    atMs: violation.at / 1000,
    members: config.members,
    faults: config.faults.length,
    tries,
    command: commandOf(settings),
    link: `#/lab?${queryOf(settings)}`,
    trace,
  }
}
