/** Maps algorithms to their statecharts, and finds the transition that a step took. */
import {
  asRun,
  labelOf,
  printed,
  START,
  type Statechart,
} from '../../../src/algorithms/helpers/bully-fd-statechart.ts'
import type { RunStep } from '../simulation/worker-protocol.ts'

/** The statechart of each algorithm that has one. */
export const STATECHARTS: Readonly<Record<string, Statechart>> = {
  'bully-fd': asRun,
  'bully-fd-as-printed': printed,
}

export function transitionTaken(algorithm: string, { kind, event, changes }: RunStep) {
  const chart = STATECHARTS[algorithm] as Statechart | undefined
  const status = changes.find(({ field }) => field === 'status')
  if (chart === undefined || (status === undefined && kind !== 'start')) return null
  const from = kind === 'start' ? START : status?.before
  const found = chart.transitions.find(
    (transition) =>
      transition.from === from &&
      (status === undefined || transition.to === status.after) &&
      transition.on.includes(event),
  )
  return found === undefined ? null : { ...found, text: labelOf(found) }
}
