/** Plays the case studies of 003 §2.1, and two equal numbers, with members driven by hand, under each reading of the text. */
import type { OptionValues } from 'bellwether/core'
import type { Case, Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { range } from '../harness/elections.ts'
import { LoneMember } from '../harness/lone-member.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { fact } from '../harness/verdict.ts'
import { NODES, PRINTED } from './forms.ts'

const CLAIMS = {
  first: {
    id: '003-case-1',
    source: '003 §2.1.1, case study 1',
    claim:
      'A, the only candidate, receives positive messages from all other nodes, chooses C, and C sends heartbeats.',
    published: '4 positive; C leads; heartbeats to all',
    formula: 'the same, under every reading',
    parameters: ['nodes', 'caseNumbers'],
  },
  second: {
    id: '003-case-2',
    source: '003 §2.1.2, case study 2',
    claim:
      'A waits though it has a majority; D votes for B, too; C refuses A; A votes for B; B alone becomes coordinator, and C the leader.',
    published: 'B is the coordinator; C leads',
    formula:
      'the same where A needs all votes, or reverts when refused, or gives up its own vote when it votes for B; else A becomes coordinator, too (W-a)',
    parameters: ['nodes', 'caseNumbers'],
  },
  equal: {
    id: '003-equal-numbers',
    source: '003 §2.2, rule 1',
    claim:
      'If two nodes send the same number and no coordinator can be selected, there is another round.',
    published: 'another round',
    formula:
      'another round where all votes are needed; with a majority, both may become coordinator',
    parameters: ['caseNumbers'],
  },
} satisfies Record<string, Claim>

const [FACES, THRESHOLD] = PARAMETERS.caseNumbers.value
const LAUNCH = { faces: FACES, threshold: THRESHOLD, consecutive: 1 }
const [A, B, C, D, E] = range(1, NODES)

/** Five nodes, and the messages between them in the order in which a case study lets them arrive. */
class Circle {
  private readonly members: LoneMember[] = []
  private readonly delivered = new Set<unknown>()

  constructor(setup: Setup, options: OptionValues, numbers: readonly number[]) {
    const algorithm = setup.algorithm(PRINTED)
    numbers.forEach((number, i) => {
      const member = new LoneMember(algorithm, i + 1, NODES, { ...LAUNCH, ...options }).start()
      this.members[i + 1] = member.drawn('number', number - 1)
    })
  }

  of(id: number): LoneMember {
    return this.members[id]
  }

  /** The first message of these types that has not yet arrived; returns its type. */
  deliver(from: number, to: number, ...types: string[]): string {
    const next = this.of(from).sent.find(
      (one) => one.to === to && types.includes(one.message.type) && !this.delivered.has(one),
    )!
    this.delivered.add(next)
    this.of(to).hears(from, next.message)
    return next.message.type
  }

  /** A proposal there and its answer back; returns the answer. */
  ask(from: number, to: number): string {
    this.deliver(from, to, 'proposal')
    return this.deliver(to, from, 'positive', 'negative')
  }

  /** The wheel of a coordinator stops at that node. */
  spin(coordinator: number, chosen: number): void {
    const { state } = this.of(coordinator)
    if (state.status !== 'coordinator') return
    const numbers = state['numbers'] as { get(id: number): number }
    let place = 0
    for (const voter of state['votes'] as Iterable<number>) {
      if (voter === chosen) break
      place += numbers.get(voter)
    }
    this.of(coordinator).drawn('wheel', place)
  }
}

const READINGS: readonly {
  readonly reading: string
  readonly options: OptionValues
  readonly one: boolean
}[] = [
  { reading: 'a majority of the votes, a refused candidate stays one', options: {}, one: false },
  { reading: '“all the positive votes” (step 3)', options: { votes: 'all' }, one: true },
  {
    reading: 'a refused candidate reverts (rule 1, step 4)',
    options: { revert: 'yes' },
    one: true,
  },
  {
    reading: 'a candidate that votes for another gives up its own vote',
    options: { ownVote: 'moved' },
    one: true,
  },
]

function cases(setup: Setup): Findings {
  const runs = (
    play: (options: OptionValues, isOne: boolean) => { shown: string; cases: Case[] },
  ): Run[] =>
    READINGS.map(({ reading, options, one }) => {
      return { algorithm: PRINTED, reading, ...play({ form: 'five-step', ...options }, one) }
    })
  const first = runs((options) => {
    const circle = new Circle(setup, options, [7, 2, 4, 3, 5])
    const answers = [B, C, D, E].map((peer) => circle.ask(A, peer))
    circle.spin(A, C)
    circle.deliver(A, C, 'announcement')
    const heartbeats = circle.of(C).sentOf('heartbeat').length
    const positive = answers.filter((answer) => answer === 'positive').length
    return {
      shown: `${positive} positive answers; C is ${circle.of(C).state.status}, and sends ${heartbeats} heartbeats`,
      cases: [
        { published: 4, measured: positive, formula: 4 },
        fact(circle.of(C).state.status === 'leader', true),
        { published: 4, measured: heartbeats, formula: 4 },
      ],
    }
  })
  const second = runs((options, isOne) => {
    // B draws the greatest number; A is a candidate, too.
    const circle = new Circle(setup, options, [7, 9, 4, 3, 5])
    const toA = [circle.ask(A, D), circle.ask(A, E)]
    const waits = circle.of(A).state.status === 'candidate'
    const toB = [circle.ask(B, C), circle.ask(B, D)]
    const refused = circle.ask(A, C)
    const ofA = circle.ask(B, A)
    // “B gets one more positive answer and A one negative.”
    const more = [circle.ask(B, E), circle.ask(A, B)]
    const [a, b] = [circle.of(A).state.status, circle.of(B).state.status]
    circle.spin(B, C)
    if (b === 'coordinator') circle.deliver(B, C, 'announcement')
    const isC = circle.of(C).state.status === 'leader'
    const answers = [...toA, ...toB, refused, ofA, ...more]
    const expected = [
      'positive',
      'positive',
      'positive',
      'positive',
      'negative',
      'positive',
      'positive',
      'negative',
    ]
    return {
      shown: `answers as told: ${answers.filter((answer, i) => answer === expected[i]).length} of 8; in the end A is ${a}, B ${b}, C ${isC ? 'leader' : 'no leader'}`,
      cases: [
        ...answers.map((answer, i) => fact(answer === expected[i], true)),
        fact(waits, true),
        fact(a !== 'coordinator', isOne),
        fact(b === 'coordinator', true),
        fact(isC, true),
      ],
    }
  })
  return {
    outcomes: {
      [CLAIMS.first.id]: {
        runs: first,
        figures: { positive: first[0].cases[0].measured },
        why: 'The pictures are not in the text; the steps are those of the text beside them. The numbers, of which the text has none, are set by hand, and so is where the wheel stops: what is measured are the answers and what follows from them.',
      },
      [CLAIMS.second.id]: {
        runs: second,
        figures: Object.fromEntries(
          second.map(({ cases: own }, i) => [`alone${i}`, own[9].measured]),
        ),
        why: 'A has the votes of D, E and its own. D votes for B as well, and nothing takes its vote from A. So B alone is coordinator, as the case study tells it, by three readings: A needs all votes; or it reverts when it is refused; or its own vote leaves it when it votes for B, which leaves two of five. Otherwise A becomes coordinator, too. The numbers are set by hand, B’s greater than A’s, and so is where the wheel stops.',
      },
      ...equalNumbers(setup),
    },
  }
}

function equalNumbers(setup: Setup): Findings['outcomes'] {
  const member = (options: OptionValues): LoneMember =>
    new LoneMember(setup.algorithm(PRINTED), 1, 3, {
      ...LAUNCH,
      form: 'five-step',
      ...options,
    }).start()
  const proposal = (number: number) => ({ type: 'proposal', number })
  const equal = (['majority', 'all'] as const).map((votes): Run => {
    const tied = member({ votes }).drawn('number', 7).hears(2, proposal(8))
    tied.hears(2, { type: 'negative', coordinator: false, number: 8 })
    tied.hears(3, { type: 'positive', number: 2 })
    const isDrawing = tied.state['drawing'] === true
    return {
      algorithm: PRINTED,
      reading: votes === 'all' ? '“all the positive votes”' : 'a majority of the votes',
      shown: isDrawing ? 'it draws again' : `it is ${tied.state.status}`,
      cases: [fact(isDrawing, votes === 'all')],
      // A coordinator can be selected: the sentence does not speak of it.
      ...(votes === 'all' ? {} : { beside: true as const }),
    }
  })
  return {
    [CLAIMS.equal.id]: {
      runs: equal,
      figures: { majority: equal[0].cases[0].measured, all: equal[1].cases[0].measured },
      why: 'Three nodes. The third has to vote for both: it “has not voted before for a bigger value”. Where a majority is enough, a coordinator can be selected, and there may be two.',
    },
  }
}

export const caseExperiments: readonly Experiment[] = [
  { name: '003-cases', claims: Object.values(CLAIMS), measure: cases },
]
