/** Enumerates the transitions that a state allows: the fair actions, and those of the environment within its budget. */
import { SEAT_ROLES, type SeatRole } from '../../core/configuration.ts'
import type { NodeId } from '../../core/node-id.ts'
import { IdleAnswers, type IdleAnswer } from '../reduction/idle-answers.ts'
import { flagsOf, Mode, SEEN_DOWN, SEEN_UP, WATCHED, WATCHED_DOWN } from '../state/local-states.ts'
import { Budget, budgetOf, cutOf } from '../state/state-vector.ts'
import type { Actions } from './actions.ts'
import { EventKind } from './events.ts'
import { ENVIRONMENT, Fair, fairAction } from './fair-actions.ts'
import type { Model } from './model.ts'
import { TimerGuards } from './timer-guards.ts'

const FREE = -1
const NO_ANSWERS: readonly IdleAnswer[] = []

export interface Transition {
  kind: TransitionKind
  node: NodeId
  /** The sender, the peer of a verdict, the successor, or the seat that changes; else 0. */
  peer: NodeId
  /** The timer, the place in the link, the number drawn, the shape of the cut, or the role of the seat; else 0. */
  detail: number
  idleAnswers: readonly IdleAnswer[]
  /** The member crashes in this step: its stable fields are written, its messages do not leave. */
  crashes: boolean
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
  | 'forget'
  | 'cut'
  | 'drop'
  | 'duplicate'
  | 'resign'
  | 'tick'
  | 'dead'
  | 'change'

export class Successors {
  readonly transition: Transition = {
    kind: 'start',
    node: 0,
    peer: 0,
    detail: 0,
    idleAnswers: NO_ANSWERS,
    crashes: false,
  }
  /** The number of transitions that were left out because a link was full. */
  overflows = 0
  /** The fair actions of the last expanded state that an idle answer takes. */
  readonly idleActions: number[] = []
  private readonly model: Model
  private readonly actions: Actions
  private readonly visit: (action: number) => void
  private readonly n: number
  private readonly sync: boolean
  private readonly clocks: boolean
  private readonly idle: IdleAnswers
  private readonly timers: TimerGuards

  /** `visit` is called with the fair action, or ENVIRONMENT, of each transition. */
  constructor(model: Model, actions: Actions, visit: (action: number) => void) {
    this.model = model
    this.actions = actions
    this.visit = visit
    this.n = model.n
    this.sync = model.config.timers === 'sync'
    this.clocks = model.config.clocks
    this.idle = new IdleAnswers(model, actions)
    this.timers = new TimerGuards(model, actions, this.idle)
  }

  expand(): void {
    const { model, actions } = this
    if (this.idleActions.length > 0) this.idleActions.length = 0
    if (model.localStates.draws && this.draw()) return
    actions.reset()
    this.idle.survey()
    this.timers.survey()
    for (let node = 1; node <= this.n; node++) {
      const { mode } = model.local(actions.base, node)
      if (mode <= Mode.DOWN) {
        this.fault('recover', Budget.RECOVERIES, node)
        if (model.config.amnesia) this.fault('forget', Budget.RECOVERIES, node)
      } else {
        this.receive(node)
        if (mode === Mode.UP) {
          this.timeouts(node)
          this.verdicts(node)
          this.resignations(node)
          this.changes(node)
          if (this.clocks) this.proofs(node)
        } else this.start(node)
        this.fault('crash', Budget.CRASHES, node)
      }
    }
    this.cuts()
    if (this.clocks) this.tick()
  }

  /** A pending draw comes before anything else: a handler and its draws are one step. */
  private draw(): boolean {
    for (let node = 1; node <= this.n; node++) {
      const { draw } = this.model.local(this.actions.base, node)
      if (draw === 0) continue
      this.idle.clear()
      for (let k = 0; k < draw; k++) this.attempt('drawn', node, 0, k, fairAction(Fair.DRAW, node))
      return true
    }
    return false
  }

  private receive(node: NodeId): void {
    const { model, n } = this
    const { base } = this.actions
    const { inboxes } = model
    const inbox = base[n + node]
    if (inbox === 0) return
    const isStarting = model.local(base, node).mode === Mode.STARTING
    const anyOrder = model.config.order === 'any'
    for (let from = 1; from <= n; from++) {
      if (((inboxes.senders[inbox] >>> from) & 1) === 0) continue
      const action = fairAction(Fair.DELIVER, node, from)
      const isLost = isStarting || model.isCut(base, from, node)
      const places = anyOrder ? inboxes.count(inbox, from) : 1
      for (let place = 0; place < places; place++) {
        this.attempt(isLost ? 'lose' : 'deliver', node, from, place, action)
        if (isLost) continue
        this.fault('drop', Budget.DROPS, node, from, place)
        this.fault('duplicate', Budget.DUPLICATES, node, from, place)
      }
    }
  }

