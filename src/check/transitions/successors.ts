/**
 * Every step that a state allows. Steps of the system are those that must happen sooner or later (fair
 * actions, numbered); the environment's may happen, within the budget.
 */
import { unreachable } from '../../core/assert.ts'
import type { NodeId } from '../../core/node-id.ts'
import { Budget, budgetOf, cutOf } from '../state/state-vector.ts'
import { IdleAnswers, type IdleAnswer } from '../reduction/idle-answers.ts'
import { flagsOf, Mode, SEEN_DOWN, SEEN_UP, WATCHED, WATCHED_DOWN } from '../state/local-states.ts'
import type { Model } from './model.ts'

/** A step of the environment: nobody is owed it. */
const ENVIRONMENT = -1
const FREE = -1
const NOTHING: readonly IdleAnswer[] = []

/** What the current step is. `detail`: timer, place in the link, number drawn, shape of the cut. */
export interface Transition {
  kind: TransitionKind
  node: NodeId
  peer: NodeId
  detail: number
  /** Answers that came before and changed nothing else. */
  idleAnswers: readonly IdleAnswer[]
  /** Of a draw that was found again. */
  name?: string
}
export type TransitionKind =
  | 'start'
  | 'deliver'
  | 'lose'
  | 'timeout'
  | 'up'
  | 'down'
  | 'drawn'
  | 'heal'
  | 'crash'
  | 'recover'
  | 'cut'
  | 'drop'
  | 'duplicate'
  | 'resign'

export class Successors {
  /** The step that led to `model.next`, while `visit` is told of it. */
  readonly transition: Transition = {
    kind: 'start',
    node: 0,
    peer: 0,
    detail: 0,
    idleAnswers: NOTHING,
  }
  /** How many fair actions there are. */
  readonly actions: number
  /** From this one on actions are timers. */
  private readonly timerActions: number
  /** Steps that were left out because a link had no room. */
  overflows = 0
  /** The actions that an idle answer takes in the state that was expanded last. */
  readonly idleActions: number[] = []
  private readonly idle: IdleAnswers
  private readonly model: Model
  private readonly n: number
  private readonly visit: (action: number) => void
  private readonly sync: boolean
  /** For each timer its order, 0 for a period. */
  private readonly orders: readonly number[]
  // What holds in the state as a whole.
  private inFlight = false
  private openRequests = false
  private leastOrder = Infinity
  /** A detector has yet to tell somebody of a death, or somebody recovered and has yet to start. */
  private newsOwed = false

  constructor(model: Model, visit: (action: number) => void) {
    const { algorithm, members, timers } = model.options
    this.model = model
    this.idle = new IdleAnswers(model)
    this.visit = visit
    this.n = members
    this.sync = timers === 'sync'
    this.orders = Object.values(algorithm.timers).map((timer) =>
      timer.kind === 'answer' ? timer.order : 0,
    )
    this.timerActions = 3 * members * members + 2 * members + 1
    this.actions = this.timerActions + members * this.orders.length
  }

  /** Visits every successor of `model.base`. */
  expand(): void {
    if (this.idleActions.length > 0) this.idleActions.length = 0
    if (this.model.localStates.draws && this.drawing()) return
    this.model.enter()
    this.idle.survey()
    this.survey()
    for (let node = 1; node <= this.n; node++) {
      const { mode } = this.model.local(this.model.base, node)
      if (mode <= Mode.DOWN) this.recover(node)
      else {
        this.receive(node)
        if (mode === Mode.UP) {
          this.timeouts(node)
          this.verdicts(node)
          this.resignations(node)
        } else this.start(node)
        this.crash(node)
      }
    }
    this.cuts()
  }

  /** The actions of the timers that are armed in `model.base`, ready to fire or not. */
  timersArmed(): number[] {
    const armed: number[] = []
    for (let node = 1; node <= this.n; node++) {
      armed.push(...this.timersOf(node, this.model.local(this.model.base, node).timers))
    }
    return armed
  }

  /** The actions of the timers that the current step set. */
  timersSet(): number[] {
    return this.timersOf(this.transition.node, this.model.timersSet)
  }

  private timersOf(node: NodeId, mask: number): number[] {
    const { orders, timerActions } = this
    const places = orders.map((_, t) => t).filter((t) => ((mask >>> t) & 1) === 1)
    return places.map((t) => timerActions + (node - 1) * orders.length + t)
  }

  /** Whatever is drawn is drawn in the same breath: nothing comes between. */
  private drawing(): boolean {
    const { model, n } = this
    for (let node = 1; node <= n; node++) {
      const { draw } = model.local(model.base, node)
      if (draw === 0) continue
      this.idle.clear()
      for (let k = 0; k < draw; k++) this.attempt('drawn', node, 0, k, 2 * n * n + n + node - 1)
      return true
    }
    return false
  }

