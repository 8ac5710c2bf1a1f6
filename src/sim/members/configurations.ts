/**
 * Follows the configurations that the members of a world have adopted: which is the newest among those that are up,
 * whom it names, and which timing its data gives.
 */
import { isNewerConfiguration, type Configuration } from '../../core/configuration.ts'
import type { Timing } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { NodeSet } from '../../core/node-set.ts'
import { declarationOf, type Fault } from '../faults/fault-catalogue.ts'
import type { World } from '../world/world.ts'

/** The host's part of a configuration here: the period. */
export function dataOfPeriod(us: number): string {
  return `period=${us}`
}

export function timingOfData(data: string, timing: Timing): Timing {
  const us = /^period=(\d+)$/u.exec(data)?.[1]
  return us === undefined ? timing : { ...timing, periodMs: Number(us) / 1000 }
}

export class Configurations {
  /** Whether the members may change, or do not all vote from the beginning. */
  varies = false
  private readonly world: World
  private readonly adopted: (Configuration | undefined)[] = []

  constructor(world: World) {
    const { voters, faults } = world.config
    this.world = world
    this.varies = voters !== null
    for (const fault of faults) this.meet(fault)
  }

  /** This fault will happen. */
  meet({ kind }: Pick<Fault, 'kind'>): void {
    this.varies ||= declarationOf(kind).changesGroup === true
  }

  /** The longest period of any member's timing. */
  get periodMs(): number {
    const { timing } = this.world.config
    return this.adopted.reduce(
      (longest, own) => Math.max(longest, timingOfData(own?.data ?? '', timing).periodMs),
      timing.periodMs,
    )
  }

  /** The configuration that a member has adopted, or stores; null: all have the same one for the whole run. */
  of(node: NodeId): Configuration | null {
    return this.varies ? this.world.members.configurationOf(node) : null
  }

  /** A member may have adopted another configuration. */
  observe(node: NodeId): void {
    if (!this.varies) return
    const known = this.adopted[node]
    const { term, version } = (this.adopted[node] = this.world.members.configurationOf(node))
    if (known === undefined || term !== known.term || version !== known.version) this.refresh()
  }

  refresh(): void {
    if (!this.varies) return
    const { monitors, now } = this.world
    const newest = this.newest()
    if (newest === null) return
    const { admittedField } = this.world.config.algorithm.assumes
    monitors.mayFollow = (node) =>
      admittedField === undefined || this.world.states[node][admittedField] === true
    monitors.named = NodeSet.of(...newest.voters, ...newest.observers)
    monitors.voters = newest.voters
    monitors.settle(now)
  }

  /** The newest configuration that an up member has adopted; null: none is up. */
  newest(): Configuration | null {
    const { world } = this
    let newest: Configuration | null = null
    for (const node of world.group.everyone) {
      if (!world.isUp(node)) continue
      const own = (this.adopted[node] ??= world.members.configurationOf(node))
      if (newest === null || isNewerConfiguration(own, newest)) newest = own
    }
    return newest
  }
}
