/**
 * A run as a space-time diagram, before anybody decides how it looks: a lane for each member, what the
 * member believed and when, an arrow for each message, marks for what happened to the world. The SVG,
 * the terminal and the lab draw from this. Members are labels here, as people call them; 0 is nobody.
 */
import type { Recording } from './recording.ts'
import { agreementSpans } from './space-time/agreement.ts'
import { arrowsOf } from './space-time/arrows.ts'
import { lanesOf } from './space-time/lanes.ts'
import { marksOf } from './space-time/marks.ts'
import type { SpaceTime, SpaceTimeSource } from './space-time/model.ts'
import type { World } from './world.ts'

export type * from './space-time/model.ts'

export function spaceTimeOf(world: World, recording: Recording): SpaceTime {
  const { config, now, monitors } = world
  return spaceTime({ config, recording, endUs: now, violations: monitors.violations })
}

export function spaceTime(source: SpaceTimeSource): SpaceTime {
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
