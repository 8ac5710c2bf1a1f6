/**
 * The world that is searched: members that run the algorithm's own handlers, links, an oracle for a
 * failure detector, and an environment that crashes, recovers, cuts, drops and errs within a budget.
 * docs/checker.md says what each step may do and why.
 */
import { Group } from '../core/group.ts'
import type { NodeId } from '../core/node-id.ts'
import { Cases } from './cases.ts'
import { Codec } from './codec.ts'
import { cutShapes } from './cuts.ts'
import { Budget, budgetOf, cutOf, FloorPlan, MAX_CUT_SHAPES, removeMessage, ROOM } from './frame.ts'
import { Letters } from './letters.ts'
import { flagsOf, Locals, Mode, type NumberedLocal } from './locals.ts'
import type { CheckOptions } from './options.ts'
import { Reactions, type EventKind, type Reaction } from './reactions.ts'
import type { Split } from './split.ts'

/** There is no clock here; algorithms still compute time-outs from something, and To is far above Tm. */
const TIMING = { messageMs: 1, processingMs: 0, detectionMs: 20, watchMs: 20, periodMs: 100 }

export class Model {
  readonly options: CheckOptions
  readonly plan: FloorPlan
  readonly locals: Locals
  readonly letters: Letters
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
  readonly shapes: readonly ReadonlySet<number>[]
  /** Whether the last term in which each member led is remembered: behind its own values, plus one. */
  readonly ghost: boolean
  /** Whether, behind that, the largest term won before it began to stand for election is, too. */
  readonly standing: boolean
  /** Which counter of a member holds its promise; -1: none does. */
  readonly backing: number
  private readonly n: number
  private readonly cases: Cases
  private readonly exact: boolean
  /** The values of the message that is being handled. */
  private readonly message = new Int32Array(32)
  /** The configuration of those who never come back. */
  private grave = -1
  /** Whether nothing has happened yet in the current step. */
  private untouched = false
  private readonly seenBy = (node: NodeId): number => this.aliveTo(node)
  /** The largest label of the state. */
  private fresh = 0

  constructor(options: CheckOptions, exact: boolean) {
    const { algorithm, members } = options
    this.options = options
    this.exact = exact
    this.n = members
    this.locals = new Locals(algorithm, members, exact)
    this.letters = new Letters(algorithm, members)
    const recoveries = options.recoveries > 0
    const parts = { locals: this.locals, letters: this.letters, exact, recoveries }
    const group = new Group(members, TIMING, options.ring)
    this.reactions = new Reactions(algorithm, group, options.options, parts)
    const { split } = this.locals
    this.ghost = algorithm.promises.oneLeaderPerTerm && this.reactions.termIndex >= 0
    const { backing } = algorithm.promises
    this.backing = split.counters.findIndex(({ name }) => name === backing)
    this.standing = this.ghost && algorithm.promises.standing !== undefined
    const values = split.values + (this.ghost ? 1 : 0) + (this.standing ? 1 : 0)
    const room = options.maxInFlight ?? ROOM
    this.plan = new FloorPlan(members, values, this.letters.maxValues, room)
    const { plan, letters } = this
    this.codec = new Codec({ plan, member: split, letters, exact })
    this.base = new Int32Array(plan.size)
    this.next = new Int32Array(plan.size)
    this.shapes = cutShapes(members)
    const { reactions, next, message, codec } = this
    this.cases = new Cases({ plan, reactions, stride: codec.stride, exact, next, message })
  }

  /** Makes `next` the first state. */
  begin(): void {
    const { next, options, n } = this
    next.fill(0)
    this.fresh = 0
    const { crashes, recoveries, mistakes, drops, duplicates, cuts, resignations } = options
    next[0] =
      (crashes << Budget.CRASHES) |
      (recoveries << Budget.RECOVERIES) |
      ((options.detector === 'eventual' ? mistakes : 0) << Budget.MISTAKES) |
      (drops << Budget.DROPS) |
      (duplicates << Budget.DUPLICATES) |
      (cuts << Budget.CUTS) |
      (resignations << Budget.RESIGNATIONS)
    const record = options.algorithm.state.init()
    const blank = { record, timers: 0, requests: 0, watches: 0, draws: [], mode: Mode.SILENT }
    const silent = this.locals.number(blank)
    this.grave = this.locals.number({ ...blank, mode: Mode.BURIED })
    this.codec.grave = this.grave
    for (let node = 1; node <= n; node++) next[node] = silent
    for (let node = 1; node <= n; node++) {
      if (options.start === 'boot') this.apply(node, 'start', 0, 0)
      else {
        this.fresh = 0
        this.apply(node, 'settled', n, 0)
      }
    }
  }

