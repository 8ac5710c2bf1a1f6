/**
 * Draws the faults of a hunted run from a seed: families of faults that follow each other closely and often concern the
 * same member, and the faults that end all of them, so that the end of a run can be judged.
 */
import { nodesTo, type NodeId } from '../../core/node-id.ts'
import { majority } from '../../core/quorum.ts'
import type { Random } from '../../core/random.ts'
import type { Fault } from '../faults/fault-catalogue.ts'

/** What disturbs a run: faults of these kinds, and properties of its network and its clocks. */
export const FAMILIES = [
  'crash',
  'leave',
  'forget',
  'fail-write',
  'pause',
  'resign',
  'change',
  'proof',
  'cut',
  'slow',
  'disk',
  'drop',
  'drift',
  'latency',
  'loss',
  'duplicate',
  'reorder',
] as const
export type Family = (typeof FAMILIES)[number]

type Drawn = (draw: Drawing) => Fault[]

/** How often a family is drawn beside the others: those that move a lease most often. */
const WEIGHTS: Partial<Record<Family, number>> = { resign: 4, pause: 3, cut: 3, crash: 3, disk: 2 }

/** Families of which a fault is drawn again and again; those that are left out hold for the whole run. */
const DRAWN: Partial<Record<Family, Drawn>> = {
  crash: (draw) => draw.crash('crash'),
  leave: (draw) => draw.crash('leave'),
  forget: (draw) => draw.forget(),
  'fail-write': ({ at, node }) => [{ at, kind: 'fail-write', node }],
  pause: (draw) => draw.pause(),
  resign: (draw) => draw.resign(),
  proof: (draw) => draw.proof(),
  cut: (draw) => draw.cut(),
  slow: ({ at, node, random }) => [
    { at, kind: 'slow', node, us: pick(random, [0, 5_000, 40_000]) },
  ],
  disk: ({ at, node, random }) => [
    { at, kind: 'disk', node, us: pick(random, [0, 2_000, 30_000, 300_000]) },
  ],
  drop: ({ at, node, random, members }) => [
    { at, kind: 'drop', from: node, to: otherThan(node, members, random) },
  ],
}

/** Times between faults: within a message, an election, a period, a lease. */
const GAPS_US = [1_000, 8_000, 60_000, 250_000, 800_000]
/** Pauses and cuts shorter and longer than a lease. */
const SPANS_US = [30_000, 200_000, 700_000, 2_000_000]
/** Times between the faults of a burst: within a message, a round, an election. */
const BURST_GAPS_US = [300, 3_000, 20_000, 80_000]
const FIRST_US = 800_000
const MOST_DRAWN = 20
const MOST_IN_BURST = 6

/** `voters`: so many of the members found the group; the others are added later. */
export function drawDisturbances(
  random: Random,
  members: number,
  families: readonly Family[],
  voters = members,
): Fault[] {
  const [node, at] = [1 + random.below(members), random.below(FIRST_US)]
  const draw = new Drawing(random, members, voters, { node, at })
  return drawWith(draw, families, 1 + random.below(MOST_DRAWN), GAPS_US)
}

/** Faults that follow a moment of a run closely, and mostly concern the member whose step it was. */
export function drawBurst(
  random: Random,
  members: number,
  families: readonly Family[],
  voters: number,
  moment: Moment,
): Fault[] {
  const draw = new Drawing(random, members, voters, moment)
  return drawWith(draw, families, 1 + random.below(MOST_IN_BURST), BURST_GAPS_US)
}

