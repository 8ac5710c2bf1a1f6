/** Measures four detectors (ping, heartbeat, token, phi) for the claims of 000 §2.2: messages, detection time, and answer time with and without the down list. */
import { heartbeat, phi, ping, token } from 'bellwether/detectors'
import type { Latency } from 'bellwether/sim'
import {
  tableOf,
  type Claim,
  type Experiment,
  type Findings,
  type Run,
  type Setup,
} from '../harness/claim.ts'
import { observe, worldOf } from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import {
  brief,
  estimate,
  mean,
  shownEstimate,
  shownGain,
  type Estimate,
} from '../harness/statistics.ts'
import { fact } from '../harness/verdict.ts'
import { answerTime, askAfterRecovery, detectionTimes, messageRate } from './watchers.ts'

const DETECTORS = '000 §2.2 “Failure Detector”'
const settings = { source: DETECTORS, parameters: ['watchers', 'period', 'calm'] } as const

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
    parameters: ['watchers', 'period', 'calm', 'jitter'],
    claim: '“I’m alive” messages reduce the latency of the detector.',
    published: 'less',
    formula:
      'by the time-outs of the detectors here Tm − 2d less, d the mean time of a message: less where that is under half of Tm, more, by up to Tm, where it is over half',
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
    formula: 'by the detector here a lap of the ring and a question more',
  },
  list: {
    id: '000-down-list',
    ...settings,
    claim:
      'By its list of crashed nodes the detector informs its client more promptly than Garcia-Molina’s time-outs.',
    published: 'more promptly',
    formula: '0 instead of To, which is 10 ms at least here, twice the longest message',
  },
  upToDate: {
    id: '000-fd-up-to-date',
    ...settings,
    claim:
      'It is required that the client receives DownSig only if the node is down after the most recent Request_FD.',
    parameters: [...settings.parameters, 'askedAfter'],
    published: 'only if it is down',
    formula: 'not while the notice of its recovery is under way: the list still has it (B15)',
  },
} satisfies Record<string, Claim>

const [, CRASHES] = PARAMETERS.watchers.value
const [least, most] = PARAMETERS.calm.value
const CALM: Latency = { kind: 'uniform', minUs: 1000 * least, maxUs: 1000 * most }
const [median, sigma] = PARAMETERS.jitter.value
const JITTER: Latency = { kind: 'lognormal', medianUs: 1000 * median, sigma }

