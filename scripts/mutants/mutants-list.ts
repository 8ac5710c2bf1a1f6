/** The list of mutants, each a line of an algorithm and its replacement, and why a survivor may survive. `from` occurs exactly once in the file. */
export interface Mutant {
  readonly algorithm: string
  readonly what: string
  readonly from: string
  readonly to: string
  /** Why the mutant may survive: it behaves the same, or differs only where nothing is promised. */
  readonly survives?: string
}

type Line = readonly [what: string, from: string, to: string, survives?: string]

const BULLY_FD: readonly Line[] = [
  ['B1: Stage 2 does not count', 's.nextel += 1', 's.nextel += 0'],
  ['B2: a restart does not count', 's.incarn += 1', 's.incarn += 0'],
  ['B2: an id without the incarnation', 's.incarn * ELECTIONS + s.nextel', 's.nextel'],
  [
    'B3: an Ack of another election counts',
    `if (s.status !== 'Elec2' || !sameMark) return`,
    `if (s.status !== 'Elec2') return`,
  ],
  [
    'an Ack counts in any status',
    `if (s.status !== 'Elec2' || !sameMark) return`,
    `if (!sameMark) return`,
    'an Ack of this election after its end: no set that is still read grows',
  ],
  ['an Ack is not entered', 's.acks.add(from)', 's.acks.has(from)'],
  [
    'B4: completion is not tested at once',
    `complete(s, out)
  }

  function complete`,
    `}

  function complete`,
  ],
  [
    'B4: completion is not tested on DownSig',
    `s.downJuniors.add(peer)
      complete(s, out)`,
    's.downJuniors.add(peer)',
  ],
  [
    'completion wants one too few',
    's.downJuniors.size < register.juniors(s, out.me).length',
    's.downJuniors.size + 1 < register.juniors(s, out.me).length',
  ],
  [
    'B6: Elec1 asks once',
    `      out.set('tau', askMs)
    } else if`,
    `    } else if`,
  ],
  ['B7: Stage 2 is not repeated', `out.set('restart', restartMs)`, ''],
  [
    'B12: Stage 2 is repeated under the same id',
    `leave(s, out)
    s.nextel += 1`,
    `if (s.status !== 'Elec2') s.nextel += 1
    leave(s, out)`,
  ],
  [
    'B9: no Stage 3',
    `if (register.superiors(s, out.me).length === 0) win(s, out)`,
    `if (out.me > NONE) win(s, out)`,
  ],
  [
    'Stage 3 asks about no superior',
    `s.status = 'Elec3'
    for (const peer of register.superiors(s, out.me)) out.request(peer)`,
    `s.status = 'Elec3'
    for (const peer of register.juniors(s, out.me)) out.request(peer)`,
    'Stage 3 asks when tau runs out: later, but all the same',
  ],
  [
    'Stage 3 wins at the first DownSig',
    `if (s.down.size < register.superiors(s, out.me).length) return`,
    `if (s.status === 'Elec1' && s.down.size < register.superiors(s, out.me).length) return`,
  ],
  [
    'Stage 1 goes on at the first DownSig',
    `if (s.down.size < register.superiors(s, out.me).length) return`,
    `if (s.status === 'Elec3' && s.down.size < register.superiors(s, out.me).length) return`,
  ],
  [
    'Stage 3 does not yield',
    `else if (s.status === 'Elec3') stage1(s, out) // yield`,
    '',
    'it asks on in Stage 3 instead of Stage 1; the superior halts it there as well',
  ],
  [
    'Elec1 ignores UpSig',
    `if (s.status === 'Elec1') s.down.delete(peer)`,
    `if (s.status === 'Elec1') return`,
    'Stage 3 asks all superiors again',
  ],
  [
    'B8: any Halt is followed',
    'if (!followsStronger) return follow(s, from, mark, out)',
    'if (followsStronger || !followsStronger) return follow(s, from, mark, out)',
  ],
  [
    'B13: Norm? looks at the status only',
    `s.status === 'Norm' && s.leader === from && m.mark === s.mark`,
    `s.status === 'Norm'`,
  ],
  ['what Stage 1 found is not cleared', `s.down.clear()`, ''],
  ['acks are not cleared', 's.acks.clear()', ''],
  ['dw_gter is not cleared', 's.downJuniors.clear()', ''],
  ['the winner informs no member', `for (const peer of s.acks) out.send(peer, ldr)`, ''],
  [
    'Ldr of another election is accepted',
    `if (s.status !== 'Wait' || s.head !== from || !sameMark) return`,
    `if (s.status !== 'Wait' || s.head !== from) return`,
    'links are fifo and a candidate never re-uses an id: behind its Halt no older Ldr follows',
  ],
  [
    'Ldr is accepted in any status',
    `if (s.status !== 'Wait' || s.head !== from || !sameMark) return`,
    `if (s.head !== from || !sameMark) return`,
    'the id of an election that the member left is gone: it no longer matches',
  ],
  [
    'a Halt is followed without an Ack',
    `out.send(candidate, { type: 'ack', mark, term: s.term })`,
    '',
  ],
  ['a waiting member does not watch', 'out.watch(candidate)', ''],
  [
    'the crash of the leader is ignored',
    `if (peer !== s.head) return
      if (s.deferredFrom === NONE) stage1(s, out)`,
    `if (peer !== s.head) return
      if (s.deferredFrom === NONE) s.status = 'Norm'`,
  ],
  [
    'Halt goes to one junior too few',
    `for (const peer of register.juniors(s, out.me)) {
      out.send(peer, halt)
      out.request(peer)`,
    `for (const peer of register.juniors(s, out.me)) {
      if (peer > 1) out.send(peer, halt)
      out.request(peer)`,
  ],
  [
    'juniors are not asked about',
    `out.send(peer, halt)
      out.request(peer)`,
    'out.send(peer, halt)',
  ],
  ['Norm? is never answered', `if (!normal) out.send(from, { type: 'notNorm', mark: m.mark })`, ''],
  [
    'NotNorm is ignored',
    'if (s.leader === out.me && sameMark) stage1(s, out)',
    'if (s.leader === NONE && sameMark) stage1(s, out)',
  ],
  [
    'the leader asks Norm? once',
    `    }
    out.set('tau', periodMs)
  }

  function tellWhich`,
    `    }
  }

  function tellWhich`,
  ],
  [
    'configuration: a candidate is halted for, whatever it has',
    'if (isNewer(s, halt)) return tell(s, from, out)\n',
    '',
  ],
  [
    'configuration: who hears of a newer one in a Halt does not ask for it',
    'if (isNewer(halt, s)) tellWhich(s, [from], out)\n',
    '',
    'Norm? carries the same stamp a little later',
  ],
  [
    'configuration: who hears of a newer one does not ask for it',
    '    else if (isNewer(m, s)) tellWhich(s, [from], out)\n',
    '',
  ],
  [
    'configuration: nobody is told the newer one',
    '    if (isNewer(s, m)) tell(s, from, out)\n    else if (isNewer(m, s))',
    '    if (isNewer(m, s))',
  ],
  [
    'configuration: an older one is adopted',
    'if (!isNewer(m, s)) return\n',
    'if (isSame(m, s)) return\n',
    'only a Config that was overtaken is older, and the next Have brings back what it undid: agreement is promised in the end',
  ],
  [
    'configuration: a candidate that adopts one goes on',
    'if (!goesOn(s, out.me)) stage1(s, out)\n    else if',
    "if (!s.status.startsWith('Elec') && !goesOn(s, out.me)) stage1(s, out)\n    else if",
  ],
  [
    'configuration: a follower goes on under a leader that is no voter',
    'if (!register.isMember(s, me) || !register.isVoter(s, s.head)) return false\n',
    '',
  ],
  [
    'configuration: a new voter that is the strongest goes on',
    '    return !register.isVoter(s, me) || group.outranks(s.head, me)\n  }',
    '    return true\n  }',
  ],
  [
    'configuration: a removed leader goes on',
    'if (!register.isVoter(s, out.me)) stage1(s, out)\n  }',
    '}',
  ],
  [
    'configuration: a removed member stands',
    "s.status = register.isMember(s, out.me) ? 'Elec1' : 'Out'\n    if (register.isVoter(s, out.me)) {",
    "s.status = 'Elec1'\n    if (s.status === 'Elec1') {",
  ],
  [
    'configuration: the leader tells no superior',
    'tellWhich(s, register.superiors(s, out.me), out)\n',
    '',
    'a superior that is up halts the leader, or tells its own in Elec1',
  ],
  [
    'configuration: the leader tells no seat that it does not name',
    'tellWhich(s, configurations.others(s), out)\n',
    '',
  ],
  [
    'configuration: who waits or is out tells nobody',
    'if (s.configTerm !== 0) tellWhich(s, register.voters(s), out)\n',
    '',
  ],
  [
    'configuration: an observer does not follow',
    'if (!normal) observe(s, from, m.mark, out)\n',
    '',
  ],
  [
    'configuration: the down of a member that is none counts',
    'if (!register.isVoter(s, peer) && peer !== s.head) return',
    'if (s.configVersion < 0) return',
  ],
]

