/** Drives one member of an algorithm by hand: an experiment calls its handlers, and reads what it sent and asked. */
import {
  Group,
  handlersOf,
  type Algorithm,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type NodeId,
  type OptionValues,
  type Out,
} from 'bellwether/core'

const TIMING = { messageMs: 1, processingMs: 0, detectionMs: 5, watchMs: 5, periodMs: 100 }

export class LoneMember implements Out<AnyMessage> {
  readonly me: NodeId
  incarnation = 1
  state: AnyState
  /** Since the last `clear`. */
  readonly sent: { readonly to: NodeId; readonly message: AnyMessage }[] = []
  readonly requests: NodeId[] = []
  readonly timers = new Set<string>()
  private readonly algorithm: Algorithm
  private readonly handlers: AnyHandlers

  constructor(
    algorithm: Algorithm,
    me: NodeId,
    members: number,
    options: OptionValues = {},
    group = new Group(members, TIMING),
  ) {
    this.me = me
    this.algorithm = algorithm
    this.handlers = handlersOf(algorithm, group, options)
    this.state = algorithm.state.init() as AnyState
  }

  start(): this {
    this.handlers.start(this.state, this)
    return this
  }

  settled(leader: NodeId): this {
    this.handlers.settled(this.state, leader, this)
    return this
  }

  recover(): this {
    this.state = this.algorithm.state.afterCrash(this.state) as AnyState
    this.incarnation += 1
    return this.start()
  }

  hears(from: NodeId, message: AnyMessage): this {
    this.handlers.message(this.state, from, message, this)
    return this
  }

  up(...peers: NodeId[]): this {
    for (const peer of peers) this.handlers.up(this.state, peer, this)
    return this
  }

  down(...peers: NodeId[]): this {
    for (const peer of peers) this.handlers.down(this.state, peer, this)
    return this
  }

  timeout(timer: string): this {
    this.handlers.timeout(this.state, timer, this)
    return this
  }

  /** Draws the k-th of the numbers or places, k = 0, 1, … */
  drawn(name: string, k: number): this {
    this.handlers.drawn(this.state, name, k, this)
    return this
  }

  /** What it sent of a type, in order. */
  sentOf(type: string): AnyMessage[] {
    return this.sent.map(({ message }) => message).filter((message) => message.type === type)
  }

  // What a handler asks of its host.

  send(to: NodeId, message: AnyMessage): void {
    this.sent.push({ to, message })
  }

  request(peer: NodeId): void {
    this.requests.push(peer)
  }

  set(timer: string): void {
    this.timers.add(timer)
  }

  clear(timer: string): void {
    this.timers.delete(timer)
  }

  watch(): void {}
  unwatch(): void {}
  draw(): void {}
}
