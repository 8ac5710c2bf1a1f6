/** The list of the documents' defects: algorithm, budget and property with which the checker shows each, or the test that does. */
import { algorithms } from '../../src/algorithms/index.ts'
import type { CheckOptions } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import {
  withVolatileField,
  VOTE_FIELD,
  withoutPromises,
  type SkippedPromises,
} from './volatile-fields.ts'
import { bullyFdWithout, type Correction } from './named-mutants.ts'

export interface Shown {
  readonly defect: string
  /** What goes wrong, in a few words. */
  readonly what: string
  /** A registered algorithm, Bully_FD without a correction, or an algorithm that forgets a stable field. */
  readonly by:
    | string
    | { readonly without: Correction }
    | { readonly algorithm: string; readonly forgets: string }
  readonly given: Partial<CheckOptions> & { readonly members: number }
  /** The property that breaks. */
  readonly property: string
  /** Only agreement in the end is judged, not moments of disagreement. */
  readonly inTheEnd?: true
  readonly aside?: SkippedPromises
}

/** Defects that no property of states shows, such as a number of messages, and the tests that show them. */
export const ELSEWHERE: readonly (readonly [defect: string, what: string, test: string])[] = [
  [
    'T-e',
    '004 starts an election in an election, and broadcasts victory',
    'specimens/bully-as-printed.test.ts',
  ],
  [
    'T-f',
    'a coordinator that is asked elects again: more messages',
    'specimens/bully-as-printed.test.ts',
  ],
  [
    'C-a',
    'a participant starts: elected twice, more messages',
    'specimens/chang-roberts-as-printed.test.ts',
  ],
  ['C-c', '3n−1 is the worst case of one initiator only', 'chang-roberts.test.ts'],
  [
    'R-d',
    'each member that finds its own number in the list announces',
    'specimens/ring-as-printed.test.ts',
  ],
  ['R-e', 'a COORDINATOR is lost, and is not repeated', 'specimens/ring-as-printed.test.ts'],
  ['W-h', 'the best number, or the first', 'specimens/roulette-as-printed.test.ts'],
  [
    'W-i',
    'a candidate that votes for another stays one, which causes W-a',
    'specimens/roulette-as-printed.test.ts',
  ],
]

type Row = readonly [
  defect: string,
  what: string,
  by: Shown['by'],
  property: string,
  given: Shown['given'],
  more?: Pick<Shown, 'inTheEnd' | 'aside'>,
]

const PRINTED_BULLY = 'bully-as-printed'
const PRINTED_FD = 'bully-fd-as-printed'
const PRINTED_RING = 'ring-as-printed'
const WHEEL = 'roulette-as-printed'
const VOLATILE_VOTE = { algorithm: 'bully-fd-quorum', forgets: VOTE_FIELD }
const AGREES = 'agreement'
const LEADS = 'the strongest leads'
const ONE = 'one leader at a time'
const COORDINATOR = 'one at a time'
const two = { members: 2, start: 'settled' } as const
const three = { members: 3, start: 'settled' } as const
const once = { ...three, crashes: 1, recoveries: 1 }
const twice = { ...three, crashes: 2, recoveries: 2 }
const errs = { members: 3, crashes: 1, recoveries: 1, detector: 'eventual', mistakes: 1 } as const
const wheel = { faces: 3, threshold: 1, consecutive: 1 }
const voteOnce = { form: 'vote-once' }
const slow = { members: 3, timers: 'async', maxInFlight: 2 } as const