const RING: readonly Line[] = [
  [
    'R-b: an overdue election is not issued again',
    `out.set('own', ownMs)
    pass(`,
    'pass(',
  ],
  [
    'R-c: a COORDINATOR that returns is passed on',
    'if (m.origin === out.me || m.seen.has(out.me)) return',
    'if (m.origin === out.me) return',
  ],
  [
    'R-c: an orphaned ELECTION is dropped',
    `if (!s.own) start(s, out)
    } else {`,
    '} else {',
    'a member without a result starts by its own time-out or a heartbeat',
  ],
  [
    'R-a: whatever leader is announced is followed',
    'else if (s.leader === NONE || !group.outranks(s.leader, leader)) follow(s, leader, term, out)',
    'else if (leader !== NONE) follow(s, leader, term, out)',
    'the weaker leader receives the heartbeat of the stronger one, or the stronger one its claim, and starts an election',
  ],
  [
    'a weaker leader is not bullied',
    `if (!s.own) start(s, out)
    } else if (term < s.term) return`,
    '} else if (term < s.term) return',
  ],
  [
    'R-e: the leader sends no heartbeat',
    'for (const peer of group.everyone) if (peer !== out.me) out.send(peer, claim)',
    '',
  ],
  [
    'R-e: the leader sends one heartbeat',
    `out.send(peer, claim)
    out.set('beat', periodMs)`,
    'out.send(peer, claim)',
  ],
  ['a follower does not watch its leader', 'out.watch(leader)', ''],
  ['no member watches the next one', 'out.watch(s.next)', ''],
  [
    'a message to a member that is down is not sent on',
    'if (wasNext) passAgain(s, out)',
    '',
    'an overdue election is issued again, and the heartbeat repairs what a lost COORDINATOR left undone',
  ],
  [
    'the crash of the leader is ignored',
    'else if (!s.own) return start(s, out)',
    'else if (!s.own) return',
  ],
  [
    'an election of its own does not end',
    `s.own = false
    out.clear('own')`,
    `out.clear('own')`,
  ],
  [
    'the list loses its earlier members',
    `const list = m.list.copy()
      list.add(out.me)`,
    'const list = NodeSet.of(out.me)',
  ],
  [
    'the weakest of the list leads',
    'adopt(s, list.max, term + 1, out)',
    'adopt(s, [...list][0], term + 1, out)',
  ],
]

