/** Elections in the simulator, and what they cost. */
import { NONE, type Algorithm, type NodeId } from 'bellwether/core'
import { configure, finish, World, type Fault, type SimOptions } from 'bellwether/sim'
import type { Lab } from './claim.ts'

export interface Election {
  readonly world: World
  readonly leader: NodeId
  /** From the beginning until all up members name one leader; NaN: never. */
  readonly ms: number
  /** Messages of the election proper, of the detector, and by type. */
  readonly messages: number
  readonly probes: number
  readonly byType: Readonly<Record<string, number>>
}

type Given = Omit<SimOptions, 'algorithm'>

/** Runs until nothing is left to wait for. */
export function elect(lab: Lab, name: string, given: Given): Election {
  const world = worldOf(lab.algorithm(name), given)
  finish(world)
  return costOf(world)
}

/** Runs until all agree, and no further. */
export function electQuickly(lab: Lab, name: string, given: Given): Election {
  const world = worldOf(lab.algorithm(name), given)
  while (Number.isNaN(world.monitors.agreedSince) && world.step());
  return costOf(world)
}

function worldOf(algorithm: Algorithm, given: Given): World {
  return new World(configure({ ...given, algorithm }))
}

function costOf(world: World): Election {
  const { monitors, tally } = world
  return {
    world,
    leader: monitors.agreed,
    ms: monitors.agreedSince / 1000,
    messages: tally.sumOf('election'),
    probes: tally.sumOf('detector'),
    byType: tally.byType,
  }
}

/** Every message takes exactly so long. */
export function constant(ms: number): { latency: { kind: 'constant'; us: number } } {
  return { latency: { kind: 'constant', us: Math.round(1000 * ms) } }
}

/** The f strongest of n: dead superiors of whoever is to lead. */
export function strongest(n: number, f: number): NodeId[] {
  return Array.from({ length: f }, (_, i) => n - i)
}

/** from, from + 1, …, to. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
}

/** Questions and answers of the detector at one member, until all agree. */
export function probesOf(lab: Lab, name: string, given: Given, member: NodeId) {
  const world = worldOf(lab.algorithm(name), given)
  let [asked, replies] = [0, 0]
  world.recorder = {
    step: () => undefined,
    done: () => undefined,
    violated: () => undefined,
    sent: (from, to, part, { type }) => {
      if (part !== 'detector') return
      if (from === member && type === 'alive?') asked += 1
      if (to === member && type === 'alive') replies += 1
    },
  }
  while (Number.isNaN(world.monitors.agreedSince) && world.step());
  return { ...costOf(world), asked, replies }
}

/** For how long there was one leader that all up members named, as a share of the time (µs). */
export function availability(world: World, untilUs: number): number {
  let [agreedUs, since] = [0, NaN]
  world.stopAt(untilUs)
  while (world.step()) {
    const agreed = world.monitors.agreed !== NONE
    if (agreed && Number.isNaN(since)) since = world.now
    if (!agreed && !Number.isNaN(since)) {
      agreedUs += world.now - since
      since = NaN
    }
  }
  if (!Number.isNaN(since)) agreedUs += untilUs - since
  return agreedUs / untilUs
}

export type { Fault }