function compare(setup: Setup): Findings {
  const crashes = setup.samples(CRASHES)
  const seed = 1000 * (setup.seed - 1)
  const rows = [ping, heartbeat, token, phi].map((detector) => ({
    name: detector.name,
    star: messageRate(detector, 'star', setup.seed),
    mesh: messageRate(detector, 'mesh', setup.seed),
    calm: detectionTimes(detector, CALM, crashes, seed),
    jitter: detectionTimes(detector, JITTER, crashes, seed),
    known: answerTime(detector, true, setup.seed),
    unknown: answerTime(detector, false, setup.seed),
  }))
  const [pings, beats, tokens] = rows
  const less = (key: 'calm' | 'jitter'): Estimate =>
    estimate(pings[key].map((ms, i) => ms - beats[key][i]))
  const sooner = { calm: less('calm'), jitter: less('jitter') }
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
        why: 'Nine watch one, or all ten watch each other. Every 100 ms a beat, every fifth time a renewal of the subscription; a ping is a question and an answer.',
      },
      [CLAIMS.beatsSooner.id]: {
        runs: one(
          'heartbeat',
          (['jitter', 'calm'] as const)
            .map((key) => {
              const [ping, beat] = [pings, beats].map((one) => brief(mean(one[key])))
              const how = key === 'jitter' ? 'lognormal' : 'uniform'
              return `${how} latency: ${ping} ms with pings, ${beat} ms with beats, ${shownGain(sooner[key], ' ms')}`
            })
            .join('; '),
          // Sooner than chance would have it.
          [sooner.jitter, sooner.calm].map(({ mean: measured, margin }) => {
            return { published: { above: margin }, measured }
          }),
        ),
        figures: {
          heartbeatJitterMs: mean(beats.jitter),
          pingJitterMs: mean(pings.jitter),
          heartbeatMs: mean(beats.calm),
          pingMs: mean(pings.calm),
        },
        why: 'The same crashes under both, compared one by one. With τ for the period and d for the mean time of a message, a ping takes τ/2 + 2Tm − d on the average, and a beat, overdue one Tm after the period, counted from the arrival of the one before, τ/2 + Tm + d; both wait for a grace of half of Tm more. 000 does not say from when a beat or an answer is overdue; so the detectors here count. Beats are Tm − 2d sooner: by that formula less where messages take less than half of Tm on the average, and later, by up to Tm, where they take more. A beat that is overdue one Tm after it was due to be sent (freshness points: Chen, Toueg, Aguilera) would take τ/2 + Tm, never more than the ping, since d is at most Tm. Measured are the two latencies in the table of parameters.',
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
        why: 'One token tells everybody about everybody. Where nine watch only one it saves less: 000 says “multiple nodes by multiple nodes”, and is right to.',
      },
      [CLAIMS.tokenLater.id]: {
        runs: one(
          'token',
          `${shownEstimate(estimate(tokens.calm), ' ms')} against ${shownEstimate(estimate(beats.calm), ' ms')} (beats) and ${shownEstimate(estimate(pings.calm), ' ms')} (pings)`,
          [beats, pings].map(({ calm }) => {
            const other = estimate(calm)
            return { published: { above: other.mean + other.margin }, measured: mean(tokens.calm) }
          }),
        ),
        figures: { tokenMs: mean(tokens.calm), heartbeatMs: mean(beats.calm) },
        why: 'Nine watch one, with the uniform latency. Who misses the token asks first whom it waited for. `docs/detectors.md` has these figures, too.',
      },
      [CLAIMS.list.id]: {
        runs: one(
          'ping',
          `${brief(pings.known)} ms if the dead is on the list; a call of Garcia-Molina’s to a dead node waits ${brief(callMs)} ms, our detector, if the dead is not on the list, ${brief(pings.unknown)} ms`,
          [{ published: { below: callMs }, measured: pings.known, formula: 0 }],
        ),
        figures: { knownMs: pings.known, callMs, unknownMs: pings.unknown },
        why: 'The calls are those of a group of four, two of which are dead. What is listed is answered at once, without a message (in the simulator such a signal takes no time: more promptly as long as one takes less than a time-out), whatever the time-outs are; those of the calls, 20 ms, and of our detector, a round trip and a quarter, are ours. The list must not be wrong: `000-fd-up-to-date`.',
      },
      ...staleList(setup),
    },
    tables: [
      tableOf(
        `Detectors, measured: ten members, a period of 100 ms, ${crashes} crashes. Messages a second for each watched link; milliseconds from the crash, and from a request about a dead member.`,
        rows,
        {
          detector: (r) => `\`${r.name}\``,
          'star, msg/s': (r) => brief(r.star),
          'mesh, msg/s': (r) => brief(r.mesh),
          'detection, uniform latency, ms': (r) => shownEstimate(estimate(r.calm)),
          'detection, lognormal latency, ms': (r) => shownEstimate(estimate(r.jitter)),
          'request, known, ms': (r) => brief(r.known),
          'request, unknown, ms': (r) => brief(r.unknown),
        },
      ),
    ],
  }
}

/** How long a member that calls a dead one by Garcia-Molina’s algorithm waits before it calls the next one. */
function callTime(setup: Setup): number {
  const world = worldOf(setup, 'garcia-molina', {
    members: 4,
    down: [3, 4],
    initiators: [2],
    network: { latency: CALM },
  })
  const calls: number[] = []
  observe(world, {
    sent: ({ from, message: { type } }) => {
      if (from === 2 && type === 'areYouThere') calls.push(world.now / 1000)
    },
  })
  world.runUntil(1_000_000)
  return calls[1] - calls[0]
}

/** What the list says of a node that has just recovered. */
function staleList(setup: Setup): Findings['outcomes'] {
  const instants = PARAMETERS.askedAfter.value
  const [early, late] = instants.map((ms) => askAfterRecovery(ping, ms, setup.seed))
  return {
    [CLAIMS.upToDate.id]: {
      runs: [
        {
          algorithm: 'ping',
          shown: `asked ${instants[0]} ms after the recovery: ${early.verdict}; ${instants[1]} ms after it: ${late.verdict}`,
          cases: [fact(early.verdict !== 'down', false), fact(late.verdict !== 'down', true)],
        },
      ],
      figures: { early: Number(early.verdict === 'up'), late: Number(late.verdict === 'up') },
      why: 'The notice of a recovery takes as long as any message, here 1 to 5 ms; until it has arrived, the node is on the list, and the list answers without asking. bellwether lets a recovering node announce itself, and keep silent until all must have heard: its election has not yet begun when the list is wrong.',
    },
  }
}

export const detectorExperiments: readonly Experiment[] = [
  { name: '000-detectors', claims: Object.values(CLAIMS), measure: compare },
]