const BULLY: readonly Line[] = [
  ['the winner does not lead', 's.leader = out.me\n    s.term += 1', 's.term += 1'],
  [
    'T1 starts again',
    `if (timer === 'answer') victory(s, out)`,
    `if (timer === 'answer') start(s, out)`,
  ],
  [
    'T-b: T2 is ignored',
    `else if (timer === 'coordinator') start(s, out)`,
    `else if (timer === 'coordinator') return`,
  ],
  [
    'a member that receives a claim leads itself',
    '} else follow(s, from, term, out)',
    '} else follow(s, out.me, term, out)',
  ],
  [
    'a leader does not claim above a higher term',
    'if (s.leader !== out.me) return\n      s.term += 1',
    'if (s.leader === out.me) return\n      s.term += 1',
    'it has taken the higher term already, and its next heartbeat claims that',
  ],
  [
    'a heartbeat is no claim',
    `} else onClaim(s, from, m.term, out)
  }`,
    `} else if (m.type === 'coordinator') onClaim(s, from, m.term, out)
  }`,
  ],
  [
    'superiors are not asked',
    'for (const peer of group.superiors(out.me)) out.send(peer, ELECTION)',
    '',
    'a superior bullies the claim, or its heartbeat repairs it: only the end is promised',
  ],
  ['T1 is not set', `out.set('answer', answerMs)`, ''],
  ['T-b: T2 is not set', `out.set('coordinator', coordinatorMs)`, ''],
  [
    'the winner informs no member',
    `const claim: Message = { type: 'coordinator', term: s.term }
    for (const peer of group.juniors(out.me)) out.send(peer, claim)
    out.set`,
    `out.set`,
    'the heartbeat says the same a little later',
  ],
  [
    'T-d: the leader does not repeat its claim',
    `for (const peer of group.juniors(out.me)) out.send(peer, claim)
    out.set('beat', periodMs)
  }

  /** Answers a junior`,
    `}

  /** Answers a junior`,
  ],
  [
    'the leader repeats its claim once',
    `    for (const peer of group.juniors(out.me)) out.send(peer, claim)
    out.set('beat', periodMs)
  }

  /** Answers a junior`,
    `    for (const peer of group.juniors(out.me)) out.send(peer, claim)
  }

  /** Answers a junior`,
  ],
  [
    'the term is not counted',
    's.term += 1\n    const',
    'const',
    'terms need not rise from leader to leader here, only not fall',
  ],
  ['a follower does not watch', 'out.watch(leader)\n    }\n    s.status', '}\n    s.status'],
  [
    'a member that is asked does not answer',
    'out.send(from, OK)',
    '',
    'a claim made too early is bullied or repaired: only the end is promised',
  ],
  [
    'a member that is asked does not elect',
    `else if (s.status === 'Norm') start(s, out)
  }

  function onClaim`,
    `}

  function onClaim`,
    'T2 runs out at the member that asked, and it asks again',
  ],
  [
    'a weaker claim is not bullied',
    `if (s.status === 'Norm') start(s, out) // 004: bully a lower claimant`,
    '',
    'claims go to juniors only: the line guards against a claim that no member makes',
  ],
  [
    'T-a: a weaker claim is followed at once',
    'else if (s.leader !== NONE && group.outranks(s.leader, from)) {',
    'else if (s.leader !== NONE && group.outranks(from, s.leader)) {',
  ],
  ['an old term is followed', 'else if (term < s.term) {', 'else if (term < 0) {'],
  [
    'a higher term is not taken',
    's.term = m.term\n',
    '',
    'its term rises by one with each `higher`, until none arrives',
  ],
  [
    'the leader goes on below the higher term',
    `s.term += 1
      repeatClaim(s, out)`,
    'repeatClaim(s, out)',
    'it claims the higher term itself: terms need not differ here, only not fall',
  ],
  ['two leaders race for terms', 'if (s.leader === out.me) start(s, out)\n', '\n'],
  ['OK is taken at any time', `if (s.status !== 'Elec') return`, ''],
  [
    'the leader is up: the claim is kept',
    `if (peer !== s.leader) return
    s.claimant = NONE`,
    `if (peer !== s.leader) return
    s.claimant = s.claimant`,
    'a claim that is kept is followed only when the leader is down, if its term still counts, and repaired by the next heartbeat',
  ],
  [
    'the leader is down: nothing happens',
    'if (s.claimant === NONE || s.claimTerm <= s.term) start(s, out)',
    'if (s.claimant === NONE) return\n    if (s.claimTerm <= s.term) start(s, out)',
  ],
]

