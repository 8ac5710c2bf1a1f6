/** Measures both forms of 003's election on groups of five real processes after `kill -9` of the leader, and compares the mean times with Figures 3 and 4. */
import type {
  Claim,
  Findings,
  Outcome,
  Plot,
  ProcessExperiment,
  ProcessOptions,
} from '../harness/claim.ts'
import { brief, estimate, mean, quantile, shownEstimate } from '../harness/statistics.ts'
import { durationPlot } from './duration-plot.ts'
import { FiveProcesses, TIMING, type Loss } from './five-processes.ts'
import { meanFirstDraws } from './launch-formulas.ts'

const CLAIMS = {
  unoptimised: {
    id: '003-processes-fig3',
    source: '003 §2.5, Fig. 3, on five processes',
    claim: 'Unoptimised, a leader is chosen in 210 ms on the average; 90 % within about 325 ms.',
    published: '210 ms; 90 % ≤ 325',
    tolerance: 0.1,
    parameters: ['nodes', 'threshold', 'consecutive', 'processes'],
    formula: `detection + ${brief(meanFirstDraws(4))} draws + the time-out for the dead leader, 2·Tm + Tp`,
  },
  optimised: {
    id: '003-processes-fig4',
    source: '003 §2.5, Fig. 4, on five processes',
    claim: 'Optimised, the average is 191 ms; 90 % within about 325 ms.',
    published: '191 ms; 90 % ≤ 325',
    tolerance: 0.1,
    parameters: ['nodes', 'threshold', 'consecutive', 'processes'],
    formula: `detection + ${brief(meanFirstDraws(4))} draws`,
  },
} satisfies Record<string, Claim>

const FORMS = {
  unoptimised: { algorithm: 'roulette', safety: 'advisory' },
  optimised: { algorithm: 'roulette-majority', safety: 'quorum' },
} as const
type Form = keyof typeof FORMS

/** Groups of five at once: more would fight for two cores, and draw more slowly. */
const GROUPS: readonly Form[] = ['unoptimised', 'optimised', 'unoptimised', 'optimised']
/** Between two elections: not always at the same moment of a period. */
const PAUSE_MS = { least: 20, spread: 60 }

async function measure({ elections, signal, progress }: ProcessOptions): Promise<Findings> {
  const losses: Record<Form, Loss[]> = { unoptimised: [], optimised: [] }
  const total = (): number => losses.unoptimised.length + losses.optimised.length
  let begun = 0
  // If one group fails, the others need not go on.
  const failure = new AbortController()
  const stop = AbortSignal.any([signal, failure.signal])
  const work = GROUPS.map(async (form) => {
    const { algorithm, safety } = FORMS[form]
    const cluster = await FiveProcesses.open(algorithm, safety)
    try {
      while (begun < elections) {
        begun += 1
        const pauseMs = PAUSE_MS.least + PAUSE_MS.spread * Math.random()
        losses[form].push(await cluster.loseLeader(pauseMs, stop))
        progress(total())
      }
    } catch (error) {
      failure.abort(error)
      throw error
    } finally {
      cluster.close()
    }
  })
  const ends = await Promise.allSettled(work)
  signal.throwIfAborted()
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason as Error
  return findingsOf(losses)
}

function findingsOf({ unoptimised, optimised }: Record<Form, readonly Loss[]>): Findings {
  const timeOutMs = 2 * TIMING.message + TIMING.message / 10
  return {
    outcomes: {
      [CLAIMS.unoptimised.id]: outcome('unoptimised', unoptimised, 210, timeOutMs),
      [CLAIMS.optimised.id]: outcome('optimised', optimised, 191, 0),
    },
    plots: [plot('3', 'unoptimised', unoptimised, 210), plot('4', 'optimised', optimised, 191)],
  }
}

function outcome(
  form: Form,
  losses: readonly Loss[],
  published: number,
  timeOutMs: number,
): Outcome {
  const times = losses.map(({ ms }) => ms)
  const found = estimate(times)
  // Each node draws at a pace of its own: the first launch depends on how many draws they make together.
  const paces = losses.flatMap(({ drawsMs }) =>
    drawsMs.length === 0 ? [] : [1 / mean(drawsMs.map((ms) => 1 / ms))],
  )
  const drawMs = mean(paces)
  const noticedMs = mean(losses.map(({ noticedMs: ms }) => ms))
  const predicted = noticedMs + meanFirstDraws(4) * drawMs + timeOutMs
  const [least, most] = [Math.min(...times), Math.max(...times)]
  const p90 = quantile(times, 0.9)
  return {
    runs: [
      {
        algorithm: FORMS[form].algorithm,
        reading: 'five processes, kill -9 of the leader',
        shown: `${shownEstimate(found, ' ms')}; ${brief(least)} to ${brief(most)}; 90 % ≤ ${brief(p90)} (${times.length} elections)`,
        cases: [
          {
            published,
            measured: found.mean,
            // Real machines have bad moments: a quarter, or what chance allows.
            formula: predicted,
            margin: Math.max(0.075 * predicted, found.margin),
          },
          { published: { atMost: 325 }, measured: p90 },
        ],
        samples: times,
      },
    ],
    figures: {
      meanMs: found.mean,
      marginMs: found.margin,
      minMs: least,
      maxMs: most,
      p90Ms: p90,
      elections: times.length,
      drawMs,
      noticedMs,
      predictedMs: predicted,
    },
    why: `A draw took ${drawMs.toFixed(2)} ms here (the runtime’s timers have whole milliseconds), the first survivor noticed after ${brief(noticedMs)} ms: together ${brief(predicted)} ms are expected. The mean follows the interval of the draws, which grows with the load of the machine and which the document does not tell; the shape, an exponential tail over a fixed cost, is the document’s.`,
  }
}

function plot(figure: string, form: Form, losses: readonly Loss[], published: number): Plot {
  const times = losses.map(({ ms }) => ms)
  const about = {
    name: `003-processes-fig${figure}`,
    caption: `How long ${times.length} elections of four surviving processes took after kill -9 of their leader, ${form}; the mean, and the published mean of Fig. ${figure}.`,
    title: `003 Fig. ${figure} on five real processes, ${form}`,
    xLabel: 'from the kill until all survivors know, ms',
  }
  return durationPlot(about, times, published)
}

export const processExperiment: ProcessExperiment = {
  name: '003-processes',
  claims: [CLAIMS.unoptimised, CLAIMS.optimised],
  measure,
}
