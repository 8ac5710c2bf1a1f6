/** Runs one configuration under consecutive seeds, and collects the figures of each run in arrays that can be concatenated. */
import { algorithms } from '../../algorithms/index.ts'
import { detectors } from '../../detectors/index.ts'
import { finish, summarize } from '../../sim/run.ts'
import { parseSettings, type Settings } from '../../sim/settings/settings.ts'
import { World } from '../../sim/world/world.ts'

/** A column for each figure, a place for each seed. NaN: the run has no such figure. */
export interface SeedSamples {
  readonly messages: number[]
  readonly electionMessages: number[]
  readonly electedMs: number[]
  readonly withoutLeaderMs: number[]
  readonly violations: number[]
}

export function emptySamples(): SeedSamples {
  return { messages: [], electionMessages: [], electedMs: [], withoutLeaderMs: [], violations: [] }
}

export function addSamples(to: SeedSamples, from: SeedSamples): void {
  for (const name of Object.keys(to) as (keyof SeedSamples)[]) to[name].push(...from[name])
}

/** Runs the settings with the seeds `first` to `last` − 1. */
export function sampleSeeds(settings: Settings, first: number, last: number): SeedSamples {
  const config = parseSettings(settings, { algorithms, detectors })
  const samples = emptySamples()
  for (let seed = first; seed < last; seed++) {
    const world = new World({ ...config, seed })
    finish(world)
    const { messages, electedMs, violations } = summarize(world)
    samples.messages.push(messages.total)
    samples.electionMessages.push(messages.election)
    samples.electedMs.push(electedMs ?? NaN)
    samples.withoutLeaderMs.push(world.monitors.withoutLeaderUs(world.now) / 1000)
    samples.violations.push(violations.length)
  }
  return samples
}
