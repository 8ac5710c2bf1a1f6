/** The list of mutants of leases, bonds and handovers. Each edit replaces a text that occurs exactly once in its file. */
import type { Edit } from './mutate.ts'

export interface LeaseMutant {
  readonly algorithm: 'bully-fd-quorum' | 'roulette-majority'
  readonly what: string
  readonly edits: readonly Edit[]
  /** Why the mutant behaves the same, or differs only where nothing is promised. */
  readonly equivalent?: string
}

type Line = readonly [what: string, from: string, to: string, equivalent?: string]

/** Of src/algorithms/helpers/lease.ts, as bully-fd-quorum uses it. */
const LEASE: readonly Line[] = [
  [
    'the lease is counted from the receipt of the majority',
    's.answered = true\n    timers.clear(leaseTimer(!s.odd))',
    's.answered = true\n    timers.clear(leaseTimer(!s.odd))\n    if (this.leaseMs > 0) timers.set(leaseTimer(s.odd), this.leaseMs)',
  ],
  [
    'a lease has no timer',
    'clearMarks(s)\n    timers.set(leaseTimer(s.odd), this.leaseMs)',
    'clearMarks(s)',
  ],
  [
    'a lease is twice as long',
    'clearMarks(s)\n    timers.set(leaseTimer(s.odd), this.leaseMs)',
    'clearMarks(s)\n    timers.set(leaseTimer(s.odd), 2 * this.leaseMs)',
  ],
  [
    'a lease lasts as long as a bond',
    'clearMarks(s)\n    timers.set(leaseTimer(s.odd), this.leaseMs)',
    'clearMarks(s)\n    timers.set(leaseTimer(s.odd), this.bondMs)',
  ],
  ['the timers of a lease do not alternate', 's.odd = !s.odd\n', ''],
  [
    'a renewal clears the timer that runs from the round',
    'timers.clear(leaseTimer(!s.odd))',
    'timers.clear(leaseTimer(s.odd))',
  ],
  [
    'a renewal clears both timers',
    'timers.clear(leaseTimer(!s.odd))',
    "timers.clear('lease0')\n    timers.clear('lease1')",
  ],
  ['a renewal clears no timer', 'timers.clear(leaseTimer(!s.odd))', ''],
  [
    'a round is answered at once',
    's.answered = false\n    if (this.leaseMs === 0) return',
    's.answered = true\n    if (this.leaseMs === 0) return',
  ],
  [
    'marks of an earlier round stay',
    's.odd = !s.odd\n    clearMarks(s)',
    's.odd = !s.odd',
    'a mark counts only if it is still the latest of the successor, and then its timer runs, whichever round it answered',
  ],
  ['the marks of an ended lease stay', 's.odd = false\n    clearMarks(s)', 's.odd = false'],
  [
    'the end of a lease leaves its first timer',
    "timers.clear('lease0')",
    '',
    'the timer that is left ends a later lease early, or an inheritance: never late',
  ],
  [
    'the end of a lease leaves its second timer',
    "timers.clear('lease1')",
    '',
    'the timer that is left ends a later lease early, or an inheritance: never late',
  ],
  [
    'a mark starts no timer',
    's.mark = mark\n    timers.set(leaseTimer(s.odd), this.leaseMs)',
    's.mark = mark',
  ],
  [
    'a mark lasts for two leases',
    's.mark = mark\n    timers.set(leaseTimer(s.odd), this.leaseMs)',
    's.mark = mark\n    timers.set(leaseTimer(s.odd), 2 * this.leaseMs)',
  ],
  [
    'an answer gets no mark',
    's.mark = mark\n',
    '',
    'no successor inherits then: each asks for votes, which is only slower',
  ],
  [
    'any successor inherits',
    'return this.leaseMs === 0 || (mark !== 0 && s.mark === mark)',
    'return true',
  ],
  ['no mark passes the lease on', '(mark !== 0 && s.mark === mark)', 's.mark === mark'],
  ['any mark passes the lease on', '(mark !== 0 && s.mark === mark)', 'mark !== 0'],
  [
    'the leader notes the first mark only',
    'if (mark === 0 || (s.successor',
    'if (mark === 0 || s.successorMark !== 0 || (s.successor',
    'a mark that is not the latest passes no lease on: the successor asks for votes',
  ],
  [
    'a weaker successor replaces a stronger one',
    'group.outranks(s.successor, from)',
    'group.outranks(from, s.successor)',
    'any member that answered may inherit; strength only decides which is named',
  ],
  [
    'the mark of another member is kept',
    's.successorMark = mark',
    's.successorMark = s.successorMark || mark',
    'a mark that is not the latest of the successor passes no lease on: the successor asks for votes',
  ],
  [
    'the incarnation of the successor is not noted',
    's.successorIncarnation = incarnation',
    '',
    'a bond to an unknown incarnation ends by time only: it is longer, never shorter',
  ],
  ['a bond is not longer than a lease', 'Math.ceil(leaseMs * (1 + driftPercent / 100))', 'leaseMs'],
  [
    'a bond lasts for half a lease',
    'Math.ceil(leaseMs * (1 + driftPercent / 100))',
    'Math.ceil(leaseMs / 2)',
  ],
  ['an answer makes no bond', 's.bonded = true\n', ''],
  [
    'a bond keeps its first loyalty',
    's.bondedTo = leader\n',
    'if (s.bondedTo === NONE) s.bondedTo = leader\n',
  ],
  ['a bond is to no leader', 's.bondedTo = leader\n', 's.bondedTo = NONE\n'],
  [
    'a bond keeps its first incarnation',
    's.bondedIncarnation = incarnation\n',
    's.bondedIncarnation ||= incarnation\n',
  ],
  [
    'a bond is not renewed',
    "timers.set('bond', bondMs)",
    "if (leader !== s.bondedTo || !s.bonded) timers.set('bond', bondMs)",
  ],
  ['a bond has no timer', "timers.set('bond', bondMs)", ''],
  [
    'an ended bond keeps its leader',
    's.bondedTo = NONE\n    s.bondedIncarnation = 0',
    's.bondedIncarnation = 0',
    'the name is read only while the member is bonded, or together with an incarnation that is 0, which no proof is about: the proof is then ignored, and the detector reports the crash as well',
  ],
  ['an ended bond keeps its timer', "timers.clear('bond')", ''],
  ['the end of a bond frees no member', 's.bonded = false\n', ''],
]

