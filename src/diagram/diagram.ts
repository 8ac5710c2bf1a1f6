/** Builds the space-time diagram of a recorded run. The SVG, the terminal and the lab draw this model. */
import type { Recording } from '../sim/record/recording.ts'
import { agreementSpans } from './agreement.ts'
import { arrowsOf } from './arrows.ts'
import { lanesOf } from './lanes.ts'
import { marksOf } from './marks.ts'
import type { Diagram, DiagramSource } from './model.ts'
import type { World } from '../sim/world/world.ts'

export type * from './model.ts'

export function diagramOf(world: World, recording: Recording): Diagram {
  const { config, now, monitors } = world
  return buildDiagram({ config, recording, endUs: now, violations: monitors.violations })
}

export function buildDiagram(source: DiagramSource): Diagram {
  const { config, recording, clock = true } = source
  const endUs = Math.max(source.endUs, recording.entries.at(-1)?.at ?? 0)
  const lanes = lanesOf(source, endUs)
  return {
    algorithm: config.algorithm.name,
    members: config.members,
    seed: config.seed ?? null,
    clock,
    endUs,
    lanes,
    arrows: arrowsOf(source, endUs),
    marks: marksOf(source),
    ...agreementSpans(lanes, endUs),
  }
}
