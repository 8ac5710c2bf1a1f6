/**
 * Asks the leaders of a simulated group to change its configuration, as an operator does: again every period, until a
 * leader has committed it, or until the operator gives up.
 */
import { NONE, type NodeId } from '../../core/node-id.ts'
import { changeOfSeat, type Change, type SeatRole } from '../../core/configuration.ts'
import { dataOfPeriod } from '../members/configurations.ts'
import { EventKind } from '../queue/event-kinds.ts'
import type { World } from '../world/world.ts'
import type { FaultInjector } from './fault-injector.ts'

export interface ChangeRequest {
  /** NONE: no seat. */
  readonly seat: NodeId
  readonly role: SeatRole
  /** The period; absent: as it is. */
  readonly us?: number
}

const ASKED_AT_MOST = 40

export class ChangeRequests {
  private readonly world: World
  private readonly injector: FaultInjector

  constructor(world: World, injector: FaultInjector) {
    this.world = world
    this.injector = injector
  }

  ask(request: ChangeRequest, times = 1): void {
    const { world, injector } = this
    const at = world.now
    for (const node of world.group.everyone) {
      if (!this.leads(node) || this.isDone(node, request)) continue
      const { seat, role, us } = request
      if (us === undefined) injector.inject({ at, kind: 'change', node, seat, role })
      else injector.inject({ at, kind: 'change-period', node, us })
    }
    const isDone = [...world.group.everyone].some((node) => this.isDone(node, request))
    if (isDone || times >= ASKED_AT_MOST) return
    const next = at + Math.round(1000 * world.config.timing.periodMs)
    world.requestsLeft += 1
    world.schedule.push(next, EventKind.ASK, NONE, times + 1, 0, request)
  }

  /** Within the step of a fault at the member. */
  change(node: NodeId, request: ChangeRequest): void {
    const { world } = this
    if (!this.leads(node)) return
    world.members.change(node, this.changeOf(node, request))
  }

  private changeOf(node: NodeId, { seat, role, us }: ChangeRequest): Change {
    const change = changeOfSeat(this.world.members.configurationOf(node), seat, role)
    return us === undefined ? change : { ...change, data: dataOfPeriod(us) }
  }

  private leads(node: NodeId): boolean {
    const { world } = this
    return world.isUp(node) && !world.speed.isHeld(node) && world.states[node].leader === node
  }

  private isDone(node: NodeId, request: ChangeRequest): boolean {
    if (!this.leads(node)) return false
    const { committed, ...present } = this.world.members.configurationOf(node)
    const { voters, observers, data } = this.changeOf(node, request)
    return (
      committed &&
      data === present.data &&
      voters.equals(present.voters) &&
      observers.equals(present.observers)
    )
  }
}