/** Of src/algorithms/bully-fd-quorum.ts. */
const BULLY: readonly Line[] = [
  [
    'the lease of a successor never ends',
    "s.status = 'Elec2'\n    s.inherits = true",
    "s.status = 'Elec2'\n    out.clear('lease0')\n    out.clear('lease1')\n    s.inherits = true",
  ],
  ['old Acks of a successor count', 's.inherits = true\n    s.voteRound = 0', 's.inherits = true'],
  ['a mark that outlived its lease passes it on', 'else s.mark = 0', 'else s.answered = false'],
  [
    'a restart binds no member',
    'if (started) lease.bond(s, NONE, 0, out, lease.bondFor(s, 0, out))',
    '',
  ],
  ['the first start is not remembered', 's.started = true\n    election.stage1', 'election.stage1'],
  [
    'a first start binds, too',
    'if (started) lease.bond',
    'lease.bond',
    'the first election waits for one bond: slower, and safe',
  ],
  [
    'one bound by its restart helps any member',
    's.bonded && s.bondedTo !== candidate',
    's.bonded && s.bondedTo !== NONE && s.bondedTo !== candidate',
  ],
  [
    'a bonded member votes for any candidate',
    'if (s.bonded && s.bondedTo !== candidate) return false\n',
    '',
  ],
  [
    'a bonded member stands',
    "s.status !== 'Elec1' || s.bonded || s.backingOff",
    "s.status !== 'Elec1' || s.backingOff",
  ],
  [
    'a candidate ignores the end of its lease',
    "else if (s.status === 'Elec2') election.backOff(s, out)\n",
    "else if (s.status === 'Elec2') return\n",
  ],
  [
    'a leader ignores the end of its lease',
    'if (s.leader === out.me) resignation.resignTo(s, NONE, s.term, out)',
    'if (s.leader === out.me) return',
  ],
  ['any death frees', 'if (!isOver(s.bondedIncarnation)) return', 'if (isOver(0)) return'],
  [
    'no death frees',
    'lease.endBond(s, out)\n    }\n    down(s, peer, out)',
    '}\n    down(s, peer, out)',
    'the bond ends by time: slower, and safe',
  ],
  [
    'the death of any member frees',
    'if (s.bondedTo === peer) {\n      if (!isOver',
    'if (s.bonded) {\n      if (s.bondedTo === peer && !isOver',
  ],
  [
    'the member that resigns frees everybody',
    'if (s.bondedTo === from) lease.endBond(s, out)',
    'lease.endBond(s, out)',
    'each member that takes part here has its latest vote in the term that ended, and gave it when no other lease relied on it: the bond is to a lease that is over',
  ],
  ['a resignation frees no member', 'if (s.bondedTo === from) lease.endBond(s, out)', ''],
  [
    'one bonded to another endorses a successor',
    'successor !== s.deferredFrom && !s.bonded) return true',
    'successor !== s.deferredFrom) return true',
    'each member that takes part here has its latest vote in the term that ended, and gave it when no other lease relied on it: the bond is to a lease that is over',
  ],
  [
    'a resignation is acted on by all',
    "if (s.head !== from && s.status !== 'Elec1') return false\n",
    '',
    'a candidate whose latest vote is in the term that ended then leaves its round, and so counts no vote of it, before it votes for the successor or asks anew; all others that have this vote follow the leader or stand',
  ],
  ['a resignation of another term counts', 'if (term !== s.vote || !turnsTo', 'if (!turnsTo'],
  [
    'a vote for a successor binds no member',
    'lease.bond(s, successor, m.incarnation, out, lease.bondFor(s, m.bond, out))',
    '',
  ],
  ['a vote for a successor is not recorded', 'recordVote(s, m.next)\n    lease', 'lease'],
  [
    'a vote for a candidate binds no member',
    'lease.bond(s, candidate, incarnation, out, lease.bondFor(s, bond, out))',
    '',
  ],
  [
    'a heartbeat binds no member',
    'lease.bond(s, from, m.incarnation, out, lease.bondFor(s, m.bond, out))',
    '',
  ],
  ['the leader does not vote for its successor', 'recordVote(s, next)\n', ''],
  [
    'the leader is not bonded to its successor',
    'lease.bond(s, successor, incarnation, out, lease.bondFor(s, 0, out))\n',
    '',
  ],
  [
    'the leader names no incarnation to itself',
    'const incarnation = successor === s.successor ? s.successorIncarnation : 0\n    resignTo',
    'const incarnation = 0\n    resignTo',
    'a bond to an unknown incarnation ends by time only: it is longer, never shorter',
  ],
  [
    "a resignation carries another member's mark",
    'const mark = isKnown ? s.successorMark : 0',
    'const mark = s.successorMark',
  ],
  [
    'a resignation carries no mark',
    'const mark = isKnown ? s.successorMark : 0',
    'const mark = 0',
    'no successor inherits then: each asks for votes, which is only slower',
  ],
  [
    'an old successor term is inherited',
    'm.next === candidateTerm(s, me) && lease',
    'lease',
    'each member that votes for it has its latest vote in the term that ended: no majority has voted for a larger term, which the successor only knows of',
  ],
  [
    'an endorsement of another term counts',
    's.inherits && m.next === s.term && m.mark',
    's.inherits && m.mark',
    'the mark is that of one answer of the successor to one leader, which named it in one resignation, of one term',
  ],
  [
    'an endorsement of another mark counts',
    'm.next === s.term && m.mark === s.mark',
    'm.next === s.term',
    'a leader resigns once in its term, and names one mark to all: endorsements of the next term carry no other',
  ],
  [
    'an endorsement counts in any role',
    's.inherits && m.next === s.term &&',
    'm.next === s.term &&',
  ],
  [
    'an endorsement stands for no resignation',
    'onResign(s, m.term % STRIDE, { ...m, successor: out.me, incarnation }, out)\n',
    '',
    'the resignation itself follows; without it the endorsements time-out asks for votes',
  ],
  [
    "an old round's Release counts",
    "s.status !== 'Wait' || s.head !== from || s.round !== m.round",
    "s.status !== 'Wait' || s.head !== from",
  ],
  [
    'a Release of any member counts',
    "s.status !== 'Wait' || s.head !== from || s.round",
    "s.status !== 'Wait' || s.round",
    'the round of a candidate occurs in its own messages only',
  ],
  ['each Release returns the vote', 'if (m.lapsed) returnVote(s)', 'returnVote(s)'],
  ['a released vote stays', 'if (m.lapsed) returnVote(s)\n', ''],
  ['a Release never lapses a vote', 'lapsed: s.term < term', 'lapsed: false'],
  ['every Release lapses a vote', 'lapsed: s.term < term', 'lapsed: true'],
  [
    "an old round's answer counts",
    'if (m.round !== s.round) return\n    if (s.acks.add',
    'if (s.acks.add',
  ],
  [
    'an answer of another term counts',
    'if (s.leader !== out.me || m.term !== s.term) return',
    'if (s.leader !== out.me) return',
  ],
  ["an old round's Ack counts", 'if (round !== s.voteRound) return\n', ''],
  [
    'one answer renews the lease',
    'if (s.acks.add(from) && register.isMajority(s, s.acks, out.me)) endRound(s, out)',
    'if (s.acks.add(from)) endRound(s, out)',
  ],
  [
    'one vote wins',
    'if (s.acks.add(from) && register.isMajority(s, s.acks, out.me)) win(s, out)',
    'if (s.acks.add(from)) win(s, out)',
  ],
  [
    'a candidate wins with answers of the last round',
    's.acks.clear()\n    s.round = freshId(s)',
    's.round = freshId(s)',
  ],
  [
    'an answered round stays open',
    'lease.renew(s, out)\n    s.acks.clear()\n    s.round = 0',
    'lease.renew(s, out)',
    'further answers to it clear the older timer again, which is not set: the lease runs from the same round',
  ],
  [
    'each beat begins a round',
    'if (s.answered) role.beginRound(s, out)',
    'role.beginRound(s, out)',
  ],
  ['no beat begins a round', 'if (s.answered) role.beginRound(s, out)', ''],
  [
    'Norm? of an old term is followed',
    "if (term < s.term) return out.send(from, { type: 'rej', term: s.vote })\n",
    '',
  ],
  ['Norm? below a vote is answered', 'if (term < s.vote) return // the vote may lapse\n', ''],
  [
    'a Halt of an old term gets a vote',
    "if (term < s.vote) out.send(from, { type: 'rej', term: s.vote })\n    else if",
    'if',
  ],
  ['an Ldr below the vote is followed', 'term > s.vote && mayFollow', 'term > s.term && mayFollow'],
  [
    'any Ldr of the term is followed',
    "((s.status === 'Wait' && s.head === leader) || s.backingOff)",
    "(s.status === 'Wait' || s.backingOff)",
    'a term has one leader: only that member sends an Ldr of it',
  ],
  [
    'a deferred vote ignores the bond',
    'deferredFrom !== NONE && !s.bonded && term >= s.vote',
    'deferredFrom !== NONE && term >= s.vote',
  ],
  [
    'a deferred vote ignores its term',
    'deferredFrom !== NONE && !s.bonded && term >= s.vote',
    'deferredFrom !== NONE && !s.bonded',
    'a Halt below the vote is refused at once, and whatever raises the vote clears what is deferred',
  ],
  [
    'the end of a bond resumes no election',
    'lease.endBond(s, out)\n        return voting.resumeElection(s, out)',
    'lease.endBond(s, out)\n        return',
  ],
  [
    'a role that ends keeps its lease',
    'leaveRole(s, successor, out)\n    lease.end(s, out)',
    'leaveRole(s, successor, out)',
    'what is left are timers that began earlier than those of the next lease, and a mark with the timer of its answer: a lease that uses them ends early, never late',
  ],
  [
    'a new candidacy keeps the old lease',
    'lease.end(s, out)\n    s.status',
    's.status',
    'the timer that is left began earlier than that of the candidacy: the lease ends early, never late',
  ],
  [
    'a successor that stands keeps the lease',
    'role.leaveRoleAndLease(s, NONE, out)\n    election.stage2',
    'role.leaveRole(s, NONE, out)\n    election.stage2',
    'stage2 ends the lease itself',
  ],
  [
    'a successor leaves its lease when it inherits',
    "role.leaveRole(s, NONE, out)\n    s.status = 'Elec2'",
    "role.leaveRoleAndLease(s, NONE, out)\n    s.status = 'Elec2'",
  ],
  [
    'a term does not exceed the known ones',
    '(Math.floor(term / STRIDE) + 1) * STRIDE',
    'Math.floor(term / STRIDE) * STRIDE',
  ],
  [
    'the winner records no vote',
    'recordVote(s, term)\n    forgetElection(s)\n    role.renewLease',
    'forgetElection(s)\n    role.renewLease',
  ],
  ['the round of a vote is not noted', 's.voteRound = s.round\n', ''],
  [
    'a restart forgets what it voted for',
    's.known = s.vote\n    clearDeferred(s)\n    if',
    's.known = 0\n    clearDeferred(s)\n    if',
  ],
]

