/**
 * Adds faults to a hunted run where something happens in it: it is simulated once, and bursts of faults follow some
 * of the moments at which a member changed its status or its leader. Until the first burst the run stays the same.
 */
import type { NodeId } from '../../core/node-id.ts'
import type { Random } from '../../core/random.ts'
import { configure } from '../config.ts'
import type { Recorder } from '../record/step.ts'
import { World } from '../world/world.ts'
import { drawBurst, pick, type Family, type Moment } from './disturbances.ts'
import type { Draft } from './draft.ts'

/** A run is looked at until this long after its last fault (µs). */
const LOOKED_AT_US = 1_000_000
const MOST_BURSTS = 3
/** How long after its moment a burst begins, at most. */
const DELAYS_US = [1, 2_000, 20_000, 150_000]

export function withBursts(draft: Draft, families: readonly Family[], random: Random): Draft {
  let faults = draft.faults
  const voters = draft.voters?.length ?? draft.members
  for (let left = 1 + random.below(MOST_BURSTS); left > 0; left--) {
    const moments = momentsOf({ ...draft, faults })
    if (moments.length === 0) break
    const { at, node } = pick(random, moments)
    const begin = at + random.below(pick(random, DELAYS_US))
    const burst = drawBurst(random, draft.members, families, voters, { at: begin, node })
    faults = [...faults, ...burst].sort((a, b) => a.at - b.at)
  }
  return { ...draft, faults }
}

function momentsOf(draft: Draft): Moment[] {
  const { stayDown: _, untilUs: __, ...options } = draft
  const world = new World(configure(options))
  const moments: Moment[] = []
  world.recorder = momentRecorder(moments, () => world.effects.me)
  world.runUntil((draft.faults.at(-1)?.at ?? 0) + LOOKED_AT_US)
  return moments
}

function momentRecorder(moments: Moment[], acting: () => NodeId): Recorder {
  const before: string[] = []
  let now = 0
  return {
    step(at) {
      now = at
    },
    done(state) {
      const node = acting()
      if (state === null) return
      const after = `${state.status} ${state.leader}`
      if (before[node] !== undefined && before[node] !== after) moments.push({ at: now, node })
      before[node] = after
    },
    sent: () => undefined,
    violated: () => undefined,
  }
}
