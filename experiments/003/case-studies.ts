/** Plays the case studies and rules of 003 §2 with members driven by hand, under each reading of the text. */
import type { OptionValues } from 'bellwether/core'
import type { Case, Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { range } from '../harness/elections.ts'
import { LoneMember } from '../harness/lone-member.ts'
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
  },
  second: {
    id: '003-case-2',
    source: '003 §2.1.2, case study 2',
    claim:
      'A waits though it has a majority; D votes for B, too; C refuses A; A votes for B; B alone becomes coordinator, and C the leader.',
    published: 'B is the coordinator; C leads',
    formula:
      'the same where A needs all votes, or reverts when refused; else A becomes coordinator, too (W-a)',
  },
  fourStep: {
    id: '003-four-step',
    source: '003 §2, steps 1 to 4',
    claim:
      'In the first form one number above the threshold is enough; “the modified algorithm” needs three.',
    published: '1 and 3 numbers',
    formula: '1 and 3 numbers',
    parameters: ['threshold', 'consecutive'],
  },
  greatest: {
    id: '003-greatest-number',
    source: '003 §2.2, the modified algorithm, steps 1 and 2',
    claim:
      'A candidate sends its greatest number, and a voter sends its greatest number in its response.',
    published: 'the greatest number generated',
    formula: 'the greatest, in positive and in negative responses',
  },
  own: {
    id: '003-votes-for-itself',
    source: '003 §2.2, rule 1',
    claim:
      'A node that satisfied the condition votes for another only if that number is greater than its own.',
    published: 'only for a greater number',
    formula: 'only for a greater number',
  },
  equal: {
    id: '003-equal-numbers',
    source: '003 §2.2, rule 1',
    claim:
      'If two nodes send the same number and no coordinator can be selected, there is another round.',
    published: 'another round',
    formula:
      'another round where all votes are needed; with a majority, both may become coordinator',
  },
  rule3: {
    id: '003-rule-3',
    source: '003 §2.2, rule 3',
    claim:
      'A coordinator refuses a greater number with a flag that says that it is already coordinator.',
    published: 'a negative response with the flag',
    formula: 'a negative response with the flag',
  },
  rule5: {
    id: '003-rule-5',
    source: '003 §2.2, rule 5',
    claim: 'A node goes on generating numbers until one is large enough or a proposal arrives.',
    published: 'until then, and no longer',
    formula: 'until then, and no longer',
  },
  rule7: {
    id: '003-rule-7',
    source: '003 §2.2, rule 7',
    claim: 'If the chosen node fails before its heartbeat, the coordinator chooses another leader.',
    published: 'another leader',
    formula: 'another; if the first was only slow, there are two (W-d)',
  },
} satisfies Record<string, Claim>

/** Numbers above 6 launch. */
const LAUNCH = { faces: 10, threshold: 6, consecutive: 1 }
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
        why: 'The pictures are not in the text; the steps are those of the text beside them.',
      },
      [CLAIMS.second.id]: {
        runs: second,
        figures: Object.fromEntries(
          second.map(({ cases: own }, i) => [`alone${i}`, own[9].measured]),
        ),
        why: 'A has the votes of D, E and its own. D votes for B as well, and nothing takes its vote from A: only if A needs all votes, or reverts when it is refused, B alone is coordinator, as the case study tells it.',
      },
      ...rules(setup),
    },
  }
}

