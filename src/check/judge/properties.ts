/**
 * Decides which properties a check judges, judges those of states and transitions while the search runs, and counts
 * where each is broken. A property that the algorithm does not promise is counted and reported, but breaking it is no
 * violation.
 */
import { NONE, nodesTo, type NodeId } from '../../core/node-id.ts'
import { partsOf } from '../../core/group.ts'
import { majority } from '../../core/quorum.ts'
import type { Observed, Observer } from '../search/judging.ts'
import { Mode } from '../state/local-states.ts'
import { Budget, budgetOf } from '../state/state-vector.ts'
import { KEPT_LEASES, KEPT_VOTES, SafeguardJudge } from './safeguards.ts'

export interface Property {
  readonly name: string
  readonly kind: 'always' | 'eventually' | 'sometimes'
  readonly sentence: string
  readonly judged: boolean
}

/** How often a property of states or transitions is broken, and where first. */
export class Violations {
  readonly property: Property
  count = 0
  /** The first state that breaks it; for a property of transitions, also the state before. */
  state = -1
  from = -1

  constructor(property: Property) {
    this.property = property
  }

  /** Returns whether the search should end. */
  record(state: number, from = -1): boolean {
    if (this.count++ === 0) {
      this.state = state
      this.from = from
    }
    return this.property.judged
  }
}

export class Properties implements Observer {
  /** Whether situations occurred without which a property would hold trivially. */
  readonly seen = { leader: false, contest: false, settledAfterFaults: false }
  private readonly search: Observed
  private readonly agreement: Violations
  private readonly inGroups: Violations
  private readonly oneLeader: Violations
  private readonly oneLeaderPerTerm: Violations
  private readonly termsRise: Violations
  private readonly backed: Violations
  private readonly newerTerms: Violations
  private readonly single: Violations
  private readonly oneLease: Violations
  private readonly keptLeases: Violations
  private readonly keptVotes: Violations
  private readonly safeguards: SafeguardJudge
  /** With fewer members up than this, nothing is promised. */
  private readonly minUp: number

  constructor(search: Observed) {
    this.search = search
    const { algorithm, members, judge, single } = search.config
    const { promises, assumes } = algorithm
    const { vary } = search.model.configurations
    const always = (name: string, sentence: string, promised: boolean): Violations =>
      new Violations({ name, kind: 'always', sentence, judged: promised || judge.includes(name) })
    this.minUp = assumes.majority === true ? majority(members) : 1
    this.agreement = always(
      'agreement',
      'any two up members that follow a leader follow the same one',
      promises.agreement === 'always' && !vary, // members of two configurations may elect side by side
    )
    this.inGroups = always(
      'agreement in groups',
      'any two up members that follow a leader in the same term follow the same one',
      promises.agreement === 'in groups',
    )
    this.oneLeader = always('one leader at a time', 'at most one up member leads', false)
    this.oneLeaderPerTerm = always(
      'one leader per term',
      'no two members ever lead in the same term, and no member leads in it twice',
      promises.oneLeaderPerTerm === true,
    )
    this.backed = always(
      'one backed leader',
      'at most one leader has a majority that voted for no larger term',
      promises.voteField !== undefined && !search.config.amnesia, // a lost vote backs no leader
    )
    this.single = always('one at a time', `at most one up member is in ${single}`, single !== null)
    this.oneLease = always(
      'one lease at a time',
      'no two members hold an unexpired lease at once',
      search.config.clocks,
    )
    this.keptLeases = always(KEPT_LEASES.name, KEPT_LEASES.sentence, false)
    this.keptVotes = always(KEPT_VOTES.name, KEPT_VOTES.sentence, false)
    this.safeguards = new SafeguardJudge(search.model)
    this.newerTerms = always(
      'newer terms',
      "a new leader's term exceeds every term that was won before its candidacy",
      promises.candidateStatus !== undefined,
    )
    this.termsRise = always(
      'terms rise',
      "a member's accepted term never falls",
      promises.termsRise,
    )
  }

