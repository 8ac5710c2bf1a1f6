/**
 * Tests that the reduction is sound: apart from open requests and obsolete messages, the reduced search
 * visits exactly the states of the full search, and judges every property alike.
 */
import { describe, expect, it } from 'vitest'
import { algorithms } from '../../src/algorithms/index.ts'
import { bullyFdQuorum } from '../../src/algorithms/bully-fd-quorum.ts'
import {
  ObsoleteMessages,
  ObsoleteMessageError,
} from '../../src/check/reduction/obsolete-messages.ts'
import { Budget, MAX_BUDGET } from '../../src/check/state/state-vector.ts'
import { check, type CheckResult, type CheckOptions } from '../../src/check/index.ts'
import { completeOptions } from '../../src/check/options.ts'
import { BreadthFirstSearch } from '../../src/check/search/breadth-first.ts'
import { pathTo, transitionsAlong } from '../../src/check/search/path.ts'
import { counterexampleTrace } from '../../src/explore/counterexample.ts'
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
/** A budget with which messages become obsolete, too. */
const OBSOLETE: typeof BUDGETS = [{ members: 3, crashes: 1, recoveries: 1 }]
/** Larger checks are left to `bellwether check --no-reduction`. */
const MAX_STATES = 8_000

function searched(options: CheckOptions): BreadthFirstSearch {
  const search = new BreadthFirstSearch(completeOptions(options), false, () => ({
    state: () => false,
    transition: () => false,
    clear: () => {},
    write: () => {},
    add: () => {},
  }))
  search.begin()
  while (search.ending === null) search.advance()
  return search
}

/** Faults that may be spent on an obsolete message: the state in which they are left can do more. */
const MESSAGE_FAULTS = (MAX_BUDGET << Budget.DROPS) | (MAX_BUDGET << Budget.DUPLICATES)

/** Every state without open requests and obsolete messages; null if there are too many. */
function statesOf(options: CheckOptions): Set<string> | null {
  const search = searched({ ...options, maxStates: MAX_STATES })
  if (search.ending !== 'complete') return null
  const { model, actions, memory } = search
  const { localStates, contents, members, inboxes, codec, n } = model
  const { base, next } = actions
  const { namesObsolete } = model.runner
  const obsolete = new ObsoleteMessages(model)
  const withoutRequests = new Map<number, string>()
  const localOf = (number: number): string => {
    const known = withoutRequests.get(number)
    if (known !== undefined) return known
    const local = JSON.stringify({ ...localStates.get(number), requests: 0 })
    withoutRequests.set(number, local)
    return local
  }
  const seen = new Set<string>()
  for (let state = 0; state < memory.table.size; state++) {
    search.load(state)
    if (namesObsolete) {
      next.set(base)
      for (let node = 1; node <= n; node++) {
        next[n + node] = obsolete.remove(node, next[node], next[n + node])
      }
      search['pack']()
      codec.unpack(base)
    }
    const states = [...base.subarray(1, n + 1)].map((member) => {
      const [local, ...values] = members.wordsOf(member)
      return [localOf(local), ...values]
    })
    const inFlight = [...base.subarray(n + 1)].map((inbox) =>
      inboxes.messagesIn(inbox).map(({ from, message }) => {
        const [content, ...values] = inboxes.messages.wordsOf(message)
        return [from, contents.get(content), ...values]
      }),
    )
    const budget = namesObsolete ? base[0] & ~MESSAGE_FAULTS : base[0]
    seen.add(JSON.stringify([budget, states, inFlight]))
  }
  return seen
}

function judgements({ properties, ok }: CheckResult): unknown {
  return [ok, properties.map(({ name, holds }) => [name, holds])]
}

describe('leaving out idle answers and obsolete messages', () => {
  it.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    'loses no state of %s and changes no judgement',
    (_, algorithm) => {
      let compared = 0
      const counted = algorithm.assumes.majority === true
      const maxTerm = counted ? 1 : null
      for (const budget of counted ? [...BUDGETS, ...OBSOLETE] : BUDGETS) {
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

  it('leaves out nine of ten states of bully-fd', () => {
    const given = { algorithm: algorithms.find(({ name }) => name === 'bully-fd')!, members: 3 }
    const { states } = check({ ...given, crashes: 1, recoveries: 1 })
    const full = check({ ...given, crashes: 1, recoveries: 1, reduction: false })
    expect(10 * states).toBeLessThan(full.states)
  })
})

describe('a message that the algorithm calls obsolete', () => {
  type Verdict = (s: AnyState, message: AnyMessage) => boolean
  const withObsolete = (obsolete: Verdict): Algorithm => ({
    ...bullyFdQuorum,
    handlers: (group, options) => ({
      ...bullyFdQuorum.handlers(group, options),
      obsolete: (s, _, message) => obsolete(s, message),
    }),
  })
  const given = { members: 3, crashes: 1, recoveries: 1, start: 'settled', maxTerm: 1 } as const

  it.each<[string, Verdict]>([
    ['a Halt', (_, m) => m.type === 'halt'],
    [
      'the Ldr that a member waits for',
      (s, m) => m.type === 'ldr' && (m['term'] as number) <= (s['vote'] as number),
    ],
    ['a Norm of the current round', (s, m) => m.type === 'norm' && m['round'] === s['round']],
  ])('ends the check if it has an effect: %s', (_, obsolete) => {
    expect(() => check({ algorithm: withObsolete(obsolete), ...given })).toThrow(
      ObsoleteMessageError,
    )
  })

  it('loses states if it could have an effect later, and the comparison shows it', () => {
    const algorithm = withObsolete((s, { type, round }) => {
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
  ] as const)('arrives in the trace of a state from which it was removed: %j', (budget) => {
    const search = searched({ algorithm: bullyFdQuorum, ...budget })
    const { model, actions, memory, config } = search
    let arrivals = 0
    for (let state = 0; state < memory.table.size; state += 29) {
      const path = pathTo(search, state)
      const steps = transitionsAlong(search, path)
      const answers = steps.reduce((sum, { idleAnswers }) => sum + idleAnswers.length, 0)
      arrivals += steps.length - answers - (path.length - 1)
      const found = { property: '', sentence: '', steps, loop: [], shortest: false }
      let world: Stepper | undefined
      const text = counterexampleTrace(config, found)
      const registry = { algorithms, detectors }
      expect(replay(text, registry, (stepper) => (world = stepper)).difference).toBeNull()
      search.load(state)
      for (let node = 1; node <= config.members; node++) {
        const { status, leader } = model.local(actions.base, node)
        expect(world!.stateOf(node)).toMatchObject({ status, leader })
        const inbox = model.inboxes.messagesIn(actions.base[model.n + node])
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
