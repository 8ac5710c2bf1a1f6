/**
 * Lists mutants of leases, bonds, votes, handovers and admission that were written from the algorithms alone, after checks
 * and hunt had been settled: they measure what these find of errors that nobody had foreseen.
 */
import type { LeaseMutant } from './lease-mutants-list.ts'
import type { Helper } from './mutate.ts'

type Line = readonly [what: string, from: string, to: string, equivalent?: string]

/** Of src/algorithms/helpers/lease.ts. */
const LEASE: readonly Line[] = [
  [
    'a mark starts the timer of the other parity',
    's.mark = mark\n    timers.set(leaseTimer(s.odd), this.leaseMs)',
    's.mark = mark\n    timers.set(leaseTimer(!s.odd), this.leaseMs)',
  ],
  [
    'a mark keeps the timer of the first answer',
    's.mark = mark\n    timers.set',
    'const isFirst = s.mark === 0\n    s.mark = mark\n    if (isFirst) timers.set',
    'the lease that is inherited then began earlier: it ends early, never late',
  ],
  [
    'the successor of one round is that of the next',
    's.successor = NONE\n',
    '',
    'its mark is cleared with it, and 0 passes no lease on: the successor asks for votes',
  ],
  [
    'an ended bond keeps its incarnation',
    's.bondedIncarnation = 0\n    timers',
    'timers',
    'it is read only while the bond is to a member, and each bond sets it',
  ],
  [
    'a round that begins is timed from the round before',
    's.odd = !s.odd\n    clearMarks(s)\n    timers.set(leaseTimer(s.odd), this.leaseMs)',
    's.odd = !s.odd\n    clearMarks(s)\n    timers.set(leaseTimer(s.odd), this.leaseMs)\n    timers.set(leaseTimer(!s.odd), this.leaseMs)',
  ],
]

/** Of src/algorithms/helpers/admission.ts. */
const ADMISSION: readonly Line[] = [
  ['every answer comes from an admitted member', 'if (admitted) {', 'if (admitted || !admitted) {'],
  [
    'one answer fewer admits',
    's.seated.size < length - majority(length) + 1',
    's.seated.size < length - majority(length)',
  ],
  ['admission outwaits nothing', 'if (!s.waited || s.seated', 'if (s.seated'],
  [
    'the votes heard are not taken over',
    'return this.admit(s, true, out)',
    'return this.admit(s, false, out)',
  ],
  ['the vote heard last is taken over', 'if (vote > s.vote) s.vote = vote', 's.vote = vote'],
  [
    'an answer to an old question counts',
    '!s.admitted && m.round === s.question && this',
    '!s.admitted && this',
  ],
  ['a new question keeps the admitted ones', 's.seated.clear()\n', ''],
  ['a new question keeps those without state', 's.fresh.clear()\n', ''],
  ['any Found admits', '!s.admitted && s.counted.has(from) && this', '!s.admitted && this'],
  ['admitted members do not hinder a founding', 's.seated.size === 0 && group', 'group'],
  ['a majority founds the group', 'fresh === length || suffices', 'fresh >= majority(length)'],
  ['an answer tells the term, not the vote', 'this.votes.largest(s) : s.term', 's.term : s.term'],
  [
    'a member without state says that it is admitted',
    "type: 'who', round, admitted, vote",
    "type: 'who', round, admitted: true, vote",
  ],
  [
    'an admitted member says that it has no state',
    "type: 'who', round, admitted, vote",
    "type: 'who', round, admitted: false, vote",
  ],
  [
    'the founding is told to nobody',
    "for (const peer of s.fresh) out.send(peer, { type: 'found' })",
    '',
  ],
]