/** How votes of failed candidacies lapse (decision 0016). */
const BULLY_FD_QUORUM: readonly Line[] = [
  ['an earlier vote lapses with a later one', 's.term = s.vote // a vote lapses only in Wait', ''],
  ['a vote for a term that was won lapses', 'lapsed: s.term < term', 'lapsed: true'],
  [
    'a vote lapses by the release of another round',
    's.head !== from || s.round !== m.round) return',
    's.head !== from) return',
  ],
  [
    'no vote lapses',
    'if (m.lapsed) returnVote(s)',
    '',
    'the leader stands above a vote that does not lapse: only the work of its term is lost',
  ],
  ['an Ack of another round counts', 'if (round !== s.voteRound) return', ''],
  [
    'a Halt with a smaller term is granted',
    `if (term < s.vote) out.send(from, { type: 'rej', term: s.vote })
    else if`,
    'if',
  ],
  [
    'a leader with a smaller term is followed',
    `if (term < s.term) return out.send(from, { type: 'rej', term: s.vote })
    if (term < s.vote) return // the vote may lapse`,
    '',
  ],
]

function named(algorithm: string, lines: readonly Line[]): Mutant[] {
  return lines.map(([what, from, to, survives]) => ({
    algorithm,
    what,
    from,
    to,
    ...(survives === undefined ? {} : { survives }),
  }))
}

export const MUTANTS: readonly Mutant[] = [
  ...named('bully-fd', BULLY_FD),
  ...named('bully-fd-quorum', BULLY_FD_QUORUM),
  ...named('bully', BULLY),
  ...named('ring', RING),
]
