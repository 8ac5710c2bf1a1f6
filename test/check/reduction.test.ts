/**
 * Leaving idle answers and dead letters out is sound: without open questions, and without what the
 * algorithm says is stale, the reduced search sees exactly the states that the full one sees, and comes to
 * the same judgement of every property.
 */
import { describe, expect, it } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { bullyFdQuorum } from '../../src/algorithms/bully-fd-quorum.ts'
import {
  ObsoleteMessages,
  ObsoleteMessageError,
} from '../../src/check/reduction/obsolete-messages.ts'
import { Budget, largestBudget } from '../../src/check/state/state-vector.ts'
import { check, type CheckResult, type CheckOptions } from '../../src/check/index.ts'
import { completeOptions } from '../../src/check/options.ts'
import { Search } from '../../src/check/search/breadth-first.ts'
import { ancestors, stepsAlong } from '../../src/check/search/path.ts'
import { counterexampleTrace } from '../../src/cli/check/counterexample.ts'
import { detectors } from '../../src/detectors/index.ts'
import { replay, type Stepper } from '../../src/sim/index.ts'
import type { Algorithm, AnyMessage, AnyState } from '../../src/core/algorithm.ts'

const BUDGETS: readonly Omit<CheckOptions, 'algorithm'>[] = [
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
/** Where letters die, too. */
const LETTERS: typeof BUDGETS = [{ members: 3, crashes: 1, recoveries: 1 }]
/** What takes longer is left to `bellwether check --no-reduction`. */
const MOST = 8_000

function searched(given: CheckOptions): Search {
  const search = new Search(completeOptions(given), false, () => ({
    state: () => false,
    step: () => false,
  }))
  search.begin()
  while (search.ending === null) search.advance()
  return search
}

/** A fault spent on a dead letter: the state with the fault unspent can do more. */
const MISHAPS =
  (largestBudget(Budget.DROPS) << Budget.DROPS) |
  (largestBudget(Budget.DUPLICATES) << Budget.DUPLICATES)

/** Makes `model.base` the same state without what is dead. */
function bury(search: Search, deadLetters: ObsoleteMessages): void {
  const { model } = search
  const { next, base, vector } = model
  next.set(base)
  for (let node = 1; node <= vector.members; node++) {
    next[vector.inbox(node)] = deadLetters.remove(node, next[node], next[vector.inbox(node)])
  }
  search['pack']()
  model.load()
}

/** Every state but for the open questions and dead letters; null where there are too many. */
function statesOf(given: CheckOptions): Set<string> | null {
  const search = searched({ ...given, maxStates: MOST })
  if (search.ending !== 'complete') return null
  const { model, table } = search
  const { vector, base, localStates, contents, members, inboxes } = model
  const bare = new Map<number, string>()
  const bareOf = (local: number): string => {
    if (!bare.has(local))
      bare.set(local, JSON.stringify({ ...localStates.get(local, 0), requests: 0 }))
    return bare.get(local)!
  }
  const stale = model.cache.namesObsolete
  const deadLetters = new ObsoleteMessages(model)
  const seen = new Set<string>()
  for (let state = 0; state < table.size; state++) {
    search.load(state)
    model.load()
    if (stale) bury(search, deadLetters)
    const seats = [...base.subarray(1, vector.members + 1)].map((member) => {
      const [local, ...values] = members.wordsOf(member)
      return [bareOf(local), ...values]
    })
    const underWay = [...base.subarray(vector.members + 1)].map((inbox) =>
      inboxes.contents(inbox).map(({ from, message }) => {
        const [letter, ...values] = inboxes.messages.wordsOf(message)
        return [from, contents.get(letter), ...values]
      }),
    )
    seen.add(JSON.stringify([stale ? base[0] & ~MISHAPS : base[0], seats, underWay]))
  }
  return seen
}

function judgements({ properties, ok }: CheckResult): unknown {
  return [ok, properties.map(({ name, holds }) => [name, holds])]
}

describe('leaving idle answers and dead letters out', () => {
  it.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    'loses no state of %s and changes no judgement',
    (_, algorithm) => {
      let compared = 0
      const counted = algorithm.assumes.majority === true
      const maxTerm = counted ? 1 : null
      for (const budget of counted ? [...BUDGETS, ...LETTERS] : BUDGETS) {
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

describe('a message that is called stale', () => {
  type Verdict = (s: AnyState, message: AnyMessage) => boolean
  const liar = (stale: Verdict): Algorithm => ({
    ...bullyFdQuorum,
    handlers: (group, options) => ({
      ...bullyFdQuorum.handlers(group, options),
      obsolete: (s, _, message) => stale(s, message),
    }),
  })
  const given = { members: 3, crashes: 1, recoveries: 1, start: 'settled', maxTerm: 1 } as const

  it.each<[string, Verdict]>([
    ['a Halt', (_, m) => m.type === 'halt'],
    ['the Ldr that is waited for', (s, m) => m.type === 'ldr' && (m['term'] as number) <= s.term],
    ['a Norm of the round that is out', (s, m) => m.type === 'norm' && m['round'] === s['round']],
  ])('and from which something comes ends the check: %s', (_, stale) => {
    expect(() => check({ algorithm: liar(stale), ...given })).toThrow(ObsoleteMessageError)
  })

  it('and from which something might come later costs states, and the comparison shows it', () => {
    const algorithm = liar((s, { type, round }) => {
      return type === 'ack' && s.status === 'Elec2' && round !== s['round']
    })
    const all = { algorithm, members: 3, crashes: 1, recoveries: 1, maxTerm: 1 }
    const full = statesOf({ ...all, reduction: false })!
    expect(statesOf(all)!.size).toBeLessThan(full.size)
  })

  it.each([
    { members: 3, cuts: 1, start: 'settled' },
    { members: 3, crashes: 1, recoveries: 1, maxTerm: 1 },
    { members: 2, crashes: 1, recoveries: 1, maxTerm: 1, timers: 'async', maxInFlight: 2 },
  ] as const)('arrives in the trace of a state where it was dropped: %j', (budget) => {
    const search = searched({ algorithm: bullyFdQuorum, ...budget })
    const { model, table, options } = search
    let arrivals = 0
    for (let state = 0; state < table.size; state += 29) {
      const path = ancestors(search, state)
      const steps = stepsAlong(search, path)
      const answers = steps.reduce((sum, { idleAnswers }) => sum + idleAnswers.length, 0)
      arrivals += steps.length - answers - (path.length - 1)
      const found = { property: '', sentence: '', steps, loop: [], shortest: false }
      let world: Stepper | undefined
      const text = counterexampleTrace(options, found)
      const registry = { algorithms, detectors }
      expect(replay(text, registry, (stepper) => (world = stepper)).difference).toBeNull()
      search.load(state)
      model.load()
      for (let node = 1; node <= options.members; node++) {
        const { status, leader } = model.local(model.base, node)
        expect(world!.stateOf(node)).toMatchObject({ status, leader })
        const inbox = model.inboxes.contents(model.base[model.vector.inbox(node)])
        const types = inbox.map(({ message }) => {
          return model.contents.all[model.inboxes.messages.wordsOf(message)[0]].type
        })
        const links = [...world!.group.everyone].flatMap((from) => world!.linkOf(from, node))
        expect(links.map(({ type }) => type)).toEqual(types)
      }
    }
    expect(arrivals).toBeGreaterThan(0)
  })
})
