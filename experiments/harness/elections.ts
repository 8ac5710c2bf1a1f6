/** Runs simulated elections and measures time, messages, probes and availability; with helpers for experiments: worlds, observer, constant latency, strongest members, range, harmonic number. */
import { NONE, type NodeId } from 'bellwether/core'
import { configure, finish, World, type Recorder, type SimOptions } from 'bellwether/sim'
import type { Setup } from './claim.ts'

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
export function elect(setup: Setup, name: string, given: Given): Election {
  const world = worldOf(setup, name, given)
  finish(world)
  return costOf(world)
}

/** Runs until all agree, and no further. */
export function electQuickly(setup: Setup, name: string, given: Given): Election {
  const world = worldOf(setup, name, given)
  runToAgreement(world)
  return costOf(world)
}

/** An election that takes longer than this much virtual time will never end. */
const LIMIT_US = 120_000_000

export function runToAgreement(
  world: World,
  limitUs = LIMIT_US,
  stepped: () => void = () => undefined,
): void {
  while (Number.isNaN(world.monitors.agreedSince) && world.now < limitUs && world.step()) stepped()
}

export function worldOf(setup: Setup, name: string, given: Given): World {
  return new World(configure({ ...given, algorithm: setup.algorithm(name) }))
}

function costOf(world: World): Election {
  const { monitors, messageCounts } = world
  return {
    world,
    leader: monitors.agreed,
    ms: monitors.agreedSince / 1000,
    messages: messageCounts.sumOf('election'),
    probes: messageCounts.sumOf('detector'),
    byType: messageCounts.byType,
  }
}

/** Calls back on messages that are sent, or on steps. */
export function observe(world: World, { sent, step }: Partial<Recorder>): void {
  const ignore = (): void => undefined
  world.recorder = { step: step ?? ignore, sent: sent ?? ignore, done: ignore, violated: ignore }
}

/** Every message takes exactly so long. */
export function constant(ms: number): { latency: { kind: 'constant'; us: number } } {
  return { latency: { kind: 'constant', us: Math.round(1000 * ms) } }
}

/** The f strongest of n: the crashed superiors of the next leader. */
export function strongest(n: number, f: number): NodeId[] {
  return Array.from({ length: f }, (_, i) => n - i)
}

/** from, from + 1, …, to. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
}

/** The cost of an election, and the distinct links over which detectors asked and answered until all agree. */
export function probesOf(setup: Setup, name: string, given: Given, limitUs?: number) {
  const world = worldOf(setup, name, given)
  const asked = new Set<string>()
  const replied = new Set<string>()
  observe(world, {
    sent: ({ from, to, part, message: { type } }) => {
      if (part !== 'detector') return
      if (type === 'alive?') asked.add(`${from} ${to}`)
      if (type === 'alive') replied.add(`${from} ${to}`)
    },
  })
  runToAgreement(world, limitUs)
  const ofMember = (links: ReadonlySet<string>, end: 0 | 1, member: NodeId): number =>
    [...links].filter((link) => Number(link.split(' ')[end]) === member).length
  return {
    ...costOf(world),
    asked: asked.size,
    replies: replied.size,
    askedBy: (member: NodeId) => ofMember(asked, 0, member),
    repliesTo: (member: NodeId) => ofMember(replied, 1, member),
  }
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

/** Hₙ = 1 + 1/2 + … + 1/n. */
export function harmonic(n: number): number {
  return range(1, n).reduce((sum, k) => sum + 1 / k, 0)
}
