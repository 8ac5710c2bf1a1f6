/** Measures four detectors (ping, heartbeat, token, phi) for the claims of 000 §2.2: messages, detection time, and answer time with and without the down list. */
import { heartbeat, phi, ping, token } from 'bellwether/detectors'
import { configure, World, type Latency } from 'bellwether/sim'
import {
  tableOf,
  type Claim,
  type Experiment,
  type Findings,
  type Run,
  type Setup,
} from '../harness/claim.ts'
import { observe } from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { brief, shownEstimate } from '../harness/statistics.ts'
import { fact } from '../harness/verdict.ts'
import {
  answersToRequests,
  answerTime,
  askAfterRecovery,
  detectionTime,
  messageRate,
} from './watchers.ts'

const DETECTORS = '000 §2.2 “Failure Detector”'
const settings = { source: DETECTORS, parameters: ['period', 'calm'] } as const

const CLAIMS = {
  beatsFewer: {
    id: '000-heartbeat-messages',
    ...settings,
    claim: '“I’m alive” messages use fewer messages than “Are you alive?”.',
    published: 'fewer',
    formula: '1 a period, and a renewal now and then, instead of 2',
  },
  beatsSooner: {
    id: '000-heartbeat-latency',
    ...settings,
    parameters: ['period', 'calm', 'jitter'],
    claim: '“I’m alive” messages reduce the latency of the detector.',
    published: 'less',
    formula:
      'less where messages usually take far less than Tm; the same where they take nearly Tm',
  },
  tokenFewer: {
    id: '000-token-messages',
    ...settings,
    claim: 'A token on a logical ring uses fewer messages if many monitor many.',
    published: 'fewer',
    formula: 'n a lap instead of n(n − 1) a period',
  },
  tokenLater: {
    id: '000-token-latency',
    ...settings,
    claim: 'The token comes at the expense of increased detection latency.',
    published: 'more',
    formula: 'a lap of the ring and a question more',
  },
  list: {
    id: '000-down-list',
    ...settings,
    claim:
      'By its list of crashed nodes the detector informs its client more promptly than Garcia-Molina’s time-outs.',
    published: 'more promptly',
    formula: '0 instead of To, which is 10 ms at least here, twice the longest message',
  },
  once: {
    id: '000-fd-once',
    ...settings,
    claim: 'The detector never sends more than one signal for each Request_FD.',
    published: '1 for each request',
    formula: '1, whether the node is up, down, or recovers later',
  },
  upToDate: {
    id: '000-fd-up-to-date',
    ...settings,
    claim:
      'It is required that the client receives DownSig only if the node is down after the most recent Request_FD.',
    published: 'only if it is down',
    formula: 'not while the notice of its recovery is under way: the list still has it (B15)',
  },
  notices: {
    id: '000-fd-recovery',
    ...settings,
    claim: 'A recovered node informs the detector of each node, which removes it from its list.',
    published: 'n − 1 messages, then UpSig',
    formula: 'n − 1 messages, then UpSig',
  },
} satisfies Record<string, Claim>

const [least, most] = PARAMETERS.calm.value
const CALM: Latency = { kind: 'uniform', minUs: 1000 * least, maxUs: 1000 * most }
const [median, sigma] = PARAMETERS.jitter.value
const JITTER: Latency = { kind: 'lognormal', medianUs: 1000 * median, sigma }