function drawWith(
  draw: Drawing,
  families: readonly Family[],
  count: number,
  gapsUs: readonly number[],
): Fault[] {
  const { random } = draw
  const drawn = families.filter((family) => DRAWN[family] !== undefined)
  if (drawn.length === 0) return []
  // A few families at a time: they meet more often than if all took turns.
  const chosen = drawn.filter(() => random.chance(0.5))
  const from = (chosen.length === 0 ? drawn : chosen).flatMap((family) =>
    Array.from({ length: WEIGHTS[family] ?? 1 }, () => family),
  )
  const faults: Fault[] = []
  for (let left = count; left > 0; left--) {
    draw.advance(gapsUs)
    faults.push(...DRAWN[pick(random, from)]!(draw))
  }
  return faults.sort((a, b) => a.at - b.at)
}

/** Requests to add, promote and remove members and to change the period; the last seats are outside in the beginning. */
export function drawChanges(random: Random, voters: number, seats: number): Fault[] {
  const faults: Fault[] = []
  let at = 0
  for (let left = 1 + random.below(6); left > 0; left--) {
    at += random.below(pick(random, [50_000, 600_000, 1_500_000]))
    const any = 1 + random.below(seats)
    const outside = seats > voters ? voters + 1 + random.below(seats - voters) : any
    const kind = pick(random, ['add', 'add', 'promote', 'promote', 'remove', 'reconfigure'])
    if (kind === 'reconfigure') {
      faults.push({ at, kind, us: pick(random, [60_000, 100_000, 200_000, 400_000]) })
    } else faults.push({ at, kind, node: kind === 'remove' ? any : outside } as Fault)
  }
  return faults
}

/** The faults that end all the others: what is paused, slow, cut or lossy is so no longer, and enough members are up. */
export function endOf(disturbances: readonly Fault[], members: number, stayDown: boolean): Fault[] {
  const at = (disturbances.at(-1)?.at ?? 0) + 1000
  const [down, paused, slow, disks, clocks] = [0, 0, 0, 0, 0].map(() => new Set<NodeId>())
  for (const fault of disturbances) {
    if (fault.kind === 'crash' || fault.kind === 'leave') down.add(fault.node)
    else if (fault.kind === 'recover') down.delete(fault.node)
    else if (fault.kind === 'pause') paused.add(fault.node)
    else if (fault.kind === 'slow') slow.add(fault.node)
    else if (fault.kind === 'drift') clocks.add(fault.node)
    else if (fault.kind === 'disk' || fault.kind === 'fail-write') disks.add(fault.node)
  }
  const mayStay = stayDown ? members - majority(members) : 0
  // A member whose write failed is down, too: nothing here tells whether it was.
  const failed = disturbances.flatMap((fault) => (fault.kind === 'fail-write' ? [fault.node] : []))
  const back = new Set([...down].slice(0, Math.max(0, down.size - mayStay)).concat(failed))
  const isCut = disturbances.some(({ kind }) => kind === 'cut')
  return [
    ...(isCut ? [{ at, kind: 'heal' } as const] : []),
    { at, kind: 'calm' },
    ...[...paused].map((node): Fault => ({ at, kind: 'resume', node })),
    ...[...slow].map((node): Fault => ({ at, kind: 'slow', node, us: 0 })),
    ...[...clocks].map((node): Fault => ({ at, kind: 'drift', node, rate: 1 })),
    ...[...disks].map((node): Fault => ({ at, kind: 'disk', node, us: 0 })),
    ...[...back].map((node): Fault => ({ at, kind: 'recover', node })),
  ]
}

export interface Moment {
  readonly at: number
  readonly node: NodeId
}

class Drawing {
  at: number
  node: NodeId = 1
  readonly random: Random
  readonly members: number
  private readonly voters: number
  private readonly focus: NodeId
  private readonly down = new Set<NodeId>()
  private readonly paused = new Set<NodeId>()

  constructor(random: Random, members: number, voters: number, { at, node }: Moment) {
    this.random = random
    this.members = members
    this.voters = voters
    this.focus = node
    this.at = at
  }

  /** To the moment and the member of the next fault. */
  advance(gapsUs: readonly number[]): void {
    const { random } = this
    this.at += random.below(pick(random, gapsUs))
    const any = 1 + random.below(this.members)
    // The strongest often leads.
    this.node = pick(random, [this.focus, this.focus, this.members, this.members, any])
  }

