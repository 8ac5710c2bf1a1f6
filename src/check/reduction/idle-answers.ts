/**
 * Answers that change nothing need not be taken as steps. A question is *closable* where the detector may
 * give an answer from which nothing comes but that the question is closed. A state with a closable
 * question open can do whatever the same state with it closed can do: so it stands for both, and the
 * idle answer is taken only together with a step that needs it:
 *
 * - a timer that waits for answers fires as soon as all that are open are closable, and closes them;
 * - a step after which a question that was closable no longer is, is taken twice: with the question open
 *   and with it closed before.
 *
 * What is left out differs from what is kept in open questions only. For fairness an idle answer counts as
 * taken wherever it could be. A member that draws, draws first, so nothing is closable then.
 */
import type { NodeId } from '../../core/node-id.ts'
import { flagsOf, Mode, SEEN_DOWN, SEEN_UP } from '../state/local-states.ts'
import type { Model } from '../transitions/model.ts'

/** An idle answer. */
export interface IdleAnswer {
  readonly node: NodeId
  readonly peer: NodeId
  readonly verdict: 'up' | 'down'
}

export class IdleAnswers {
  /** For each member, bit j: its question about j is open and closable; open and not. In `model.base`. */
  readonly idleRequests: Int32Array
  readonly otherRequests: Int32Array
  /** Whether anybody has a closable question. */
  any = false
  private readonly model: Model
  private readonly sync: boolean
  private readonly enabled: boolean

  constructor(model: Model) {
    const { members, timers, reduction } = model.options
    this.model = model
    this.sync = timers === 'sync'
    this.enabled = reduction
    this.idleRequests = new Int32Array(members + 1)
    this.otherRequests = new Int32Array(members + 1)
  }

  /** Looks at the questions of `model.base`; `model.next` is as `base`. */
  survey(): void {
    const { model, idleRequests, otherRequests } = this
    this.any = false
    for (let node = 1; node < idleRequests.length; node++) {
      idleRequests[node] = 0
      otherRequests[node] = 0
      const { requests } = model.local(model.base, node)
      if (requests === 0) continue
      for (let peer = 1; peer < idleRequests.length; peer++) {
        if (flagsOf(requests, peer) === 0) continue
        if (this.enabled && this.canBeIdle(model.base, node, peer)) idleRequests[node] |= 1 << peer
        else otherRequests[node] |= 1 << peer
      }
      if (idleRequests[node] !== 0) this.any = true
    }
  }

  /** Nothing is closable. */
  clear(): void {
    this.idleRequests.fill(0)
    this.any = false
  }

  isIdle(node: NodeId, verdict: 'up' | 'down', peer: NodeId): boolean {
    return this.enabled && this.model.isIdle(node, verdict, peer)
  }

  /** Of the questions that were closable, those that `next` has open and that are closable no longer. */
  noLongerIdle(actor: NodeId, crashed: boolean): IdleAnswer[] {
    const { model, idleRequests } = this
    const { next } = model
    const lost: IdleAnswer[] = []
    for (let node = 1; node < idleRequests.length; node++) {
      // A step changes its actor only; a crash also how far what the dead sent has arrived.
      const looked =
        node === actor
          ? idleRequests[node] & ~model.requested
          : crashed
            ? idleRequests[node] & (1 << actor)
            : 0
      if (looked === 0) continue
      const { requests, draw } = model.local(next, node)
      for (let peer = 1; peer < idleRequests.length; peer++) {
        if (((looked >>> peer) & 1) === 0 || flagsOf(requests, peer) === 0) continue
        if (draw === 0 && this.canBeIdle(next, node, peer)) continue
        lost.push({ node, peer, verdict: 'up' })
      }
    }
    return lost
  }

  /** How the closable questions of some members of `base` are closed. */
  answersFor(first: NodeId, last: NodeId): IdleAnswer[] {
    const closings: IdleAnswer[] = []
    for (let node = first; node <= last; node++) {
      for (let peer = 1; peer < this.idleRequests.length; peer++) {
        if ((this.idleRequests[node] >>> peer) & 1) closings.push(this.answerTo(node, peer))
      }
    }
    return closings
  }

  /** By which answer a closable question of `base` is closed; `next` is as `base` there. */
  answerTo(node: NodeId, peer: NodeId): IdleAnswer {
    const { model } = this
    const flags = flagsOf(model.local(model.base, node).requests, peer)
    const up = (flags & SEEN_UP) !== 0 && model.isIdle(node, 'up', peer)
    return { node, peer, verdict: up ? 'up' : 'down' }
  }

  /** With bounds, a detector takes longer than a message: what the dead sent has arrived before it speaks. */
  isDrained(w: Int32Array, peer: NodeId): boolean {
    const { model } = this
    return !this.sync || model.local(w, peer).mode > Mode.DOWN || !model.hasUnderWay(w, peer)
  }

  /** In a state that is `model.next`. */
  private canBeIdle(w: Int32Array, node: NodeId, peer: NodeId): boolean {
    const { model } = this
    const flags = flagsOf(model.local(w, node).requests, peer)
    if (flags & SEEN_UP && model.isIdle(node, 'up', peer)) return true
    return (flags & SEEN_DOWN) !== 0 && this.isDrained(w, peer) && model.isIdle(node, 'down', peer)
  }
}