  private survey(): void {
    const { model, n, orders } = this
    const { base, vector } = model
    this.inFlight = false
    this.openRequests = false
    this.leastOrder = Infinity
    this.newsOwed = false
    for (let node = 1; node <= n; node++) {
      const { mode, timers, watches } = model.local(base, node)
      if (base[vector.inbox(node)] !== 0) this.inFlight = true
      if (mode === Mode.STARTING) this.newsOwed = true
      if (watches !== 0 && this.isOwedNews(node, watches)) this.newsOwed = true
      if (this.idle.otherRequests[node] !== 0) this.openRequests = true
      for (let t = 0; t < orders.length; t++) {
        if ((timers >>> t) & 1 && orders[t] > 0 && orders[t] < this.leastOrder) {
          this.leastOrder = orders[t]
        }
      }
    }
  }

  private isOwedNews(node: NodeId, watches: number): boolean {
    const { model, n } = this
    for (let peer = 1; peer <= n; peer++) {
      if (flagsOf(watches, peer) !== WATCHED_DOWN) continue
      if (!model.isReachable(model.base, node, peer)) return true
    }
    return false
  }

  private receive(node: NodeId): void {
    const { model, n } = this
    const { base, vector, inboxes } = model
    const inbox = base[vector.inbox(node)]
    if (inbox === 0) return
    const silent = model.local(base, node).mode === Mode.STARTING
    const any = model.options.order === 'any'
    for (let from = 1; from <= n; from++) {
      if (((inboxes.senders[inbox] >>> from) & 1) === 0) continue
      const action = (from - 1) * n + node - 1
      const lost = silent || model.isCut(base, from, node)
      const places = any ? inboxes.count(inbox, from) : 1
      for (let place = 0; place < places; place++) {
        this.attempt(lost ? 'lose' : 'deliver', node, from, place, action)
        if (!lost) this.mishaps(from, node, place)
      }
    }
  }

  private mishaps(from: NodeId, node: NodeId, place: number): void {
    const budget = this.model.base[0]
    if (budgetOf(budget, Budget.DROPS) > 0) {
      this.attempt('drop', node, from, place, ENVIRONMENT, Budget.DROPS)
    }
    if (budgetOf(budget, Budget.DUPLICATES) > 0) {
      this.attempt('duplicate', node, from, place, ENVIRONMENT, Budget.DUPLICATES)
    }
  }

  private timeouts(node: NodeId): void {
    const { model, orders, idle, sync, n } = this
    const { timers } = model.local(model.base, node)
    for (let t = 0; t < orders.length; t++) {
      if (((timers >>> t) & 1) === 0 || !this.mayFire(node, t)) continue
      let closings = NOTHING
      if (sync && idle.any) {
        // Whose answers it waits for.
        model.enter()
        closings = idle.answersFor(orders[t] === 0 ? node : 1, orders[t] === 0 ? node : n)
      }
      const action = this.timerActions + (node - 1) * orders.length + t
      this.attempt('timeout', node, 0, t, action, FREE, closings)
    }
  }

  private mayFire(node: NodeId, timer: number): boolean {
    const order = this.orders[timer]
    if (order === 0) return !this.awaitsPeriodic(node)
    if (!this.sync) return true
    if (this.inFlight || this.openRequests || order !== this.leastOrder) return false
    return !this.newsOwed || !this.model.cache.outlastsDetection(timer)
  }

  /**
   * A period exceeds a round trip: what the last one sent, and what that was answered, has arrived. With
   * bounds it exceeds the detector's answer time too, and no message of the member's is under way.
   */
  private awaitsPeriodic(node: NodeId): boolean {
    if (this.sync && this.idle.otherRequests[node] !== 0) return true
    for (let peer = 1; peer <= this.n; peer++) {
      if (this.carriesPeriodic(node, peer) || this.carriesPeriodic(peer, node)) return true
    }
    return false
  }

  private carriesPeriodic(from: NodeId, to: NodeId): boolean {
    const { base, vector, inboxes } = this.model
    const inbox = base[vector.inbox(to)]
    const senders = this.sync ? inboxes.senders : inboxes.periodic
    return ((senders[inbox] >>> from) & 1) === 1
  }

  private verdicts(node: NodeId): void {
    const { model, n } = this
    const { base } = model
    const { requests, watches } = model.local(base, node)
    if ((requests | watches) === 0) return
    const mistaken = budgetOf(base[0], Budget.MISTAKES) > 0
    for (let peer = 1; peer <= n; peer++) {
      const request = flagsOf(requests, peer)
      const watch = flagsOf(watches, peer)
      if ((request | watch) === 0) continue
      const asked = n * n + (node - 1) * n + peer - 1
      const closable = ((this.idle.idleRequests[node] >>> peer) & 1) === 1
      if (request & SEEN_UP) this.verdict(node, 'up', peer, asked, closable)
      if (request & SEEN_DOWN && this.idle.isDrained(base, peer)) {
        this.verdict(node, 'down', peer, asked, closable)
      }
      if (request & SEEN_DOWN && !closable) continue
      if (watch === WATCHED_DOWN) this.news(node, peer)
      else if (mistaken && (request === SEEN_UP || watch === WATCHED)) this.mistake(node, peer)
    }
  }

