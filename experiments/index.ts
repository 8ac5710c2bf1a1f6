/** The entry point of `bellwether reproduce`: lists the claims, runs the experiments wanted, and makes the report. */
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { processExperiment } from './003/on-processes.ts'
import type { Claim, Findings, Judged, Source } from './harness/claim.ts'
import { measureAll, type MeasureOptions } from './harness/thread-pool.ts'
import { claimTable } from './harness/markdown.ts'
import { publish } from './harness/publish.ts'
import { experiments } from './harness/registry.ts'
import { chaptersOf, claimsOf, type Report } from './harness/report.ts'

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
  const machine = `Measured on ${availableParallelism()} cores; their load average was ${loadavg()[0].toFixed(1)} at the beginning.`
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
  return {
    chapters: chaptersOf(measured, isWanted),
    seed: options.seed,
    version: version(),
    seconds: (performance.now() - started) / 1000,
    notes: [noteOn(real.length > 0, options.elections), machine],
  }
}

function noteOn(onProcesses: boolean, elections: number): string {
  const calm =
    'The simulator and the checker are deterministic: the same seed gives the same figures.'
  if (!onProcesses) return `${calm} Nothing was measured on real processes.`
  return `${calm} ${elections} elections were held on real processes: these figures differ from run to run and from machine to machine.`
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

function version(): string {
  // Beside dist where the package is installed, beside experiments in the repository.
  for (const place of ['../../package.json', '../package.json']) {
    try {
      const { name, version: own } = JSON.parse(
        readFileSync(new URL(place, import.meta.url), 'utf8'),
      ) as { name: string; version: string }
      if (name === 'bellwether') return own
    } catch {
      continue
    }
  }
  return 'unknown'
}

export { claimsOf, claimTable, publish, type Claim, type Judged, type Report }
