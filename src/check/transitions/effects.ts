/**
 * Collects the effects of a handler: applies those on timers, requests, watches and draws to the local state, and
 * keeps the messages for the caller.
 */
import type { AnyMessage, Out } from '../../core/algorithm.ts'
import { assert } from '../../core/assert.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { INCARNATION } from '../reduction/id-freshness.ts'
import {
  flagsOf,
  SEEN_DOWN,
  SEEN_UP,
  WATCHED,
  WATCHED_DOWN,
  withFlags,
  type LocalState,
} from '../state/local-states.ts'
import type { Clocks } from './clocks.ts'

const MAX_OUTCOMES = 256

export class Effects implements Out<AnyMessage> {
  me: NodeId = NONE
  readonly sent: { to: NodeId; message: AnyMessage }[] = []
  /** Bit t: timer t was set. */
  timersSet = 0
  /** Bit j: a verdict on member j was requested. */
  requested = 0
  /** Bit t: timer t may expire before the detector reports a crash. */
  shortTimers = 0
  private local!: LocalState
  private reachable = 0
  private readonly timers: readonly string[]
  private readonly watchMs: number
  private readonly clocks: Clocks

  constructor(timers: readonly string[], watchMs: number, clocks: Clocks) {
    this.timers = timers
    this.watchMs = watchMs
    this.clocks = clocks
  }

  /** `reachable`: bit j says that member j is up and no cut separates it, which is all that a detector sees. */
  begin(me: NodeId, reachable: number, local: LocalState): void {
    this.me = me
    this.reachable = reachable
    this.local = local
    this.sent.length = 0
    this.timersSet = 0
    this.requested = 0
  }

  /** Each start has a new one, as the ids that handlers make are new. */
  get incarnation(): number {
    return INCARNATION
  }

  send(to: NodeId, message: AnyMessage): void {
    this.sent.push({ to, message })
  }

  set(timer: string, minMs: number): void {
    const index = this.indexOf(timer)
    const bit = 1 << index
    this.clocks.set(this.local, index, minMs)
    if (minMs < this.watchMs) this.shortTimers |= bit
    this.timersSet |= bit
    this.local.timers |= bit
  }

  clear(timer: string): void {
    const index = this.indexOf(timer)
    this.local.timers &= ~(1 << index)
    this.clocks.clear(this.local, index)
  }

  request(peer: NodeId): void {
    const seen = this.isReachable(peer) ? SEEN_UP : SEEN_DOWN
    this.local.requests = withFlags(this.local.requests, peer, seen)
    this.requested |= 1 << peer
  }

  watch(peer: NodeId): void {
    if (flagsOf(this.local.watches, peer) !== 0) return
    const watch = this.isReachable(peer) ? WATCHED : WATCHED_DOWN
    this.local.watches = withFlags(this.local.watches, peer, watch)
  }

  unwatch(peer: NodeId): void {
    this.local.watches = withFlags(this.local.watches, peer, 0)
  }

  draw(name: string, n: number): void {
    assert(
      n <= MAX_OUTCOMES,
      `a draw of ${n} has too many outcomes to try each: the options of the algorithm can lower it`,
    )
    this.local.draws = [...this.local.draws, { name, n }]
  }

  private isReachable(peer: NodeId): boolean {
    return (this.reachable & (1 << peer)) !== 0
  }

  private indexOf(timer: string): number {
    const index = this.timers.indexOf(timer)
    assert(index >= 0, `there is no timer ${timer}`)
    return index
  }
}
