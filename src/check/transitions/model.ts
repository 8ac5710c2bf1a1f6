/**
 * The world that is searched: members that run the algorithm's own handlers, links, an oracle for a
 * failure detector, and an environment that crashes, recovers, cuts, drops and errs within a budget.
 * docs/checker.md says what each step may do and why.
 */
import { assert } from '../../core/assert.ts'
import { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { MemberTransitions, eventCode, type MemberTransition } from './member-transitions.ts'
import { StateCodec } from '../state/state-codec.ts'
import { cutShapes } from './cut-shapes.ts'
import { ObsoleteMessages, type RemovedMessage } from '../reduction/obsolete-messages.ts'
import { Budget, budgetOf, cutOf, VectorLayout, MAX_CUT_SHAPES } from '../state/state-vector.ts'
import { InboxComponents, DEFAULT_LINK_CAPACITY } from '../state/inbox-components.ts'
import { MessageContents } from '../state/message-contents.ts'
import { flagsOf, LocalStates, Mode, type LocalStateSummary } from '../state/local-states.ts'
import { MemberComponents } from '../state/member-components.ts'
import type { CheckConfig } from '../options.ts'
import { FRESH_LABEL } from '../state/components.ts'
import { EventKind, TransitionCache } from './transition-cache.ts'

/** There is no clock here; algorithms still compute time-outs from something, and To is far above Tm. */
const TIMING = { messageMs: 1, processingMs: 0, detectionMs: 20, watchMs: 20, periodMs: 100 }

export class Model {
  readonly options: CheckConfig
  readonly vector: VectorLayout
  readonly localStates: LocalStates
  readonly contents: MessageContents
  readonly members: MemberComponents
  readonly inboxes: InboxComponents
  readonly cache: TransitionCache
  readonly codec: StateCodec
  /** The state whose steps are taken, and the one that the current step leads to. */
  readonly base: Int32Array
  readonly next: Int32Array
  /** Of the current step: somebody's term fell; a link would have had to hold too much. */
  termFell = false
  /** Of the current step: somebody won a term that is no larger than what was won before it stood. */
  outdated = false
  overflowed = false
  /** Of the current step: the timers that its member set, one bit each. */
  timersSet = 0
  /** Of the current step: about whom its member asked, one bit each. */
  requested = 0
  /** Of the current step, where somebody wants to know: the dead letters that were dropped after it. */
  removed: RemovedMessage[] | null = null
  readonly shapes: readonly ReadonlySet<number>[]
  /** Whether the last term in which each member led is remembered: behind its own values, plus one. */
  readonly tracksLastTermLed: boolean
  /** Whether, behind that, the largest term won before it began to stand for election is, too. */
  readonly tracksTermAtCandidacy: boolean
  /** Which counter of a member holds its promise; -1: none does. */
  readonly backing: number
  readonly transitions: MemberTransitions
  /** Null: all letters stay under way. */
  obsolete: ObsoleteMessages | null = null
  private readonly n: number
  private readonly exact: boolean
  /** The label that the next new id gets. */
  private fresh = FRESH_LABEL

  constructor(options: CheckConfig, exact: boolean) {
    const { algorithm, members } = options
    this.options = options
    this.n = members
    this.exact = exact
    this.localStates = new LocalStates(algorithm, members, exact)
    this.contents = new MessageContents(algorithm, members)
    const recoveries = options.recoveries > 0
    const parts = { locals: this.localStates, letters: this.contents, exact, recoveries }
    const group = new Group(members, TIMING, options.ring)
    this.cache = new TransitionCache(algorithm, group, options.options, parts)
    const { layout } = this.localStates
    this.tracksLastTermLed = algorithm.promises.oneLeaderPerTerm && this.cache.termIndex >= 0
    const { voteField } = algorithm.promises
    this.backing = layout.counters.findIndex(({ name }) => name === voteField)
    this.tracksTermAtCandidacy =
      this.tracksLastTermLed && algorithm.promises.candidateStatus !== undefined
    const ghosts = (this.tracksLastTermLed ? 1 : 0) + (this.tracksTermAtCandidacy ? 1 : 0)
    const { localStates, contents, cache, tracksLastTermLed } = this
    this.members = new MemberComponents(localStates, ghosts, exact)
    this.inboxes = new InboxComponents(
      contents,
      options.maxInFlight ?? DEFAULT_LINK_CAPACITY,
      exact,
    )
    this.vector = new VectorLayout(members)
    this.base = new Int32Array(this.vector.size)
    this.next = new Int32Array(this.vector.size)
    this.shapes = cutShapes(members)
    const stride = strideOf(this.localStates, contents)
    const world = { members: this.members, inboxes: this.inboxes, stride, exact }
    const budget = firstBudget(options) | (options.cuts > 0 ? MAX_CUT_SHAPES << Budget.CUT : 0)
    this.codec = new StateCodec({ ...world, vector: this.vector, budget })
    this.transitions = new MemberTransitions({ ...world, cache, tracksLastTermLed })
  }

  /** Makes `next` the first state. */
  begin(): void {
    const { next, options, n } = this
    next.fill(0)
    this.fresh = FRESH_LABEL
    next[0] = firstBudget(options)
    const record = options.algorithm.state.init()
    const blank = { record, timers: 0, requests: 0, watches: 0, draws: [], mode: Mode.STARTING }
    const silent = this.localStates.number(blank)
    this.members.unrecoverableState = this.localStates.number({
      ...blank,
      mode: Mode.UNRECOVERABLE,
    })
    next.fill(this.members.blank(silent), 1, n + 1)
    for (let node = 1; node <= n; node++) {
      if (options.start === 'boot') this.apply(node, EventKind.start, 0, 0)
      else {
        this.fresh = FRESH_LABEL
        this.apply(node, EventKind.settled, n, 0)
      }
    }
    // From here on: no step could tell that something was dropped before. Where ids may come back,
    // nothing is dead for ever.
    const prunes = options.reduction && !this.exact && this.cache.namesObsolete
    if (prunes) this.obsolete = new ObsoleteMessages(this)
  }

  /** Makes the packed words of the codec the state whose steps are taken. */
  load(): void {
    this.codec.unpack(this.base)
  }

  local(w: Int32Array, node: NodeId): LocalStateSummary {
    return this.members.summaryOf[w[node]]
  }

  isCut(w: Int32Array, from: NodeId, to: NodeId): boolean {
    const cut = cutOf(w[0])
    return cut !== 0 && this.shapes[cut - 1].has((from - 1) * this.n + to - 1)
  }

  /** Whether a peer is up and within reach. */
  isReachable(w: Int32Array, node: NodeId, peer: NodeId): boolean {
    return this.local(w, peer).mode > Mode.DOWN && !this.isCut(w, node, peer)
  }

  /** A step begins: `next` is as `base`. */
  enter(): Int32Array {
    const { base, next } = this
    for (let i = 0; i < next.length; i++) next[i] = base[i]
    this.fresh = FRESH_LABEL
    this.termFell = false
    this.outdated = false
    this.overflowed = false
    this.timersSet = 0
    this.requested = 0
    if (this.removed !== null) this.removed = []
    return next
  }

  /** Whether a message that a member sent has yet to arrive. */
  hasUnderWay(w: Int32Array, node: NodeId): boolean {
    const { vector, n, inboxes } = this
    for (let peer = 1; peer <= n; peer++) {
      if ((inboxes.senders[w[vector.inbox(peer)]] >>> node) & 1) return true
    }
    return false
  }

  /** Takes the message at a place of a link of `next` and, unless it is lost, has it handled. */
  deliver(from: NodeId, to: NodeId, place: number, keep: boolean): void {
    const at = this.vector.inbox(to)
    const { message, rest } = this.inboxes.take(this.next[at], from, place)
    if (!keep) this.next[at] = rest
    this.apply(to, EventKind.message, from, message)
  }

  lose(from: NodeId, to: NodeId, place: number): void {
    const at = this.vector.inbox(to)
    this.next[at] = this.inboxes.take(this.next[at], from, place).rest
    this.removeObsolete(to)
  }

  crash(node: NodeId): void {
    const { next, vector, n } = this
    next[vector.inbox(node)] = 0
    this.apply(node, EventKind.crash, 0, 0)
    for (let peer = 1; peer <= n; peer++) this.notifyOfPeer(peer, EventKind.peerDown, node)
  }

  recover(node: NodeId): void {
    this.apply(node, EventKind.recover, 0, 0)
    for (let peer = 1; peer <= this.n; peer++) {
      if (!this.isCut(this.next, peer, node)) this.notifyOfPeer(peer, EventKind.peerUp, node)
    }
  }

  start(node: NodeId): void {
    this.apply(node, EventKind.start, 0, 0)
    for (let peer = 1; peer <= this.n; peer++) {
      if (!this.isCut(this.next, peer, node)) this.notifyOfPeer(peer, EventKind.peerStarted, node)
    }
  }

  cut(shape: number): void {
    const { next, n } = this
    next[0] = (next[0] & ~(MAX_CUT_SHAPES << Budget.CUT)) | (shape << Budget.CUT)
    for (let node = 1; node <= n; node++) {
      for (let peer = 1; peer <= n; peer++) {
        if (this.isCut(next, node, peer)) this.notifyOfPeer(node, EventKind.peerDown, peer)
      }
    }
  }

  heal(): void {
    const { next, n, base } = this
    next[0] &= ~(MAX_CUT_SHAPES << Budget.CUT)
    for (let node = 1; node <= n; node++) {
      for (let peer = 1; peer <= n; peer++) {
        const { mode } = this.local(next, peer)
        if (!this.isCut(base, node, peer) || mode <= Mode.DOWN) continue
        this.notifyOfPeer(node, EventKind.peerUp, peer)
        if (mode === Mode.UP) this.notifyOfPeer(node, EventKind.peerStarted, peer)
      }
    }
  }

  timeout(node: NodeId, timer: number): void {
    this.apply(node, EventKind.timeout, 0, timer)
  }

  answer(node: NodeId, verdict: 'up' | 'down', peer: NodeId): void {
    this.apply(node, verdict === 'up' ? EventKind.up : EventKind.down, peer, 0)
  }

  /** Whether nothing would come of an answer in `next` but that the question is closed. */
  isIdle(node: NodeId, verdict: 'up' | 'down', peer: NodeId): boolean {
    return this.transitionOf(node, verdict === 'up' ? EventKind.up : EventKind.down, peer, 0).idle
  }

  /** Closes a question of `next` by an idle answer. */
  closeRequest(node: NodeId, peer: NodeId): void {
    this.next[node] = this.members.withoutRequest(this.next[node], peer)
  }

  drawn(node: NodeId, k: number): void {
    this.apply(node, EventKind.drawn, 0, k)
  }

  resign(node: NodeId, successor: NodeId): void {
    this.apply(node, EventKind.resign, successor, 0)
  }

  spend(shift: number): void {
    this.next[0] -= 1 << shift
    if (shift === Budget.RECOVERIES || shift === Budget.CRASHES) this.mergeUnrecoverable()
  }

  /**
   * Who is down and can never recover is all alike, whatever it kept: only its ghost is left. Not so
   * where what it promised still counts.
   */
  private mergeUnrecoverable(): void {
    const { next, n, members } = this
    if (budgetOf(next[0], Budget.RECOVERIES) > 0 || this.backing >= 0) return
    for (let node = 1; node <= n; node++) {
      if (this.local(next, node).mode <= Mode.DOWN) next[node] = members.unrecoverable(next[node])
    }
  }

  /** One of the ids, counters and ghosts of a member. */
  value(w: Int32Array, node: NodeId, place: number): number {
    const { members } = this
    return members.values[w[node] * members.length + 1 + place]
  }

  /** A member's open request or watch learns of a peer's fate. */
  private notifyOfPeer(node: NodeId, news: number, peer: NodeId): void {
    const { requests, watches } = this.local(this.next, node)
    if (flagsOf(requests | watches, peer) !== 0) this.apply(node, news, peer, 0)
  }

  /** Something happens to a member of `next`. */
  private apply(node: NodeId, kind: number, peer: NodeId, detail: number): void {
    const { next, vector, inboxes } = this
    const outcome = this.transitionOf(node, kind, peer, detail)
    const { sent } = outcome
    const before = next[node]
    next[node] = outcome.member
    for (let i = 0; i < sent.length; i++) {
      const { to, message } = sent[i]
      const at = vector.inbox(to)
      const inbox = inboxes.with(next[at], node, message)
      if (inbox === 0) this.overflowed = true
      else next[at] = inbox
      this.removeObsolete(to)
    }
    this.fresh += outcome.fresh
    if (outcome.termFell) this.termFell = true
    this.timersSet |= outcome.timersSet
    this.requested |= outcome.requested
    if (this.tracksTermAtCandidacy) this.updateTermAtCandidacy(node, before)
    this.removeObsolete(node)
  }

  /** Drops what is dead for a member of `next`. */
  private removeObsolete(node: NodeId): void {
    const { next, obsolete } = this
    const at = this.vector.inbox(node)
    if (obsolete === null || next[at] === 0) return
    const rest = obsolete.remove(node, next[node], next[at])
    if (rest === next[at]) return
    this.removed?.push(...obsolete.removed(node, next[node], next[at]))
    next[at] = rest
  }

  /** What comes of an event is remembered from the first time. */
  private transitionOf(node: NodeId, kind: number, peer: NodeId, detail: number): MemberTransition {
    const event = eventCode(kind, peer, detail)
    return this.transitions.of(node, this.next[node], this.reachableFrom(node), event, this.fresh)
  }

  /** Remembers the largest term won so far while a member stands, and compares when it wins. */
  private updateTermAtCandidacy(node: NodeId, before: number): void {
    const { next, members, localStates } = this
    const { candidateStatus } = this.options.algorithm.promises
    const ghost = localStates.layout.values
    const then = members.summaryOf[before]
    const now = members.summaryOf[next[node]]
    if (now.leader === node && then.leader !== node) {
      if (this.value(next, node, ghost) <= this.value(next, node, ghost + 1)) this.outdated = true
    }
    const stands = now.mode === Mode.UP && now.status === candidateStatus
    if (stands === (then.mode === Mode.UP && then.status === candidateStatus)) return
    next[node] = members.withTermAtCandidacy(next[node], stands ? this.largestTermLed() : 0)
  }

  /** The largest term that was won so far, plus one. */
  private largestTermLed(): number {
    let largest = 0
    for (let peer = 1; peer <= this.n; peer++) {
      largest = Math.max(largest, this.value(this.next, peer, this.localStates.layout.values))
    }
    return largest
  }

  private reachableFrom(node: NodeId): number {
    const { next, n } = this
    const cut = cutOf(next[0]) !== 0
    let alive = 0
    for (let peer = 1; peer <= n; peer++) {
      if (this.local(next, peer).mode <= Mode.DOWN) continue
      if (!cut || !this.isCut(next, node, peer)) alive |= 1 << peer
    }
    return alive
  }
}

function firstBudget(options: CheckConfig): number {
  const { crashes, recoveries, mistakes, drops, duplicates, cuts, resignations } = options
  return (
    (crashes << Budget.CRASHES) |
    (recoveries << Budget.RECOVERIES) |
    ((options.detector === 'eventual' ? mistakes : 0) << Budget.MISTAKES) |
    (drops << Budget.DROPS) |
    (duplicates << Budget.DUPLICATES) |
    (cuts << Budget.CUTS) |
    (resignations << Budget.RESIGNATIONS)
  )
}

/** All counters of an algorithm have one stride; 0: there are none. */
function strideOf({ layout }: LocalStates, { layouts }: MessageContents): number {
  const strides = [layout, ...layouts].map(({ stride }) => stride).filter((stride) => stride > 0)
  assert(new Set(strides).size <= 1, 'all counters of an algorithm have one stride')
  return strides[0] ?? 0
}