  private timeouts(node: NodeId): void {
    const { actions, idle, n } = this
    const { orders } = this.timers
    const { timers } = this.model.local(actions.base, node)
    for (let timer = 0; timer < orders.length; timer++) {
      if (((timers >>> timer) & 1) === 0 || !this.timers.mayFire(node, timer)) continue
      if (this.clocks && this.timers.isRunning(node, timer)) {
        this.spendTime('timeout', node, timer)
        continue
      }
      let answers = NO_ANSWERS
      if (this.sync && idle.any) {
        actions.reset()
        // A period waits for the member's own requests, an answer timer for all.
        answers = orders[timer] === 0 ? idle.answersFor(node, node) : idle.answersFor(1, n)
      }
      const action = fairAction(Fair.TIMEOUT, node, timer)
      this.attempt('timeout', node, 0, timer, action, FREE, answers)
    }
  }

  private verdicts(node: NodeId): void {
    const { model, idle } = this
    const { base } = this.actions
    const { requests, watches } = model.local(base, node)
    if ((requests | watches) === 0) return
    const mayErr = budgetOf(base[0], Budget.MISTAKES) > 0
    for (let peer = 1; peer <= this.n; peer++) {
      const request = flagsOf(requests, peer)
      const watch = flagsOf(watches, peer)
      if ((request | watch) === 0) continue
      const isIdle = ((idle.idleRequests[node] >>> peer) & 1) === 1
      if (request & SEEN_UP) this.answer(node, 'up', peer, isIdle)
      if (request & SEEN_DOWN && idle.isDrained(base, peer)) this.answer(node, 'down', peer, isIdle)
      if (request & SEEN_DOWN && !isIdle) continue
      if (watch === WATCHED_DOWN) this.reportCrash(node, peer)
      else if (mayErr && (request === SEEN_UP || watch === WATCHED)) this.mistake(node, peer)
    }
  }

  private answer(node: NodeId, verdict: 'up' | 'down', peer: NodeId, isIdle: boolean): void {
    const action = fairAction(Fair.ANSWER, node, peer)
    if (isIdle) {
      this.actions.reset()
      if (this.actions.isIdleAnswer(node, verdict, peer)) {
        this.idleActions.push(action)
        return
      }
    }
    this.attempt(verdict, node, peer, 0, action)
  }

  /** A watch reports `down`. That is fair only while the peer is unreachable. */
  private reportCrash(node: NodeId, peer: NodeId): void {
    const { base } = this.actions
    const isFair = !this.model.isReachable(base, node, peer)
    if (isFair && !this.idle.isDrained(base, peer)) return
    this.attempt('down', node, peer, 0, isFair ? fairAction(Fair.WATCH, node, peer) : ENVIRONMENT)
  }

  private mistake(node: NodeId, peer: NodeId): void {
    if (!this.model.isReachable(this.actions.base, node, peer)) return
    this.fault('down', Budget.MISTAKES, node, peer)
  }

  /** The startup wait of a recovered member outlasts the messages of its last incarnation. */
  private start(node: NodeId): void {
    const waits = this.sync && !this.clocks
    if (waits && this.model.hasInFlight(this.actions.base, node)) return
    this.attempt('start', node, 0, 0, fairAction(Fair.START, node))
  }

  /** A leader may be asked to resign, with any other member or none as its successor. */
  private resignations(node: NodeId): void {
    const { model } = this
    if (!model.runner.canResign || model.local(this.actions.base, node).leader !== node) return
    for (let successor = 0; successor <= this.n; successor++) {
      if (successor !== node) this.fault('resign', Budget.RESIGNATIONS, node, successor)
    }
  }

  /** A leader may be asked to add a seat, to promote an observer, to remove a member, or all voters but one. */
  private changes(node: NodeId): void {
    const { model, actions } = this
    const { changes } = model.config
    const local = model.local(actions.base, node)
    if (local.leader !== node || local.configVersion >= changes) return
    const ask = (seat: NodeId, role: SeatRole): void => {
      this.attempt('change', node, seat, SEAT_ROLES.indexOf(role), ENVIRONMENT)
    }
    // It writes what it has under its own term. All else is refused until that is committed; who does not refuse it errs.
    if (!local.committed) ask(0, 'outside')
    const voters = model.configurations.votersOf(actions.base, node)
    const members = model.configurations.membersOf(actions.base, node)
    for (let seat = 1; seat <= this.n; seat++) {
      const isVoter = (voters >>> seat) & 1
      const isObserver = (members >>> seat) & 1 & ~isVoter
      ask(seat, isVoter | isObserver ? 'outside' : 'observer')
      if (isObserver) ask(seat, 'voter')
      if (isVoter) ask(seat, 'alone')
    }
  }

  /** The end of an incarnation may be proven to each other member, at any later time. */
  private proofs(node: NodeId): void {
    const { proofs } = this.model.local(this.actions.base, node)
    for (let peer = 1; proofs >>> peer !== 0; peer++) {
      if ((proofs >>> peer) & 1) this.attempt('dead', node, peer, 0, ENVIRONMENT)
    }
  }

