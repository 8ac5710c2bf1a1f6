/**
 * Rest refines rounds: in every state that the checker reaches, where a leader and followers may rest, beats leave what
 * an ordinary round and its answers leave, but for ids and for the mark that a handover needs.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { mutate } from '../../scripts/mutants/mutate.ts'
import { bullyFdQuorum } from '../../src/algorithms/bully-fd-quorum.ts'
import type { CheckOptions, Transition } from '../../src/check/index.ts'
import {
  handlersOf,
  type Algorithm,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type Out,
} from '../../src/core/algorithm.ts'
import type { NodeId } from '../../src/core/node-id.ts'
import { NodeSet } from '../../src/core/node-set.ts'
import { StateGraph } from '../../src/explore/state-graph.ts'
import { play, stepperOf } from '../../src/explore/transition-trace.ts'
import type { Stepper } from '../../src/sim/stepper/stepper.ts'

const STATES = 2500
const CLOCKED = { algorithm: bullyFdQuorum, members: 3, clocks: true, ticks: 1 } as const
const BUDGETS: readonly CheckOptions[] = [
  { ...CLOCKED },
  { ...CLOCKED, start: 'settled', crashes: 1, recoveries: 1 },
  { ...CLOCKED, start: 'settled', drops: 1 },
  { ...CLOCKED, start: 'settled', resignations: 1 },
  { ...CLOCKED, start: 'settled', changes: 1, drops: 1 },
  { ...CLOCKED, members: 4, voters: [1, 2, 3], observers: [4], start: 'settled', changes: 2 },
  { ...CLOCKED, start: 'settled', resignations: 1, options: { preempt: 'yes' } },
]

/** Leaders keep for a handover what the answers of a round name, and beats do not. */
const HANDOVER = new Set(['successor', 'successorMark', 'successorIncarnation'])

/** A member whose state is a copy. */
class Copy implements Out<AnyMessage> {
  readonly me: NodeId
  readonly incarnation: number
  readonly state: AnyState
  /** By name, the time for which a timer was set; those that ran before: −1. */
  readonly timers: Map<string, number>
  readonly sent: { readonly to: NodeId; readonly message: AnyMessage }[] = []
  readonly asked: string[] = []

  constructor(stepper: Stepper, me: NodeId) {
    const { state, timers, incarnation } = stepper.memberOf(me)
    this.me = me
    this.incarnation = incarnation
    this.timers = new Map([...timers].map((name) => [name, -1]))
    this.state = Object.fromEntries(
      Object.entries(state).map(([name, value]) => [
        name,
        value instanceof NodeSet ? value.copy() : value,
      ]),
    ) as AnyState
  }
  send(to: NodeId, message: AnyMessage): void {
    this.sent.push({ to, message })
  }
  set(name: string, ms: number): void {
    this.timers.set(name, ms)
  }
  clear(name: string): void {
    this.timers.delete(name)
  }
  request(peer: NodeId): void {
    this.asked.push(`request ${peer}`)
  }
  watch(): void {}
  unwatch(peer: NodeId): void {
    this.asked.push(`unwatch ${peer}`)
  }
  draw(): void {}
}

/** What is left, with ids renamed in the order in which they occur. */
function shown(copies: readonly Copy[]): string {
  const names = new Map<unknown, number>()
  return JSON.stringify(
    copies.map(({ state, timers, sent, asked }) => {
      const fields = bullyFdQuorum.state.entries.map(({ name, field: { role } }) => {
        const value = state[name]
        if (role === 'source' || HANDOVER.has(name)) return ''
        if (value instanceof NodeSet) return [...value]
        if (role !== 'id' || value === 0) return value
        return names.get(value) ?? names.set(value, names.size + 1).size
      })
      return [fields, [...timers].toSorted(([a], [b]) => (a < b ? -1 : 1)), sent.length, asked]
    }),
  )
}

function round(handlers: AnyHandlers, leader: Copy, copies: readonly Copy[]): string {
  if (!leader.timers.delete('tau')) return 'the leader has no timer for a round'
  handlers.timeout(leader.state, 'tau', leader)
  for (let more = true; more;) {
    more = false
    for (const from of copies) {
      for (const { to, message } of from.sent.splice(0)) {
        const receiver = copies.find(({ me }) => me === to)
        if (receiver === undefined) continue
        more = true
        handlers.message(receiver.state, from.me, message, receiver)
      }
    }
  }
  return shown(copies)
}

function beats(handlers: AnyHandlers, leader: Copy, copies: readonly Copy[]): string {
  for (const copy of copies) if (copy !== leader) handlers.beaten(copy.state, copy)
  handlers.beaten(leader.state, leader)
  return shown(copies)
}

interface Findings {
  /** How many sets of members may rest in the states that were met. */
  rests: number
  /** How many of them differ, and the first of these. */
  differ: number
  first: string
}

