/** Decides whether a timer may fire in a state, by the rules of docs/checker.md, "Time-outs". */
import type { NodeId } from '../../core/node-id.ts'
import type { IdleAnswers } from '../reduction/idle-answers.ts'
import { flagsOf, Mode, WATCHED_DOWN } from '../state/local-states.ts'
import type { Actions } from './actions.ts'
import type { Model } from './model.ts'

export class TimerGuards {
  /** The order of each timer; 0: it is a period. */
  readonly orders: readonly number[]
  private readonly model: Model
  private readonly base: Int32Array
  private readonly idle: IdleAnswers
  private readonly sync: boolean
  // Of the state that is being expanded:
  private anyInFlight = false
  private anyRequest = false
  private leastOrder = Infinity
  /** A watch has not reported a crash yet, or a member has recovered and not started. */
  private detectionPending = false

  constructor(model: Model, actions: Actions, idle: IdleAnswers) {
    const { algorithm, timers } = model.config
    this.model = model
    this.base = actions.base
    this.idle = idle
    this.sync = timers === 'sync'
    this.orders = Object.values(algorithm.timers).map((timer) =>
      timer.kind === 'answer' ? timer.order : 0,
    )
  }

  /** Reads the state. The idle requests are known. */
  survey(): void {
    const { model, base, orders } = this
    this.anyInFlight = false
    this.anyRequest = false
    this.leastOrder = Infinity
    this.detectionPending = false
    for (let node = 1; node <= model.n; node++) {
      const { mode, timers, watches } = model.local(base, node)
      if (base[model.n + node] !== 0) this.anyInFlight = true
      if (mode === Mode.STARTING) this.detectionPending = true
      if (watches !== 0 && this.hasCrashToReport(node, watches)) this.detectionPending = true
      if (this.idle.otherRequests[node] !== 0) this.anyRequest = true
      for (let t = 0; t < orders.length; t++) {
        const isArmed = ((timers >>> t) & 1) === 1
        if (isArmed && orders[t] > 0) this.leastOrder = Math.min(this.leastOrder, orders[t])
      }
    }
  }

  mayFire(node: NodeId, timer: number): boolean {
    const { clocks } = this.model.runner
    if (clocks.enabled) {
      if (this.isRunning(node, timer)) return clocks.mayEndEarly(timer)
      if (clocks.isTimed(timer)) return true
    }
    const order = this.orders[timer]
    if (order === 0) return !this.isRoundPending(node)
    if (!this.sync) return true
    if (this.anyInFlight || this.anyRequest || order !== this.leastOrder) return false
    return !this.detectionPending || !this.model.runner.outlastsDetection(timer)
  }

  isRunning(node: NodeId, timer: number): boolean {
    const { model, base } = this
    return model.runner.clocks.isRunning(model.local(base, node), timer)
  }

  private hasCrashToReport(node: NodeId, watches: number): boolean {
    for (let peer = 1; peer <= this.model.n; peer++) {
      if (flagsOf(watches, peer) !== WATCHED_DOWN) continue
      if (!this.model.isReachable(this.base, node, peer)) return true
    }
    return false
  }

  /** A period exceeds a round trip, and with timing bounds also the detector's answer time. */
  private isRoundPending(node: NodeId): boolean {
    if (this.sync && this.idle.otherRequests[node] !== 0) return true
    for (let peer = 1; peer <= this.model.n; peer++) {
      if (this.carriesRound(node, peer) || this.carriesRound(peer, node)) return true
    }
    return false
  }

  private carriesRound(from: NodeId, to: NodeId): boolean {
    const { inboxes, n } = this.model
    const senders = this.sync ? inboxes.senders : inboxes.periodic
    return ((senders[this.base[n + to]] >>> from) & 1) === 1
  }
}
