/** Runs a detector module beside the election of every member. */
import type { AnyMessage } from '../core/algorithm.ts'
import {
  detectorHandlersOf,
  type AnyDetectorHandlers,
  type Detector,
  type DetectorOut,
} from '../core/detector.ts'
import type { NodeId } from '../core/node-id.ts'
import { Kind, type DetectorHost } from './events.ts'
import type { World } from './world.ts'

type State = Record<string, unknown>

export class ModuleDetectors implements DetectorHost, DetectorOut<AnyMessage> {
  readonly awaited = 0
  private readonly world: World
  private readonly module: Detector
  private readonly handlers: AnyDetectorHandlers
  private readonly timerNames: readonly string[]
  private states: State[]
  /** The serial of an armed timer, by member, timer and peer. */
  private armed = new Map<number, number>()
  private serial = 0

  constructor(world: World, module: Detector) {
    this.world = world
    this.module = module
    this.handlers = detectorHandlersOf(module, world.group)
    this.timerNames = Object.keys(module.timers)
    this.states = Array.from({ length: world.config.members + 1 }, () => module.state.init())
  }

  get me(): NodeId {
    return this.world.me
  }

  begin(node: NodeId, recovered: boolean): void {
    this.handlers.start(this.states[node], recovered, this)
  }

  crashed(node: NodeId): void {
    this.states[node] = this.module.state.afterCrash(this.states[node])
    const members = this.world.config.members + 1
    for (const key of this.armed.keys()) {
      if (Math.floor(key / members) % members === node) this.armed.delete(key)
    }
  }

  recovered(): void {}

  request(me: NodeId, peer: NodeId): void {
    this.handlers.request(this.states[me], peer, this)
  }

  watch(me: NodeId, peer: NodeId): void {
    this.handlers.watch(this.states[me], peer, this)
  }

  unwatch(me: NodeId, peer: NodeId): void {
    this.handlers.unwatch(this.states[me], peer, this)
  }

  knownDown(me: NodeId, peer: NodeId): void {
    this.handlers.knownDown(this.states[me], peer)
  }

  heard(me: NodeId, from: NodeId): void {
    this.handlers.heard(this.states[me], from, this)
  }

  message(me: NodeId, from: NodeId, message: AnyMessage): void {
    this.handlers.message(this.states[me], from, message, this)
  }

  /** A verdict counts if it answers the latest request, or ends a watch. */
  answer(me: NodeId, peer: NodeId, serial: number, verdict: unknown): void {
    const { world } = this
    const requested = serial !== 0 && world.requestSerial(me, peer) === serial
    if (!requested && !(verdict === 'down' && world.isWatching(me, peer))) return
    world.answered(me, peer, verdict as 'up' | 'down')
  }

  timeout(me: NodeId, timer: number, peer: NodeId, serial: number): void {
    const key = this.timerKey(me, timer, peer)
    if (this.armed.get(key) !== serial) return
    this.armed.delete(key)
    const name = this.timerNames[timer]
    this.world.detectorStep(
      { kind: 'timeout', node: me, part: 'detector', timer: name, peer },
      () => this.handlers.timeout(this.states[me], name, peer, this),
    )
  }

  send(peer: NodeId, message: AnyMessage): void {
    this.world.emit(peer, message, 'detector')
  }

  set(timer: string, peer: NodeId, minMs: number, maxMs = minMs): void {
    const { world } = this
    const span = maxMs > minMs ? world.random.below(Math.round(1000 * (maxMs - minMs)) + 1) : 0
    const due = world.now + Math.round(1000 * minMs) + span
    const index = this.timerNames.indexOf(timer)
    this.serial += 1
    this.armed.set(this.timerKey(this.me, index, peer), this.serial)
    world.push(due, Kind.DETECTOR_TIMER, this.me, index, this.serial, peer)
  }

  clear(timer: string, peer: NodeId): void {
    this.armed.delete(this.timerKey(this.me, this.timerNames.indexOf(timer), peer))
  }

  up(peer: NodeId): void {
    this.speak(peer, 'up')
  }

  down(peer: NodeId): void {
    this.speak(peer, 'down')
  }

  save(): unknown {
    return {
      states: this.states.map((state) => this.module.state.copy(state)),
      armed: new Map(this.armed),
      serial: this.serial,
    }
  }

  load(saved: unknown): void {
    const { states, armed, serial } = saved as {
      states: State[]
      armed: Map<number, number>
      serial: number
    }
    this.states = states.map((state) => this.module.state.copy(state))
    this.armed = new Map(armed)
    this.serial = serial
  }

  /** The election hears of it in a step of its own: handlers never re-enter. */
  private speak(peer: NodeId, verdict: 'up' | 'down'): void {
    const serial = this.world.requestSerial(this.me, peer)
    this.world.push(this.world.now, Kind.ANSWER, this.me, peer, serial, verdict)
  }

  private timerKey(me: NodeId, timer: number, peer: NodeId): number {
    const members = this.world.config.members + 1
    return (timer * members + me) * members + peer
  }
}
