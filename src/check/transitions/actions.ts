/**
 * Carries out the actions of members, network and environment on the state vector `next`, which begins as a copy of
 * `base`, the state that is being expanded.
 */
import { nodesTo, type NodeId } from '../../core/node-id.ts'
import { ObsoleteMessages, type RemovedMessage } from '../reduction/obsolete-messages.ts'
import { FIRST_NEW_ID } from '../state/components.ts'
import { flagsOf, Mode } from '../state/local-states.ts'
import { Budget, budgetOf, initialBudget, withCut } from '../state/state-vector.ts'
import { encodeEvent, EventKind } from './events.ts'
import type { MemberTransition } from './member-transitions.ts'
import type { Model } from './model.ts'

export class Actions {
  readonly base: Int32Array
  readonly next: Int32Array
  // Of the current transition:
  termFell = false
  /** A member began to lead in a term in which it had led before. */
  leadsAgain = false
  /** A member won a term no larger than one that had been led in when it became a candidate. */
  outdated = false
  /** A link has no room for a message. */
  overflowed = false
  /** Bit t: the member set timer t. */
  timersSet = 0
  /** Bit j: the member requested a verdict on member j. */
  requested = 0
  /** The obsolete messages that were removed; null: they are not recorded. */
  removed: RemovedMessage[] | null = null
  /** The current step ends before its messages leave. */
  withholds = false
  /** A member sent a message. */
  sent = false
  /** Null: obsolete messages stay in flight. */
  obsolete: ObsoleteMessages | null = null
  private readonly model: Model
  private newId = FIRST_NEW_ID

  constructor(model: Model) {
    this.model = model
    this.base = new Int32Array(1 + 2 * model.n)
    this.next = new Int32Array(1 + 2 * model.n)
  }

  /** What the transition itself breaks, whatever the state that it leads to, as bits; 0: nothing. */
  get broken(): number {
    return (this.termFell ? 1 : 0) | (this.leadsAgain ? 2 : 0) | (this.outdated ? 4 : 0)
  }

  set broken(bits: number) {
    this.termFell = (bits & 1) !== 0
    this.leadsAgain = (bits & 2) !== 0
    this.outdated = (bits & 4) !== 0
  }

  initialize(): void {
    const { next, model } = this
    const { config, members, localStates, n } = model
    next.fill(0)
    next[0] = initialBudget(config)
    const record = config.algorithm.state.init()
    const clear = { timers: 0, requests: 0, watches: 0, draws: [], ticks: 0, proofs: 0 }
    const blank = { record, ...clear, mode: Mode.STARTING }
    const starting = localStates.number(blank)
    members.unrecoverableState = localStates.number({ ...blank, mode: Mode.UNRECOVERABLE })
    next.fill(members.blank(starting), 1, n + 1)
    this.newId = FIRST_NEW_ID
    for (let node = 1; node <= n; node++) {
      if (config.start === 'boot') this.apply(node, EventKind.start)
      else {
        this.newId = FIRST_NEW_ID
        this.apply(node, EventKind.settled, model.settledLeader)
      }
    }
    if (config.start === 'settled' && config.clocks) this.playRound(model.settledLeader)
    // Messages of the initial state stay: no transition could record their removal. If a handler may
    // create an id twice, no message is obsolete for ever.
    const removes = config.reduction && !model.exactIds && model.runner.namesObsolete
    if (removes) this.obsolete = new ObsoleteMessages(model)
  }

  /** The settled leader sends a round, and all answer it: it has a lease, and they are bonded. */
  private playRound(leader: NodeId): void {
    const { next, model } = this
    const { timers } = model.local(next, leader)
    this.newId = FIRST_NEW_ID
    for (let timer = 0; timers >>> timer !== 0; timer++) {
      if ((timers >>> timer) & 1) this.apply(leader, EventKind.timeout, 0, timer)
    }
    for (const to of [...nodesTo(model.n).filter((node) => node !== leader), leader]) {
      for (const { from } of model.inboxes.messagesIn(next[model.n + to])) {
        this.deliver(from, to, 0, false)
      }
    }
  }

  reset(): void {
    const { base, next } = this
    for (let i = 0; i < next.length; i++) next[i] = base[i]
    this.newId = FIRST_NEW_ID
    this.termFell = false
    this.leadsAgain = false
    this.outdated = false
    this.overflowed = false
    this.sent = false
    this.timersSet = 0
    this.requested = 0
    if (this.removed !== null) this.removed = []
  }

  /** Delivers the message at a place of a link. `keep`: it also stays in flight. */
  deliver(from: NodeId, to: NodeId, place: number, keep: boolean): void {
    const { inboxes, n } = this.model
    const { message, rest } = inboxes.take(this.next[n + to], from, place)
    if (!keep) this.next[n + to] = rest
    this.apply(to, EventKind.message, from, message)
  }

  lose(from: NodeId, to: NodeId, place: number): void {
    const { inboxes, n } = this.model
    this.next[n + to] = inboxes.take(this.next[n + to], from, place).rest
    this.removeObsolete(to)
  }

  crash(node: NodeId): void {
    const { n } = this.model
    this.next[n + node] = 0
    this.apply(node, EventKind.crash)
    for (let peer = 1; peer <= n; peer++) {
      this.notePeer(peer, EventKind.peerDown, node)
      if (this.model.config.clocks && peer !== node) this.apply(peer, EventKind.peerEnded, node)
    }
  }

