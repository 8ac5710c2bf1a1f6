/**
 * What is looked at in every state, and judged by what the algorithm promises. What it does not promise
 * is counted and reported, but is no violation.
 */
import { NONE } from '../../core/node-id.ts'
import { majority } from '../../core/quorum.ts'
import { Bits } from '../tables/bit-vector.ts'
import { Budget, budgetOf } from '../state/state-vector.ts'
import { Mode } from '../state/local-states.ts'
import type { Observer, Search } from '../search/breadth-first.ts'

export interface Property {
  readonly name: string
  readonly kind: 'always' | 'eventually' | 'sometimes'
  /** One sentence that says what must hold. */
  readonly sentence: string
  /** Whether the algorithm promises it: then a violation counts. */
  readonly judged: boolean
}

/** Where a property of states and steps is first broken, and how often. */
export class Violations {
  readonly property: Property
  count = 0
  /** The first state that breaks it, and for a property of steps the state before it. */
  state = -1
  from = -1

  constructor(property: Property) {
    this.property = property
  }

  /** Returns whether the search should end. */
  record(state: number, from: number): boolean {
    if (this.count++ === 0) {
      this.state = state
      this.from = from
    }
    return this.property.judged
  }
}

export class Properties implements Observer {
  readonly agreement: Violations
  readonly oneLeader: Violations
  readonly oneLeaderPerTerm: Violations
  readonly termsRise: Violations
  readonly backed: Violations
  readonly newer: Violations
  readonly alone: Violations
  /** The states in which all up members agree on whom they should. */
  readonly goals = new Bits()
  /** States that should occur, so that nothing holds for want of a case. */
  readonly seen = { leader: false, contest: false, settledAfterFaults: false }
  private readonly search: Search
  private readonly highest: boolean
  private readonly single: string | null
  /** With fewer members up than this, nothing is promised. */
  private readonly needed: number

  constructor(search: Search) {
    this.search = search
    const { algorithm, members, judge, single } = search.options
    this.single = single
    const { promises, assumes } = algorithm
    const always = (name: string, sentence: string, promised: boolean): Violations =>
      new Violations({ name, kind: 'always', sentence, judged: promised || judge.includes(name) })
    this.needed = assumes.majority === true ? majority(members) : 1
    this.highest = promises.leader === 'highest'
    this.agreement = always(
      'agreement',
      'any two up members that follow somebody follow the same',
      promises.agreement === 'always',
    )
    this.oneLeader = always('one leader at a time', 'at most one up member leads', false)
    this.oneLeaderPerTerm = always(
      'one leader per term',
      'no two members ever lead in the same term',
      promises.oneLeaderPerTerm,
    )
    this.backed = always(
      'one backed leader',
      'at most one leader has a majority that promised nothing above its term',
      promises.voteField !== undefined,
    )
    this.alone = always('one at a time', `at most one up member is in ${single}`, single !== null)
    this.newer = always(
      'newer terms',
      "a new leader's term exceeds every term that had been won when it began to stand",
      promises.candidateStatus !== undefined,
    )
    this.termsRise = always(
      'terms rise',
      "a member's accepted term never falls",
      promises.termsRise,
    )
  }

  /** The properties that can be told from the states that are searched. */
  get violations(): readonly Violations[] {
    const { model } = this.search
    const findings = [this.agreement, this.oneLeader]
    if (model.tracksLastTermLed) findings.push(this.oneLeaderPerTerm)
    if (model.cache.termIndex >= 0) findings.push(this.termsRise)
    if (model.backing >= 0) findings.push(this.backed)
    if (model.tracksTermAtCandidacy) findings.push(this.newer)
    if (this.single !== null) findings.push(this.alone)
    return findings
  }

  step(from: number, to: number): boolean {
    const { termFell, outdated } = this.search.model
    const fell = termFell && this.termsRise.record(to, from)
    return (outdated && this.newer.record(to, from)) || fell
  }

  state(number: number): boolean {
    const { model } = this.search
    const { next, vector } = model
    let ups = 0
    let following = 0
    let leaders = 0
    let silent = 0
    let alike = 0
    let highest = NONE
    let followed = NONE
    let split = false
    for (let node = 1; node <= vector.members; node++) {
      const { mode, leader, status } = model.local(next, node)
      if (mode <= Mode.DOWN) continue
      ups += 1
      highest = node
      if (mode === Mode.STARTING) silent += 1
      else if (status === this.single) alike += 1
      if (leader === NONE) continue
      following += 1
      if (leader === node) leaders += 1
      if (followed !== NONE && followed !== leader) split = true
      followed = leader
    }
    if (leaders > 0) this.seen.leader = true
    if (ups - following - silent > 1) this.seen.contest = true
    const agreed = following === ups && !split
    if (ups < this.needed || (agreed && this.isDue(followed, highest))) this.reached(number)
    let over = split && this.agreement.record(number, -1)
    if (leaders > 1 && this.oneLeader.record(number, -1)) over = true
    if (alike > 1 && this.alone.record(number, -1)) over = true
    if (model.tracksLastTermLed && this.sharedTerm() && this.oneLeaderPerTerm.record(number, -1))
      over = true
    if (leaders > 1 && model.backing >= 0 && this.backedLeaders() > 1) {
      if (this.backed.record(number, -1)) over = true
    }
    return over
  }

  /** How many leaders have a majority, up or down, that promised nothing above their term. */
  private backedLeaders(): number {
    const { model } = this.search
    const { next, vector, localStates, backing, cache } = model
    const counters = localStates.layout.ids.length
    let backed = 0
    for (let node = 1; node <= vector.members; node++) {
      if (model.local(next, node).leader !== node) continue
      const term = model.value(next, node, counters + cache.termIndex)
      let backers = 0
      for (let peer = 1; peer <= vector.members; peer++) {
        if (model.value(next, peer, counters + backing) <= term) backers += 1
      }
      if (backers >= majority(vector.members)) backed += 1
    }
    return backed
  }

  private isDue(followed: number, highest: number): boolean {
    const { model } = this.search
    if (this.highest) return followed === highest
    return model.local(model.next, followed).mode === Mode.UP
  }

  private reached(number: number): void {
    this.goals.set(number)
    const budget = this.search.model.next[0]
    if (budgetOf(budget, Budget.CRASHES) + budgetOf(budget, Budget.RECOVERIES) === 0) {
      this.seen.settledAfterFaults = true
    }
  }

  /** Whether two members led last in the same term. */
  private sharedTerm(): boolean {
    const { model } = this.search
    const { next, vector, localStates } = model
    const led = localStates.layout.values
    for (let a = 2; a <= vector.members; a++) {
      const ghost = model.value(next, a, led)
      for (let b = 1; b < a; b++) {
        if (ghost !== 0 && ghost === model.value(next, b, led)) return true
      }
    }
    return false
  }
}
