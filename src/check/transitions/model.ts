/**
 * The model of one check: holds the tables of components, and answers what a state vector says about members, links
 * and cuts. docs/checker.md says which transitions there are.
 */
import { assert } from '../../core/assert.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { CheckConfig } from '../options.ts'
import { CanonicalForm } from '../state/canonical-form.ts'
import { Configurations } from '../state/configurations.ts'
import { HistoryVariables } from '../state/history-variables.ts'
import { DEFAULT_LINK_CAPACITY, InboxComponents } from '../state/inbox-components.ts'
import { LocalStates, Mode, type LocalStateSummary } from '../state/local-states.ts'
import { MemberComponents } from '../state/member-components.ts'
import { MessageContents } from '../state/message-contents.ts'
import { StateCodec } from '../state/state-codec.ts'
import { cutOf, initialBudget, MAX_CUT_SHAPES, withCut } from '../state/state-vector.ts'
import type { WordTable } from '../tables/word-table.ts'
import { cutShapes } from './cut-shapes.ts'
import { HandlerRunner } from './handler-runner.ts'
import { MemberTransitions } from './member-transitions.ts'
import { TransitionCache } from './transition-cache.ts'

export class Model {
  readonly config: CheckConfig
  readonly n: number
  /** Whether ids are kept as they are, because a handler may create one twice. */
  readonly exactIds: boolean
  readonly localStates: LocalStates
  readonly contents: MessageContents
  readonly runner: HandlerRunner
  readonly history: HistoryVariables
  readonly configurations: Configurations
  /** Whom all follow where the start is settled: the strongest voter that may lead. */
  readonly settledLeader: NodeId
  readonly members: MemberComponents
  readonly inboxes: InboxComponents
  readonly stride: number
  readonly cache: TransitionCache
  readonly transitions: MemberTransitions
  readonly canonical: CanonicalForm
  readonly codec: StateCodec
  /** The index of the counter that holds a member's votes; -1: there is none. */
  readonly voteIndex: number
  readonly cutShapes: readonly ReadonlySet<number>[]
  /** Whether every cut ends, as all promises need that are not about the parts of a network. */
  readonly cutsHeal: boolean

  constructor(config: CheckConfig, exactIds: boolean) {
    const { algorithm, members: n } = config
    this.config = config
    this.n = n
    this.exactIds = exactIds
    this.localStates = new LocalStates(algorithm, n, exactIds)
    this.contents = new MessageContents(algorithm, n)
    this.runner = new HandlerRunner(config, this.localStates, this.contents, exactIds)
    this.history = new HistoryVariables(algorithm, this.localStates.layout)
    this.members = new MemberComponents(this.localStates, this.history.count, exactIds)
    this.configurations = new Configurations(config, this.localStates, this.members)
    this.settledLeader = this.runner.group.strongest
    const linkCapacity = config.maxInFlight ?? DEFAULT_LINK_CAPACITY
    this.inboxes = new InboxComponents(this.contents, linkCapacity, exactIds)
    const { members, inboxes } = this
    this.stride = strideOf(this.localStates, this.contents)
    this.cache = new TransitionCache(this.runner)
    this.transitions = new MemberTransitions(this)
    this.canonical = new CanonicalForm(n, members, inboxes, this.stride)
    const largestBudget = withCut(initialBudget(config), config.cuts > 0 ? MAX_CUT_SHAPES : 0)
    this.codec = new StateCodec(n, largestBudget, this.canonical)
    this.voteIndex = this.localStates.layout.indexOf(algorithm.promises.voteField ?? '')
    this.cutShapes = cutShapes(n)
    this.cutsHeal = config.algorithm.promises.agreement !== 'in groups'
  }

  /** The tables that have the same contents in all threads of a search: records mention those of earlier tables. */
  get tables(): readonly WordTable[] {
    const { localStates, contents, inboxes, members } = this
    const { drawNames, table } = localStates
    return [drawNames, table, contents.table, inboxes.messages.table, members.table, inboxes.table]
  }

  local(w: Int32Array, node: NodeId): LocalStateSummary {
    return this.members.local[w[node]]
  }

  counter(w: Int32Array, node: NodeId, index: number): number {
    return this.members.word(w[node], 1 + this.localStates.layout.ids.length + index)
  }

  /** The id of a member's incarnation; 0: the algorithm does not keep it. */
  incarnationOf(w: Int32Array, node: NodeId): number {
    const place = this.localStates.layout.ids.indexOf('incarnation')
    return place < 0 ? 0 : this.members.word(w[node], 1 + place)
  }

  isCut(w: Int32Array, from: NodeId, to: NodeId): boolean {
    const cut = cutOf(w[0])
    return cut !== 0 && this.cutShapes[cut - 1].has((from - 1) * this.n + to - 1)
  }

  isReachable(w: Int32Array, node: NodeId, peer: NodeId): boolean {
    return this.local(w, peer).mode > Mode.DOWN && !this.isCut(w, node, peer)
  }

  /** Bit j: member j is reachable from a member. */
  reachableFrom(w: Int32Array, node: NodeId): number {
    const { isAlive } = this.members
    let reachable = 0
    for (let peer = 1; peer <= this.n; peer++) reachable |= isAlive[w[peer]] << peer
    if (cutOf(w[0]) === 0) return reachable
    for (let peer = 1; peer <= this.n; peer++) {
      if (this.isCut(w, node, peer)) reachable &= ~(1 << peer)
    }
    return reachable
  }

  hasInFlight(w: Int32Array, node: NodeId): boolean {
    const { n, inboxes } = this
    for (let peer = 1; peer <= n; peer++) {
      if ((inboxes.senders[w[n + peer]] >>> node) & 1) return true
    }
    return false
  }
}

function strideOf({ layout }: LocalStates, { layouts }: MessageContents): number {
  const strides = [layout, ...layouts].map(({ stride }) => stride).filter((stride) => stride > 0)
  assert(new Set(strides).size <= 1, 'all counters of an algorithm have one stride')
  return strides[0] ?? 0
}
