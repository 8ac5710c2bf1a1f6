/**
 * Carries out the effects of the election's handlers in a world (send, timers, requests, watches, draws), at once or
 * through the schedule.
 */
import type { AnyMessage, Out } from '../../core/algorithm.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import type { Detectors } from '../detectors/module-detectors.ts'
import { EventKind } from '../queue/event-kinds.ts'
import { refuse, type WorldContext } from '../world/world-context.ts'
import type { Outbox } from '../network/outbox.ts'
import { Requests } from '../detectors/requests.ts'
import { Timers } from './timers.ts'
import { Watches } from '../detectors/watches.ts'

/** A random number on its way to the handler that asked for it. */
export interface Drawn {
  readonly name: string
  readonly k: number
}

export class Effects implements Out<AnyMessage> {
  me: NodeId = NONE
  /** While a world is laid out nothing happens yet. */
  muted = false
  readonly timers: Timers
  readonly requests: Requests
  readonly watches: Watches
  private readonly context: WorldContext
  private readonly outbox: Outbox
  private readonly detectors: Detectors

  constructor(context: WorldContext, outbox: Outbox, detectors: Detectors) {
    const { algorithm, members } = context.config
    this.context = context
    this.outbox = outbox
    this.detectors = detectors
    this.timers = new Timers(algorithm.timers, members)
    this.requests = new Requests(members)
    this.watches = new Watches(members)
  }

  get incarnation(): number {
    return 1 + this.context.incarnation[this.me]
  }

  beginStep(me: NodeId): void {
    this.me = me
    this.outbox.beginStep()
  }

  forget(node: NodeId): void {
    this.timers.disarmAll(node)
    this.requests.clear(node)
    this.watches.clear(node)
  }

  send(peer: NodeId, message: AnyMessage): void {
    if (!this.muted) this.outbox.emit(this.me, peer, message, 'election')
  }

  set(timer: string, minMs: number, maxMs = minMs): void {
    if (this.muted) return
    const { random, schedule } = this.context
    const span = maxMs > minMs ? random.below(Math.round(1000 * (maxMs - minMs)) + 1) : 0
    const due = schedule.now + this.context.elapsed(this.me, Math.round(1000 * minMs) + span)
    if (!(Number.isSafeInteger(due) && minMs >= 0)) refuse(`${timer} cannot be set to ${minMs} ms`)
    const index = this.timers.indexOf(timer)
    if (this.timers.arm(this.me, index, due)) {
      schedule.push(due, EventKind.TIMER, this.me, index, 0, undefined)
    }
  }

  clear(timer: string): void {
    if (!this.muted) this.timers.disarm(this.me, this.timers.indexOf(timer))
  }

  request(peer: NodeId): void {
    if (this.muted) return
    this.context.expectMember(peer)
    this.detectors.request(this.me, peer, this.requests.add(this.me, peer))
  }

  watch(peer: NodeId): void {
    if (this.muted) return
    this.context.expectMember(peer)
    if (this.watches.add(this.me, peer)) this.detectors.watch(this.me, peer)
  }

  unwatch(peer: NodeId): void {
    if (this.muted) return
    if (this.watches.delete(this.me, peer)) this.detectors.unwatch(this.me, peer)
  }

  draw(name: string, n: number): void {
    if (this.muted) return
    if (!(Number.isSafeInteger(n) && n >= 1)) refuse(`${name} cannot be drawn below ${n}`)
    const { random, schedule, incarnation } = this.context
    const drawn: Drawn = { name, k: random.below(n) }
    schedule.push(schedule.now, EventKind.DRAWN, this.me, 0, incarnation[this.me], drawn)
  }
}
