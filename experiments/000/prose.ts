/** Tests sentences of 000 §1 and §3.2 on Bully_FD: other detectors, what a member ignores, where it waits. */
import { NONE } from 'bellwether/core'
import { detectors } from 'bellwether/detectors'
import type { Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { worldOf } from '../harness/elections.ts'
import { LoneMember } from '../harness/lone-member.ts'
import { fact } from '../harness/verdict.ts'

const TEXT = '000 §3.2 “Description and algorithm of Bully_FD”'

const CLAIMS = {
  modular: {
    id: '000-modular',
    source: '000 §1, §4',
    claim: 'The failure detector is a module: Bully_FD works with different detection mechanisms.',
    published: 'with different mechanisms',
    formula: 'agreement on the strongest over every detector',
    parameters: ['calm'],
  },
  restarts: {
    id: '000-wait-restarts',
    source: `${TEXT}, of the code of Fig. 3.1`,
    claim:
      'A node in Wait that learns of the failure of the node which halted it restarts the election.',
    published: 'Wait → Elec1',
    formula: 'Wait → Elec1',
  },
  staysWait: {
    id: '000-stays-in-wait',
    source: `${TEXT}, of the code of Fig. 3.1`,
    claim:
      'If a node of higher priority is operational, node i stays in the state Wait, to give it a chance to become the leader.',
    published: 'gives way, in Wait',
    formula: 'it gives way, in Elec1: in the code of Fig. 3.1, in 001 and as corrected',
  },
  recovered: {
    id: '000-recovered-waits',
    source: `${TEXT}, of the code of Fig. 3.1`,
    claim:
      'If some nodes of higher priority are operational, a recovered node waits for the message Norm? of the leader.',
    published: 'waits, and answers Norm?',
    formula:
      'it waits in Elec1, and answers Norm? with NotNorm; if no higher node is operational, it goes on to Stage 2',
  },
  reelects: {
    id: '000-notnorm-reelects',
    source: `${TEXT}, of the code of Fig. 3.1`,
    claim: 'The leader that receives NotNorm switches to Elec1 and elects again.',
    published: 'Norm → Elec1',
    formula: 'Norm → Elec1, and on to Elec2 at once if it is node 1',
  },
  acks: {
    id: '000-ids-ack',
    source: `${TEXT}, on the identifier, of the code of Fig. 3.1`,
    claim: 'An Ack that does not contain the expected identifier is ignored.',
    published: 'ignored',
    formula: 'counted by the printed code, which never compares it (B3)',
  },
  ldrs: {
    id: '000-ids-ldr',
    source: `${TEXT}, on the identifier, of the code of Fig. 3.1`,
    claim: 'A Ldr that does not contain the expected identifier is ignored.',
    published: 'ignored',
    formula: 'ignored',
  },
  sequence: {
    id: '000-ids-sequence',
    source: `${TEXT}, on the identifier, of the code of Fig. 3.1`,
    claim: 'The identifier holds a sequence number that is incremented for each election.',
    published: 'a new identifier for each election',
    formula: 'the printed code never increments nextel: one identifier for each incarnation (B1)',
  },
} satisfies Record<string, Claim>

const DETECTORS = ['perfect', ...detectors] as const
const nameOf = (detector: (typeof DETECTORS)[number]): string =>
  detector === 'perfect' ? 'a perfect one' : detector.name

/** At 1 s. */
const CRASH = { kind: 'crash', node: 7, at: 1_000_000 } as const

function modular(setup: Setup): Findings {
  const over = (algorithm: string): Run => {
    const leaders = DETECTORS.map((detector) => {
      const given = { members: 7, faults: [CRASH], initiators: [], detector }
      const world = worldOf(setup, algorithm, given)
      world.runUntil(CRASH.at - 1)
      const isSettled = world.monitors.agreed === 7
      world.runUntil(CRASH.at + 10_000_000)
      return isSettled ? world.monitors.agreed : NONE
    })
    const right = leaders.filter((leader) => leader === 6).length
    return {
      algorithm,
      shown: `all follow the strongest of seven nodes, which crashes: its successor leads over ${right} of ${leaders.length} detectors`,
      cases: leaders.map((leader) => fact(leader === 6, true)),
    }
  }
  const runs = [over('bully-fd-as-printed'), over('bully-fd')]
  return {
    outcomes: {
      [CLAIMS.modular.id]: {
        runs,
        figures: { printed: runs[0].cases.filter(({ measured }) => measured === 1).length },
        why: `The same text of the algorithm, beside each of the detectors: ${DETECTORS.map(nameOf).join(', ')}. Nobody is told of the crash: each node learns of it from its own module.`,
      },
    },
  }
}

const ALONE = 'One of three nodes, driven by hand.'

/** Three nodes; 3 is the strongest, as node 1 of 000 is. */
function handlers(setup: Setup): Findings {
  const printed = setup.algorithm('bully-fd-as-printed')
  const member = (me: number) => new LoneMember(printed, me, 3)
  const ack = (mark: number) => ({ type: 'ack', mark })
  const halt = { type: 'halt', mark: 7 }
  const waiting = member(1).settled(3).hears(2, halt)
  const isWaiting = waiting.state.status === 'Wait'
  const restarted = isWaiting && waiting.down(2).state.status === 'Elec1'
  const polite = member(1).settled(3).down(3, 3).up(2)
  const givesWay = polite.sent.length === 0 && polite.state.status !== 'Elec2'
  const recovered = member(1).settled(3).recover().up(3).down(2)
  const asked = recovered.requests.length
  const isQuiet = recovered.sent.length === 0 && recovered.state.status === 'Elec1'
  const told = recovered.hears(3, { type: 'norm?', mark: 1 }).sentOf('notNorm').length
  const leader = member(2).settled(3).down(3).down(3).up(1).hears(1, ack(1))
  const leads = leader.state.leader === 2
  const first = leader.sentOf('halt')[0]
  leader.hears(1, { type: 'notNorm', mark: leader.state['mark'] })
  const afterNotNorm = leader.state.status
  const reelects = leads && afterNotNorm === 'Elec1'
  const second = leader.down(3).up(1).sentOf('halt')[1]
  const counted = member(2).settled(3).down(3).down(3).up(1).hears(1, ack(99))
  const follower = member(1).settled(3).hears(2, halt).hears(2, { type: 'ldr', mark: 8 })
  const one = (claim: Claim, isTrue: boolean, expected: boolean, shown: string, why: string) => ({
    [claim.id]: {
      runs: [{ algorithm: printed.name, shown, cases: [fact(isTrue, expected)] }],
      figures: { isTrue: Number(isTrue) },
      why: `${ALONE} ${why}`,
    },
  })
  return {
    outcomes: {
      ...one(
        CLAIMS.restarts,
        restarted,
        true,
        `after DownSig of the node that halted it: ${waiting.state.status}`,
        'As Fig. 3.1 says: status = Wait ∧ j = head(elid).',
      ),
      [CLAIMS.staysWait.id]: {
        runs: [
          {
            algorithm: printed.name,
            shown: `after UpSig of a higher node: in ${polite.state.status}, with ${polite.sent.length} messages sent`,
            cases: [fact(givesWay, true), fact(polite.state.status === 'Wait', false)],
          },
        ],
        figures: { givesWay: Number(givesWay), waits: Number(polite.state.status === 'Wait') },
        why: `${ALONE} It gives way, but the code has no transition from Elec1 to Wait but by Halt. 001 says that the node stays where it is.`,
      },
      ...one(
        CLAIMS.reelects,
        reelects,
        true,
        `after NotNorm of its election: ${afterNotNorm}`,
        'As Fig. 3.1 says: status = Norm ∧ ldr = i ∧ t = elid.',
      ),
      ...one(
        CLAIMS.acks,
        counted.state.leader !== 2,
        false,
        `after an Ack with another identifier: ${counted.state.leader === 2 ? 'it leads' : 'it waits'}`,
        'The handler of Ack in Fig. 3.1 has no condition on t; that of Ldr has.',
      ),
      ...one(
        CLAIMS.ldrs,
        follower.state.status === 'Wait',
        true,
        `after a Ldr with another identifier: ${follower.state.status}`,
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
        runs: [
          {
            algorithm: printed.name,
            shown: `asks its detector about the ${asked} higher nodes; when one of them is up, it stays in ${recovered.state.status}, and sends nothing until Norm? comes, then ${told} NotNorm`,
            cases: [fact(isQuiet, true), { published: 1, measured: told, formula: 1 }],
          },
        ],
        figures: { waits: Number(isQuiet), told },
        why: `${ALONE} As Fig. 3.1 says, where the sentence before it holds, “if some of them are operational”. 001 §4.2 has no such condition, and lets a recovered process ask nobody: \`001-safety-prose\`.`,
      },
    },
  }
}

const { restarts, staysWait, recovered, reelects, acks, ldrs, sequence } = CLAIMS

export const proseExperiments: readonly Experiment[] = [
  { name: '000-modular', claims: [CLAIMS.modular], measure: modular },
  {
    name: '000-handlers',
    claims: [restarts, staysWait, recovered, reelects, acks, ldrs, sequence],
    measure: handlers,
  },
]