  private verdict(
    node: NodeId,
    verdict: 'up' | 'down',
    peer: NodeId,
    action: number,
    closable: boolean,
  ): void {
    if (closable) {
      this.model.enter()
      if (this.idle.isIdle(node, verdict, peer)) {
        this.idleActions.push(action)
        return
      }
    }
    this.attempt(verdict, node, peer, 0, action)
  }

  /** What a watch waited for. It is owed only while the peer is down: if it came back first, perhaps. */
  private news(node: NodeId, peer: NodeId): void {
    const { model, n } = this
    const owed = !model.isReachable(model.base, node, peer)
    if (owed && !this.idle.isDrained(model.base, peer)) return
    const action = 2 * n * n + 2 * n + 1 + (node - 1) * n + peer - 1
    this.attempt('down', node, peer, 0, owed ? action : ENVIRONMENT)
  }

  private mistake(node: NodeId, peer: NodeId): void {
    if (!this.model.isReachable(this.model.base, node, peer)) return
    this.attempt('down', node, peer, 0, ENVIRONMENT, Budget.MISTAKES)
  }

  /** The silence of a recovered member outlasts what its former life sent. */
  private start(node: NodeId): void {
    if (this.sync && this.model.hasUnderWay(this.model.base, node)) return
    this.attempt('start', node, 0, 0, 2 * this.n * this.n + node - 1)
  }

  private crash(node: NodeId): void {
    if (budgetOf(this.model.base[0], Budget.CRASHES) === 0) return
    this.attempt('crash', node, 0, 0, ENVIRONMENT, Budget.CRASHES)
  }

  /** Whoever leads may be told to lead no longer, in favour of anybody or of nobody. */
  private resignations(node: NodeId): void {
    const { base, cache } = this.model
    if (budgetOf(base[0], Budget.RESIGNATIONS) === 0 || !cache.canResign) return
    if (this.model.local(base, node).leader !== node) return
    for (let successor = 0; successor <= this.n; successor++) {
      if (successor === node) continue
      this.attempt('resign', node, successor, 0, ENVIRONMENT, Budget.RESIGNATIONS)
    }
  }

  private recover(node: NodeId): void {
    if (budgetOf(this.model.base[0], Budget.RECOVERIES) === 0) return
    this.attempt('recover', node, 0, 0, ENVIRONMENT, Budget.RECOVERIES)
  }

  private cuts(): void {
    const { model, n } = this
    if (cutOf(model.base[0]) !== 0) this.attempt('heal', 0, 0, 0, 2 * n * n + 2 * n)
    else if (budgetOf(model.base[0], Budget.CUTS) > 0) {
      for (let shape = 1; shape <= model.shapes.length; shape++) {
        this.attempt('cut', 0, 0, shape, ENVIRONMENT, Budget.CUTS)
      }
    }
  }

  /** Takes a step, and where it makes a difference takes it again with questions closed before. */
  private attempt(
    kind: TransitionKind,
    node: NodeId,
    peer: NodeId,
    detail: number,
    action: number,
    costs = FREE,
    closings = NOTHING,
  ): void {
    const { model, idle, transition } = this
    transition.kind = kind
    transition.node = node
    transition.peer = peer
    transition.detail = detail
    transition.idleAnswers = closings
    this.take(action, costs)
    if (!idle.any || closings.length > 0) return
    const lost = idle.noLongerIdle(node, kind === 'crash')
    if (lost.length === 0) return
    model.enter()
    const closed = lost.map((question) => idle.answerTo(question.node, question.peer))
    for (let some = 1; some < 1 << closed.length; some++) {
      transition.idleAnswers = closed.filter((_, i) => (some >>> i) & 1)
      this.take(action, costs)
    }
  }

  private take(action: number, costs: number): void {
    const { model } = this
    model.enter()
    for (const { node, peer } of this.transition.idleAnswers) model.closeRequest(node, peer)
    this.perform()
    if (costs >= 0) model.spend(costs)
    if (model.overflowed) this.overflows += 1
    else this.visit(action)
  }

  private perform(): void {
    const { model } = this
    const { kind, node, peer, detail } = this.transition
    switch (kind) {
      case 'deliver':
        return model.deliver(peer, node, detail, false)
      case 'duplicate':
        return model.deliver(peer, node, detail, true)
      case 'lose':
      case 'drop':
        return model.lose(peer, node, detail)
      case 'timeout':
        return model.timeout(node, detail)
      case 'up':
      case 'down':
        return model.answer(node, kind, peer)
      case 'drawn':
        return model.drawn(node, detail)
      case 'start':
        return model.start(node)
      case 'crash':
        return model.crash(node)
      case 'recover':
        return model.recover(node)
      case 'heal':
        return model.heal()
      case 'cut':
        return model.cut(detail)
      case 'resign':
        return model.resign(node, peer)
      default:
        return unreachable(kind)
    }
  }
}
