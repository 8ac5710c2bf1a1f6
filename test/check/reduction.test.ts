/**
 * Leaving idle answers out is sound: without open questions, the reduced search sees exactly the states
 * that the full one sees, and comes to the same judgement of every property.
 */
import { describe, expect, it } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { check, type CheckResult, type GivenOptions } from '../../src/check/index.ts'
import { complete } from '../../src/check/options.ts'
import { Search } from '../../src/check/search.ts'

const BUDGETS: readonly Omit<GivenOptions, 'algorithm'>[] = [
  { members: 2, crashes: 2, recoveries: 2 },
  { members: 2, crashes: 1, recoveries: 1, drops: 1, cuts: 1 },
  { members: 2, crashes: 1, recoveries: 1, timers: 'async', maxInFlight: 1 },
  { members: 2, crashes: 1, duplicates: 1, order: 'any' },
  { members: 3 },
  { members: 3, crashes: 1 },
  { members: 3, crashes: 1, recoveries: 1, start: 'settled' },
  { members: 3, detector: 'eventual', mistakes: 2, start: 'settled' },
  { members: 3, cuts: 1, start: 'settled' },
  { members: 3, resignations: 1, start: 'settled' },
]
/** What takes longer is left to `bellwether check --no-reduction`. */
const MOST = 8_000

/** Every state but for the open questions; null where there are too many. */
function statesOf(given: GivenOptions): Set<string> | null {
  const search = new Search(complete({ ...given, maxStates: MOST }), false, () => ({
    state: () => false,
    step: () => false,
  }))
  search.begin()
  while (search.ending === null) search.advance()
  if (search.ending !== 'complete') return null
  const { model, table } = search
  const { plan, base, locals, letters, members, inboxes } = model
  const bare = new Map<number, string>()
  const bareOf = (local: number): string => {
    if (!bare.has(local)) bare.set(local, JSON.stringify({ ...locals.get(local, 0), requests: 0 }))
    return bare.get(local)!
  }
  const seen = new Set<string>()
  for (let state = 0; state < table.size; state++) {
    search.load(state)
    model.load()
    const seats = [...base.subarray(1, plan.members + 1)].map((member) => {
      const [local, ...values] = members.wordsOf(member)
      return [bareOf(local), ...values]
    })
    const underWay = [...base.subarray(plan.members + 1)].map((inbox) =>
      inboxes.contents(inbox).map(({ from, message }) => {
        const [letter, ...values] = inboxes.messages.wordsOf(message)
        return [from, letters.get(letter), ...values]
      }),
    )
    seen.add(JSON.stringify([base[0], seats, underWay]))
  }
  return seen
}

function judgements({ properties, ok }: CheckResult): unknown {
  return [ok, properties.map(({ name, holds }) => [name, holds])]
}

describe('leaving idle answers out', () => {
  it.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    'loses no state of %s and changes no judgement',
    (_, algorithm) => {
      let compared = 0
      for (const budget of BUDGETS) {
        const maxTerm = algorithm.assumes.majority === true ? 1 : null
        const given = { algorithm, maxTerm, ...budget }
        const full = statesOf({ ...given, reduction: false })
        if (full === null) continue
        compared += 1
        expect(statesOf(given)).toEqual(full)
        expect(judgements(check(given))).toEqual(judgements(check({ ...given, reduction: false })))
      }
      expect(compared).toBeGreaterThan(1)
    },
  )

  it('leaves nine of ten states of bully-fd out', () => {
    const given = { algorithm: algorithms.find(({ name }) => name === 'bully-fd')!, members: 3 }
    const { states } = check({ ...given, crashes: 1, recoveries: 1 })
    const full = check({ ...given, crashes: 1, recoveries: 1, reduction: false })
    expect(10 * states).toBeLessThan(full.states)
  })
})