  get violations(): readonly Violations[] {
    const { model, config } = this.search
    const { history, localStates, voteIndex } = model
    const violations = [this.agreement, this.oneLeader]
    if (this.inGroups.property.judged) violations.push(this.inGroups)
    if (history.lastTermLed) violations.push(this.oneLeaderPerTerm)
    if (localStates.layout.indexOf('term') >= 0) violations.push(this.termsRise)
    if (voteIndex >= 0) violations.push(this.backed)
    if (history.termAtCandidacy) violations.push(this.newerTerms)
    if (config.single !== null) violations.push(this.single)
    if (config.clocks) violations.push(this.oneLease)
    if (this.keptLeases.property.judged) violations.push(this.keptLeases)
    if (this.keptVotes.property.judged) violations.push(this.keptVotes)
    return violations
  }

  clear(): void {
    for (const violations of this.violations) violations.count = 0
    Object.assign(this.seen, { leader: false, contest: false, settledAfterFaults: false })
  }

  write(words: Int32Array, at: number): void {
    const { leader, contest, settledAfterFaults } = this.seen
    words[at] = (leader ? 1 : 0) | (contest ? 2 : 0) | (settledAfterFaults ? 4 : 0)
    this.violations.forEach(({ count, state, from }, i) => {
      words.set([count, state, from], at + 1 + 3 * i)
    })
  }

  add(words: Int32Array, at: number): void {
    const { seen } = this
    if (words[at] & 1) seen.leader = true
    if (words[at] & 2) seen.contest = true
    if (words[at] & 4) seen.settledAfterFaults = true
    this.violations.forEach((violations, i) => {
      const [count, state, from] = words.subarray(at + 1 + 3 * i)
      if (violations.count === 0) Object.assign(violations, { state, from })
      violations.count += count
    })
  }

  transition(from: number, to: number): boolean {
    const { termFell, leadsAgain, outdated } = this.search.actions
    const fell = termFell && this.termsRise.record(to, from)
    const again = leadsAgain && this.oneLeaderPerTerm.record(to, from)
    return (outdated && this.newerTerms.record(to, from)) || again || fell
  }

  state(number: number): boolean {
    const { model, actions, config } = this.search
    const { next } = actions
    let up = 0
    let following = 0
    let leaders = 0
    let starting = 0
    let inSingle = 0
    let highest = NONE
    let followed = NONE
    let disagree = false
    for (let node = 1; node <= model.n; node++) {
      const { mode, leader, status } = model.local(next, node)
      if (mode <= Mode.DOWN) continue
      up += 1
      highest = node
      if (mode === Mode.STARTING) starting += 1
      else if (status === config.single) inSingle += 1
      if (leader === NONE) continue
      following += 1
      if (leader === node) leaders += 1
      if (followed !== NONE && followed !== leader) disagree = true
      followed = leader
    }
    if (leaders > 0) this.seen.leader = true
    if (up - following - starting > 1) this.seen.contest = true
    const agreed = following === up && !disagree
    const inGroups = this.inGroups.property.judged
    const isGoal = (): boolean =>
      inGroups ? this.partsAgree() : agreed && this.isPromised(followed, highest)
    const isReached = model.configurations.vary ? this.newestAgree() : up < this.minUp || isGoal()
    if (isReached) this.reachGoal(number)
    let ends = disagree && this.agreement.record(number)
    if (inGroups && disagree && this.groupsDisagree() && this.inGroups.record(number)) ends = true
    if (leaders > 1 && this.oneLeader.record(number)) ends = true
    if (inSingle > 1 && this.single.record(number)) ends = true
    if (model.history.sharesTerm(next, model.members)) {
      if (this.oneLeaderPerTerm.record(number)) ends = true
    }
    if (leaders > 1 && config.clocks && this.validLeases() > 1 && this.oneLease.record(number)) {
      ends = true
    }
    if (leaders > 1 && this.backedLeaders() > 1 && this.backed.record(number)) ends = true
    return this.breaksSafeguard(number, leaders) || ends
  }

  private breaksSafeguard(number: number, leaders: number): boolean {
    const { safeguards, keptLeases, keptVotes } = this
    const { model, actions, config } = this.search
    const { next } = actions
    let breaks = false
    if (keptLeases.property.judged && config.clocks && leaders > 0) {
      if (!safeguards.keepsLeases(next) && keptLeases.record(number)) breaks = true
    }
    if (keptVotes.property.judged && model.history.lastTermLed) {
      if (!safeguards.keepsVotes(next) && keptVotes.record(number)) breaks = true
    }
    return breaks
  }

