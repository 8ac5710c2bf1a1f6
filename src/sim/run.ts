/** Runs a world to its end, records it, writes its trace and summarizes it. */
import type { AnyState } from '../core/algorithm.ts'
import type { Labels } from '../core/group.ts'
import { NONE, type NodeId } from '../core/node-id.ts'
import { majority } from '../core/quorum.ts'
import { writeTrace } from './record/trace.ts'
import type { SimConfig } from './config.ts'
import type { Monitors } from './record/monitors.ts'
import { Recording } from './record/recording.ts'
import { showSettings } from './settings/settings.ts'
import { World } from './world/world.ts'

/** The result of a run for programs. Members are labels; times are virtual milliseconds. */
export interface Summary {
  readonly algorithm: string
  readonly nodes: number
  readonly seed: number
  readonly detector: string
  readonly leader: number | null
  readonly term: number | null
  readonly agreed: boolean
  /** From the last scheduled fault, else from the beginning, to agreement; null without one. */
  readonly electedMs: number | null
  readonly endedMs: number
  /** Whether the run ended because nothing was left to wait for. */
  readonly quiet: boolean
  readonly messages: {
    readonly total: number
    readonly election: number
    readonly detector: number
    readonly heartbeat: number
    readonly repair: number
    readonly attempts: number
    readonly byType: Readonly<Record<string, number>>
  }
  readonly violations: readonly { property: string; atMs: number; sentence: string }[]
  readonly observed: { readonly disagreements: number; readonly disagreementMs: number }
  readonly members: readonly MemberSummary[]
}

export interface MemberSummary {
  readonly id: number
  readonly up: boolean
  readonly status: string | null
  readonly leader: number | null
  readonly term: number
}

/** The virtual time after which a run that does not become quiet ends. */
export function limitUs(config: SimConfig): number {
  const { messageMs, periodMs, watchMs } = config.timing
  const rounds = 40 * config.members * messageMs + 100 * (periodMs + watchMs)
  return lastFaultUs(config) + Math.max(60_000_000, Math.ceil(1000 * rounds))
}

function lastFaultUs({ faults }: SimConfig): number {
  return faults.reduce((latest, { at }) => Math.max(latest, at), 0)
}

/** Runs to the end and judges the promises about the end. */
export function finish(world: World): void {
  const { config } = world
  if (config.untilUs === null) world.runUntilQuiet(limitUs(config))
  else {
    // The end of a run that is cut short says something only if the run was quiet before it.
    world.runUntil(config.untilUs - world.holdUs)
    if (!world.runUntil(config.untilUs)) return
  }
  if (canProgress(world)) world.monitors.judge(world.now)
}

/** Whether enough members are up for the promises about the end, and may vote. */
export function canProgress({ config, group, configurations, monitors, states }: World): boolean {
  const { members, algorithm } = config
  const { majority: needsMajority, admittedField } = algorithm.assumes
  if (needsMajority === true && monitors.upCount < majority(members)) return false
  if (configurations.varies) {
    const voters = [...(configurations.newest()?.voters ?? [])]
    const able = voters.filter(
      (id) => monitors.up[id] === 1 && isAdmitted(states[id], admittedField),
    )
    const needed = needsMajority === true ? majority(voters.length) : 1
    return able.length >= needed && able.some((id) => group.mayStand(id))
  }
  if (admittedField === undefined) return true
  const admitted = states.flatMap((state, id) => (isAdmitted(state, admittedField) ? [id] : []))
  if (admitted.length === 0) return monitors.upCount === members
  const up = admitted.filter((id) => monitors.up[id] === 1)
  return up.length > members - majority(members)
}

function isAdmitted(state: AnyState | undefined, field: string | undefined): boolean {
  return field === undefined || state?.[field] === true
}

export function recordRun(config: SimConfig): { world: World; recording: Recording } {
  const world = new World(config)
  const recording = new Recording(config)
  world.recorder = recording
  finish(world)
  return { world, recording }
}

export function traceOf(config: SimConfig, recording: Recording): string {
  const settings = [['mode', 'timed'] as const, ...showSettings(config)]
  return writeTrace({ settings, entries: recording.trace() })
}

export function summarize(world: World): Summary {
  const { config, monitors, messageCounts } = world
  const label = (id: number): number | null => (id === NONE ? null : config.labels.of(id))
  const leader = monitors.agreed
  return {
    algorithm: config.algorithm.name,
    nodes: config.members,
    seed: config.seed,
    detector: config.detector === 'perfect' ? 'perfect' : config.detector.name,
    leader: label(leader),
    term: leader === NONE ? null : monitors.term[leader],
    agreed: leader !== NONE,
    electedMs:
      leader === NONE ? null : Math.max(0, monitors.agreedSince - lastFaultUs(config)) / 1000,
    endedMs: world.now / 1000,
    quiet: world.isQuiet,
    messages: {
      total: messageCounts.total,
      election: messageCounts.sumOf('election'),
      detector: messageCounts.sumOf('detector'),
      heartbeat: messageCounts.sumOf('heartbeat'),
      repair: messageCounts.sumOf('repair'),
      attempts: messageCounts.attempts,
      byType: messageCounts.byType,
    },
    violations: monitors.violations.map(({ property, at, sentence }) => ({
      property,
      atMs: at / 1000,
      sentence,
    })),
    observed: {
      disagreements: monitors.disagreements,
      disagreementMs: monitors.disagreementUs / 1000,
    },
    members: summarizeMembers(config.labels, monitors, (id) => world.states[id]),
  }
}

/** Members in the order of their labels. */
export function summarizeMembers(
  labels: Labels,
  monitors: Monitors,
  stateOf: (id: NodeId) => AnyState,
): MemberSummary[] {
  return Array.from({ length: labels.members }, (_, i) => {
    const id = labels.of(i + 1)
    const up = monitors.up[id] === 1
    const { status, leader } = stateOf(id)
    return {
      id: i + 1,
      up,
      status: up ? status : null,
      leader: up && leader !== NONE ? labels.of(leader) : null,
      term: monitors.term[id],
    }
  })
}