/** Of src/algorithms/bully-fd-quorum.ts. */
const BULLY: readonly Line[] = [
  [
    'an answer keeps its first mark',
    'if (counts && lease.leaseMs > 0) lease.markAnswer(s, freshId(s), out)',
    'if (counts && lease.leaseMs > 0) lease.markAnswer(s, s.mark || freshId(s), out)',
  ],
  [
    'a follower is bonded to its own incarnation',
    'lease.bond(s, from, m.incarnation, out,',
    'lease.bond(s, from, s.incarnation, out,',
  ],
  [
    'a voter is bonded to no incarnation of its candidate',
    'lease.bond(s, candidate, incarnation, out,',
    'lease.bond(s, candidate, 0, out,',
    'a bond to an unknown incarnation ends by time only: it is longer, never shorter',
  ],
  [
    'a start does not learn its incarnation',
    's.incarn += 1\n    s.incarnation = lease.incarnationOf(out)',
    's.incarn += 1',
    'a bond to an unknown incarnation ends by time only: it is longer, never shorter',
  ],
  ['no durable incarnation', 's.incarn += 1\n    s.incarnation', 's.incarnation'],
  [
    'a leader that resigns keeps its role',
    'announceEnd(s, successor, next, out)\n    backOff(s, out)',
    'announceEnd(s, successor, next, out)',
  ],
  [
    'a resignation is sent in the next term',
    "const resign: Message = { type: 'resign', term: s.term,",
    "const resign: Message = { type: 'resign', term: next,",
  ],
  [
    'the successor inherits without a majority',
    'countVote(s, leader, out)\n  }',
    'win(s, out)\n  }',
  ],
  [
    'a successor that inherits takes no new term',
    's.voteRound = 0\n    recordVote(s, term)',
    's.voteRound = 0',
  ],
  [
    'an Ack after the election gets an Ldr of any term',
    'if (term === s.term) out.send(from',
    'if (term >= 0) out.send(from',
    'the round of a vote names one candidacy, and a leader has the term of that one',
  ],
  [
    'a vote that lapses ends no wait',
    's.vote = s.term\n  s.known = s.term\n}\n\n/** There is',
    's.known = s.term\n}\n\n/** There is',
  ],
  ['a vote lapses in every role', 's.term = s.vote // a vote lapses only in Wait', ''],
  [
    'a known vote is forgotten with the role',
    's.vote = term\n    s.known = term\n    clearDeferred',
    's.vote = term\n    clearDeferred',
  ],
  [
    'a deferred Halt gets a vote for another incarnation',
    'deferredIncarnation: incarnation, deferredBond',
    'incarnation, deferredBond',
  ],
  [
    'a Release clears any deferred Halt',
    's.deferredFrom === from && s.deferredRound === m.round) clear',
    's.deferredFrom !== NONE) clear',
    'the candidate that was deferred asks again when its time is over: slower, and safe',
  ],
  [
    'a leader grants a vote and goes on',
    'resignTo(s, from, term, out)\n      grantVote(s, from, halt, out)',
    "out.send(from, { type: 'ack', term, round: halt.round })",
  ],
  [
    'a member bonded to another follows an Ldr of its vote',
    "((s.status === 'Wait' && s.head === leader) || s.backingOff)",
    "(s.status !== 'Norm')",
    'a term has one leader: only that member sends an Ldr of it',
  ],
  [
    'an unadmitted member takes part',
    'else if (s.admitted) handle(s, from, m, out)',
    'else handle(s, from, m, out)',
  ],
  [
    'a member without state stands at once',
    "if (!admission.begin(s, out)) s.status = 'New'\n    else takePart",
    "if (!admission.begin(s, out)) s.status = 'New'\n    takePart",
    'it asks for votes, and ignores every answer until it is admitted, when it begins anew: the votes are returned or lapse with time',
  ],
]

/** Of src/algorithms/roulette-majority.ts. */
const ROULETTE: readonly Line[] = [
  [
    'a proposal of the same term frees',
    's.bondedTo === from && m.term > s.term',
    's.bondedTo === from && m.term >= s.term',
  ],
  [
    'a larger term ends no role',
    "const led = s.status === 'leader'\n    becomeBasic(s, out)",
    "const led = s.status === 'leader'",
    'a leader draws again, which ends its role; a candidate finds no answer of the new term, and its time-out ends the candidacy; a follower leaves when it follows, draws or votes',
  ],
  [
    'a leader counts the votes of its candidacy as answers',
    'becomeBasic(s, out)\n    wheel.stopDrawing(s, out)\n    s.led = true',
    'wheel.stopDrawing(s, out)\n    s.led = true',
    'its first round of heartbeats clears them',
  ],
  [
    'a resignation of any member frees',
    "case 'resign':\n        return leadsNoLonger(s, from, out)",
    "case 'resign':\n        return leadsNoLonger(s, s.bondedTo, out)",
    'who can resign was chosen by a majority that was not bonded: every lease of an earlier term is over',
  ],
  [
    'a follower is bonded by its first heartbeat only',
    '    bond(s, leader, incarnation, out)\n    out.send',
    '    if (!s.bonded) bond(s, leader, incarnation, out)\n    out.send',
  ],
  [
    'a leader leads when the wheel stops',
    "s.status = 'leader'\n    s.answered = true\n    beat(s, out)",
    "s.status = 'leader'\n    s.leader = out.me\n    s.answered = true\n    beat(s, out)",
  ],
  [
    'a start does not learn its incarnation',
    's.incarn += 1\n    s.incarnation = lease.incarnationOf(out)',
    's.incarn += 1',
    'a bond to an unknown incarnation ends by time only: it is longer, never shorter',
  ],
]

function of(
  algorithm: LeaseMutant['algorithm'],
  lines: readonly Line[],
  file?: Helper,
): LeaseMutant[] {
  return lines.map(([what, from, to, equivalent]) => ({
    algorithm,
    what: file === undefined ? what : `${file.split('/')[1]}: ${what}`,
    edits: [file === undefined ? [from, to] : [from, to, file]],
    ...(equivalent === undefined ? {} : { equivalent }),
  }))
}

export const HOSTILE_MUTANTS: readonly LeaseMutant[] = [
  ...of('bully-fd-quorum', LEASE, 'helpers/lease'),
  ...of('bully-fd-quorum', ADMISSION, 'helpers/admission'),
  ...of('bully-fd-quorum', BULLY),
  ...of('roulette-majority', ROULETTE),
]