function rules(setup: Setup): Findings['outcomes'] {
  const member = (options: OptionValues = {}, of = 3): LoneMember =>
    new LoneMember(setup.algorithm(PRINTED), 1, of, {
      ...LAUNCH,
      form: 'five-step',
      ...options,
    }).start()
  const proposal = (number: number) => ({ type: 'proposal', number })
  const one = (claim: Claim, shown: string, all: Case[], why: string, reading?: string) => {
    const run = { algorithm: PRINTED, shown, cases: all }
    return {
      [claim.id]: {
        runs: [reading === undefined ? run : { ...run, reading }],
        figures: { met: all.filter(({ measured, published }) => measured === published).length },
        why,
      },
    }
  }
  const needed = (form: string): number => {
    const drawing = member({ form, consecutive: 3 })
    let numbers = 0
    while (drawing.sentOf('proposal').length === 0 && numbers < 9) {
      drawing.drawn('number', 8)
      numbers += 1
    }
    return numbers
  }
  const [four, five] = [needed('four-step'), needed('five-step')]
  const greatest = member({ consecutive: 2 }).drawn('number', 9).drawn('number', 1)
  greatest.drawn('number', 7).drawn('number', 6)
  const voter = member().drawn('number', 4).hears(2, proposal(9)).hears(3, proposal(8))
  const [yes, no] = [voter.sentOf('positive')[0], voter.sentOf('negative')[0]]
  const candidate = (): LoneMember => member().drawn('number', 7)
  const [less, more] = [7, 9].map((number) => candidate().hears(2, proposal(number)))
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
  // 7 is the number 8; where all are awaited, the time-out lets two of three votes suffice.
  const refusals = (['time-out', 'vote-once'] as const).map((form): Run => {
    const coordinator = member({ form }).drawn('number', 7)
    coordinator.hears(2, { type: 'positive', number: 4 })
    if (form === 'time-out') coordinator.timeout('answers')
    const flagged = coordinator.hears(3, proposal(10)).sentOf('negative')[0]
    return {
      algorithm: PRINTED,
      reading: `form ${form}`,
      shown: `answers ${flagged?.type}, already coordinator: ${String(flagged?.['coordinator'])}`,
      cases: [fact(flagged?.['coordinator'] === true, true)],
    }
  })
  const drawing = member().drawn('number', 2)
  const goesOn = drawing.timers.has('draw')
  const stops = !drawing.hears(2, proposal(9)).timers.has('draw')
  const chooser = member({ form: 'vote-once', wheelOf: 'received' }, 5).drawn('number', 7)
  chooser.hears(2, { type: 'positive', number: 4 }).hears(3, { type: 'positive', number: 4 })
  chooser.drawn('wheel', 0).timeout('heartbeat').drawn('wheel', 0)
  const chosen = chooser.sent
    .filter(({ message }) => message.type === 'announcement')
    .map(({ to }) => to)
  return {
    ...one(
      CLAIMS.fourStep,
      `${four} number and ${five} numbers`,
      [
        { published: 1, measured: four, formula: 1 },
        { published: 3, measured: five, formula: 3 },
      ],
      'As the two texts say.',
    ),
    ...one(
      CLAIMS.greatest,
      `proposes ${String(greatest.sentOf('proposal')[0]?.['number'])} after drawing 10, 2, 8, 7; a voter that drew 5 answers ${String(yes?.['number'])} and, refusing, ${String(no?.['number'])}`,
      [
        {
          published: 10,
          measured: Number(greatest.sentOf('proposal')[0]?.['number']),
          formula: 10,
        },
        { published: 5, measured: Number(yes?.['number']), formula: 5 },
        { published: 5, measured: Number(no?.['number']), formula: 5 },
      ],
      'The response to a refused candidate is a response, too.',
    ),
    ...one(
      CLAIMS.own,
      `with its own number 8: ${less.sent.at(-1)!.message.type} to 7, ${more.sent.at(-1)!.message.type} to 9`,
      [
        fact(less.sent.at(-1)!.message.type === 'negative', true),
        fact(more.sent.at(-1)!.message.type === 'positive', true),
      ],
      'As rule 1 says.',
    ),
    [CLAIMS.equal.id]: {
      runs: equal,
      figures: { majority: equal[0].cases[0].measured, all: equal[1].cases[0].measured },
      why: 'A third node has to vote for both: it “has not voted before for a bigger value”. Where a majority is enough, a coordinator can be selected, and there may be two.',
    },
    [CLAIMS.rule3.id]: {
      runs: refusals,
      figures: { met: refusals[0].cases[0].measured },
      why: 'As rule 3 says, also where a node that is not yet coordinator would vote for the greater number.',
    },
    ...one(
      CLAIMS.rule5,
      `draws again after a small number: ${String(goesOn)}; stops at a proposal: ${String(stops)}`,
      [fact(goesOn, true), fact(stops, true)],
      'As rule 5 says.',
    ),
    ...one(
      CLAIMS.rule7,
      `announces to ${chosen.join(', then to ')}`,
      [fact(chosen.length === 2 && chosen[0] !== chosen[1], true)],
      'The first choice gets no second message: if it was slow and not down, both lead.',
      'form vote-once',
    ),
  }
}

export const caseExperiments: readonly Experiment[] = [
  { name: '003-cases', claims: Object.values(CLAIMS), measure: cases },
]
