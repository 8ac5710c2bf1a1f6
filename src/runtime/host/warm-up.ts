/**
 * Warms up the JavaScript engine: runs an election and a handover once on simulated members in memory, so that their
 * code is compiled before the leader is lost.
 *
 * The simulated members read no clock, socket or random source. One call in ../election.ts starts it; no result depends
 * on it.
 */
import { sleep } from '../../clock/sleep.ts'
import {
  handlersOf,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type Out,
} from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { Transport } from '../../transports/transport.ts'
import type { View } from '../election-events.ts'
import { HeldTerm } from '../term.ts'
import type { HostConfig } from './host-config.ts'
import { Wire } from './wire.ts'

/** The warm-up of a large group may not end by itself: after so many steps all code is compiled. */
const MOST_STEPS = 400

/** Groups that share a transport share its connections and their code: one of them warms up. */
const warm = new WeakSet<Transport>()

/** Warms up one period after the first leader is known. */
export async function warmUpOnceLed(
  config: HostConfig,
  views: AsyncIterable<View>,
  signal: AbortSignal,
): Promise<void> {
  if (warm.has(config.transport)) return
  warm.add(config.transport)
  for await (const { kind } of views) if (kind === 'leader') break
  await sleep(config.group.timing.periodMs, signal)
  if (signal.aborted) return
  const term = new HeldTerm({
    group: '',
    number: 0,
    text: '',
    fenced: true,
    clock: config.clock,
    deadline: () => Infinity,
    check: () => undefined,
  })
  term.signal.addEventListener('abort', () => undefined)
  term.end('closed')
  if (config.roles.size === config.group.members) warmUp(config)
  // Without a loopback interface it stays cold.
  await config.transport.warmUp?.().catch(() => undefined)
}

type WarmUpConfig = Pick<HostConfig, 'algorithm' | 'group' | 'detector' | 'options'>

/** Heartbeats, then a handover; heartbeats, then a crash. Returns whether both ended before they were cut off. */
export function warmUp(config: WarmUpConfig): boolean {
  if (config.group.members < 2) return true
  const handover = new WarmUp(config)
  handover.heartbeats()
  handover.resign()
  const crash = new WarmUp(config)
  crash.heartbeats()
  crash.crash()
  return handover.hasEnded && crash.hasEnded
}

class WarmUp {
  private readonly handlers: AnyHandlers
  private readonly wire: Wire
  private readonly leader: NodeId
  private readonly states = new Map<NodeId, AnyState>()
  private readonly timers = new Map<string, () => void>()
  private readonly queue: (() => void)[] = []
  private hasCrashed = false

  constructor(config: WarmUpConfig) {
    const { group, algorithm, detector } = config
    const handlers = handlersOf(algorithm, group, config.options)
    this.handlers = handlers
    this.wire = new Wire(algorithm.messages, detector.messages)
    this.leader = group.members
    for (const node of group.everyone) {
      const state = algorithm.state.init() as AnyState
      this.states.set(node, state)
      handlers.settled(state, this.leader, this.outOf(node))
    }
  }

  get hasEnded(): boolean {
    return this.queue.length === 0
  }

  /** Each timer that is set fires once. */
  heartbeats(): void {
    const set = [...this.timers.values()]
    for (const fire of set) fire()
    this.run()
  }

  resign(): void {
    const { handlers, leader } = this
    handlers.resign(this.states.get(leader)!, leader - 1, this.outOf(leader))
    this.run()
  }

  crash(): void {
    this.hasCrashed = true
    for (const [node, state] of this.states) {
      if (node === this.leader) continue
      this.handlers.down(state, this.leader, this.outOf(node))
      this.handlers.dead(state, this.leader, () => true, this.outOf(node))
    }
    this.run()
  }

  private run(): void {
    for (let left = MOST_STEPS; left > 0 && this.queue.length > 0; left--) this.queue.shift()!()
  }

  private outOf(me: NodeId): Out<AnyMessage> {
    const { handlers, queue, states, timers } = this
    const state = (): AnyState => states.get(me)!
    const isGone = (peer: NodeId): boolean => this.hasCrashed && peer === this.leader
    const out: Out<AnyMessage> = {
      me,
      incarnation: 1,
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