const ROWS: readonly Row[] = [
  ['B1', 'two elections share an id', { without: 'nextel' }, AGREES, twice],
  ['B2', 'ids repeat across recoveries', { without: 'incarn' }, AGREES, twice],
  ['B3', 'an Ack of another election counts', { without: 'ackT' }, AGREES, twice],
  ['B4', 'completion is tested on Ack only', PRINTED_FD, LEADS, { ...two, crashes: 1 }],
  [
    'B5',
    'a waiting member asks about no peer',
    PRINTED_FD,
    LEADS,
    { ...three, crashes: 2, options: { j: 'nobody' } },
  ],
  [
    'B6, B14',
    'superiors are asked about once',
    { without: 're1' },
    LEADS,
    { ...three, crashes: 2 },
  ],
  [
    'B7',
    'a Halt is sent once',
    { without: 're2' },
    LEADS,
    { members: 2, crashes: 1, recoveries: 1 },
  ],
  ['B8', 'a late Halt takes a follower away: the fifteen steps', PRINTED_FD, AGREES, once],
  [
    'B8',
    'without the confirmation three mistakes of the detector are enough, with it four',
    { without: 'prec' },
    AGREES,
    { ...three, detector: 'eventual', mistakes: 3 },
  ],
  [
    'B9, B10, B11',
    'what was found down or halted may be so no longer',
    { without: 'recheck' },
    AGREES,
    once,
  ],
  [
    'B12',
    'a Halt and a Ldr of one id are accepted twice',
    { without: 'fresh' },
    AGREES,
    { members: 3, crashes: 1, timers: 'async', maxInFlight: 2 },
  ],
  [
    'B13',
    'only the status is compared: a split stays',
    { without: 'normAny' },
    LEADS,
    { ...three, detector: 'eventual', mistakes: 4 },
    { inTheEnd: true },
  ],
  [
    'B15',
    'a down list that outlives a recovery is a mistake of the detector: three of them',
    'bully-fd',
    AGREES,
    { ...two, crashes: 1, recoveries: 1, detector: 'eventual', mistakes: 3 },
  ],
  ['B16', 'NotNorm is answered with Ldr at once', { without: 'joinRecheck' }, AGREES, once],
  [
    'Q2',
    'a vote is not stable: two leaders with the votes of a majority',
    VOLATILE_VOTE,
    'one backed leader',
    errs,
    { aside: ['termsRise'] },
  ],
  [
    'Q3',
    'a vote is not stable: a later leader has a smaller term',
    VOLATILE_VOTE,
    'newer terms',
    errs,
    { aside: ['termsRise', 'voteField'] },
  ],
  ['T-a', 'the last message wins, for ever', PRINTED_BULLY, LEADS, once],
  [
    'T-b',
    'no second time-out',
    PRINTED_BULLY,
    LEADS,
    { members: 3, crashes: 2, options: { form: '000' } },
  ],
  [
    'T-c',
    'two leaders for a moment in a recovery, repaired or not',
    'bully',
    AGREES,
    { ...once, judge: ['agreement'] },
  ],
  ['T-d', 'one lost message', PRINTED_BULLY, LEADS, { members: 3, drops: 1 }],
  [
    'C-b',
    'one crash, the ring repaired: no leader',
    'chang-roberts-as-printed',
    LEADS,
    { members: 3, crashes: 1, options: { repair: 'yes' } },
  ],
  [
    'R-a',
    'shifted COORDINATORs; for ever in `src/algorithms/specimens/ring-as-printed.test.ts`',
    PRINTED_RING,
    AGREES,
    { members: 3, crashes: 1, recoveries: 1, judge: ['agreement'] },
  ],
  [
    'R-b, R-c',
    'holder or initiator crashes: lost, or round for ever',
    PRINTED_RING,
    LEADS,
    { members: 2, crashes: 1 },
  ],
  [
    'W-a',
    'a voter votes again: two coordinators and no failure',
    WHEEL,
    COORDINATOR,
    { ...slow, single: 'coordinator', options: { ...wheel, form: 'five-step' } },
  ],
  [
    'W-b',
    'a majority after the time-out: two coordinators though the refused revert',
    WHEEL,
    COORDINATOR,
    { ...slow, single: 'coordinator', options: { ...wheel, form: 'time-out', revert: 'yes' } },
  ],
  [
    'W-c',
    'the second round has no number: two leaders',
    WHEEL,
    ONE,
    { members: 3, drops: 1, judge: [ONE], options: voteOnce },
  ],
  [
    'W-d',
    'rule 7: the first choice was only slow',
    WHEEL,
    ONE,
    { ...slow, judge: [ONE], options: voteOnce },
  ],
  [
    'W-e',
    'the coordinator crashes: no voter has a time-out',
    WHEEL,
    'agreement in the end',
    { members: 3, crashes: 1, options: voteOnce },
  ],
  [
    'W-f',
    'a majority of those that are up: both sides elect',
    WHEEL,
    ONE,
    { members: 3, cuts: 1, judge: [ONE], options: { form: 'vote-once', majorityOf: 'up' } },
  ],
  [
    'W-g',
    'a vote is not stable: two coordinators',
    WHEEL,
    COORDINATOR,
    { members: 3, crashes: 1, recoveries: 1, single: 'coordinator', options: voteOnce },
  ],
]

export const ERRATA: readonly Shown[] = ROWS.map(([defect, what, by, property, given, more]) => {
  return { defect, what, by, property, given, ...more }
})

export async function algorithmOf({ by, inTheEnd, aside }: Shown): Promise<Algorithm> {
  const found = await foundBy(by)
  if (aside !== undefined) return withoutPromises(found, aside)
  if (inTheEnd !== true) return found
  return { ...found, promises: { ...found.promises, agreement: 'eventually' } }
}

async function foundBy(by: Shown['by']): Promise<Algorithm> {
  if (typeof by === 'string') return algorithms.find(({ name }) => name === by)!
  return 'without' in by ? bullyFdWithout(by.without) : withVolatileField(by.algorithm, by.forgets)
}
