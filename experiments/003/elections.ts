/** Measures simulated elections of 003: messages (§2.3), gain of the optimised form by group size, share of split votes (Figure 5, and with one number), how often each member leads. */
import type { OptionValues } from 'bellwether/core'
import type { Case, Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import {
  constant,
  electQuickly,
  observe,
  range,
  runToAgreement,
  worldOf,
} from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { line, linePlot, markers } from '../harness/plot.ts'
import { estimate, mean, share, shownEstimate, shownShare } from '../harness/statistics.ts'
import { CHARITABLE, holdVote, NODES, PRINTED, SURVIVORS } from './forms.ts'

const LAUNCH = ['nodes', 'threshold', 'consecutive', 'drawMs', 'calm'] as const

const CLAIMS = {
  messages: {
    id: '003-messages',
    source: '003 §2.3',
    claim: 'With v nodes there are 2v − 1 messages, heartbeats aside.',
    published: '2v − 1',
    parameters: ['rareDraws', 'calm'],
    formula:
      '2v − 1 with one candidate, if the coordinator’s own number is not on the wheel; else 1 less if it elects itself',
  },
  parts: {
    id: '003-messages-parts',
    source: '003 §2.3',
    claim: 'They are v − 1 proposals, v − 1 responses and one message from coordinator to leader.',
    published: 'v − 1, v − 1, 1',
    parameters: ['rareDraws', 'calm'],
    formula: 'v − 1, v − 1, 1 with one candidate',
  },
  larger: {
    id: '003-larger-networks',
    source: '003 §2.5',
    claim: 'The optimization should have a greater impact in bigger networks.',
    published: 'greater impact',
    formula: 'waiting for the slowest of n − 1 answers instead of the median one: grows with n',
    parameters: ['rareDraws', 'larger', 'largerLatency'],
  },
  split: {
    id: '003-fig5',
    source: '003 §2.5, Fig. 5',
    claim: 'In less than 10 % of the cases there was a split vote.',
    published: '< 10 %',
    formula:
      'several candidates in 1 − exp(−3w/385 ms), w the time of a message: below 10 % up to w = 13.5 ms; a round without a coordinator far more seldom',
    tolerance: 0.05,
    parameters: ['nodes', 'drawers', 'threshold', 'consecutive', 'drawMs', 'windows'],
  },
  fourStep: {
    id: '003-four-step',
    source: '003 §2, steps 1 to 4, and §2.4',
    claim:
      'With one single number, as in the first form, the probability that multiple nodes satisfy the condition is very high.',
    published: 'very high (read: over 99 %, as “almost all nodes”, in the first 100 ms)',
    formula:
      '1 − 0.77·0.85^(3·⌊w/1.108 ms⌋): another one draws a large number in the same step, or before a message of w arrives',
    parameters: ['nodes', 'drawers', 'threshold', 'drawMs', 'firstMs', 'windows'],
  },
  lowest: {
    id: '003-raft-lowest',
    source: '003 §1, on Raft',
    claim:
      'In Raft the node with the lowest time-out becomes candidate, and leader when the others vote it in majority.',
    published: 'the only candidate leads',
    formula: 'the only candidate leads; of several, the first where votes do not split',
    parameters: ['nodes', 'raftDefault', 'calm'],
  },
  chance: {
    id: '003-chance-for-all',
    source: '003 §1, §3',
    claim: 'The algorithm gives a chance to every participant node.',
    published: 'all nodes',
    formula: 'about 1/n each',
    parameters: LAUNCH,
  },
  same: {
    id: '003-same-chances',
    source: '003 §2',
    claim: 'The roulette wheel gives almost the same chances to all the nodes.',
    published: 'almost the same',
    formula: '1/n each: the greatest of many draws is nearly the same for all',
    tolerance: 0.1,
    parameters: LAUNCH,
  },
  differs: {
    id: '003-leader-differs',
    source: '003 §1',
    claim: 'The final leader can differ from the candidate that coordinates the vote.',
    published: 'can differ',
    formula:
      'it differs in about (n − 1)/n of the elections, if the coordinator’s number is on the wheel',
    parameters: LAUNCH,
  },
} satisfies Record<string, Claim>

/** So seldom that hardly ever two launch within the time of a message, however many draw. */
const [CONSECUTIVE, DRAW_EVERY] = PARAMETERS.rareDraws.value
const RARE = { consecutive: CONSECUTIVE, drawEveryMs: DRAW_EVERY }

function messages(setup: Setup): Findings {
  const sizes = range(2, 48)
  const counted = (v: number, wheelOf: 'voters' | 'received', down: readonly number[] = []) => {
    const options = { form: 'time-out', wheelOf, ...RARE, ...CHARITABLE }
    const initiators = down.length > 0 ? range(1, v).filter((id) => !down.includes(id)) : null
    const given = { members: v, seed: setup.seed + v, down, initiators, options }
    const { byType } = electQuickly(setup, PRINTED, given)
    const of = (type: string): number => byType[type] ?? 0
    return {
      v,
      proposals: of('proposal'),
      responses: of('positive') + of('negative'),
      announcements: of('announcement'),
    }
  }
  const [voters, received] = (['voters', 'received'] as const).map((wheelOf) =>
    sizes.map((v) => counted(v, wheelOf)),
  )
  const crashed = sizes.slice(1).map((v) => counted(v, 'received', [v]))
  type Counted = (typeof voters)[number]
  const total = ({ proposals, responses, announcements }: Counted): number =>
    proposals + responses + announcements
  const runOf = (reading: string, ran: readonly Counted[], ofDead = 0): Run => {
    const right = ran.filter((one) => total(one) === 2 * one.v - 1).length
    return {
      algorithm: PRINTED,
      reading,
      shown: `2v − 1 messages in ${right} of ${ran.length} elections, v = ${ran[0].v} to 48; ${total(ran.at(-1)!)} at v = 48`,
      cases: ran.map((one) => ({
        published: 2 * one.v - 1,
        measured: total(one),
        formula: 2 * one.v - 2 - ofDead + one.announcements,
      })),
    }
  }
  return {
    outcomes: {
      [CLAIMS.messages.id]: {
        runs: [
          runOf('the wheel has the numbers of all voters', voters),
          runOf('the wheel has the numbers received from others', received),
          {
            ...runOf(
              'the wheel has the numbers received from others, and one of the v is down',
              crashed,
              1,
            ),
            beside: true,
          },
        ],
        figures: { voters: voters.filter((one) => total(one) === 2 * one.v - 1).length },
        why: 'With one candidate, of which the list of 003 §2.3 speaks: draws are rare here, so that no second one launches before the proposal arrives; a second one sends v − 1 proposals of its own, and gets v − 1 responses. Step 3 speaks of “the numbers received from other nodes”: read literally, the coordinator cannot elect itself, and the count is exact. If its own number is on the wheel, it may, and needs no announcement. After the crash of a leader one of the v nodes does not respond: 2v − 2.',
      },
      [CLAIMS.parts.id]: {
        runs: [
          {
            algorithm: PRINTED,
            reading: 'the wheel has the numbers received from others',
            shown: `${received.at(-1)!.proposals}, ${received.at(-1)!.responses} and ${received.at(-1)!.announcements} messages at v = 48, the greatest of v = 2 to 48`,
            cases: received.flatMap(({ v, proposals, responses, announcements }) => [
              { published: v - 1, measured: proposals, formula: v - 1 },
              { published: v - 1, measured: responses, formula: v - 1 },
              { published: 1, measured: announcements, formula: 1 },
            ]),
          },
        ],
        figures: { proposals: received.at(-1)!.proposals },
        why: 'As the text says, with one candidate (draws are rare here), in the unoptimised form (time-out), with all nodes up.',
      },
    },
  }
}

function larger(setup: Setup): Findings {
  const sizes = PARAMETERS.larger.value
  const [median, sigma] = PARAMETERS.largerLatency.value
  const latency = { kind: 'lognormal', medianUs: 1000 * median, sigma } as const
  const gains = (slow: [string, OptionValues], fast: [string, OptionValues]) =>
    sizes.map((n) => {
      const differences = range(1, setup.samples(100)).map((i) => {
        const given = { members: n, seed: setup.seed * 7919 + i, network: { latency } }
        const [slowMs, fastMs] = [slow, fast].map(
          ([name, options]) => electQuickly(setup, name, { ...given, options }).ms,
        )
        return slowMs - fastMs
      })
      return { n, gain: estimate(differences.filter((ms) => !Number.isNaN(ms))) }
    })
  const printed = gains(
    [PRINTED, { form: 'time-out', ...RARE, ...CHARITABLE }],
    [PRINTED, { form: 'vote-once', ...RARE, ...CHARITABLE }],
  )
  const corrected = gains(['roulette', RARE], ['roulette-majority', { ...RARE, leasePeriods: 0 }])
  const runOf = (algorithm: string, found: typeof printed): Run => {
    const [least, most] = [found[0].gain, found.at(-1)!.gain]
    return {
      algorithm,
      shown: `saves ${shownEstimate(least, ' ms')} with 5 nodes, ${shownEstimate(most, ' ms')} with 65`,
      cases: [
        { published: { above: least.mean + least.margin + most.margin }, measured: most.mean },
      ],
    }
  }
  return {
    outcomes: {
      [CLAIMS.larger.id]: {
        runs: [runOf(PRINTED, printed), runOf('roulette', corrected)],
        figures: { gain5Ms: printed[0].gain.mean, gain65Ms: printed.at(-1)!.gain.mean },
        why: 'All nodes are up, latency is lognormal (median 3 ms, σ 0.8): the more answers, the later the slowest of them; the median answer stays where it is. 003 tells no latency: the gain comes from its spread, and where every message takes the same time there is none to grow.',
      },
    },
    plots: [
      linePlot({
        name: '003-larger-networks',
        caption:
          'What the optimised form saves by not waiting for the last answer, by the size of the network. Bars: 95 % intervals.',
        title: '003 §2.5: gain of the optimised form',
        x: { label: 'nodes', log: true },
        y: { label: 'time saved, ms', min: 0 },
        series: [
          { name: 'as printed', points: printed.map(({ n, gain }) => [n, gain.mean, gain.margin]) },
          {
            name: 'corrected',
            points: corrected.map(({ n, gain }) => [n, gain.mean, gain.margin]),
          },
        ],
      }),
    ],
  }
}

const WINDOWS = PARAMETERS.windows.value

/** The share of elections with several candidates if one large number is enough and four draw in step. */
function formulaOfOne(w: number): number {
  const p = 1 - PARAMETERS.threshold.value
  const q = 1 - p
  const others = SURVIVORS.length - 1
  const alone = ((others + 1) * p * q ** others) / (1 - q ** (others + 1))
  return 1 - alone * q ** (others * Math.floor(w / PARAMETERS.drawMs.value))
}

/** How many survivors are candidates before one leads, and after how long. */
function candidates(
  setup: Setup,
  algorithm: string,
  messageMs: number,
  i: number,
  options: OptionValues,
) {
  const world = worldOf(setup, algorithm, {
    members: NODES,
    seed: setup.seed * 1_000_003 + i,
    down: [NODES],
    initiators: SURVIVORS,
    options,
    network: constant(messageMs),
    timing: { periodMs: Math.max(400, 5 * messageMs) },
  })
  const { votedFor, isLost } = holdVote(world)
  const proposals = world.messageCounts.byType['proposal'] ?? 0
  return {
    count: proposals / (NODES - 1),
    ms: world.monitors.agreedSince / 1000,
    votedFor: votedFor.size,
    isLost: isLost(),
  }
}

function splitVotes(setup: Setup): Findings {
  const count = setup.samples(1000)
  const of = (algorithm: string, options: OptionValues, windows: readonly number[] = WINDOWS) =>
    windows.map((w) => {
      const ran = range(1, count).map((i) => candidates(setup, algorithm, w, i, options))
      return {
        w,
        split: share(ran.filter((one) => one.count > 1).length, count),
        votes: share(ran.filter((one) => one.votedFor > 1).length, count),
        lost: share(ran.filter((one) => one.isLost).length, count),
        ms: mean(ran.map(({ ms }) => ms).filter((ms) => !Number.isNaN(ms))),
      }
    })
  const printed = of(PRINTED, { form: 'time-out', ...CHARITABLE })
  const once = of(PRINTED, { form: 'vote-once', ...CHARITABLE })
  const corrected = of('roulette', {})
  const single = of(PRINTED, { form: 'four-step' })
  // Nobody hears of another before the 100 ms are over.
  const early = of(PRINTED, { form: 'four-step' }, [PARAMETERS.firstMs.value])
  const formula = (w: number): number => 1 - Math.exp((-3 * w) / 385)
  const at = (found: typeof printed, w: number) => found.find((one) => one.w === w)!
  const splitRun = (algorithm: string, found: typeof printed): Run => ({
    algorithm,
    shown: `${shownWindows(found)} (${count} elections each)`,
    cases: casesOf(found),
  })
  const shownWindows = (found: typeof printed): string =>
    found.map(({ w, split }) => `messages of ${w} ms: ${shownShare(split)}`).join('; ')
  const divided = (reading: string, found: typeof printed, key: 'votes' | 'lost'): Run => ({
    algorithm: PRINTED,
    reading,
    shown: `${found.map((one) => `messages of ${one.w} ms: ${shownShare(one[key])}`).join('; ')} (${count} elections each)`,
    cases: found.map((one) => ({ published: { below: 0.1 }, measured: one[key].share })),
  })
  const singleRun = (
    reading: string,
    found: typeof printed,
    published: Case['published'],
  ): Run => ({
    algorithm: PRINTED,
    reading,
    shown: `${shownWindows(found)} (${count} elections each)`,
    cases: found.map(({ w, split }) => ({
      published,
      measured: split.share,
      formula: formulaOfOne(w),
      margin: (split.high - split.low) / 2,
    })),
  })
  const casesOf = (found: typeof printed): Case[] =>
    found.map(({ w, split }) => ({
      published: { below: 0.1 },
      measured: split.share,
      formula: formula(w),
      // Survivors draw in step here: who launches in the same step adds at most a hundredth.
      margin: (split.high - split.low + 0.01) / 2,
    }))
  return {
    outcomes: {
      [CLAIMS.split.id]: {
        runs: [
          { ...splitRun(PRINTED, printed), reading: 'more than one candidate' },
          divided('votes are cast for more than one candidate', printed, 'votes'),
          divided('a round without a coordinator', printed, 'lost'),
          divided('optimised, a round without a coordinator', once, 'lost'),
          { ...splitRun('roulette', corrected), reading: 'more than one candidate' },
        ],
        figures: {
          at5ms: at(printed, 5).split.share,
          at20ms: at(printed, 20).split.share,
          lostAt20ms: at(printed, 20).lost.share,
        },
        why: 'A second candidate appears if another of the three launches before the proposal arrives. How often is a matter of latency, of which 003 says nothing: below 10 % up to 13.5 ms a message, by our formula. A split vote may also be read as votes for several candidates, or as a round in which “no coordinator can be selected” (rule 1). Read so, it stays below 10 % at each latency measured; a round without a coordinator did not occur in the unoptimised form, where the greater of two numbers gets the votes. So the claim holds by these readings, and by candidates it is neither confirmed nor refuted.',
      },
      [CLAIMS.fourStep.id]: {
        runs: [
          singleRun('form four-step, in the first 100 ms', early, { above: 0.99 }),
          {
            ...singleRun('form four-step, beside the 10 % of Fig. 5', single, { atLeast: 0.1 }),
            beside: true,
          },
        ],
        figures: { at1ms: at(single, 1).split.share, at5ms: at(single, 5).split.share },
        why: 'Measured is in how many elections more than one of four nodes satisfies the condition within 100 ms: no message arrives earlier here. With faster messages it is fewer, since a proposal ends the drawing of its receiver; with three numbers in a row far fewer: `003-fig5`.',
      },
      ...lowest(setup),
    },
    plots: [
      linePlot({
        name: '003-fig5',
        caption: `Share of elections with more than one candidate, by the time of a message; ${count} elections for each point, bars: 95 % intervals.`,
        title: '003 Fig. 5: how often votes split',
        x: { label: 'time of a message w, ms', min: 0 },
        y: { label: 'elections with several candidates, %', min: 0 },
        series: [
          line('1 − exp(−3w/385)', range(0, 40), (i) => [i / 2, 100 * formula(i / 2)]),
          markers('roulette as printed', printed, ({ w, split }) => [
            w,
            100 * split.share,
            50 * (split.high - split.low),
          ]),
          line('published, < 10 %', [0, 20], (w) => [w, 10]),
        ],
      }),
    ],
  }
}

/** Whether the first to ask for votes leads in the end. */
function lowest(setup: Setup): Findings['outcomes'] {
  const count = setup.samples(300)
  const ran = range(1, count).map((i) => {
    const world = worldOf(setup, 'raft', {
      members: NODES,
      seed: setup.seed * 31 + i,
      down: [NODES],
      initiators: SURVIVORS,
      options: { timeout: PARAMETERS.raftDefault.value },
    })
    const asked: number[] = []
    observe(world, {
      sent: ({ from, message: { type } }) => {
        if (type === 'requestVote' && !asked.includes(from)) asked.push(from)
      },
    })
    runToAgreement(world)
    return { isAlone: asked.length === 1, leads: world.monitors.agreed === asked[0] }
  })
  const alone = ran.filter(({ isAlone }) => isAlone)
  const led = alone.filter(({ leads }) => leads).length
  return {
    [CLAIMS.lowest.id]: {
      runs: [
        {
          algorithm: 'raft',
          shown: `the only candidate led in ${led} of ${alone.length} elections; in ${count - alone.length} of ${count} there were several candidates`,
          cases: [{ published: alone.length, measured: led, formula: alone.length }],
        },
      ],
      figures: { led, split: count - alone.length },
      why: '003 says that votes may split where two time-outs are almost the same; it does not say how often.',
    },
  }
}

function chances(setup: Setup): Findings {
  const count = setup.samples(2500)
  const of = (algorithm: string, options: OptionValues) => {
    const leads = new Array<number>(NODES).fill(0)
    let differs = 0
    let ended = 0
    const unended = { several: 0, one: 0, none: 0 }
    for (const i of range(1, count)) {
      const given = { members: NODES, seed: setup.seed * 31 + i, options }
      const { leader, byType, world } = electQuickly(setup, algorithm, given)
      if (leader === 0) {
        const leaders = world.states.slice(1).filter(({ status }) => status === 'leader').length
        unended[leaders > 1 ? 'several' : leaders === 1 ? 'one' : 'none'] += 1
        continue
      }
      ended += 1
      leads[leader - 1] += 1
      if ((byType['announcement'] ?? 0) > 0) differs += 1
    }
    return {
      algorithm,
      leads: leads.map((times) => share(times, ended)),
      differs: share(differs, ended),
      ended,
      unended,
    }
  }
  const both = [of(PRINTED, { form: 'time-out', ...CHARITABLE }), of('roulette', {})]
  // As printed, two leaders may remain for ever.
  const ofWhich = (ended: number): string =>
    ended === count
      ? `the ${count.toLocaleString('en')} elections`
      : `the ${ended.toLocaleString('en')} of ${count.toLocaleString('en')} elections that end with one leader`
  const { several, one, none } = both[0].unended
  const ofForms = `The unoptimised form (time-out); all five nodes begin.${
    both[0].ended === count
      ? ''
      : ` As printed, ${count - both[0].ended} elections had come to no agreement when nothing more could happen, or after two minutes of virtual time: in ${several} of them several nodes led, in ${one} one did, which not all followed, in ${none} nobody. They are not counted.`
  }`
  const shownLeads = ({ leads, ended }: (typeof both)[number]): string => {
    const shares = leads.map(({ share: one }) => 100 * one)
    return `each of 5 leads in ${Math.min(...shares).toFixed(1)} to ${Math.max(...shares).toFixed(1)} % of ${ofWhich(ended)}`
  }
  return {
    outcomes: {
      [CLAIMS.chance.id]: {
        runs: both.map((one) => ({
          algorithm: one.algorithm,
          shown: shownLeads(one),
          cases: one.leads.map(({ share: measured }) => ({ published: { above: 0 }, measured })),
        })),
        figures: { least: Math.min(...both[0].leads.map(({ share: one }) => one)) },
        why: `${ofForms} Every voter is on the wheel.`,
      },
      [CLAIMS.same.id]: {
        runs: both.map((one) => ({
          algorithm: one.algorithm,
          shown: shownLeads(one),
          cases: one.leads.map(({ share: measured, high, low }) => ({
            published: 1 / NODES,
            measured,
            margin: (high - low) / 2,
            formula: 1 / NODES,
          })),
        })),
        figures: { most: Math.max(...both[0].leads.map(({ share: one }) => one)) },
        why: `${ofForms} The wheel gives each voter as many places as its greatest number says. By the first launch of five, each has drawn some seventy numbers, so that the greatest of each is close to 1.`,
      },
      [CLAIMS.differs.id]: {
        runs: both.map(({ algorithm, differs, ended }) => ({
          algorithm,
          shown: `it differs in ${shownShare(differs)} of ${ofWhich(ended)}`,
          cases: [{ published: { above: 0 }, measured: differs.share }],
        })),
        figures: { differs: both[0].differs.share },
        why: `${ofForms} One of five voters is the coordinator itself.`,
      },
    },
  }
}

const { split, fourStep, lowest: lowestClaim, chance, same, differs } = CLAIMS

export const electionExperiments: readonly Experiment[] = [
  { name: '003-messages', claims: [CLAIMS.messages, CLAIMS.parts], measure: messages },
  { name: '003-larger-networks', claims: [CLAIMS.larger], measure: larger },
  { name: '003-split-votes', claims: [split, fourStep, lowestClaim], measure: splitVotes },
  { name: '003-chances', claims: [chance, same, differs], measure: chances },
]
