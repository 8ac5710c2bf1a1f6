/**
 * Runs the perfect detector, which is never wrong because it reads the world: the baseline for real ones. It sends
 * nothing, answers within a configured time, and keeps a down list, as 000 §2.2 asks: it reports a peer on the list at
 * once, and a recovery removes the peer from the list.
 */
import type { NodeId } from '../../core/node-id.ts'
import { NodeSet } from '../../core/node-set.ts'
import type { Detectors } from './module-detectors.ts'
import { EventKind } from '../queue/event-kinds.ts'
import type { World } from '../world/world.ts'

export class PerfectDetectors implements Detectors {
  awaited = 0
  private readonly world: World
  /** The watchers of each peer, and some that have ended their watch. */
  private readonly watchers: (NodeId[] | undefined)[]
  private readonly known: (NodeSet | undefined)[]

  constructor(world: World) {
    this.world = world
    this.watchers = new Array<NodeId[] | undefined>(world.config.members + 1)
    this.known = new Array<NodeSet | undefined>(world.config.members + 1)
  }

  request(me: NodeId, peer: NodeId, serial: number): void {
    this.schedule(me, peer, serial)
  }

  watch(me: NodeId, peer: NodeId): void {
    const watchers = this.watchers[peer]
    if (watchers === undefined) this.watchers[peer] = [me]
    else if (watchers.push(me) > 2 * this.world.config.members) {
      this.watchers[peer] = this.watching(peer)
    }
    if (!this.world.isUp(peer)) this.announce(me, peer)
  }

  crashed(peer: NodeId): void {
    this.known[peer] = undefined
    for (const me of this.watching(peer)) this.announce(me, peer)
    this.watchers[peer] = undefined
  }

  recovered(peer: NodeId): void {
    for (const known of this.known) known?.delete(peer)
  }

  knownDown(me: NodeId, peer: NodeId): void {
    ;(this.known[me] ??= new NodeSet()).add(peer)
  }

  answer(me: NodeId, peer: NodeId, serial: number): void {
    const { world } = this
    const down = !world.isUp(peer)
    if (serial === 0) {
      this.awaited -= 1
      if (!world.effects.watches.has(me, peer)) return
      if (!down) return this.watchAgain(me, peer) // the peer recovered before the verdict
    } else if (world.effects.requests.serialOf(me, peer) !== serial) return
    if (down) this.knownDown(me, peer)
    world.members.answered(me, peer, down ? 'down' : 'up')
  }

  // It has no messages and no timers, and the world keeps the watches.
  begin(): void {}
  unwatch(): void {}
  heard(): void {}

  ended(): void {}
  message(): void {}
  timeout(): void {}

  private announce(me: NodeId, peer: NodeId): void {
    this.awaited += 1
    this.schedule(me, peer, 0)
  }

  private watchAgain(me: NodeId, peer: NodeId): void {
    ;(this.watchers[peer] ??= []).push(me)
  }

  private schedule(me: NodeId, peer: NodeId, serial: number): void {
    const { minUs, maxUs } = this.world.config.detection
    const takes = maxUs > minUs ? minUs + this.world.random.below(maxUs - minUs + 1) : minUs
    const delay = this.known[me]?.has(peer) === true ? 0 : takes
    this.world.schedule.push(this.world.now + delay, EventKind.ANSWER, me, peer, serial, undefined)
  }

  private watching(peer: NodeId): NodeId[] {
    const listed = new Set(this.watchers[peer] ?? [])
    return [...listed].filter((me) => this.world.effects.watches.has(me, peer))
  }
}
