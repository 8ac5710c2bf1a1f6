/**
 * A member's code for elections is as good as never run when it is needed: the engine would translate it then,
 * while nobody leads. So it is run once before, on states that nobody sees: leaders beat, resign and die.
 *
 * The handlers read no clock, socket or random source, and keep nothing but the state that they are given.
 */
import type { AnyHandlers, AnyMessage, AnyState, Out } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { HostConfig } from './host-config.ts'
import { Wire } from './wire.ts'

type Cast = Pick<HostConfig, 'algorithm' | 'group' | 'detector'>

/** A play that goes on and on, as that of large groups, is broken off: by then all is translated. */
const MOST_STEPS = 400

class Play {
  private readonly handlers: AnyHandlers
  private readonly wire: Wire
  private readonly leader: NodeId
  private readonly states = new Map<NodeId, AnyState>()
  private readonly timers = new Map<string, () => void>()
  private readonly queue: (() => void)[] = []
  private isDead = false

  constructor(config: Cast, handlers: AnyHandlers) {
    const { group, algorithm, detector } = config
    this.handlers = handlers
    this.wire = new Wire(group.members, algorithm.messages, detector.messages)
    this.leader = group.members
    for (const node of group.everyone) {
      const state = algorithm.state.init() as AnyState
      this.states.set(node, state)
      handlers.settled(state, this.leader, this.outOf(node))
    }
  }

  /** Every timer that runs fires, once. */
  beat(): void {
    const running = [...this.timers.values()]
    for (const fire of running) fire()
    this.run()
  }

  resign(): void {
    const { handlers, leader } = this
    handlers.resign(this.states.get(leader)!, leader - 1, this.outOf(leader))
    this.run()
  }

  die(): void {
    this.isDead = true
    for (const [node, state] of this.states) {
      if (node === this.leader) continue
      this.handlers.down(state, this.leader, this.outOf(node))
      this.handlers.dead(state, this.leader, this.outOf(node))
    }
    this.run()
  }

  private run(): void {
    for (let left = MOST_STEPS; left > 0 && this.queue.length > 0; left--) this.queue.shift()!()
  }

  private outOf(me: NodeId): Out<AnyMessage> {
    const { handlers, queue, states, timers } = this
    const state = (): AnyState => states.get(me)!
    const isGone = (peer: NodeId): boolean => this.isDead && peer === this.leader
    const out: Out<AnyMessage> = {
      me,
      send: (peer, message) => {
        if (isGone(peer)) return
        const payload = this.wire.encode({ part: 'election', message })
        queue.push(() => {
          const frame = this.wire.decode(payload)
          if (frame.part !== 'election') return
          handlers.message(states.get(peer)!, me, frame.message, this.outOf(peer))
        })
      },
      set: (timer) =>
        void timers.set(`${me} ${timer}`, () => handlers.timeout(state(), timer, out)),
      clear: (timer) => void timers.delete(`${me} ${timer}`),
      request: (peer) =>
        void queue.push(() => handlers[isGone(peer) ? 'down' : 'up'](state(), peer, out)),
      watch: (peer) => {
        if (isGone(peer)) queue.push(() => handlers.down(state(), peer, out))
      },
      unwatch: () => undefined,
      draw: (name) => void queue.push(() => handlers.drawn(state(), name, 0, out)),
    }
    return out
  }
}

export function rehearse(config: Cast, handlers: AnyHandlers): void {
  if (config.group.members < 2) return
  const resigns = new Play(config, handlers)
  resigns.beat()
  resigns.resign()
  const dies = new Play(config, handlers)
  dies.beat()
  dies.die()
}
