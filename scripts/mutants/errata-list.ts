/** The list of defects that the errata mark as checked: the algorithm, budget and property that show each. */
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

const three = { members: 3, start: 'settled' } as const
const LEADS = 'the strongest leads'
const ONE = 'one leader at a time'
const wheel = { faces: 3, threshold: 1, consecutive: 1 }
const slow = { members: 3, timers: 'async', maxInFlight: 2 } as const

export const ERRATA: readonly Shown[] = [
  {
    defect: 'B1',
    what: 'two elections share an id',
    by: { without: 'nextel' },
    given: { ...three, crashes: 2, recoveries: 2 },
    property: 'agreement',
  },
  {
    defect: 'B2',
    what: 'ids repeat across recoveries',
    by: { without: 'incarn' },
    given: { ...three, crashes: 2, recoveries: 2 },
    property: 'agreement',
  },
  {
    defect: 'B3',
    what: 'an Ack of another election counts',
    by: { without: 'ackT' },
    given: { ...three, crashes: 2, recoveries: 2 },
    property: 'agreement',
  },
  {
    defect: 'B4',
    what: 'completion is tested on Ack only',
    by: 'bully-fd-as-printed',
    given: { members: 2, start: 'settled', crashes: 1 },
    property: LEADS,
  },
  {
    defect: 'B5',
    what: 'a waiting member asks about no peer',
    by: 'bully-fd-as-printed',
    given: { ...three, crashes: 2, options: { j: 'nobody' } },
    property: LEADS,
  },
  {
    defect: 'B6, B14',
    what: 'superiors are asked about once',
    by: { without: 're1' },
    given: { ...three, crashes: 2 },
    property: LEADS,
  },
  {
    defect: 'B7',
    what: 'a Halt is sent once',
    by: { without: 're2' },
    given: { members: 2, crashes: 1, recoveries: 1 },
    property: LEADS,
  },
  {
    defect: 'B8',
    what: 'a late Halt takes a follower away: the fifteen steps',
    by: 'bully-fd-as-printed',
    given: { ...three, crashes: 1, recoveries: 1 },
    property: 'agreement',
  },
  {
    defect: 'B8',
    what: 'without the confirmation three mistakes of the detector are enough, with it four',
    by: { without: 'prec' },
    given: { ...three, detector: 'eventual', mistakes: 3 },
    property: 'agreement',
  },
  {
    defect: 'B9, B10, B11',
    what: 'what was found down or halted may be so no longer',
    by: { without: 'recheck' },
    given: { ...three, crashes: 1, recoveries: 1 },
    property: 'agreement',
  },
  {
    defect: 'B12',
    what: 'a Halt and a Ldr of one id are accepted twice',
    by: { without: 'fresh' },
    given: { members: 3, crashes: 1, timers: 'async', maxInFlight: 2 },
    property: 'agreement',
  },
  {
    defect: 'B13',
    what: 'only the status is compared: a split stays',
    by: { without: 'normAny' },
    given: { ...three, detector: 'eventual', mistakes: 4 },
    property: LEADS,
    inTheEnd: true,
  },
  {
    defect: 'B15',
    what: 'a down list that outlives a recovery is a mistake of the detector: three of them',
    by: 'bully-fd',
    given: {
      members: 2,
      start: 'settled',
      crashes: 1,
      recoveries: 1,
      detector: 'eventual',
      mistakes: 3,
    },
    property: 'agreement',
  },
  {
    defect: 'B16',
    what: 'NotNorm is answered with Ldr at once',
    by: { without: 'joinRecheck' },
    given: { ...three, crashes: 1, recoveries: 1 },
    property: 'agreement',
  },
  {
    defect: 'Q2',
    what: 'a vote is not stable: two leaders with the votes of a majority',
    by: { algorithm: 'bully-fd-quorum', forgets: VOTE_FIELD },
    given: { members: 3, crashes: 1, recoveries: 1, detector: 'eventual', mistakes: 1 },
    property: 'one backed leader',
    aside: ['termsRise'],
  },
  {
    defect: 'Q3',
    what: 'a vote is not stable: a later leader has a smaller term',
    by: { algorithm: 'bully-fd-quorum', forgets: VOTE_FIELD },
    given: { members: 3, crashes: 1, recoveries: 1, detector: 'eventual', mistakes: 1 },
    property: 'newer terms',
    aside: ['termsRise', 'voteField'],
  },
  {
    defect: 'T-a',
    what: 'the last message wins, for ever',
    by: 'bully-as-printed',
    given: { ...three, crashes: 1, recoveries: 1 },
    property: LEADS,
  },
  {
    defect: 'T-b',
    what: 'no second time-out',
    by: 'bully-as-printed',
    given: { members: 3, crashes: 2, options: { form: '000' } },
    property: LEADS,
  },
  {
    defect: 'T-c',
    what: 'two leaders for a moment in a recovery, repaired or not',
    by: 'bully',
    given: { ...three, crashes: 1, recoveries: 1, judge: ['agreement'] },
    property: 'agreement',
  },
  {
    defect: 'T-d',
    what: 'one lost message',
    by: 'bully-as-printed',
    given: { members: 3, drops: 1 },
    property: LEADS,
  },
  {
    defect: 'C-b',
    what: 'one crash, the ring repaired: no leader',
    by: 'chang-roberts-as-printed',
    given: { members: 3, crashes: 1, options: { repair: 'yes' } },
    property: LEADS,
  },
  {
    defect: 'R-a',
    what: 'shifted COORDINATORs; for ever in `src/algorithms/specimens/ring-as-printed.test.ts`',
    by: 'ring-as-printed',
    given: { members: 3, crashes: 1, recoveries: 1, judge: ['agreement'] },
    property: 'agreement',
  },
  {
    defect: 'R-b, R-c',
    what: 'holder or initiator crashes: lost, or round for ever',
    by: 'ring-as-printed',
    given: { members: 2, crashes: 1 },
    property: LEADS,
  },
  {
    defect: 'W-a',
    what: 'a voter votes again: two coordinators and no failure',
    by: 'roulette-as-printed',
    given: { ...slow, single: 'coordinator', options: { ...wheel, form: 'five-step' } },
    property: 'one at a time',
  },
  {
    defect: 'W-b',
    what: 'a majority after the time-out: two coordinators though the refused revert',
    by: 'roulette-as-printed',
    given: {
      ...slow,
      single: 'coordinator',
      options: { ...wheel, form: 'time-out', revert: 'yes' },
    },
    property: 'one at a time',
  },
  {
    defect: 'W-c',
    what: 'the second round has no number: two leaders',
    by: 'roulette-as-printed',
    given: { members: 3, drops: 1, judge: [ONE], options: { form: 'vote-once' } },
    property: ONE,
  },
  {
    defect: 'W-d',
    what: 'rule 7: the first choice was only slow',
    by: 'roulette-as-printed',
    given: { ...slow, judge: [ONE], options: { form: 'vote-once' } },
    property: ONE,
  },
  {
    defect: 'W-e',
    what: 'the coordinator crashes: no voter has a time-out',
    by: 'roulette-as-printed',
    given: { members: 3, crashes: 1, options: { form: 'vote-once' } },
    property: 'agreement in the end',
  },
  {
    defect: 'W-f',
    what: 'a majority of those that are up: both sides elect',
    by: 'roulette-as-printed',
    given: { members: 3, cuts: 1, judge: [ONE], options: { form: 'vote-once', majorityOf: 'up' } },
    property: ONE,
  },
  {
    defect: 'W-g',
    what: 'a vote is not stable: two coordinators',
    by: 'roulette-as-printed',
    given: {
      members: 3,
      crashes: 1,
      recoveries: 1,
      single: 'coordinator',
      options: { form: 'vote-once' },
    },
    property: 'one at a time',
  },
]

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