  /** Makes the packed words of the codec the state whose steps are taken. */
  load(): void {
    this.codec.unpack(this.base)
    this.cases.begin()
  }

  local(w: Int32Array, node: NodeId): NumberedLocal {
    return this.locals.all[w[node]]
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
    this.next.set(this.base)
    this.fresh = this.codec.labels
    this.termFell = false
    this.outdated = false
    this.overflowed = false
    this.timersSet = 0
    this.requested = 0
    this.untouched = true
    return this.next
  }

  /** Whether a message that a member sent has yet to arrive. */
  hasUnderWay(w: Int32Array, node: NodeId): boolean {
    const { plan, n } = this
    for (let peer = 1; peer <= n; peer++) if (w[plan.link(node, peer)] !== 0) return true
    return false
  }

  /** Takes the message at a place of a link of `next` and, unless it is lost, has it handled. */
  deliver(from: NodeId, to: NodeId, place: number, keep: boolean): void {
    const { next, plan } = this
    const link = plan.link(from, to)
    const at = link + 1 + place * plan.slotSize
    const letter = next[at]
    for (let i = 0; i < plan.messageValues; i++) this.message[i] = next[at + 1 + i]
    if (!keep) removeMessage(next, link, place, plan.slotSize)
    this.apply(to, 'message', from, letter)
  }

  lose(from: NodeId, to: NodeId, place: number): void {
    const { next, plan } = this
    removeMessage(next, plan.link(from, to), place, plan.slotSize)
  }

  crash(node: NodeId): void {
    const { next, plan, n } = this
    this.apply(node, 'crash', 0, 0)
    for (let peer = 1; peer <= n; peer++) {
      const link = plan.link(peer, node)
      next.fill(0, link, link + plan.linkSize)
      this.tell(peer, 'peerDown', node)
    }
  }

  recover(node: NodeId): void {
    this.apply(node, 'recover', 0, 0)
    for (let peer = 1; peer <= this.n; peer++) {
      if (!this.isCut(this.next, peer, node)) this.tell(peer, 'peerUp', node)
    }
  }

  start(node: NodeId): void {
    this.apply(node, 'start', 0, 0)
    for (let peer = 1; peer <= this.n; peer++) {
      if (!this.isCut(this.next, peer, node)) this.tell(peer, 'peerStarted', node)
    }
  }

  cut(shape: number): void {
    const { next, n } = this
    this.untouched = false
    next[0] = (next[0] & ~(MAX_CUT_SHAPES << Budget.CUT)) | (shape << Budget.CUT)
    for (let node = 1; node <= n; node++) {
      for (let peer = 1; peer <= n; peer++) {
        if (this.isCut(next, node, peer)) this.tell(node, 'peerDown', peer)
      }
    }
  }

  heal(): void {
    const { next, n, base } = this
    this.untouched = false
    next[0] &= ~(MAX_CUT_SHAPES << Budget.CUT)
    for (let node = 1; node <= n; node++) {
      for (let peer = 1; peer <= n; peer++) {
        const { mode } = this.local(next, peer)
        if (!this.isCut(base, node, peer) || mode <= Mode.DOWN) continue
        this.tell(node, 'peerUp', peer)
        if (mode === Mode.UP) this.tell(node, 'peerStarted', peer)
      }
    }
  }

  timeout(node: NodeId, timer: number): void {
    this.apply(node, 'timeout', 0, timer)
  }

  answer(node: NodeId, verdict: 'up' | 'down', peer: NodeId): void {
    this.apply(node, verdict, peer, 0)
  }

  /** Whether nothing would come of an answer in `next` but that the question is closed. */
  isIdle(node: NodeId, verdict: 'up' | 'down', peer: NodeId): boolean {
    return this.reactionTo(node, verdict, peer, 0).idle
  }

  /** Closes a question of `next` by an idle answer. */
  close(node: NodeId, peer: NodeId): void {
    this.untouched = false
    this.next[node] = this.locals.without(this.next[node], peer)
  }

  drawn(node: NodeId, k: number): void {
    this.apply(node, 'drawn', 0, k)
  }

