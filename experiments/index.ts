/** The entry point of `bellwether reproduce`: lists the claims, runs the experiments wanted, and makes the report. */
import { availableParallelism, cpus, loadavg } from 'node:os'
import { processExperiment } from './003/on-processes.ts'
import type { Claim, Findings, Source } from './harness/claim.ts'
import { driftBetween } from './harness/compare.ts'
import { measureAll, type MeasureOptions } from './harness/thread-pool.ts'
import { claimTable } from './harness/markdown.ts'
import { commit, version } from './harness/origin.ts'
import { publish } from './harness/publish.ts'
import { experiments } from './harness/registry.ts'
import { chaptersOf, claimsOf, type Report } from './harness/report.ts'
import type { Judged } from './harness/verdict.ts'

export interface ReproduceOptions extends MeasureOptions {
  readonly only: readonly string[]
  /** On real processes; 0: none. */
  readonly elections: number
  /** Elections on real processes that are over. */
  elected?(done: number): void
}

/** Every claim, before anything runs. */
export const claims: readonly Claim[] = [...experiments, processExperiment].flatMap(
  (experiment) => experiment.claims,
)

/** How many experiments there are to wait for. */
export function plan(options: Pick<ReproduceOptions, 'only' | 'elections'>): string[] {
  return [...wantedOf(options).simulated, ...wantedOf(options).real].map(({ name }) => name)
}

export async function reproduce(options: ReproduceOptions): Promise<Report> {
  const started = performance.now()
  const cpuBefore = process.cpuUsage()
  const machine = `${availableParallelism()} × ${cpus()[0].model.trim()}, ${process.platform}, load ${loadavg()[0].toFixed(1)} at the beginning`
  const { simulated, real } = wantedOf(options)
  const found: Map<string, Findings> = await measureAll(simulated, options)
  // After the others: what is measured on real clocks wants a quiet machine.
  for (const experiment of real) {
    const began = performance.now()
    options.started?.(experiment.name)
    const signal = options.signal ?? new AbortController().signal
    const progress = (done: number): void => options.elected?.(done)
    const { elections } = options
    found.set(experiment.name, await experiment.measure({ elections, signal, progress }))
    options.finished?.(experiment.name, (performance.now() - began) / 1000)
  }
  const measured = [...simulated, ...real].map(({ name, claims: own }) => {
    return { source: name.split('-')[0] as Source, claims: own, findings: found.get(name)! }
  })
  const isWanted = (id: string): boolean => options.only.length === 0 || options.only.includes(id)
  const cpu = process.cpuUsage(cpuBefore)
  return {
    chapters: chaptersOf(measured, isWanted),
    origin: {
      seed: options.seed,
      version: version(),
      commit: commit(),
      node: process.version,
      machine,
      elections: real.length === 0 ? 0 : options.elections,
      seconds: (performance.now() - started) / 1000,
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
    },
  }
}

function wantedOf({ only, elections }: Pick<ReproduceOptions, 'only' | 'elections'>) {
  const isWanted = (own: readonly Claim[]): boolean =>
    only.length === 0 || own.some(({ id }) => only.includes(id))
  const real = elections === 0 ? [] : [processExperiment]
  return {
    simulated: experiments.filter((experiment) => isWanted(experiment.claims)),
    real: real.filter((experiment) => isWanted(experiment.claims)),
  }
}

export { claimsOf, claimTable, driftBetween, publish, type Claim, type Judged, type Report }
