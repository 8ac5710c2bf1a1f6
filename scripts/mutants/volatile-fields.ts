/** Makes algorithms that keep a durable field in memory only, and lists what the checker must find in each, and the fields whose loss it does not detect. */
import { algorithms, bullyFdQuorum } from '../../src/algorithms/index.ts'
import type { CheckOptions } from '../../src/check/index.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { RecordSchema, UnionSchema, type Fields, UNSHIFTED } from '../../src/core/schema.ts'

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

/** The property breaks with these options, when some promises are not judged. */
type Row = [
  algorithm: string,
  field: string,
  property: string,
  given: Omit<CheckOptions, 'algorithm'>,
  ...SkippedPromises,
]

const once = { members: 3, crashes: 1, recoveries: 1 } as const
const settled = { ...once, start: 'settled' } as const
const errs = { ...once, detector: 'eventual', mistakes: 1 } as const
const drops = { ...once, drops: 1, maxTerm: 1 } as const
const slow = { ...once, timers: 'async', maxInFlight: 2, maxTerm: 1 } as const
/** Two voters and a seat. */
const changing = { ...settled, voters: [1, 2], changes: 1 } as const
/** One voter and a seat that becomes another one. */
const growing = { ...settled, members: 2, voters: [2], changes: 2 } as const
/** The field that holds a member's votes. */
export const VOTE_FIELD = bullyFdQuorum.promises.voteField!

const ROWS: readonly Row[] = [
  ['bully', 'term', 'terms rise', once],
  ['bully-fd', 'incarn', 'agreement', { ...settled, crashes: 2, recoveries: 2 }],
  ['bully-fd', 'configTerm', 'the strongest leads', growing],
  ['bully-fd', 'configVersion', 'the strongest leads', growing],
  ['bully-fd', 'voters', 'the strongest leads', growing],
  ['bully-fd', 'observers', 'the strongest leads', growing],
  ['bully-fd-quorum', 'term', 'terms rise', once],
  ['bully-fd-quorum', VOTE_FIELD, 'one backed leader', errs, 'termsRise'],
  ['bully-fd-quorum', VOTE_FIELD, 'newer terms', errs, 'termsRise', 'voteField'],
  ['bully-fd-quorum', 'incarn', 'newer terms', slow],
  ['bully-fd-quorum', 'configTerm', 'agreement in the end', changing],
  ['bully-fd-quorum', 'voters', 'agreement in the end', changing],
  ['bully-fd-quorum', 'observers', 'agreement in the end', changing],
  ['chang-roberts', 'term', 'terms rise', once],
  ['invitation', 'term', 'terms rise', once],
  ['invitation', 'term', 'one leader per term', once, 'termsRise'],
  ['omega', 'term', 'terms rise', once],
  ['raft', 'term', 'terms rise', once],
  ['raft', 'voted', 'one leader per term', { ...drops, drops: 2 }],
  ['ring', 'term', 'terms rise', once],
  ['roulette', 'term', 'terms rise', once],
  ['roulette', 'term', 'one leader per term', once, 'termsRise'],
  ['roulette', 'voted', 'one leader per term', drops],
  ['roulette-majority', 'term', 'terms rise', once],
  ['roulette-majority', 'term', 'one leader per term', settled, 'termsRise'],
  ['roulette-majority', 'voted', 'one leader per term', drops],
  ['stable-leader', 'term', 'terms rise', once],
  ['stable-leader', 'term', 'agreement in the end', once, 'termsRise'],
  ['stable-leader', 'started', 'agreement in the end', once],
]

export const VOLATILE_FIELDS = ROWS.map(([algorithm, field, property, given, ...skips]) => {
  return { algorithm, field, property, given, skips }
})

const OBSERVER =
  'an observer, which is no part of the states: the monitors of the simulator judge it'
const ENDLESS = 'with exact ids the states have no end; nothing breaks in two million'

/** Fields whose loss the checker does not detect, and why. */
export const UNDETECTED: readonly (readonly [algorithm: string, field: string, why: string])[] = [
  ['bully-fd', 'term', OBSERVER],
  ['bully-fd', 'data', 'the checker changes no data of the host'],
  ['garcia-molina', 'term', OBSERVER],
  ['garcia-molina', 'incarn', ENDLESS],
  ['itai-rodeh', 'phase', 'the algorithm assumes that no member crashes'],
  ['roulette', 'started', 'a recovered member then disturbs a leader, which no promise forbids'],
  ['roulette-majority', 'incarn', ENDLESS],
  ['roulette-majority', 'led', 'messages in flight to a member are lost when it crashes'],
  ['bully-fd-quorum', 'started', 'it serves the lease, and the checker has no clock'],
  ['bully-fd-quorum', 'admitted', 'a member that forgets it asks again, and is admitted again'],
  ['bully-fd-quorum', 'configVersion', 'nothing breaks with two changes, a crash and a recovery'],
  ['bully-fd-quorum', 'data', 'the checker changes no data of the host'],
  ['bully-fd-quorum', 'longest', 'it serves the lease after a change of timing: hunted runs only'],
  ['roulette-majority', 'admitted', 'a member that forgets it asks again, and is admitted again'],
  ['roulette-majority', 'started', 'it serves the lease, and the checker has no clock'],
]

type VolatileField = (typeof VOLATILE_FIELDS)[number]

export function algorithmOf({ algorithm, field, skips }: VolatileField): Algorithm {
  return withoutPromises(withVolatileField(algorithm, field), skips)
}
