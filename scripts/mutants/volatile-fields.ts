/** Algorithms that keep a durable field in memory only: what the checker says of each, or why it cannot. */
import { algorithms, bullyFdQuorum } from '../../src/algorithms/index.ts'
import { UNSHIFTED } from '../../src/check/reduction/counter-symmetry.ts'
import type { CheckOptions } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { RecordSchema, UnionSchema, type Fields } from '../../src/core/schema.ts'

/** A counter that a crash sets to 0 bears no shift. */
export function forgetful(name: string, field: string): Algorithm {
  const algorithm = algorithms.find((one) => one.name === name)!
  const { state, messages } = algorithm
  const counts = state.fields[field].role === 'counter'
  const kept = (of: Fields): Fields => (counts ? unshifted(of) : of)
  const fields = kept(state.fields)
  const variants = [...messages.variants].map(([type, { fields: of }]) => [type, kept(of)])
  return {
    ...algorithm,
    name: `${name}-forgets-${field}`,
    state: new RecordSchema({ ...fields, [field]: { ...fields[field], stable: false } }),
    messages: new UnionSchema(Object.fromEntries(variants) as Record<string, Fields>),
  }
}

function unshifted(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, field]) => {
    return [name, field.role === 'counter' ? { ...field, stride: UNSHIFTED } : field]
  })
  return Object.fromEntries(entries) as Fields
}

/** Promises that are not judged, because they break sooner than the one that is to be shown. */
export type Aside = readonly ('voteField' | 'termsRise')[]

export function setAside(algorithm: Algorithm, aside: Aside): Algorithm {
  const { voteField, termsRise, ...promises } = algorithm.promises
  return {
    ...algorithm,
    promises: {
      ...promises,
      termsRise: termsRise && !aside.includes('termsRise'),
      ...(voteField === undefined || aside.includes('voteField') ? {} : { voteField }),
    },
  }
}

interface Forgotten {
  readonly algorithm: string
  readonly field: string
  readonly given: Omit<CheckOptions, 'algorithm'>
  readonly property: string
  readonly aside?: Aside
}

const once = { members: 3, crashes: 1, recoveries: 1 } as const
const errs = { ...once, detector: 'eventual', mistakes: 1 } as const
const terms = { given: once, property: 'terms rise' } as const
/** The field that holds a member's promises. */
export const VOTE_FIELD = bullyFdQuorum.promises.voteField!

export const FORGOTTEN: readonly Forgotten[] = [
  { algorithm: 'bully', field: 'term', ...terms },
  {
    algorithm: 'bully-fd',
    field: 'incarn',
    given: { members: 3, crashes: 2, recoveries: 2, start: 'settled' },
    property: 'agreement',
  },
  { algorithm: 'bully-fd-quorum', field: 'term', ...terms },
  {
    algorithm: 'bully-fd-quorum',
    field: VOTE_FIELD,
    given: errs,
    property: 'one backed leader',
    aside: ['termsRise'],
  },
  {
    algorithm: 'bully-fd-quorum',
    field: VOTE_FIELD,
    given: errs,
    property: 'newer terms',
    aside: ['termsRise', 'voteField'],
  },
  {
    algorithm: 'bully-fd-quorum',
    field: 'incarn',
    given: { ...once, timers: 'async', maxInFlight: 2, maxTerm: 1 },
    property: 'newer terms',
  },
  { algorithm: 'chang-roberts', field: 'term', ...terms },
  { algorithm: 'ring', field: 'term', ...terms },
  { algorithm: 'roulette', field: 'term', ...terms },
  {
    algorithm: 'roulette',
    field: 'term',
    given: once,
    property: 'one leader per term',
    aside: ['termsRise'],
  },
  {
    algorithm: 'roulette',
    field: 'voted',
    given: { ...once, drops: 1, maxTerm: 1 },
    property: 'one leader per term',
  },
  { algorithm: 'roulette-majority', field: 'term', ...terms },
  {
    algorithm: 'roulette-majority',
    field: 'term',
    given: { ...once, start: 'settled' },
    property: 'one leader per term',
    aside: ['termsRise'],
  },
  {
    algorithm: 'roulette-majority',
    field: 'voted',
    given: { ...once, drops: 1, maxTerm: 1 },
    property: 'one leader per term',
  },
]

const OBSERVER = 'an observer, no part of the states: the monitors of the simulator judge it'
const ENDLESS = 'with ids as they are there is no end of states; nothing breaks in two million'

/** What the checker does not show. */
export const UNSEEN: readonly (readonly [algorithm: string, field: string, why: string])[] = [
  ['bully-fd', 'term', OBSERVER],
  ['garcia-molina', 'term', OBSERVER],
  ['garcia-molina', 'incarn', ENDLESS],
  ['roulette', 'started', 'who comes back then disturbs a leader, which no promise forbids'],
  ['roulette-majority', 'incarn', ENDLESS],
  ['roulette-majority', 'led', 'messages in flight to a member are lost when it crashes'],
  ['bully-fd-quorum', 'started', 'it is for the lease, and there is no clock here'],
  ['roulette-majority', 'started', 'it is for the lease, and there is no clock here'],
]

export function algorithmOf({ algorithm, field, aside }: Forgotten): Algorithm {
  const made = forgetful(algorithm, field)
  return setAside(made, aside ?? [])
}
