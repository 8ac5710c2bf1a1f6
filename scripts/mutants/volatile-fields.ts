/** Algorithms that keep a durable field in memory only, and what the checker must find in each. */
import { algorithms, bullyFdQuorum } from '../../src/algorithms/index.ts'
import { UNSHIFTED } from '../../src/check/reduction/counter-symmetry.ts'
import type { CheckOptions } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { RecordSchema, UnionSchema, type Fields } from '../../src/core/schema.ts'

/** An algorithm with one durable field in memory only. A counter that a crash resets cannot be shifted. */
export function withVolatileField(name: string, field: string): Algorithm {
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

/** Promises that are not judged, because they break before the one that is to be shown. */
export type SkippedPromises = readonly ('voteField' | 'termsRise')[]

export function withoutPromises(algorithm: Algorithm, aside: SkippedPromises): Algorithm {
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

interface VolatileField {
  readonly algorithm: string
  readonly field: string
  readonly given: Omit<CheckOptions, 'algorithm'>
  readonly property: string
  readonly aside?: SkippedPromises
}

const once = { members: 3, crashes: 1, recoveries: 1 } as const
const errs = { ...once, detector: 'eventual', mistakes: 1 } as const
const terms = { given: once, property: 'terms rise' } as const
/** The field that holds a member's promises. */
export const VOTE_FIELD = bullyFdQuorum.promises.voteField!

export const VOLATILE_FIELDS: readonly VolatileField[] = [
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

const OBSERVER =
  'an observer, which is no part of the states: the monitors of the simulator judge it'
const ENDLESS = 'with exact ids the states have no end; nothing breaks in two million'

/** Fields whose loss the checker does not detect, and why. */
export const UNDETECTED: readonly (readonly [algorithm: string, field: string, why: string])[] = [
  ['bully-fd', 'term', OBSERVER],
  ['garcia-molina', 'term', OBSERVER],
  ['garcia-molina', 'incarn', ENDLESS],
  ['roulette', 'started', 'a recovered member then disturbs a leader, which no promise forbids'],
  ['roulette-majority', 'incarn', ENDLESS],
  ['roulette-majority', 'led', 'messages in flight to a member are lost when it crashes'],
  ['bully-fd-quorum', 'started', 'it serves the lease, and the checker has no clock'],
  ['roulette-majority', 'started', 'it serves the lease, and the checker has no clock'],
]

export function algorithmOf({ algorithm, field, aside }: VolatileField): Algorithm {
  const made = withVolatileField(algorithm, field)
  return withoutPromises(made, aside ?? [])
}