  /** Time passes, unless all timed timers are over: any number of ticks between any two other transitions. */
  private tick(): void {
    const { model, actions } = this
    for (let node = 1; node <= this.n; node++) {
      if (model.local(actions.base, node).ticks === 0) continue
      return this.spendTime('tick', 0)
    }
  }

  private spendTime(kind: 'tick' | 'timeout', node: NodeId, timer = 0): void {
    if (this.model.config.ticks > 0) this.fault(kind, Budget.TICKS, node, 0, timer)
    else this.attempt(kind, node, 0, timer, ENVIRONMENT)
  }

  private cuts(): void {
    const budget = this.actions.base[0]
    const heals = this.model.cutsHeal ? fairAction(Fair.HEAL, 0) : ENVIRONMENT
    if (cutOf(budget) !== 0) this.attempt('heal', 0, 0, 0, heals)
    else if (budgetOf(budget, Budget.CUTS) > 0) {
      for (let shape = 1; shape <= this.model.cutShapes.length; shape++) {
        this.fault('cut', Budget.CUTS, 0, 0, shape)
      }
    }
  }

  private fault(kind: TransitionKind, cost: number, node: NodeId, peer = 0, detail = 0): void {
    if (budgetOf(this.actions.base[0], cost) === 0) return
    this.attempt(kind, node, peer, detail, ENVIRONMENT, cost)
  }

  /** Takes a transition; where it makes a difference, also after idle answers. */
  private attempt(
    kind: TransitionKind,
    node: NodeId,
    peer: NodeId,
    detail: number,
    action: number,
    cost = FREE,
    answers = NO_ANSWERS,
  ): void {
    const { actions, idle, transition } = this
    transition.kind = kind
    transition.node = node
    transition.peer = peer
    transition.detail = detail
    transition.idleAnswers = answers
    this.take(action, cost)
    const { sent } = actions
    if (idle.any && answers.length === 0) this.takeAfterIdleAnswers(action, cost)
    if (this.clocks && sent && kind !== 'crash') this.crashInStep(cost, answers)
  }

  /** Takes the current transition again after idle answers that it makes impossible. */
  private takeAfterIdleAnswers(action: number, cost: number): void {
    const { actions, idle, transition } = this
    const requests = idle.noLongerIdle(transition.node, transition.kind === 'crash')
    if (requests.length === 0) return
    actions.reset()
    const possible = requests.map((request) => idle.answerTo(request.node, request.peer))
    for (let subset = 1; subset < 1 << possible.length; subset++) {
      transition.idleAnswers = possible.filter((_, i) => (subset >>> i) & 1)
      this.take(action, cost)
    }
  }

  private take(action: number, cost: number): void {
    const { actions, transition } = this
    actions.reset()
    const answers = transition.idleAnswers
    for (let i = 0; i < answers.length; i++) actions.closeRequest(answers[i].node, answers[i].peer)
    this.perform()
    if (transition.crashes) {
      actions.crash(transition.node)
      actions.spend(Budget.CRASHES)
    }
    if (cost >= 0) actions.spend(cost)
    if (actions.overflowed) this.overflows += 1
    else this.visit(this.clocks ? ENVIRONMENT : action)
  }

  /** A crash between the durable write of a step and its messages. A write that fails is a crash before the step. */
  private crashInStep(cost: number, answers: readonly IdleAnswer[]): void {
    const { actions, transition } = this
    if (budgetOf(actions.base[0], Budget.CRASHES) === 0) return
    transition.idleAnswers = answers
    transition.crashes = true
    actions.withholds = true
    this.take(ENVIRONMENT, cost)
    actions.withholds = false
    transition.crashes = false
  }

  private perform(): void {
    const { actions } = this
    const { kind, node, peer, detail } = this.transition
    switch (kind) {
      case 'deliver':
        return actions.deliver(peer, node, detail, false)
      case 'duplicate':
        return actions.deliver(peer, node, detail, true)
      case 'lose':
      case 'drop':
        return actions.lose(peer, node, detail)
      case 'timeout':
        return actions.apply(node, EventKind.timeout, 0, detail)
      case 'up':
        return actions.apply(node, EventKind.up, peer)
      case 'down':
        return actions.apply(node, EventKind.down, peer)
      case 'drawn':
        return actions.apply(node, EventKind.drawn, 0, detail)
      case 'resign':
        return actions.apply(node, EventKind.resign, peer)
      case 'change':
        return actions.apply(node, EventKind.change, peer, detail)
      case 'start':
        return actions.start(node)
      case 'tick':
        return actions.tick()
      case 'dead':
        return actions.proveDeath(node, peer)
      case 'crash':
        return actions.crash(node)
      case 'recover':
        return actions.recover(node, false)
      case 'forget':
        return actions.recover(node, true)
      case 'heal':
        return actions.heal()
      case 'cut':
        return actions.cut(detail)
    }
  }
}
