/** The list of mutants of the configuration of a group: each rule of docs/decisions/0018 left out, and each detail of it. */
import type { LeaseMutant } from './lease-mutants-list.ts'
import type { Edit } from './mutate.ts'

const REGISTER = 'helpers/register'
const LEASE = 'helpers/lease'
const ADMISSION = 'helpers/admission'

type Line = readonly [what: string, edits: readonly Edit[], equivalent?: string]

const LINES: readonly Line[] = [
  [
    'a leader changes what is not committed',
    [
      [
        "s.configTerm !== term || !s.committed) return 'not committed'",
        "s.configTerm !== term) return 'not committed'",
        REGISTER,
      ],
    ],
  ],
  [
    'a leader changes what it has not written in its own term',
    [
      [
        "s.configTerm !== term || !s.committed) return 'not committed'",
        "!s.committed) return 'not committed'",
        REGISTER,
      ],
      ['    if (s.configTerm !== s.term) return\n    s.committed = true', '    s.committed = true'],
      ['register.write(s, wanted)', 'register.restamp(s, s.term)\n    register.write(s, wanted)'],
    ],
  ],
  [
    'a change replaces several voters',
    [["if (added.length + removed.length > 1) return 'more than one voter'\n", '', REGISTER]],
  ],
  [
    'a seat that has not caught up becomes a voter',
    [
      ["if (added.some((seat) => !observers.has(seat))) return 'not caught up'\n", '', REGISTER],
      ["if (added.some((seat) => !s.confirmed.has(seat))) return 'not caught up'\n", '', REGISTER],
    ],
    'safe: until the new voter has adopted the configuration it only counts as one that does not answer',
  ],
  [
    'a candidate with an older configuration gets votes',
    [['if (isNewer(s, halt)) return tell(s, from, out)\n', '']],
  ],
  [
    'a candidate with an older configuration is not told the newer one',
    [['if (isNewer(s, halt)) return tell(s, from, out)', 'if (isNewer(s, halt)) return']],
    'slower, and safe: the voters that have the newer one stand when their patience ends, and who leads sends it to all',
  ],
  [
    'votes of members that do not vote count',
    [['if (this.isVoter(s, seat)) votes += 1', 'votes += 1', REGISTER]],
  ],
  [
    'a leader that removed itself counts itself',
    [['this.isVoter(s, me) && !answered.has(me) ? 1 : 0', '1', REGISTER]],
  ],
  [
    'a leader that removed itself goes on',
    [['if (register.isVoter(s, out.me)) return\n    // It has led', 'return\n    // It has led']],
  ],
  [
    'answers of another configuration count',
    [['if (!isSame(m, s)) return\n    if (s.configTerm', 'if (s.configTerm']],
  ],
  ['a restamp is no newer', [['    s.configTerm = term\n', '', REGISTER]]],
  [
    'a leader leaves a newer configuration of an earlier term alone',
    [['if (isNewer(m, s)) return confirm(s, out)', 'if (isNewer(m, s)) return']],
  ],
  [
    'a written configuration counts as committed',
    [
      [
        '    s.committed = false\n    s.confirmed.clear()\n  }\n}',
        '    s.confirmed.clear()\n  }\n}',
        REGISTER,
      ],
    ],
  ],
  [
    'the leader sends no configuration',
    [
      [
        'if (s.configTerm === 0 || s.confirmed.has(peer)) out.send(peer, query)',
        'if (s.configTerm >= 0) out.send(peer, query)',
      ],
    ],
  ],
  [
    'a candidate that adopts a configuration keeps its votes',
    [
      [
        "const goesOn = s.status === 'Wait' ||",
        "const goesOn = s.status === 'Wait' || s.status === 'Elec2' ||",
      ],
    ],
    'who votes for a candidate with an older configuration votes for it with the newer one too, and only votes of the voters of the newer one are counted',
  ],
  [
    'a leader that adopts a configuration goes on',
    [["(s.status === 'Norm' && s.leader !== out.me)", "s.status === 'Norm'"]],
    'only members that are bonded to it answer the rounds of its term, and it stands anew when another one refuses',
  ],
  [
    'a removed member stands',
    [
      [
        "s.status = register.isMember(s, out.me) ? 'Elec1' : 'Out'\n    if (!register.mayLead(s, out.me)) return",
        "s.status = 'Elec1'\n    if (s.configVersion < 0) return",
      ],
      ['if (!register.mayLead(s, out.me)) return\n    for', 'for'],
    ],
  ],
  [
    'a removed leader that starts again says nothing',
    [
      [
        'if (started && !register.isVoter(s, out.me)) resignation',
        'if (s.configVersion < 0) resignation',
      ],
    ],
  ],
  ['a successor with another configuration inherits', [['!isSame(m, s) || m.bond', 'm.bond']]],
  [
    'a successor with another timing inherits',
    [[' || m.bond !== bondOf(s, lease)', '']],
    'for a host that keeps duty 12 (a member has the timing of the configuration that it has adopted from the next step on), the same configuration is the same timing',
  ],
  [
    'a bond is as short as the present timing',
    [['return Math.max(this.bondMs, s.longest)', 'return this.bondMs', LEASE]],
  ],
  [
    'a shorter timing forgets the longer bond',
    [['      lease.keepBond(s, lease.bondMs, out)\n      // It may', '      // It may']],
  ],
  [
    'a longer bond that a round asks for is not given',
    [['if (asked > this.bondMs) this.keepBond(s, asked, timers)\n', '', LEASE]],
  ],
  [
    'marks of the former configuration stay',
    [['    clearDeferred(s)\n    clearMarks(s)\n', '    clearDeferred(s)\n']],
    'a leader forgets the marks that it knows when it writes, so a resignation with a former mark names the former configuration',
  ],
  [
    'a new configuration does not begin the round anew',
    [['role.beginRound(s, out, true)\n', 's.acks.clear()\n']],
    'the lease runs from the round before: it ends early, never late; a successor that has adopted the new configuration has forgotten its mark',
  ],
  ['a round names no bond', [['s.asksFor = bondOf(s, lease)', 's.asksFor = 0']]],
  [
    'a restart forgets the longer bond',
    [['longest: stable(optional(milliseconds))', 'longest: optional(milliseconds)', LEASE]],
  ],
  [
    'a member without state is admitted to a group that has changed',
    [['    if (s.changed) return false\n', '', ADMISSION]],
  ],
  [
    'nobody says that the group has changed',
    [['const changed = (s.configTerm ?? 0) !== 0', 'const changed = false', ADMISSION]],
  ],
]

export const REGISTER_MUTANTS: readonly LeaseMutant[] = LINES.map(([what, edits, equivalent]) => ({
  algorithm: 'bully-fd-quorum',
  what: `configuration: ${what}`,
  edits,
  ...(equivalent === undefined ? {} : { equivalent }),
}))
