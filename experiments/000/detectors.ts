/** Measures four detectors (ping, heartbeat, token, phi) for the claims of 000 §2.2: messages, detection time, and answer time with and without the down list. */
import { heartbeat, phi, ping, token } from 'bellwether/detectors'
import type { Latency } from 'bellwether/sim'
import {
  tableOf,
  type Claim,
  type Experiment,
  type Findings,
  type Setup,
} from '../harness/claim.ts'
import { judgeFact } from '../harness/judge.ts'
import { brief, shownEstimate, type Estimate } from '../harness/statistics.ts'
import { answerTime, detectionTime, messageRate } from './watchers.ts'

const DETECTORS = '000 §2.2 “Failure Detector”'

const CLAIMS = {
  beatsFewer: {
    id: '000-heartbeat-messages',
    source: DETECTORS,
    claim: '“I’m alive” messages use fewer messages than “Are you alive?”.',
    published: 'fewer',
    formula: '1 a period, and a renewal now and then, instead of 2',
  },
  beatsSooner: {
    id: '000-heartbeat-latency',
    source: DETECTORS,
    claim: '“I’m alive” messages reduce the latency of the detector.',
    published: 'less',
    formula:
      'less where messages usually take far less than Tm; the same where they take nearly Tm',
  },
  tokenFewer: {
    id: '000-token-messages',
    source: DETECTORS,
    claim: 'A token on a logical ring uses fewer messages if many monitor many.',
    published: 'fewer',
    formula: 'n a lap instead of n(n − 1) a period',
  },
  tokenLater: {
    id: '000-token-latency',
    source: DETECTORS,
    claim: 'The token comes at the expense of increased detection latency.',
    published: 'more',
    formula: 'a lap of the ring and a question more',
  },
  list: {
    id: '000-down-list',
    source: DETECTORS,
    claim: 'By its list of crashed nodes the detector informs its client more promptly.',
    published: 'more promptly',
    formula: '0 instead of To',
  },
} satisfies Record<string, Claim>

/** A message takes 1 to 5 ms; or half of them longer than 2 ms, one in a thousand longer than Tm = 12.8 ms. */
const CALM: Latency = { kind: 'uniform', minUs: 1000, maxUs: 5000 }
const JITTER: Latency = { kind: 'lognormal', medianUs: 2000, sigma: 0.6 }

function compare(setup: Setup): Findings {
  const crashes = setup.samples(240)
  const rows = [ping, heartbeat, token, phi].map((detector) => ({
    name: detector.name,
    star: messageRate(detector, 'star', setup.seed),
    mesh: messageRate(detector, 'mesh', setup.seed),
    calm: detectionTime(detector, CALM, crashes, 1000 * setup.seed),
    jitter: detectionTime(detector, JITTER, crashes, 1000 * setup.seed),
    known: answerTime(detector, true, setup.seed),
    unknown: answerTime(detector, false, setup.seed),
  }))
  const [pings, beats, tokens] = rows
  const times = tokens.calm.mean / beats.calm.mean
  const apart = (a: Estimate, b: Estimate): number =>
    (a.mean - b.mean) / Math.hypot(a.margin, b.margin)
  const isSooner = apart(pings.jitter, beats.jitter) > 1
  const isSameCalm = Math.abs(apart(pings.calm, beats.calm)) < 2
  return {
    outcomes: {
      [CLAIMS.beatsFewer.id]: {
        measured: `${brief(beats.star)} messages a second on each link, against ${brief(pings.star)}`,
        figures: { heartbeat: beats.star, ping: pings.star },
        verdict: judgeFact(beats.star < pings.star, true),
        why: 'Every 100 ms a beat, every fifth time a renewal of the subscription; a ping is a question and an answer.',
      },
      [CLAIMS.beatsSooner.id]: {
        measured: `with jitter ${shownEstimate(beats.jitter, ' ms')} against ${shownEstimate(pings.jitter, ' ms')}; without ${shownEstimate(beats.calm, ' ms')} against ${shownEstimate(pings.calm, ' ms')}`,
        figures: {
          heartbeatJitterMs: beats.jitter.mean,
          pingJitterMs: pings.jitter.mean,
          heartbeatMs: beats.calm.mean,
          pingMs: pings.calm.mean,
        },
        verdict: isSooner && isSameCalm ? 'holds with a correction' : 'unexplained',
        why: 'A ping waits for two messages, a beat is overdue one Tm after the period, counted from the arrival of the one before: that is sooner only where messages usually come long before Tm.',
      },
      [CLAIMS.tokenFewer.id]: {
        measured: `ten watch ten: ${brief(tokens.mesh)} messages a second for each link, against ${brief(beats.mesh)} (beats) and ${brief(pings.mesh)} (pings)`,
        figures: { token: tokens.mesh, heartbeat: beats.mesh, ping: pings.mesh },
        verdict: judgeFact(tokens.mesh < beats.mesh && tokens.mesh < pings.mesh, true),
        why: 'One token tells everybody about everybody. Where nine watch only one it saves little: 000 says “multiple nodes by multiple nodes”, and is right to.',
      },
      [CLAIMS.tokenLater.id]: {
        measured: `${shownEstimate(tokens.calm, ' ms')} against ${shownEstimate(beats.calm, ' ms')} (beats): ${brief(times)} times`,
        figures: { tokenMs: tokens.calm.mean, heartbeatMs: beats.calm.mean },
        verdict: judgeFact(tokens.calm.mean > beats.calm.mean + beats.calm.margin, true),
        why: 'Who misses the token asks first whom it waited for.',
      },
      [CLAIMS.list.id]: {
        measured: `${brief(pings.known)} ms if the dead is on the list, ${brief(pings.unknown)} ms if not`,
        figures: { knownMs: pings.known, unknownMs: pings.unknown },
        verdict: judgeFact(pings.known < pings.unknown, true),
        why: 'It must not be wrong: a recovering node has to announce itself and keep silent until all have heard, or the corrected algorithm, too, gets two leaders (B15).',
      },
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

export const detectorExperiments: readonly Experiment[] = [
  { name: '000-detectors', claims: Object.values(CLAIMS), measure: compare },
]