  crash(kind: 'crash' | 'leave'): Fault[] {
    const { at, node, random } = this
    this.paused.delete(node)
    if (this.down.delete(node)) return [{ at, kind: 'recover', node }]
    this.down.add(node)
    const us = pick(random, [0, 20_000, 2_000_000])
    if (random.chance(0.4)) return this.restart(kind, us)
    return [kind === 'crash' ? { at, kind, node } : { at, kind, node, us }]
  }

  /** The member, or several, crash and soon start again: what others know is about a former incarnation. */
  private restart(kind: 'crash' | 'leave', us: number): Fault[] {
    const { at, random } = this
    const several = random.chance(0.4)
    this.down.delete(this.node)
    return nodesTo(this.members).flatMap((node): Fault[] => {
      if (this.down.has(node) || (node !== this.node && !(several && random.chance(0.6)))) return []
      const back = at + 1 + random.below(pick(random, GAPS_US))
      const crash: Fault = kind === 'crash' ? { at, kind, node } : { at, kind, node, us }
      return [crash, { at: back, kind: 'recover', node }]
    })
  }

  /**
   * A minority of the first voters loses its state, each any number of times: no group survives the loss of many, and in a
   * group that has changed none of them is admitted again.
   */
  forget(): Fault[] {
    const { at, voters, random } = this
    const node = 1 + random.below(Math.max(1, voters - majority(voters)))
    if (this.down.has(node)) return []
    this.paused.delete(node)
    const back = at + 2 + random.below(pick(random, GAPS_US))
    return [
      { at, kind: 'crash', node },
      { at: at + 1, kind: 'forget', node },
      { at: back, kind: 'recover', node },
    ]
  }

  pause(): Fault[] {
    const { at, node, random } = this
    if (this.paused.delete(node)) return [{ at, kind: 'resume', node }]
    if (this.down.has(node)) return []
    const pause: Fault = { at, kind: 'pause', node }
    if (random.chance(0.6)) return [pause, { at: this.later(), kind: 'resume', node }]
    this.paused.add(node)
    return [pause]
  }

  /** Of the member that leads then: all members are asked, and those that do not lead ignore it. */
  resign(): Fault[] {
    const { at, node: successor, random } = this
    const isNamed = random.chance(0.7)
    return nodesTo(this.members).map((node): Fault => {
      return { at, kind: 'resign', node, ...(isNamed && node !== successor ? { successor } : {}) }
    })
  }

  proof(): Fault[] {
    const { at, node, random } = this
    const peers = nodesTo(this.members).filter((id) => id !== node)
    const told = random.chance(0.5) ? peers : peers.filter(() => random.chance(0.5))
    return told.map((peer): Fault => ({ at, kind: 'proof', node: peer, peer: node }))
  }

  cut(): Fault[] {
    const { at, node, random } = this
    if (random.chance(0.25)) return [{ at, kind: 'heal' }]
    const isOneAlone = random.chance(0.6)
    const from = nodesTo(this.members).filter((id) =>
      isOneAlone ? id === node : random.chance(0.5),
    )
    const to = nodesTo(this.members).filter((id) => !from.includes(id))
    if (from.length === 0 || to.length === 0) return []
    const faults: Fault[] = [{ at, kind: 'cut', from, to }]
    if (random.chance(0.7)) faults.push({ at, kind: 'cut', from: to, to: from })
    if (random.chance(0.5)) faults.push({ at: this.later(), kind: 'heal' })
    return faults
  }

  private later(): number {
    return this.at + this.random.below(pick(this.random, SPANS_US))
  }
}

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.below(values.length)]
}

function otherThan(node: NodeId, members: number, random: Random): NodeId {
  return 1 + ((node + random.below(members - 1)) % members)
}