  resign(node: NodeId, successor: NodeId): void {
    this.apply(node, 'resign', successor, 0)
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
    const { next, n, plan, locals } = this
    if (budgetOf(next[0], Budget.RECOVERIES) > 0 || this.backing >= 0) return
    for (let node = 1; node <= n; node++) {
      if (this.local(next, node).mode > Mode.DOWN) continue
      next[node] = this.grave
      const at = plan.values(node)
      next.fill(0, at, at + locals.split.values)
    }
  }

  /** A member's open request or watch learns of a peer's fate. */
  private tell(node: NodeId, news: 'peerDown' | 'peerUp' | 'peerStarted', peer: NodeId): void {
    const { requests, watches } = this.local(this.next, node)
    if (flagsOf(requests | watches, peer) !== 0) this.apply(node, news, peer, 0)
  }

  /** Something happens to a member of `next`. What comes of it is remembered from the first time. */
  private apply(node: NodeId, kind: EventKind, peer: NodeId, detail: number): void {
    const reaction = this.reactionTo(node, kind, peer, detail)
    this.untouched = false
    this.carryOut(node, reaction)
  }

  private reactionTo(node: NodeId, kind: EventKind, peer: NodeId, detail: number): Reaction {
    const { cases } = this
    if (this.untouched) return cases.first(node, kind, peer, detail, this.seenBy)
    return cases.any(node, kind, peer, detail, this.aliveTo(node))
  }

  private carryOut(node: NodeId, reaction: Reaction): void {
    const { next, plan, cases } = this
    const member = this.locals.split
    const at = plan.values(node)
    const before = next[node]
    next[node] = reaction.local
    let highest = this.putValues(at, reaction.values, member)
    const { sendings } = reaction
    const alive = sendings.length === 0 ? 0 : this.aliveTo(node)
    for (let i = 0; i < sendings.length; i++) {
      const { to, letter, values } = sendings[i]
      if (((alive >>> to) & 1) === 0) continue
      const link = plan.link(node, to)
      const count = next[link]
      if (count === plan.room) {
        this.overflowed = true
        continue
      }
      const slot = link + 1 + count * plan.slotSize
      next[link] = count + 1
      next[slot] = letter
      const used = this.putValues(slot + 1, values, this.letters.all[letter].split)
      if (used > highest) highest = used
    }
    if (highest > cases.labels) this.fresh += highest - cases.labels
    if (reaction.termFell) this.termFell = true
    this.timersSet |= reaction.timersSet
    this.requested |= reaction.requested
    if (this.ghost && reaction.leads) {
      const term = next[at + member.ids.length + this.reactions.termIndex]
      next[at + member.values] = term + 1
    }
    if (this.standing) this.noteStanding(node, before)
  }

  /** Remembers the largest term won so far while a member stands, and compares when it wins. */
  private noteStanding(node: NodeId, before: number): void {
    const { next, plan, locals, n } = this
    const { standing } = this.options.algorithm.promises
    const ghost = locals.split.values
    const at = plan.values(node) + ghost
    const then = locals.all[before]
    const { mode, status, leader } = this.local(next, node)
    if (leader === node && then.leader !== node && next[at] <= next[at + 1]) this.outdated = true
    if (mode !== Mode.UP || status !== standing) next[at + 1] = 0
    else if (then.mode !== Mode.UP || then.status !== standing) {
      let largest = 0
      for (let peer = 1; peer <= n; peer++) {
        largest = Math.max(largest, next[plan.values(peer) + ghost])
      }
      next[at + 1] = largest
    }
  }

  /** Translates ids and counters of a case back; returns the largest label of the case. */
  private putValues(at: number, values: Int32Array, split: Split): number {
    const { next } = this
    const { labels, meant, shift } = this.cases
    const ids = split.ids.length
    const { counters } = split
    let highest = 0
    for (let i = 0; i < ids; i++) {
      const label = values[i]
      if (this.exact || label === 0) next[at + i] = label
      else {
        next[at + i] = label <= labels ? meant[label] : this.fresh + label - labels
        if (label > highest) highest = label
      }
    }
    for (let i = 0; i < counters.length; i++) {
      const value = values[ids + i]
      next[at + ids + i] = counters[i].orNone && value === 0 ? 0 : value + shift
    }
    return highest
  }

  private aliveTo(node: NodeId): number {
    const { next, n } = this
    const cut = cutOf(next[0]) !== 0
    let alive = 0
    for (let peer = 1; peer <= n; peer++) {
      if (this.locals.all[next[peer]].mode <= Mode.DOWN) continue
      if (!cut || !this.isCut(next, node, peer)) alive |= 1 << peer
    }
    return alive
  }
}
