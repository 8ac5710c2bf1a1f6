/** The statecharts of Bully_FD against what the code does, and against the drawn figures. */
/** Tests that the statecharts of Bully_FD show the transitions that its code takes. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mermaid, svg } from '../scripts/pictures/draw-statechart.ts'
import { bullyFd } from '../src/algorithms/bully-fd.ts'
import { bullyFdAsPrinted } from '../src/algorithms/specimens/bully-fd-as-printed.ts'
import {
  asRun,
  printed,
  START,
  type Statechart,
} from '../src/algorithms/helpers/bully-fd-statechart.ts'
import type { Algorithm, AnyState } from '../src/core/algorithm.ts'
import type { Recorder, Step } from '../src/sim/record/step.ts'
import { randomConfig, run } from './support/random/random-run.ts'

/** Notes every transition that the code takes: from, to, and what it saw. */
class Transitions implements Recorder {
  readonly taken = new Set<string>()
  private before = ''
  private elid: unknown
  private seen: string | null = null

  step(_at: number, step: Step, state: AnyState | null): void {
    this.seen = eventOf(step)
    this.before = step.kind === 'start' ? START : (state?.status ?? '')
    this.elid = state?.['mark']
  }

  done(state: AnyState | null): void {
    if (this.seen === null || state === null) return
    const isNew = state.status !== this.before || state['mark'] !== this.elid
    if (isNew) this.taken.add(`${this.before} → ${state.status} on ${this.seen}`)
  }

  sent(): void {}
  violated(): void {}
}

function eventOf(step: Step): string | null {
  switch (step.kind) {
    case 'deliver':
      return step.message.type
    case 'timeout':
      return step.timer
    case 'start':
    case 'up':
    case 'down':
      return step.kind
    case 'settled':
    case 'duplicate':
    case 'drawn':
    case 'resign':
    case 'fault':
    case 'lose':
      return null
  }
}

function takenBy(algorithm: Algorithm, runs: number): string[] {
  const transitions = new Transitions()
  for (let seed = 1; seed <= runs; seed++) {
    run(randomConfig(algorithm, seed), (world) => (world.recorder = transitions))
  }
  return [...transitions.taken].sort()
}

function edgesOf({ transitions }: Statechart): string[] {
  return transitions
    .flatMap(({ from, to, on }) => on.map((event) => `${from} → ${to} on ${event}`))
    .sort()
}

describe('the statechart of Bully_FD', () => {
  test('as shipped: every transition that 10,000 random runs take is in the table, and every edge is taken', () => {
    expect(takenBy(bullyFd, 10_000)).toEqual(edgesOf(asRun))
  }, 60_000)

  test('as printed: the code does more than the figure; Halt is not taken in Norm only', () => {
    const edges = edgesOf(printed)
    const taken = takenBy(bullyFdAsPrinted, 500)
    expect(edges.filter((edge) => !taken.includes(edge))).toEqual([])
    expect(taken.filter((edge) => !edges.includes(edge))).toEqual([
      'Elec1 → Wait on halt',
      'Elec2 → Wait on halt',
      'Norm → Elec2 on notNorm', // Stage1 calls Stage2 at once where i = 1
      'Wait → Wait on halt',
      'start → Elec2 on start',
    ])
  })

  test.each([printed, asRun])('docs/statechart shows the table $name', (chart) => {
    const read = (ending: string): string =>
      readFileSync(new URL(`../docs/statechart/${chart.name}.${ending}`, import.meta.url), 'utf8')
    expect(read('mmd')).toBe(mermaid(chart))
    expect(read('svg')).toBe(svg(chart))
  })
})