  /** `forgets`: the member has lost its stable fields, and its term falls. */
  recover(node: NodeId, forgets: boolean): void {
    this.apply(node, EventKind.recover, 0, Number(forgets))
    if (forgets) this.termFell = false
    this.noteAtReachable(node, EventKind.peerUp)
  }

  start(node: NodeId): void {
    this.apply(node, EventKind.start)
    this.noteAtReachable(node, EventKind.peerStarted)
  }

  /** All clocks advance. */
  tick(): void {
    const { next, model } = this
    for (let node = 1; node <= model.n; node++) {
      if (model.local(next, node).ticks !== 0) this.apply(node, EventKind.tick)
    }
  }

  /** The host proves to a member that all incarnations of a peer but the present one have ended. */
  proveDeath(node: NodeId, peer: NodeId): void {
    const { next, model } = this
    const isUp = model.local(next, peer).mode === Mode.UP
    const current = isUp ? model.incarnationOf(next, peer) : 0
    this.apply(node, EventKind.dead, peer, current)
  }

  cut(shape: number): void {
    const { next } = this
    next[0] = withCut(next[0], shape)
    this.forEachCutLink(next, (node, peer) => this.notePeer(node, EventKind.peerDown, peer))
  }

  heal(): void {
    const { next, base, model } = this
    next[0] = withCut(next[0], 0)
    this.forEachCutLink(base, (node, peer) => {
      const { mode } = model.local(next, peer)
      if (mode > Mode.DOWN) this.notePeer(node, EventKind.peerUp, peer)
      if (mode === Mode.UP) this.notePeer(node, EventKind.peerStarted, peer)
    })
  }

  /** Whether an answer of the detector would only close its request. */
  isIdleAnswer(node: NodeId, verdict: 'up' | 'down', peer: NodeId): boolean {
    return this.transitionOf(node, encodeEvent(EventKind[verdict], peer, 0)).idle
  }

  closeRequest(node: NodeId, peer: NodeId): void {
    this.next[node] = this.model.members.withoutRequest(this.next[node], peer)
  }

  spend(shift: number): void {
    this.next[0] -= 1 << shift
    if (shift === Budget.RECOVERIES || shift === Budget.CRASHES) this.mergeUnrecoverable()
  }

  /** Applies an event to a member: its handler runs, its messages enter the inboxes. */
  apply(node: NodeId, kind: number, peer: NodeId = 0, detail = 0): void {
    const { next, model } = this
    const { history, inboxes, members, n } = model
    const transition = this.transitionOf(node, encodeEvent(kind, peer, detail))
    const { sent } = transition
    const before = next[node]
    next[node] = transition.member
    if (sent.length > 0) this.sent = true
    for (let i = 0; i < sent.length && !this.withholds; i++) {
      const { to, message } = sent[i]
      const inbox = inboxes.with(next[n + to], node, message)
      if (inbox === 0) this.overflowed = true
      else next[n + to] = inbox
      this.removeObsolete(to)
    }
    this.newId += transition.createdIds
    if (transition.termFell) this.termFell = true
    if (transition.leadsAgain) this.leadsAgain = true
    this.timersSet |= transition.timersSet
    this.requested |= transition.requested
    if (history.termAtCandidacy && history.update(next, node, before, members)) {
      this.outdated = true
    }
    this.removeObsolete(node)
  }

  private transitionOf(node: NodeId, event: number): MemberTransition {
    const { next, model, newId } = this
    return model.transitions.of(node, next[node], model.reachableFrom(next, node), event, newId)
  }

  /** Members that are down and cannot recover are alike, unless their votes still count. */
  private mergeUnrecoverable(): void {
    const { next, model } = this
    if (budgetOf(next[0], Budget.RECOVERIES) > 0 || model.voteIndex >= 0) return
    for (let node = 1; node <= model.n; node++) {
      if (model.local(next, node).mode > Mode.DOWN) continue
      next[node] = model.members.unrecoverable(next[node])
    }
  }

  private forEachCutLink(w: Int32Array, visit: (node: NodeId, peer: NodeId) => void): void {
    const { model } = this
    for (let node = 1; node <= model.n; node++) {
      for (let peer = 1; peer <= model.n; peer++) {
        if (model.isCut(w, node, peer)) visit(node, peer)
      }
    }
  }

  /** Records a change of a peer at the members that no cut separates from it. */
  private noteAtReachable(peer: NodeId, kind: number): void {
    for (let node = 1; node <= this.model.n; node++) {
      if (!this.model.isCut(this.next, node, peer)) this.notePeer(node, kind, peer)
    }
  }

  /** Records a change of a peer at a member that has a request or a watch about it. */
  private notePeer(node: NodeId, kind: number, peer: NodeId): void {
    const { requests, watches } = this.model.local(this.next, node)
    if (flagsOf(requests | watches, peer) !== 0) this.apply(node, kind, peer)
  }

  private removeObsolete(node: NodeId): void {
    const { next, obsolete } = this
    const at = this.model.n + node
    if (obsolete === null || next[at] === 0) return
    const rest = obsolete.remove(node, next[node], next[at])
    if (rest === next[at]) return
    this.removed?.push(...obsolete.removed(node, next[node], next[at]))
    next[at] = rest
  }
}
