/** Random fault schedules within an algorithm's assumptions: from a seed, and as fast-check arbitraries that shrink. */
import fc from 'fast-check'
import type { Algorithm, Assumptions, OptionValues } from '../../../src/core/algorithm.ts'
import { Random } from '../../../src/core/random.ts'
import { configure, finish, World, type Fault, type SimOptions } from '../../../src/sim/index.ts'

export interface Schedule {
  readonly members: number
  readonly seed: number
  readonly faults: readonly Fault[]
}

/** One fault relative to the one before it. */
interface Draft {
  readonly gapUs: number
  /** 0: the strongest that the fault can happen to; else a member counted from there. */
  readonly offset: number
  readonly kind: 'crash' | 'recover' | 'drop' | 'resign'
}

/** Gaps of the length of a message, of an election, of a period: faults in the middle of everything. */
const GAPS_US = [5_000, 40_000, 200_000]

/** A schedule within an algorithm's assumptions, from a seed alone; `resigning`: leaders step down, too. */
export function scheduleOf(seed: number, assumes: Assumptions, resigning = false): Schedule {
  const random = new Random(seed)
  const members = 2 + random.below(6)
  const kinds = [...kindsOf(assumes), ...(resigning ? ['resign' as const] : [])]
  const most = kinds.length === 0 ? 0 : 8
  const drafts = Array.from({ length: random.below(most + 1) }, (): Draft => {
    return {
      gapUs: random.below(GAPS_US[random.below(GAPS_US.length)]),
      offset: random.chance(0.5) ? 0 : random.below(members),
      kind: kinds[random.below(kinds.length)],
    }
  })
  return { members, seed, faults: faultsOf(drafts, members) }
}

export function scheduleArbitrary(assumes: Assumptions): fc.Arbitrary<Schedule> {
  const draft = fc.record({
    gapUs: fc.oneof(...GAPS_US.map((max) => fc.integer({ min: 0, max }))),
    offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 6 })),
    kind: fc.constantFrom(...kindsOf(assumes)),
  })
  return fc
    .record({
      members: fc.integer({ min: 2, max: 7 }),
      seed: fc.integer({ min: 0, max: 0xffff }),
      drafts: fc.array(draft, { maxLength: kindsOf(assumes).length === 0 ? 0 : 8 }),
    })
    .map(({ members, seed, drafts }) => ({ members, seed, faults: faultsOf(drafts, members) }))
}

/** The world after the schedule has run and everything is quiet again. */
export function runSchedule(
  algorithm: Algorithm,
  schedule: Schedule,
  more: Partial<SimOptions> = {},
  options: OptionValues = {},
): World {
  const world = new World(configure({ algorithm, options, ...schedule, ...more }))
  finish(world)
  return world
}

function kindsOf(assumes: Assumptions): Draft['kind'][] {
  const kinds: Draft['kind'][] = []
  if (assumes.crashes) kinds.push('crash')
  if (assumes.recoveries) kinds.push('recover')
  if (assumes.loss) kinds.push('drop')
  return kinds
}

function faultsOf(drafts: readonly Draft[], members: number): Fault[] {
  const up = new Array<boolean>(members + 1).fill(true)
  let at = 0
  return drafts.map(({ gapUs, offset, kind }): Fault => {
    at += gapUs
    if (kind === 'drop') {
      const from = members - (offset % members)
      return { at, kind, from, to: 1 + ((from + at) % members) }
    }
    if (kind === 'resign') {
      const node = members - (offset % members)
      const successor = 1 + ((node + at) % members)
      return at % 2 === 0 || successor === node ? { at, kind, node } : { at, kind, node, successor }
    }
    const able = [...up.keys()].filter((id) => id > 0 && up[id] === (kind === 'crash'))
    const node = able.length === 0 ? members : able[able.length - 1 - (offset % able.length)]
    up[node] = kind === 'recover'
    return { at, kind, node }
  })
}
