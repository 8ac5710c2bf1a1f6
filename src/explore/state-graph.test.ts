/** Tests the graph of states and the walk through it against the checker. */
import { describe, expect, test } from 'vitest'
import { algorithms } from '../algorithms/index.ts'
import { check } from '../check/index.ts'
import { detectors } from '../detectors/index.ts'
import { replay } from '../sim/index.ts'
import { everyCheck } from './all-checks.ts'
import { checkCommandOf, parseCheck, settingsOfCheck } from './check-settings.ts'
import { StateGraph } from './state-graph.ts'
import { walk } from './walk.ts'

const registry = { algorithms, detectors }
const named = (text: string) =>
  parseCheck(
    text.split(' ').map((pair): [string, string] => {
      const sign = pair.indexOf('=')
      return [pair.slice(0, sign), pair.slice(sign + 1)]
    }),
    registry,
  )

describe.each([
  'algorithm=bully nodes=2 crashes=1 recoveries=1',
  'algorithm=bully-fd nodes=3 crashes=1',
  'algorithm=bully-fd-as-printed nodes=3 crashes=1 recoveries=1 start=settled',
  'algorithm=roulette nodes=2 crashes=1 max-term=1',
  'algorithm=raft nodes=2 drops=1',
  'algorithm=bully-fd-quorum nodes=2 clocks=yes ticks=1 crashes=1',
])('the graph of %s', (text) => {
  const options = named(text)
  const full = check({ ...options, reduction: false })
  const graph = StateGraph.of(options, full.states)

  test('has the states of the checker without reduction, and its first violation', () => {
    while (!graph.complete && graph.states.length <= 4 * full.states) {
      graph.explore(graph.states.length + 1)
    }
    const broken = graph.firstBroken()
    const isWhole = full.ending === 'complete'
    expect(isWhole ? graph.states.length : full.states).toBe(full.states)
    const isSafety = full.properties.some(({ kind, judged, holds }) => {
      return kind === 'always' && judged && holds === false
    })
    expect(broken >= 0).toBe(isSafety)
    const shortest = isSafety ? full.counterexample!.steps.length : 0
    expect(graph.pathTo(broken)).toHaveLength(shortest)
  })

  test('has a walk to each of its last states whose trace replays without a difference', () => {
    for (const state of [graph.states.length - 1, graph.states.length >> 1, 0]) {
      const view = walk(graph, graph.pathTo(state))
      expect(view.states.at(-1)).toBe(state)
      expect(view.choices).toHaveLength(graph.edgesOf(state).length)
      expect(replay(view.trace, registry).difference).toBeNull()
    }
  })
})

test('a counterexample of the checker is a walk, also one of a reduced search', () => {
  for (const options of everyCheck().filter(({ algorithm }) => algorithm.specimen)) {
    const { counterexample } = check(options)
    const graph = StateGraph.of(options, 1)
    const path = graph.placesOf(counterexample!.steps)
    expect(walk(graph, path).path).toHaveLength(counterexample!.steps.length)
  }
})

test('a step that a state does not allow is no walk', () => {
  const graph = StateGraph.of(named('algorithm=bully nodes=2'), 10)
  expect(() => walk(graph, [99])).toThrow('step 1 of the walk is not possible')
})

test('each check of --all is written as settings that give the same check', () => {
  for (const options of everyCheck()) {
    const settings = settingsOfCheck(options)
    const again = parseCheck(settings, registry)
    expect(settingsOfCheck(again)).toEqual(settings)
    expect(again).toMatchObject(options)
  }
})

test('settings are written as a command, and wrong ones are refused by name', () => {
  const options = named('algorithm=bully nodes=3 crashes=2 start=settled amnesia=yes')
  expect(checkCommandOf(settingsOfCheck(options))).toBe(
    'bellwether check bully --nodes 3 --crashes 2 --start settled --amnesia',
  )
  expect(() => named('algorithm=bully nodes=9')).toThrow('--nodes 9: the checker takes 1 to 7')
  expect(() => named('algorithm=bully crashes=8')).toThrow('--crashes 8: must be a whole number')
  expect(() => named('algorithm=bully start=now')).toThrow('must be boot or settled')
  expect(() => named('algorithm=bully clocks=yes')).toThrow('bully has no leases')
})
