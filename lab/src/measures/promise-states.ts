/** Judges whether each promise of an algorithm is kept, pending or broken at a moment of a run. */
import type { Run } from '../simulation/worker-protocol.ts'
import { memoize } from '../simulation/memoize.ts'

export interface PromiseState {
  readonly name: string
  /** `pending`: promised for the end of the run, which is not reached yet. */
  readonly state: 'kept' | 'broken' | 'pending'
  /** The step that breaks it; −1: none. */
  readonly place: number
  readonly detail: string
}

/** The first step that breaks each property. */
const breaks = memoize(({ steps }: Run) => {
  const found = new Map<string, number>()
  steps.forEach(({ violations }, place) => {
    for (const sentence of violations) {
      const property = sentence.slice(0, sentence.indexOf(':'))
      if (!found.has(property)) found.set(property, place)
    }
  })
  return found
})

/** `over`: the end of the run is reached. */
export function promiseStates(run: Run, index: number, over: boolean): PromiseState[] {
  const { promises } = run.algorithm
  const promised: (readonly [name: string, property: string, atTheEnd: boolean])[] = [
    promises.agreement === 'always'
      ? ['agreement, always', 'agreement', false]
      : ['agreement in the end', 'agreement', true],
  ]
  if (promises.oneLeaderPerTerm)
    promised.push(['one leader per term', 'one leader per term', false])
  if (promises.termsRise) promised.push(['terms rise', 'terms rise', false])
  if (promises.leader === 'highest') promised.push(['the strongest leads', 'highest leads', true])
  const states = promised.map(([name, property, atTheEnd]): PromiseState => {
    const place = breaks(run).get(property) ?? -1
    // A property of the end is reported with the last step.
    const ofEnd = run.steps[place]?.violations.some((text) => text.includes('after quiet'))
    const broken = place >= 0 && (ofEnd ? over : index >= place)
    const detail = place < 0 ? '' : (run.steps[place].violations[0] ?? '')
    const state = broken ? 'broken' : atTheEnd && !over ? 'pending' : 'kept'
    return { name, state, place, detail }
  })
  if (run.remark === '' || states.some(({ place }) => place >= 0)) return states
  // The checker found that a property never becomes true: no single step shows that.
  const name = /^broken|in the end|strongest/u.test(run.remark) ? 'in the end' : 'checked'
  const broken = index >= run.stop
  return [
    ...states.filter(({ state }) => state !== 'pending'),
    { name, state: broken ? 'broken' : 'pending', place: run.stop, detail: run.remark },
  ]
}