  /** Whether the members of each part of the network follow one of themselves. */
  private partsAgree(): boolean {
    const { model, actions } = this.search
    const { next } = actions
    const up = nodesTo(model.n).filter((node) => model.local(next, node).mode > Mode.DOWN)
    return partsOf(up, (from, to) => !model.isCut(next, from, to)).every((part) => {
      const { leader } = model.local(next, part[0])
      return (
        part.includes(leader) && part.every((node) => model.local(next, node).leader === leader)
      )
    })
  }

  /**
   * Whether the up members of the newest configuration follow one of them, and no other member leads. The newest is
   * that of a member that is up. If too few of its voters are, or no voter that may lead, there is no leader.
   */
  private newestAgree(): boolean {
    const { model, actions, config } = this.search
    const { next } = actions
    const { configurations } = model
    const { promises, assumes } = config.algorithm
    const newest = configurations.newest(next)
    if (newest === NONE) return true
    const voters = seatsOf(configurations.votersOf(next, newest))
    const isUp = (seat: NodeId): boolean => model.local(next, seat).mode > Mode.DOWN
    const { group } = model.runner
    const needed = assumes.majority === true ? majority(voters.length) : 1
    const able = voters.filter((seat) => isUp(seat) && group.mayStand(seat))
    if (voters.filter(isUp).length < needed || able.length === 0) return true
    const members = seatsOf(configurations.membersOf(next, newest)).filter(isUp)
    const { leader } = model.local(next, members[0])
    const all = nodesTo(model.n)
    const isStrongest = able.every((seat) => !group.outranks(seat, leader))
    return (
      voters.includes(leader) &&
      (isStrongest || promises.leader === 'any') &&
      model.local(next, leader).mode === Mode.UP &&
      members.every((seat) => model.local(next, seat).leader === leader) &&
      all.every((node) => node === leader || model.local(next, node).leader !== node)
    )
  }

  private groupsDisagree(): boolean {
    const { model, actions } = this.search
    const { next } = actions
    const termIndex = model.localStates.layout.indexOf('term')
    const leaders = new Map<number, NodeId>()
    return nodesTo(model.n).some((node) => {
      const { mode, leader } = model.local(next, node)
      if (mode <= Mode.DOWN || leader === NONE) return false
      const term = model.counter(next, node, termIndex)
      const other = leaders.get(term) ?? leader
      leaders.set(term, leader)
      return other !== leader
    })
  }

  private isPromised(leader: NodeId, highest: NodeId): boolean {
    const { model, actions, config } = this.search
    if (config.algorithm.promises.leader === 'highest') return leader === highest
    return model.local(actions.next, leader).mode === Mode.UP
  }

  private reachGoal(number: number): void {
    this.search.goals.set(number)
    const budget = this.search.actions.next[0]
    if (budgetOf(budget, Budget.CRASHES) + budgetOf(budget, Budget.RECOVERIES) === 0) {
      this.seen.settledAfterFaults = true
    }
  }

  /** The members that lead and of whose lease no clock says that it is over. */
  private validLeases(): number {
    const { model, actions } = this.search
    let valid = 0
    for (let node = 1; node <= model.n; node++) {
      const local = model.local(actions.next, node)
      if (local.leader === node && !model.runner.clocks.isOverdue(local)) valid += 1
    }
    return valid
  }

  /** Who votes for a leader is a voter of its configuration, and has adopted no newer one. */
  private backedLeaders(): number {
    const { model, actions } = this.search
    const { n, localStates, voteIndex, configurations } = model
    if (voteIndex < 0) return 0
    const { next } = actions
    const termIndex = localStates.layout.indexOf('term')
    let backed = 0
    for (let node = 1; node <= n; node++) {
      if (model.local(next, node).leader !== node) continue
      const term = model.counter(next, node, termIndex)
      const voters = configurations.votersOf(next, node)
      let backers = 0
      let votes = 0
      for (let peer = 1; peer <= n; peer++) {
        if (((voters >>> peer) & 1) === 0) continue
        votes += 1
        const isFree = model.counter(next, peer, voteIndex) <= term
        if (isFree && !configurations.isNewer(next, peer, node)) backers += 1
      }
      if (backers >= majority(votes)) backed += 1
    }
    return backed
  }
}

/** The seats whose bits are set. */
function seatsOf(bits: number): NodeId[] {
  return nodesTo(31).filter((seat) => (bits >>> seat) & 1)
}
