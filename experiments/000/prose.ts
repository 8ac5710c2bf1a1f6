/** Tests sentences of 000 §3.1 and §3.2 on the printed Bully and on Bully_FD: who wins, what a member ignores, where it waits. */
import { detectors } from 'bellwether/detectors'
import type { OptionValues } from 'bellwether/core'
import type { Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { elect, electQuickly, range } from '../harness/elections.ts'
import { explore, exploreForAny, shownCheck } from '../harness/exploration.ts'
import { LoneMember } from '../harness/lone-member.ts'
import { fact } from '../harness/verdict.ts'

const BULLY = '000 §3.1'
const TEXT = '000 §3.2'

const CLAIMS = {
  stable: {
    id: '000-bully-stable',
    source: BULLY,
    claim:
      'The Bully reaches a stable state in which every node that has not crashed agrees on one leader.',
    published: 'all can reach it',
    formula: 'true with one crash; false with two (T-b) and with a crash and a recovery (T-a)',
    parameters: ['members'],
  },
  one: {
    id: '000-bully-one-winner',
    source: BULLY,
    claim: 'Eventually all processes give up but one, which announces its victory to all.',
    published: '1 winner',
    formula: '1 winner for every set of initiators',
  },
  biggest: {
    id: '000-bully-biggest',
    source: BULLY,
    claim: 'If the process that comes back is the highest, it wins: the biggest always wins.',
    published: 'always',
    formula: 'not always: a late claim of its deputy may overtake its own (T-a)',
    parameters: ['members'],
  },
  worst: {
    id: '000-bully-worst',
    source: BULLY,
    claim: 'At worst the Bully may not reach the stable state for a long time.',
    published: 'may not, for long',
    formula: 'never, after two crashes: who was answered has no second time-out (T-b)',
    parameters: ['members'],
  },
  modular: {
    id: '000-modular',
    source: '000 §1, §4',
    claim: 'The failure detector is a module: Bully_FD works with different detection mechanisms.',
    published: 'with any',
    formula: 'agreement on the strongest over every detector',
  },
  restarts: {
    id: '000-wait-restarts',
    source: TEXT,
    claim:
      'A node in Wait that learns of the failure of the node which halted it restarts the election.',
    published: 'Wait → Elec1',
    formula: 'Wait → Elec1',
  },
  staysWait: {
    id: '000-stays-in-wait',
    source: `${TEXT}, of the code of Fig. 3.1`,
    claim: 'If a node of higher priority is operational, node i stays in Wait.',
    published: 'Wait',
    formula: 'Elec1, in the code of Fig. 3.1, in 001 and as corrected',
  },
  recovered: {
    id: '000-recovered-waits',
    source: `${TEXT}, of the code of Fig. 3.1`,
    claim: 'A recovered node waits for the message Norm? of the leader.',
    published: 'waits',
    formula: 'true of the prose, which says so; the code of Fig. 3.1 runs Stage 1 at once',
  },
  reelects: {
    id: '000-notnorm-reelects',
    source: TEXT,
    claim: 'The leader that receives NotNorm switches to Elec1 and elects again.',
    published: 'Norm → Elec1',
    formula: 'Norm → Elec1, and on to Elec2 at once if it is node 1',
  },
  acks: {
    id: '000-ids-ack',
    source: `${TEXT}, on the election identifier, of the code of Fig. 3.1`,
    claim: 'An Ack that does not contain the expected identifier is ignored.',
    published: 'ignored',
    formula: 'counted by the printed code, which never compares it (B3)',
  },
  ldrs: {
    id: '000-ids-ldr',
    source: `${TEXT}, on the election identifier, of the code of Fig. 3.1`,
    claim: 'A Ldr that does not contain the expected identifier is ignored.',
    published: 'ignored',
    formula: 'ignored',
  },
  sequence: {
    id: '000-ids-sequence',
    source: `${TEXT}, on the election identifier, of the code of Fig. 3.1`,
    claim: 'The identifier holds a sequence number that is incremented for each election.',
    published: 'a new identifier for each election',
    formula: 'the printed code never increments nextel: one identifier for each incarnation (B1)',
  },
} satisfies Record<string, Claim>

const FORM = { form: '000' }

function bully(setup: Setup): Findings {
  const checked = (given: object) =>
    exploreForAny(setup, 'bully-as-printed', { options: FORM, ...given })
  const start = 'settled' as const
  const [none, one] = [checked({}), checked({ start, crashes: 1 })]
  const two = checked({ start, crashes: 2 })
  const recovery = { start, crashes: 1, recoveries: 1 } as const
  const back = checked(recovery)
  const highest = explore(setup, 'bully-as-printed', { options: FORM, ...recovery })
  const subsets = range(1, 15).map((bits) => range(1, 4).filter((id) => bits & (1 << (id - 1))))
  const winners = subsets.map((initiators) => {
    const given = { members: 5, down: [5], knownDown: [5], initiators, options: FORM }
    return (elect(setup, 'bully-as-printed', given).byType['coordinator'] ?? 0) / 4
  })
  const sizes = range(3, 8)
  const returning = sizes.map((n) => {
    const faults = [
      { kind: 'crash', node: n, at: 1_000_000 },
      { kind: 'recover', node: n, at: 3_000_000 },
    ] as const
    return elect(setup, 'bully-as-printed', { members: n, faults, options: FORM }).leader === n
  })
  const run = (shown: string, cases: Run['cases']): Run => {
    return { algorithm: 'bully-as-printed', reading: 'form 000', shown, cases }
  }
  return {
    outcomes: {
      [CLAIMS.stable.id]: {
        runs: [
          run(
            `no failure: ${shownCheck(none)}; one crash: ${shownCheck(one)}; two: ${shownCheck(two)}; a crash and a recovery: ${shownCheck(back)}`,
            [fact(none.ok, true), fact(one.ok, true), fact(two.ok, false), fact(back.ok, false)],
          ),
        ],
        figures: { none: Number(none.ok), one: Number(one.ok), two: Number(two.ok) },
        why: '“P’s job is done” when a higher node answers: if that one crashes, nobody takes over.',
      },
      [CLAIMS.one.id]: {
        runs: [
          run(
            `1 winner in ${winners.filter((count) => count === 1).length} of ${subsets.length} sets of initiators, four of five processes up`,
            winners.map((count) => ({ published: 1, measured: count, formula: 1 })),
          ),
        ],
        figures: { most: Math.max(...winners) },
        why: 'Without a crash during the election.',
      },
      [CLAIMS.biggest.id]: {
        runs: [
          run(
            `it wins in ${returning.filter(Boolean).length} of ${sizes.length} simulated groups; every interleaving of three: ${shownCheck(highest)}`,
            [...returning.map((isRight) => fact(isRight, true)), fact(highest.ok, false)],
          ),
        ],
        figures: { wins: returning.filter(Boolean).length, always: Number(highest.ok) },
        why: 'It wins where its announcement is the last to arrive. One of its deputy that is still under way overwrites it.',
      },
      [CLAIMS.worst.id]: {
        runs: [run(`two crashes: ${shownCheck(two)}`, [fact(!two.ok, true)])],
        figures: { neverAgrees: Number(!two.ok) },
        why: 'The checker’s trace ends in a state in which nothing happens any more and nobody leads.',
      },
    },
  }
}

function modular(setup: Setup): Findings {
  const over = (algorithm: string): Run => {
    const leaders = (['perfect', ...detectors] as const).map((detector) => {
      const given = { members: 7, down: [7], knownDown: [7], initiators: [6], detector }
      return electQuickly(setup, algorithm, given).leader
    })
    const right = leaders.filter((leader) => leader === 6).length
    return {
      algorithm,
      shown: `elects the strongest of six live nodes over ${right} of ${leaders.length} detectors`,
      cases: leaders.map((leader) => fact(leader === 6, true)),
    }
  }
  const runs = [over('bully-fd-as-printed'), over('bully-fd')]
  return {
    outcomes: {
      [CLAIMS.modular.id]: {
        runs,
        figures: { printed: runs[0].cases.filter(({ measured }) => measured === 1).length },
        why: 'The same file, run beside each of the detectors.',
      },
    },
  }
}

/** Three nodes; 3 is the strongest, as node 1 of 000 is. */
function handlers(setup: Setup): Findings {
  const printed = setup.algorithm('bully-fd-as-printed')
  const member = (me: number, options: OptionValues = {}) => new LoneMember(printed, me, 3, options)
  const ack = (mark: number) => ({ type: 'ack', mark })
  const halt = { type: 'halt', mark: 7 }
  const waiting = member(1).settled(3).hears(2, halt)
  const isWaiting = waiting.state.status === 'Wait'
  const restarted = isWaiting && waiting.down(2).state.status === 'Elec1'
  const polite = member(1).settled(3).down(3).up(2).state.status
  const recovered = (text: string): boolean => {
    const one = member(1, { text }).settled(3).recover()
    return (
      one.requests.length === 0 &&
      one.hears(3, { type: 'norm?', mark: 1 }).sentOf('notNorm').length === 1
    )
  }
  const leader = member(2).settled(3).down(3).down(3).up(1).hears(1, ack(1))
  const leads = leader.state.leader === 2
  const first = leader.sentOf('halt')[0]
  leader.hears(1, { type: 'notNorm', mark: leader.state['mark'] })
  const reelects = leads && leader.state.status === 'Elec1'
  const second = leader.down(3).up(1).sentOf('halt')[1]
  const counted = member(2).settled(3).down(3).down(3).up(1).hears(1, ack(99))
  const follower = member(1).settled(3).hears(2, halt).hears(2, { type: 'ldr', mark: 8 })
  const one = (claim: Claim, isTrue: boolean, expected: boolean, shown: string, why: string) => ({
    [claim.id]: {
      runs: [{ algorithm: printed.name, shown, cases: [fact(isTrue, expected)] }],
      figures: { isTrue: Number(isTrue) },
      why,
    },
  })
  const waits = (['figure', 'prose'] as const).map((text) => {
    const isTrue = recovered(text)
    return {
      algorithm: printed.name,
      reading: `text ${text}`,
      shown: isTrue
        ? 'asks nobody, and answers Norm? with NotNorm'
        : 'asks its detector about less(i) at once',
      cases: [fact(isTrue, text === 'prose')],
      // The specimen of the prose was written after this sentence: it proves nothing about it.
      ...(text === 'prose' ? { beside: true as const } : {}),
    }
  })
  return {
    outcomes: {
      ...one(
        CLAIMS.restarts,
        restarted,
        true,
        'after DownSig of the node that halted it: Elec1',
        'As Fig. 3.1 says: status = Wait ∧ j = head(elid).',
      ),
      ...one(
        CLAIMS.staysWait,
        polite === 'Wait',
        false,
        `after UpSig of a higher node: ${polite}`,
        'The code has no transition from Elec1 to Wait but by Halt. 001 says that the node stays where it is.',
      ),
      ...one(
        CLAIMS.reelects,
        reelects,
        true,
        'after NotNorm of its election: Elec1',
        'As Fig. 3.1 says: status = Norm ∧ ldr = i ∧ t = elid.',
      ),
      ...one(
        CLAIMS.acks,
        counted.state.leader !== 2,
        false,
        `after an Ack of another election: ${counted.state.leader === 2 ? 'it leads' : 'it waits'}`,
        'The handler of Ack in Fig. 3.1 has no condition on t; that of Ldr has.',
      ),
      ...one(
        CLAIMS.ldrs,
        follower.state.status === 'Wait',
        true,
        `after a Ldr of another election: ${follower.state.status}`,
        'As Fig. 3.1 says: status = Wait ∧ t = elid.',
      ),
      ...one(
        CLAIMS.sequence,
        second !== undefined && first['mark'] !== second['mark'],
        false,
        `two elections of one incarnation: identifiers ${String(first['mark'])} and ${String(second?.['mark'])}`,
        'nextel is declared, and no statement assigns it.',
      ),
      [CLAIMS.recovered.id]: {
        runs: waits,
        figures: { figure: waits[0].cases[0].measured, prose: waits[1].cases[0].measured },
        why: 'The prose and the code are two algorithms: `001-safety-figure` and `001-safety-prose` say what follows from that.',
      },
    },
  }
}

const { stable, one, biggest, worst } = CLAIMS
const { restarts, staysWait, recovered, reelects, acks, ldrs, sequence } = CLAIMS

export const proseExperiments: readonly Experiment[] = [
  { name: '000-bully', claims: [stable, one, biggest, worst], measure: bully },
  { name: '000-modular', claims: [CLAIMS.modular], measure: modular },
  {
    name: '000-handlers',
    claims: [restarts, staysWait, recovered, reelects, acks, ldrs, sequence],
    measure: handlers,
  },
]
