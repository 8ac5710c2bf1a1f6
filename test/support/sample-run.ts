/** Recorded runs from one line of settings, for the tests of diagrams and summaries. */
import { algorithms } from '../../src/algorithms/index.ts'
import type { SimConfig } from '../../src/sim/config.ts'
import type { Recording } from '../../src/sim/record/recording.ts'
import { recordRun, summarize, type Summary } from '../../src/sim/run.ts'
import { parseSettings } from '../../src/sim/settings/settings.ts'
import { diagramOf, type Diagram } from '../../src/diagram/diagram.ts'

export interface SampleRun {
  readonly config: SimConfig
  readonly recording: Recording
  readonly summary: Summary
  readonly space: Diagram
}

/** `bully nodes 5 crash 5@100ms`: the algorithm, then keys and values. */
export function sampleRun(text: string): SampleRun {
  const [algorithm, ...words] = text.split(' ')
  const settings: [string, string][] = [['algorithm', algorithm]]
  for (let i = 0; i < words.length; i += 2) settings.push([words[i], words[i + 1]])
  const config = parseSettings(settings, { algorithms, detectors: [] })
  const { world, recording } = recordRun(config)
  const space = diagramOf(world, recording)
  return { config, recording, summary: summarize(world), space }
}
