/**
 * Finds idle answers, which only close a request of the detector, and lets the search leave them out or take them with
 * the transition that needs them. A request is idle if the detector may give it an idle answer. A state with an idle
 * request can do whatever the same state without the request can do. So it stands for both, and an idle answer is
 * taken only together with a transition that needs it:
 *
 * - a timer that waits for answers fires as soon as all open requests are idle, and closes them;
 * - a transition after which an idle request is no longer idle is taken twice: with the request open, and
 *   with the request closed before.
 *
 * The states left out differ from those kept only in open requests. For fairness, an idle answer counts as
 * taken wherever it is possible. A pending draw comes first, so no request is idle then.
 */
import type { NodeId } from '../../core/node-id.ts'
import { flagsOf, Mode, SEEN_DOWN, SEEN_UP } from '../state/local-states.ts'
import type { Actions } from '../transitions/actions.ts'
import type { Model } from '../transitions/model.ts'

interface Request {
  readonly node: NodeId
  readonly peer: NodeId
}

export interface IdleAnswer extends Request {
  readonly verdict: 'up' | 'down'
}

export class IdleAnswers {
  /** For each member, bit j: its request about member j is open and idle; is open and not idle. */
  readonly idleRequests: Int32Array
  readonly otherRequests: Int32Array
  any = false
  private readonly model: Model
  private readonly actions: Actions
  private readonly sync: boolean
  private readonly enabled: boolean

  constructor(model: Model, actions: Actions) {
    const { timers, reduction } = model.config
    this.model = model
    this.actions = actions
    this.sync = timers === 'sync'
    this.enabled = reduction
    this.idleRequests = new Int32Array(model.n + 1)
    this.otherRequests = new Int32Array(model.n + 1)
  }

  /** Reads the requests of `actions.base`, of which `actions.next` is a copy. */
  survey(): void {
    const { model, idleRequests, otherRequests } = this
    const { base } = this.actions
    this.any = false
    for (let node = 1; node <= model.n; node++) {
      idleRequests[node] = 0
      otherRequests[node] = 0
      const { requests } = model.local(base, node)
      if (requests === 0) continue
      for (let peer = 1; peer <= model.n; peer++) {
        if (flagsOf(requests, peer) === 0) continue
        const isIdle = this.enabled && this.isIdle(base, node, peer)
        if (isIdle) idleRequests[node] |= 1 << peer
        else otherRequests[node] |= 1 << peer
      }
      if (idleRequests[node] !== 0) this.any = true
    }
  }

  clear(): void {
    this.idleRequests.fill(0)
    this.any = false
  }

  /** The idle requests of `base` that are open and no longer idle in `next`, after a step of a member. */
  noLongerIdle(actor: NodeId, crashed: boolean): Request[] {
    const { model, idleRequests } = this
    const { next, requested } = this.actions
    const found: Request[] = []
    for (let node = 1; node <= model.n; node++) {
      // A step changes its member only; a crash also changes whether the member's messages have arrived.
      const affected = node === actor ? ~requested : crashed ? 1 << actor : 0
      const candidates = idleRequests[node] & affected
      if (candidates === 0) continue
      const { requests, draw } = model.local(next, node)
      for (let peer = 1; peer <= model.n; peer++) {
        if (((candidates >>> peer) & 1) === 0 || flagsOf(requests, peer) === 0) continue
        if (draw > 0 || !this.isIdle(next, node, peer)) found.push({ node, peer })
      }
    }
    return found
  }

  /** Idle answers to all idle requests of some members of `base`. */
  answersFor(first: NodeId, last: NodeId): IdleAnswer[] {
    const answers: IdleAnswer[] = []
    for (let node = first; node <= last; node++) {
      for (let peer = 1; peer <= this.model.n; peer++) {
        if ((this.idleRequests[node] >>> peer) & 1) answers.push(this.answerTo(node, peer))
      }
    }
    return answers
  }

  answerTo(node: NodeId, peer: NodeId): IdleAnswer {
    const flags = flagsOf(this.model.local(this.actions.base, node).requests, peer)
    const isUp = (flags & SEEN_UP) !== 0 && this.actions.isIdleAnswer(node, 'up', peer)
    return { node, peer, verdict: isUp ? 'up' : 'down' }
  }

  /** Whether the detector may report a peer as down: with timing bounds, its last messages arrive before. */
  isDrained(w: Int32Array, peer: NodeId): boolean {
    const { model } = this
    return !this.sync || model.local(w, peer).mode > Mode.DOWN || !model.hasInFlight(w, peer)
  }

  /** Whether an open request is idle. The state is that of `next`. */
  private isIdle(w: Int32Array, node: NodeId, peer: NodeId): boolean {
    const { model, actions } = this
    const flags = flagsOf(model.local(w, node).requests, peer)
    if (flags & SEEN_UP && actions.isIdleAnswer(node, 'up', peer)) return true
    if ((flags & SEEN_DOWN) === 0 || !this.isDrained(w, peer)) return false
    return actions.isIdleAnswer(node, 'down', peer)
  }
}
