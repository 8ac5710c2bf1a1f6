/**
 * The world that is searched: members that run the algorithm's own handlers, links, an oracle for a
 * failure detector, and an environment that crashes, recovers, cuts, drops and errs within a budget.
 * docs/checker.md says what each step may do and why.
 */
import { assert } from '../../core/assert.ts'
import { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { Cases, eventCode, type Outcome } from './transitions.ts'
import { Codec } from '../state/state-codec.ts'
import { cutShapes } from './cuts.ts'
import { DeadLetters, type Dropped } from '../reduction/obsolete-messages.ts'
import { Budget, budgetOf, cutOf, FloorPlan, MAX_CUT_SHAPES } from '../state/state-vector.ts'
import { Inboxes, ROOM } from '../state/inbox-components.ts'
import { Letters } from '../state/message-contents.ts'
import { flagsOf, Locals, Mode, type NumberedLocal } from '../state/local-states.ts'
import { Members } from '../state/member-components.ts'
import type { CheckOptions } from '../options.ts'
import { FRESH_LABEL } from '../state/components.ts'
import { Kind, Reactions } from './transition-cache.ts'

/** There is no clock here; algorithms still compute time-outs from something, and To is far above Tm. */
const TIMING = { messageMs: 1, processingMs: 0, detectionMs: 20, watchMs: 20, periodMs: 100 }

export class Model {
  readonly options: CheckOptions
  readonly plan: FloorPlan
  readonly locals: Locals
  readonly letters: Letters
  readonly members: Members
  readonly inboxes: Inboxes
  readonly reactions: Reactions
  readonly codec: Codec
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
  dropped: Dropped[] | null = null
  readonly shapes: readonly ReadonlySet<number>[]
  /** Whether the last term in which each member led is remembered: behind its own values, plus one. */
  readonly ghost: boolean
  /** Whether, behind that, the largest term won before it began to stand for election is, too. */
  readonly standing: boolean
  /** Which counter of a member holds its promise; -1: none does. */
  readonly backing: number
  readonly cases: Cases
  /** Null: all letters stay under way. */
  deadLetters: DeadLetters | null = null
  private readonly n: number
  private readonly exact: boolean
  /** The label that the next new id gets. */
  private fresh = FRESH_LABEL

  constructor(options: CheckOptions, exact: boolean) {
    const { algorithm, members } = options
    this.options = options
    this.n = members
    this.exact = exact
    this.locals = new Locals(algorithm, members, exact)
    this.letters = new Letters(algorithm, members)
    const recoveries = options.recoveries > 0
    const parts = { locals: this.locals, letters: this.letters, exact, recoveries }
    const group = new Group(members, TIMING, options.ring)
    this.reactions = new Reactions(algorithm, group, options.options, parts)
    const { split } = this.locals
    this.ghost = algorithm.promises.oneLeaderPerTerm && this.reactions.termIndex >= 0
    const { voteField } = algorithm.promises
    this.backing = split.counters.findIndex(({ name }) => name === voteField)
    this.standing = this.ghost && algorithm.promises.candidateStatus !== undefined
    const ghosts = (this.ghost ? 1 : 0) + (this.standing ? 1 : 0)
    const { locals, letters, reactions, ghost } = this
    this.members = new Members(locals, ghosts, exact)
    this.inboxes = new Inboxes(letters, options.maxInFlight ?? ROOM, exact)
    this.plan = new FloorPlan(members)
    this.base = new Int32Array(this.plan.size)
    this.next = new Int32Array(this.plan.size)
    this.shapes = cutShapes(members)
    const stride = strideOf(this.locals, letters)
    const world = { members: this.members, inboxes: this.inboxes, stride, exact }
    const budget = firstBudget(options) | (options.cuts > 0 ? MAX_CUT_SHAPES << Budget.CUT : 0)
    this.codec = new Codec({ ...world, plan: this.plan, budget })
    this.cases = new Cases({ ...world, reactions, ghost })
  }

  /** Makes `next` the first state. */
  begin(): void {
    const { next, options, n } = this
    next.fill(0)
    this.fresh = FRESH_LABEL
    next[0] = firstBudget(options)
    const record = options.algorithm.state.init()
    const blank = { record, timers: 0, requests: 0, watches: 0, draws: [], mode: Mode.SILENT }
    const silent = this.locals.number(blank)
    this.members.grave = this.locals.number({ ...blank, mode: Mode.BURIED })
    next.fill(this.members.blank(silent), 1, n + 1)
    for (let node = 1; node <= n; node++) {
      if (options.start === 'boot') this.apply(node, Kind.start, 0, 0)
      else {
        this.fresh = FRESH_LABEL
        this.apply(node, Kind.settled, n, 0)
      }
    }
    // From here on: no step could tell that something was dropped before. Where ids may come back,
    // nothing is dead for ever.
    const prunes = options.reduction && !this.exact && this.reactions.namesObsolete
    if (prunes) this.deadLetters = new DeadLetters(this)
  }

  /** Makes the packed words of the codec the state whose steps are taken. */
  load(): void {
    this.codec.unpack(this.base)
  }

  local(w: Int32Array, node: NodeId): NumberedLocal {
    return this.members.local[w[node]]
  }

  isCut(w: Int32Array, from: NodeId, to: NodeId): boolean {
    const cut = cutOf(w[0])
    return cut !== 0 && this.shapes[cut - 1].has((from - 1) * this.n + to - 1)
  }

  /** Whether a peer is up and within reach. */
  isAlive(w: Int32Array, node: NodeId, peer: NodeId): boolean {
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
    if (this.dropped !== null) this.dropped = []
    return next
  }

  /** Whether a message that a member sent has yet to arrive. */
  hasUnderWay(w: Int32Array, node: NodeId): boolean {
    const { plan, n, inboxes } = this
    for (let peer = 1; peer <= n; peer++) {
      if ((inboxes.senders[w[plan.inbox(peer)]] >>> node) & 1) return true
    }
    return false
  }

  /** Takes the message at a place of a link of `next` and, unless it is lost, has it handled. */
  deliver(from: NodeId, to: NodeId, place: number, keep: boolean): void {
    const at = this.plan.inbox(to)
    const { message, rest } = this.inboxes.take(this.next[at], from, place)
    if (!keep) this.next[at] = rest
    this.apply(to, Kind.message, from, message)
  }

  lose(from: NodeId, to: NodeId, place: number): void {
    const at = this.plan.inbox(to)
    this.next[at] = this.inboxes.take(this.next[at], from, place).rest
    this.prune(to)
  }

  crash(node: NodeId): void {
    const { next, plan, n } = this
    next[plan.inbox(node)] = 0
    this.apply(node, Kind.crash, 0, 0)
    for (let peer = 1; peer <= n; peer++) this.tell(peer, Kind.peerDown, node)
  }

  recover(node: NodeId): void {
    this.apply(node, Kind.recover, 0, 0)
    for (let peer = 1; peer <= this.n; peer++) {
      if (!this.isCut(this.next, peer, node)) this.tell(peer, Kind.peerUp, node)
    }
  }

  start(node: NodeId): void {
    this.apply(node, Kind.start, 0, 0)
    for (let peer = 1; peer <= this.n; peer++) {
      if (!this.isCut(this.next, peer, node)) this.tell(peer, Kind.peerStarted, node)
    }
  }

  cut(shape: number): void {
    const { next, n } = this
    next[0] = (next[0] & ~(MAX_CUT_SHAPES << Budget.CUT)) | (shape << Budget.CUT)
    for (let node = 1; node <= n; node++) {
      for (let peer = 1; peer <= n; peer++) {
        if (this.isCut(next, node, peer)) this.tell(node, Kind.peerDown, peer)
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
        this.tell(node, Kind.peerUp, peer)
        if (mode === Mode.UP) this.tell(node, Kind.peerStarted, peer)
      }
    }
  }

  timeout(node: NodeId, timer: number): void {
    this.apply(node, Kind.timeout, 0, timer)
  }

  answer(node: NodeId, verdict: 'up' | 'down', peer: NodeId): void {
    this.apply(node, verdict === 'up' ? Kind.up : Kind.down, peer, 0)
  }

  /** Whether nothing would come of an answer in `next` but that the question is closed. */
  isIdle(node: NodeId, verdict: 'up' | 'down', peer: NodeId): boolean {
    return this.outcomeOf(node, verdict === 'up' ? Kind.up : Kind.down, peer, 0).idle
  }

  /** Closes a question of `next` by an idle answer. */
  close(node: NodeId, peer: NodeId): void {
    this.next[node] = this.members.closed(this.next[node], peer)
  }

  drawn(node: NodeId, k: number): void {
    this.apply(node, Kind.drawn, 0, k)
  }

  resign(node: NodeId, successor: NodeId): void {
    this.apply(node, Kind.resign, successor, 0)
  }

  spend(shift: number): void {
    this.next[0] -= 1 << shift
    if (shift === Budget.RECOVERIES || shift === Budget.CRASHES) this.bury()
  }

  /**
   * Who is down and can never recover is all alike, whatever it kept: only its ghost is left. Not so
   * where what it promised still counts.
   */
  private bury(): void {
    const { next, n, members } = this
    if (budgetOf(next[0], Budget.RECOVERIES) > 0 || this.backing >= 0) return
    for (let node = 1; node <= n; node++) {
      if (this.local(next, node).mode <= Mode.DOWN) next[node] = members.inGrave(next[node])
    }
  }

  /** One of the ids, counters and ghosts of a member. */
  value(w: Int32Array, node: NodeId, place: number): number {
    const { members } = this
    return members.values[w[node] * members.length + 1 + place]
  }

  /** A member's open request or watch learns of a peer's fate. */
  private tell(node: NodeId, news: number, peer: NodeId): void {
    const { requests, watches } = this.local(this.next, node)
    if (flagsOf(requests | watches, peer) !== 0) this.apply(node, news, peer, 0)
  }

  /** Something happens to a member of `next`. */
  private apply(node: NodeId, kind: number, peer: NodeId, detail: number): void {
    const { next, plan, inboxes } = this
    const outcome = this.outcomeOf(node, kind, peer, detail)
    const { sendings } = outcome
    const before = next[node]
    next[node] = outcome.member
    for (let i = 0; i < sendings.length; i++) {
      const { to, message } = sendings[i]
      const at = plan.inbox(to)
      const inbox = inboxes.with(next[at], node, message)
      if (inbox === 0) this.overflowed = true
      else next[at] = inbox
      this.prune(to)
    }
    this.fresh += outcome.fresh
    if (outcome.termFell) this.termFell = true
    this.timersSet |= outcome.timersSet
    this.requested |= outcome.requested
    if (this.standing) this.noteStanding(node, before)
    this.prune(node)
  }

  /** Drops what is dead for a member of `next`. */
  private prune(node: NodeId): void {
    const { next, deadLetters } = this
    const at = this.plan.inbox(node)
    if (deadLetters === null || next[at] === 0) return
    const rest = deadLetters.rest(node, next[node], next[at])
    if (rest === next[at]) return
    this.dropped?.push(...deadLetters.dropped(node, next[node], next[at]))
    next[at] = rest
  }

  /** What comes of an event is remembered from the first time. */
  private outcomeOf(node: NodeId, kind: number, peer: NodeId, detail: number): Outcome {
    const event = eventCode(kind, peer, detail)
    return this.cases.outcome(node, this.next[node], this.aliveTo(node), event, this.fresh)
  }

  /** Remembers the largest term won so far while a member stands, and compares when it wins. */
  private noteStanding(node: NodeId, before: number): void {
    const { next, members, locals } = this
    const { candidateStatus } = this.options.algorithm.promises
    const ghost = locals.split.values
    const then = members.local[before]
    const now = members.local[next[node]]
    if (now.leader === node && then.leader !== node) {
      if (this.value(next, node, ghost) <= this.value(next, node, ghost + 1)) this.outdated = true
    }
    const stands = now.mode === Mode.UP && now.status === candidateStatus
    if (stands === (then.mode === Mode.UP && then.status === candidateStatus)) return
    next[node] = members.haunted(next[node], stands ? this.largestWon() : 0)
  }

  /** The largest term that was won so far, plus one. */
  private largestWon(): number {
    let largest = 0
    for (let peer = 1; peer <= this.n; peer++) {
      largest = Math.max(largest, this.value(this.next, peer, this.locals.split.values))
    }
    return largest
  }

  private aliveTo(node: NodeId): number {
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

function firstBudget(options: CheckOptions): number {
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
function strideOf({ split }: Locals, { splits }: Letters): number {
  const strides = [split, ...splits].map(({ stride }) => stride).filter((stride) => stride > 0)
  assert(new Set(strides).size <= 1, 'all counters of an algorithm have one stride')
  return strides[0] ?? 0
}