/** Of src/algorithms/roulette-majority.ts. */
const ROULETTE: readonly Line[] = [
  [
    'the wheel is spun again',
    "s.status !== 'coordinator' || s.spun",
    "s.status !== 'coordinator'",
    'a candidacy draws for the wheel once, and the draw is answered before the member takes another step',
  ],
  [
    'a copy of the announcement begins a second leadership',
    'if (!s.led) lead(s, out)',
    'lead(s, out)',
  ],
  ['that it led is not noted', 's.led = true\n    s.status', 's.status'],
  [
    'a new term is one that it led in',
    's.term = term\n    s.led = false',
    's.term = term',
    'the member then ignores announcements until it launches itself: another round of vote follows, slower, and safe',
  ],
  ['a restart binds no member', 'bond(s, NONE, 0, out)\n      out.set', 'out.set'],
  [
    'the first start is not remembered',
    '    s.started = true\n  }\n\n  function beginDrawing',
    '  }\n\n  function beginDrawing',
  ],
  [
    'a bonded member votes for any candidate',
    '!s.bonded || (s.bondedTo === from && m.term > s.term)',
    'm.term > 0',
  ],
  ['an old proposal frees', '(s.bondedTo === from && m.term > s.term)', '(s.bondedTo === from)'],
  [
    'one bound by its restart helps any member',
    '!s.bonded || (s.bondedTo === from',
    '!s.bonded || s.bondedTo === NONE || (s.bondedTo === from',
  ],
  [
    'a bonded member draws',
    'if (!s.bonded) out.set',
    'if (s.bonded || !s.bonded) out.set',
    'its draws count for nothing: the next line asks again whether it is bonded',
  ],
  [
    'a draw of a bonded member launches',
    's.drawing && !s.bonded',
    's.drawing',
    'a bond stops the draws, and a bonded member begins none',
  ],
  [
    'a bond leaves the draw',
    "if (s.bonded) out.clear('draw')\n",
    '',
    'the draw that is left does nothing: a bonded member launches no candidacy',
  ],
  ['any death frees', '&& !isOver(s.bondedIncarnation)) return', '&& isOver(0)) return'],
  [
    'the death of any member frees',
    's.bonded && s.bondedTo === leader) endBond',
    's.bonded) endBond',
  ],
  [
    'a heartbeat binds no member',
    '    bond(s, leader, incarnation, out)\n    out.send',
    '    out.send',
  ],
  [
    'a follower answers without following',
    "s.leader = leader\n      out.clear('leader')",
    "out.clear('leader')",
  ],
  ['an old answer counts', "s.status !== 'leader' || m.round !== s.round", "s.status !== 'leader'"],
  [
    'an answer counts in any role',
    "if (s.status !== 'leader' || m.round !== s.round) return",
    'if (m.round !== s.round) return',
    'a member that does not lead has round 0, which no answer names',
  ],
  ['a majority leads without answers', 's.answered || s.answers.size + 1 < quorum', 's.answered'],
  [
    'one answer fewer renews the lease',
    's.answered || s.answers.size + 1 < quorum',
    's.answered || s.answers.size + 2 < quorum',
  ],
  [
    'one vote fewer spins the wheel',
    'if (s.votes.size < quorum) return',
    'if (s.votes.size + 1 < quorum) return',
  ],
  ['a round has no timer', 'if (lease.leaseMs > 0) out.set(leaseTimer(s.odd), lease.leaseMs)', ''],
  ['the timers of a lease do not alternate', 's.odd = !s.odd\n', ''],
  [
    'each beat begins a round',
    'if (s.answered) {\n      s.answered = false',
    '{\n      s.answered = false',
  ],
  [
    'answers of the last round count',
    's.answered = false\n      s.answers.clear()',
    's.answered = false',
  ],
  ['a round that is out keeps its name', 's.rounds += 1\n', ''],
  ['a member votes twice in a term', '(s.voted === NONE || s.voted === from)', '(s.voted >= NONE)'],
  ['a candidate does not vote for itself', 's.voted = out.me\n', ''],
  ['a larger term keeps the vote', 's.led = false\n    s.voted = NONE', 's.led = false'],
  ['an old term is accepted', 'if (m.term >= s.term && (m.type', 'if (m.term >= 0 && (m.type'],
  [
    'a leader ignores the end of its lease',
    "case 'lease1':\n        return announceResignation(s, out)",
    "case 'lease1':\n        return",
  ],
  [
    'a resignation frees no member',
    "case 'resign':\n        return leadsNoLonger(s, from, out)",
    "case 'resign':\n        return down(s, from, out)",
    'the bond ends by time: slower, and safe',
  ],
  [
    'the end of a bond frees no member',
    'return leadsNoLonger(s, s.bondedTo, out) // no heartbeat',
    'return down(s, s.bondedTo, out) // no heartbeat',
  ],
  [
    'a leader that resigns goes on',
    'out.send(peer, resign)\n    beginDrawing(s, out)',
    'out.send(peer, resign)',
  ],
  [
    'the end of a role keeps its lease',
    "for (const timer of ['answers', 'beat', 'lease0', 'lease1'] as const)",
    "for (const timer of ['answers', 'beat'] as const)",
    'the timer that is left ends a later lease early, or makes the member resign when it leads no longer, which frees only those that are bonded to it',
  ],
]

const of = (algorithm: LeaseMutant['algorithm'], file?: 'helpers/lease') => {
  return ([what, from, to, equivalent]: Line): LeaseMutant => {
    const edit: Edit = file === undefined ? [from, to] : [from, to, file]
    return { algorithm, what, edits: [edit], ...(equivalent === undefined ? {} : { equivalent }) }
  }
}

export const LEASE_MUTANTS: readonly LeaseMutant[] = [
  ...LEASE.map((line) => {
    const mutant = of('bully-fd-quorum', 'helpers/lease')(line)
    return { ...mutant, what: `lease: ${mutant.what}` }
  }),
  ...BULLY.map(of('bully-fd-quorum')),
  ...ROULETTE.map(of('roulette-majority')),
]
