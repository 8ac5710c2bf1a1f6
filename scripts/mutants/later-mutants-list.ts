/**
 * Twenty mutants of leases, handovers and configurations that were written after all checks, hunts and races had been
 * settled, and that are in no other list: what is noticed of these was not looked for.
 */
import type { LeaseMutant } from './lease-mutants-list.ts'
import type { Edit, Helper } from './mutate.ts'

type Line = readonly [
  what: string,
  from: string,
  to: string,
  more?: { file?: Helper; equivalent?: string },
]

/** Of src/algorithms/bully-fd-quorum.ts and its helpers. */
const BULLY: readonly Line[] = [
  [
    'a new configuration renews the lease by itself',
    '    if (s.answered) return this.begin(s, timers)\n',
    '',
    { file: 'helpers/lease' },
  ],
  [
    'of two longer bonds the later one counts',
    's.longest = Math.max(s.longest, bondMs)',
    's.longest = bondMs',
    { file: 'helpers/lease' },
  ],
  [
    'a restart binds for as long as the present timing says',
    'lease.bond(s, NONE, 0, out, lease.bondFor(s, 0, out))',
    'lease.bond(s, NONE, 0, out)',
  ],
  [
    'a follower keeps the term in which it followed its leader first',
    'if (s.leader !== from || s.term !== term) follow',
    'if (s.leader !== from) follow',
  ],
  [
    'a Halt that was deferred outlives the configuration',
    '    register.adopt(s, m)\n    clearDeferred(s)\n',
    '    register.adopt(s, m)\n',
    {
      equivalent:
        'who counts for a configuration follows the leader that wrote it, which clears what is deferred; one that was only told of it is no part of the majority that committed it',
    },
  ],
  [
    'a leader adopts what a leader of an earlier term wrote',
    '      if (s.leader === out.me && m.configTerm < s.term) return confirm(s, out)\n',
    '',
    { equivalent: 'it ceases to lead without a word, and stands anew: slower, and safe' },
  ],
  [
    'a member with a newer configuration endorses the successor',
    '      if (isNewer(s, m)) return voting.resumeElection(s, out)\n',
    '',
    {
      equivalent:
        'the leader that resigns was elected by a majority without a newer configuration, so none is committed that the successor overlooks',
    },
  ],
  [
    'an endorsement under another configuration counts',
    'm.mark === s.mark && isSame(m, s)',
    'm.mark === s.mark',
    {
      equivalent:
        'it repeats the mark and the configuration of one resignation, and a successor that adopts another configuration no longer inherits',
    },
  ],
  [
    'a successor that inherits leads in a term above',
    'return s.inherits ? s.term : termAfter(',
    'return termAfter(',
  ],
  [
    'a round may have the id of one before the restart',
    'return s.incarn * ROUNDS + s.rounds',
    'return s.rounds',
  ],
  ['a change keeps its version', '    s.configVersion += 1\n', '', { file: 'helpers/register' }],
  [
    'the version alone says which configuration is newer',
    '  if (a.configTerm !== b.configTerm) return a.configTerm > b.configTerm\n',
    '',
    { file: 'helpers/register' },
  ],
  [
    'configurations of one version are the same',
    'return a.configTerm === b.configTerm && a',
    'return a',
    { file: 'helpers/register' },
  ],
  [
    'a majority is that of the first configuration',
    'const voters = s.configTerm === 0 ? this.group.voters.length : s.voters.size',
    'const voters = this.group.voters.length',
    { file: 'helpers/register' },
  ],
]

/** Of src/algorithms/roulette-majority.ts. */
const ROULETTE: readonly Line[] = [
  ['a member that is told of a term may vote in it', '    s.voted = me\n', ''],
  [
    'a member that is told of a term may lead in it',
    '    s.voted = me\n    s.led = true\n',
    '    s.voted = me\n',
    {
      equivalent:
        'a term has one announcement, and one to an earlier incarnation is lost: a member that leads by it has not led in this term before',
    },
  ],
  ['the term that is told last counts', 's.term = Math.max(s.term, term)', 's.term = term'],
  ['a candidacy begins no term', '    s.term += 1\n', ''],
  [
    'a follower is bonded to its own incarnation',
    '    bond(s, leader, incarnation, out)\n    out.send',
    '    bond(s, leader, s.incarnation, out)\n    out.send',
  ],
  [
    'no durable incarnation',
    's.incarn += 1\n    s.incarnation',
    's.incarnation',
    {
      equivalent:
        'it only keeps the ids of rounds apart, and what answers a round of an earlier incarnation is lost with its link; proofs of death name the incarnation of the host',
    },
  ],
]

function of(algorithm: LeaseMutant['algorithm'], lines: readonly Line[]): LeaseMutant[] {
  return lines.map(([what, from, to, { file, equivalent } = {}]) => {
    const edit: Edit = file === undefined ? [from, to] : [from, to, file]
    return { algorithm, what, edits: [edit], ...(equivalent === undefined ? {} : { equivalent }) }
  })
}

export const LATER_MUTANTS: readonly LeaseMutant[] = [
  ...of('bully-fd-quorum', BULLY),
  ...of('roulette-majority', ROULETTE),
]