function compare(setup: Setup): Findings {
  const crashes = setup.samples(100)
  const seed = 1000 * (setup.seed - 1)
  const rows = [ping, heartbeat, token, phi].map((detector) => ({
    name: detector.name,
    star: messageRate(detector, 'star', setup.seed),
    mesh: messageRate(detector, 'mesh', setup.seed),
    calm: detectionTime(detector, CALM, crashes, seed),
    jitter: detectionTime(detector, JITTER, crashes, seed),
    known: answerTime(detector, true, setup.seed),
    unknown: answerTime(detector, false, setup.seed),
  }))
  const [pings, beats, tokens] = rows
  const callMs = callTime(setup)
  const one = (algorithm: string, shown: string, cases: Run['cases']) => {
    return [{ algorithm, shown, cases }]
  }
  return {
    outcomes: {
      [CLAIMS.beatsFewer.id]: {
        runs: one(
          'heartbeat',
          `${brief(beats.star)} messages a second on each link, against ${brief(pings.star)}`,
          [
            { published: { below: pings.star }, measured: beats.star },
            { published: { below: pings.mesh }, measured: beats.mesh },
          ],
        ),
        figures: { heartbeat: beats.star, ping: pings.star },
        why: 'Every 100 ms a beat, every fifth time a renewal of the subscription; a ping is a question and an answer.',
      },
      [CLAIMS.beatsSooner.id]: {
        runs: one(
          'heartbeat',
          `with jitter ${shownEstimate(beats.jitter, ' ms')} against ${shownEstimate(pings.jitter, ' ms')}; without ${shownEstimate(beats.calm, ' ms')} against ${shownEstimate(pings.calm, ' ms')}`,
          [
            {
              published: { below: pings.jitter.mean - pings.jitter.margin },
              measured: beats.jitter.mean,
            },
            {
              published: { below: pings.calm.mean - pings.calm.margin },
              measured: beats.calm.mean,
            },
          ],
        ),
        figures: {
          heartbeatJitterMs: beats.jitter.mean,
          pingJitterMs: pings.jitter.mean,
          heartbeatMs: beats.calm.mean,
          pingMs: pings.calm.mean,
        },
        why: 'A ping waits for two messages, a beat is overdue one Tm after the period, counted from the arrival of the one before: that is sooner only where messages usually come long before Tm.',
      },
      [CLAIMS.tokenFewer.id]: {
        runs: one(
          'token',
          `ten watch ten: ${brief(tokens.mesh)} messages a second for each link, against ${brief(beats.mesh)} (beats) and ${brief(pings.mesh)} (pings)`,
          [
            { published: { below: beats.mesh }, measured: tokens.mesh },
            { published: { below: pings.mesh }, measured: tokens.mesh },
          ],
        ),
        figures: { token: tokens.mesh, heartbeat: beats.mesh, ping: pings.mesh },
        why: 'One token tells everybody about everybody. Where nine watch only one it saves little: 000 says “multiple nodes by multiple nodes”, and is right to.',
      },
      [CLAIMS.tokenLater.id]: {
        runs: one(
          'token',
          `${shownEstimate(tokens.calm, ' ms')} against ${shownEstimate(beats.calm, ' ms')} (beats): ${brief(tokens.calm.mean / beats.calm.mean)} times`,
          [beats, pings].map(({ calm }) => {
            return { published: { above: calm.mean + calm.margin }, measured: tokens.calm.mean }
          }),
        ),
        figures: { tokenMs: tokens.calm.mean, heartbeatMs: beats.calm.mean },
        why: 'Who misses the token asks first whom it waited for. `docs/detectors.md` has the same figures.',
      },
      [CLAIMS.list.id]: {
        runs: one(
          'ping',
          `${brief(pings.known)} ms if the dead is on the list; a call of Garcia-Molina’s to a dead node waits ${brief(callMs)} ms, our detector, if the dead is not on the list, ${brief(pings.unknown)} ms`,
          [{ published: { below: callMs }, measured: pings.known, formula: 0 }],
        ),
        figures: { knownMs: pings.known, callMs, unknownMs: pings.unknown },
        why: 'What is listed is answered at once, whatever the time-outs are; those of the calls, 20 ms, and of our detector, a round trip and a quarter, are ours. The list must not be wrong: `000-fd-up-to-date`.',
      },
      ...signals(setup),
    },
    tables: [
      tableOf(
        `Detectors, measured: ten members, a period of 100 ms, ${crashes} crashes. Messages a second for each watched link; milliseconds from the crash, and from a request about a dead member.`,
        rows,
        {
          detector: (r) => `\`${r.name}\``,
          'star, msg/s': (r) => brief(r.star),
          'mesh, msg/s': (r) => brief(r.mesh),
          'detection, ms': (r) => shownEstimate(r.calm),
          'with jitter, ms': (r) => shownEstimate(r.jitter),
          'request, known, ms': (r) => brief(r.known),
          'request, unknown, ms': (r) => brief(r.unknown),
        },
      ),
    ],
  }
}

/** How long a member that calls a dead one by Garcia-Molina’s algorithm waits before it calls the next one. */
function callTime(setup: Setup): number {
  const world = new World(
    configure({
      algorithm: setup.algorithm('garcia-molina'),
      members: 4,
      down: [3, 4],
      initiators: [2],
      network: { latency: CALM },
    }),
  )
  const calls: number[] = []
  observe(world, {
    sent: ({ from, message: { type } }) => {
      if (from === 2 && type === 'areYouThere') calls.push(world.now / 1000)
    },
  })
  world.runUntil(1_000_000)
  return calls[1] - calls[0]
}

function signals(setup: Setup): Findings['outcomes'] {
  const detectors = [ping, heartbeat, token, phi]
  const counts = detectors.map((detector) => answersToRequests(detector, setup.seed))
  // The notice takes 1 to 5 ms.
  const [early, late] = [0.5, 20].map((ms) => askAfterRecovery(ping, ms, setup.seed))
  return {
    [CLAIMS.once.id]: {
      runs: detectors.map(({ name }, i) => ({
        algorithm: name,
        shown: `${[...new Set(counts[i])].join(' or ')} answer to each of nine requests`,
        cases: counts[i].map((measured) => ({ published: 1, measured, formula: 1 })),
      })),
      figures: { most: Math.max(...counts.flat()) },
      why: 'Half a minute, in which the node that was down has recovered.',
    },
    [CLAIMS.upToDate.id]: {
      runs: [
        {
          algorithm: 'ping',
          shown: `asked 0.5 ms after the recovery: ${early.verdict}; 20 ms after it: ${late.verdict}`,
          cases: [fact(early.verdict !== 'down', false), fact(late.verdict !== 'down', true)],
        },
      ],
      figures: { early: Number(early.verdict === 'up'), late: Number(late.verdict === 'up') },
      why: 'A list and this requirement contradict each other. bellwether lets a recovering node announce itself, and keep silent until all must have heard: its election has not yet begun when the list is wrong.',
    },
    [CLAIMS.notices.id]: {
      runs: [
        {
          algorithm: 'ping',
          shown: `${late.notices} messages from the recovered node of ten; asked 20 ms after the recovery: ${late.verdict}`,
          cases: [
            { published: 9, measured: late.notices, formula: 9 },
            fact(late.verdict === 'up', true),
          ],
        },
      ],
      figures: { notices: late.notices },
      why: 'As the text says.',
    },
  }
}

export const detectorExperiments: readonly Experiment[] = [
  { name: '000-detectors', claims: Object.values(CLAIMS), measure: compare },
]
