/** Counts what hunted runs met: statuses and messages, faults, leases, events. Tallies of parts of a hunt add up. */
import type { AnyState } from '../../core/algorithm.ts'
import type { Network } from '../network/network.ts'
import type { Recorder, Sending, Step } from '../record/step.ts'
import { canProgress } from '../run.ts'
import type { World } from '../world/world.ts'

export type Counts = Record<string, number>

export interface Tally {
  runs: number
  events: number
  deliveries: number
  virtualUs: number
  leases: number
  handovers: number
  takeovers: number
  /** Runs after which too few members are up, or may vote, for the end to be judged. */
  unfinished: number
  /** Faults by kind; lost, copied and overtaking messages. */
  readonly faults: Counts
  /** For each algorithm how often a message of a type met a member in a status: `Norm halt`. */
  readonly met: Record<string, Counts>
}

export function emptyTally(): Tally {
  return {
    runs: 0,
    events: 0,
    deliveries: 0,
    virtualUs: 0,
    leases: 0,
    handovers: 0,
    takeovers: 0,
    unfinished: 0,
    faults: {},
    met: {},
  }
}

/** Adds every number of `from` to that of the same name in `to`. */
export function addTally(to: Tally, from: Tally): void {
  addTo(to as unknown as Tree, from as unknown as Tree)
}

interface Tree {
  [name: string]: number | Tree
}

function addTo(to: Tree, from: Tree): void {
  for (const [name, value] of Object.entries(from)) {
    if (typeof value === 'number') to[name] = ((to[name] as number | undefined) ?? 0) + value
    else addTo((to[name] ??= {}) as Tree, value)
  }
}

/** Observes one run. */
export class TallyRecorder implements Recorder {
  private readonly tally: Tally
  private readonly met: Counts

  constructor(tally: Tally, algorithm: string) {
    this.tally = tally
    this.met = tally.met[algorithm] ??= {}
  }

  step(_at: number, step: Step, state: AnyState | null): void {
    if (step.kind === 'deliver') {
      if (step.part === 'detector' || state === null) return
      const pair = `${state.status} ${step.message.type}`
      this.met[pair] = (this.met[pair] ?? 0) + 1
    } else if (step.kind === 'fault') this.count(step.fault.kind)
    else if (step.kind === 'resign') this.count('resign')
  }

  sent(_sending: Sending): void {}
  violated(): void {}
  done(): void {}

  end(world: World): void {
    const { tally } = this
    const { leases } = world.monitors
    tally.runs += 1
    tally.events += world.steps
    tally.deliveries += world.members.deliveries
    tally.virtualUs += world.now
    tally.leases += leases?.counts.leases ?? 0
    tally.handovers += leases?.counts.handovers ?? 0
    tally.takeovers += leases?.counts.takeovers ?? 0
    if (!canProgress(world)) tally.unfinished += 1
    this.endNetwork(world.outbox.network)
  }

  private endNetwork({ counts }: Network): void {
    this.count('message lost', counts.lost)
    this.count('message copied', counts.copied)
    this.count('message overtakes', counts.overtaking)
  }

  private count(name: string, times = 1): void {
    const { faults } = this.tally
    if (times > 0) faults[name] = (faults[name] ?? 0) + times
  }
}
