/** Holds what all parts of a world share: its configuration, clock, random numbers, monitors and recorder. */
import { promisesLease } from '../../core/algorithm.ts'
import { InvariantError } from '../../core/assert.ts'
import { Group } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { Random } from '../../core/random.ts'
import type { SimConfig } from '../config.ts'
import { Schedule } from '../queue/schedule.ts'
import { MessageCounts } from '../record/message-counts.ts'
import { Monitors } from '../record/monitors.ts'
import type { Recorder } from '../record/step.ts'

export class WorldContext {
  readonly config: SimConfig
  readonly group: Group
  readonly random: Random
  readonly schedule = new Schedule()
  readonly monitors: Monitors
  readonly messageCounts: MessageCounts
  /** Rises with every crash and recovery: an event for one incarnation does not reach the next. */
  readonly incarnation: Int32Array
  recorder: Recorder | null = null
  /** How fast each member's clock runs; null: all keep true time. */
  clockRates: Float64Array | null = null

  constructor(config: SimConfig) {
    this.config = config
    this.group = new Group(config.members, config.timing, config.ring, config)
    this.random = new Random(config.seed)
    const { algorithm, members, options, initiators } = config
    // A member that is settled from the beginning leads without a lease at first.
    const hasLease = initiators === null && promisesLease(algorithm, options)
    const label = (id: NodeId): number => this.label(id)
    this.monitors = new Monitors(members, algorithm.promises, label, hasLease)
    this.monitors.onViolation = ({ property, sentence }) =>
      this.recorder?.violated(`${property}: ${sentence}`)
    this.messageCounts = new MessageCounts(config.algorithm)
    this.incarnation = new Int32Array(config.members + 1)
  }

  get now(): number {
    return this.schedule.now
  }

  setClockRate(node: NodeId, rate: number): void {
    this.clockRates ??= new Float64Array(this.config.members + 1).fill(1)
    this.clockRates[node] = rate
  }

  /** How long a time by a member's own clock takes (µs). */
  elapsed(node: NodeId, us: number): number {
    return this.clockRates === null ? us : Math.round(us / this.clockRates[node])
  }

  isUp(node: NodeId): boolean {
    return this.monitors.up[node] === 1
  }

  label(node: NodeId): number {
    return this.config.labels.of(node)
  }

  expectMember(id: NodeId): void {
    if (this.monitors.up[id] === undefined || id === NONE) refuse(`${id} is no member`)
  }
}

/** For effects that make no sense. A function of its own, so that the hot path builds no sentence. */
export function refuse(why: string): never {
  throw new InvariantError(why)
}