/** Compares both ways where a leader and some followers may rest, by the `rests` of each algorithm. */
function judge(stepper: Stepper, handlers: AnyHandlers, judged: Map<AnyHandlers, Findings>): void {
  const members = [...stepper.group.everyone].filter((node) => {
    const { up, silent } = stepper.memberOf(node)
    return up && !silent
  })
  for (const leader of members) {
    if (stepper.stateOf(leader).leader !== leader) continue
    const others = members.filter(
      (node) =>
        node !== leader &&
        stepper.linkOf(node, leader).length + stepper.linkOf(leader, node).length === 0,
    )
    for (let subset = 1; subset < 1 << others.length; subset++) {
      const peers = others.filter((_, i) => (subset >>> i) & 1)
      for (const [{ rests }, findings] of judged) {
        if (!rests(stepper.stateOf(leader), NodeSet.of(...peers), leader)) continue
        if (!peers.every((peer) => rests(stepper.stateOf(peer), NodeSet.of(leader), peer))) continue
        findings.rests += 1
        const [taken, stood] = [round, beats].map((way) => {
          const copies = [leader, ...peers].map((node) => new Copy(stepper, node))
          return way(handlers, copies[0], copies)
        })
        if (taken === stood) continue
        findings.differ += 1
        findings.first ||= `${taken}\n${stood}`
      }
    }
  }
}

/** Visits the first states of a check, each once, along paths from the initial one. */
function explore(options: CheckOptions, others: readonly Algorithm[], most: number): Findings[] {
  const graph = StateGraph.of(options, most)
  const { config } = graph
  const seen = new Set<number>()
  const judged = new Map<AnyHandlers, Findings>()
  const handlers = handlersOf(bullyFdQuorum, stepperOf(config).group, config.options)
  for (const algorithm of others) {
    const its = handlersOf(algorithm, stepperOf(config).group, config.options)
    judged.set(its, { rests: 0, differ: 0, first: '' })
  }
  for (let state = graph.states.length - 1; state >= 0; state--) {
    if (seen.has(state)) continue
    const path: number[] = []
    for (let at = state; at >= 0; at = graph.states[at].parent) path.unshift(at)
    const stepper = stepperOf(config)
    Object.assign(stepper.recording, { step() {}, sent() {}, done() {} })
    path.forEach((at, i) => {
      if (i > 0) play([transitionTo(graph, path[i - 1], at)], config, stepper)
      if (seen.has(at)) return
      seen.add(at)
      judge(stepper, handlers, judged)
    })
  }
  return [...judged.values()]
}

function transitionTo(graph: StateGraph, from: number, to: number): Transition {
  return graph.edgesOf(from).find((edge) => edge.to === to)!.transition
}

/** Each condition of `rests` left out. Where no state shows it, a sentence says why. */
const MUTANTS: readonly (readonly [what: string, from: string, to: string, why?: string])[] = [
  [
    'any status',
    "s.status === 'Norm' && s.term === s.vote",
    's.term === s.vote',
    'a leader is known in Norm only',
  ],
  [
    'a later vote',
    "s.status === 'Norm' && s.term === s.vote",
    "s.status === 'Norm'",
    'a vote may lapse in Wait only: in Norm it is the term',
  ],
  ['a deferred vote', ' && s.deferredFrom === NONE', ''],
  ['another leader', 'peers.has(s.leader) && wouldAnswer', 'wouldAnswer'],
  ['a round that is out', 's.answered && isKnown', 'isKnown'],
  [
    'a change that is not committed',
    's.committed && areConfirmed',
    'areConfirmed',
    'what a leader wrote is committed by the answers that confirm it',
  ],
  [
    'a follower without the configuration',
    '(s.committed && areConfirmed(s, peers))',
    's.committed',
  ],
  [
    'a leader without a vote',
    'isKnown && register.isVoter(s, me)',
    'isKnown',
    'it resigns when its removal is committed, and rests only then',
  ],
  ['no majority', 'isReady && register.isMajority(s, peers, me)', 'isReady'],
  [
    'no bond',
    '0 && s.bonded && s.bondedTo === s.leader &&',
    '0 && s.bondedTo === s.leader &&',
    'who follows has voted or answered, and is bound: a bond that ends begins an election',
  ],
  [
    'a bond to another',
    '0 && s.bonded && s.bondedTo === s.leader &&',
    '0 && s.bonded &&',
    'who follows another leader is bound to it in the same step',
  ],
  [
    'a longer bond',
    ' && s.longest === 0',
    '',
    'the checker changes seats, and no timing: no bond is longer',
  ],
  ['a stronger follower', 'isBonded && mayStay', 'isBonded'],
  [
    'a follower that is no member',
    ' && register.isMember(s, me)',
    '',
    'it is Out, and not in Norm',
  ],
]

describe('where members may rest', () => {
  let mutants: Algorithm[] = []
  const noticed = MUTANTS.map(() => 0)
  beforeAll(async () => {
    mutants = await Promise.all(
      MUTANTS.map(([, from, to]) => mutate('bully-fd-quorum', [[from, to]])),
    )
  })

  test.each(BUDGETS)(
    'beats leave what a round leaves, budget %#',
    (budget) => {
      const [{ rests, differ, first }, ...others] = explore(
        budget,
        [bullyFdQuorum, ...mutants],
        STATES,
      )
      others.forEach((found, i) => (noticed[i] += found.differ))
      expect([differ, first]).toEqual([0, ''])
      expect(rests).toBeGreaterThan(100)
    },
    120_000,
  )

  test('each condition is needed, or a sentence says why no state shows it', () => {
    const unexplained = MUTANTS.filter(([, , , why], i) => noticed[i] > 0 === (why !== undefined))
    expect(unexplained.map(([what]) => what)).toEqual([])
  })
})
