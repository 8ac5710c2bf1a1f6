/** What an algorithm promises, judged at a moment of a run. */
import type { Run } from './engine/protocol.ts'

export interface Verdict {
  readonly name: string
  /** `pending`: promised for the end, which has not come. */
  readonly state: 'kept' | 'broken' | 'pending'
  /** The step that broke it or will; −1: none. */
  readonly place: number
  readonly detail: string
}

export function verdictsOf(run: Run, index: number, time: number): Verdict[] {
  const { promises } = run.algorithm
  const owed: (readonly [name: string, property: string, atTheEnd: boolean])[] = [
    promises.agreement === 'always'
      ? ['agreement, always', 'agreement', false]
      : ['agreement in the end', 'agreement', true],
  ]
  if (promises.oneLeaderPerTerm) owed.push(['one leader per term', 'one leader per term', false])
  if (promises.termsRise) owed.push(['terms rise', 'terms rise', false])
  if (promises.leader === 'highest') owed.push(['the strongest leads', 'highest leads', true])
  const over = time >= run.space.endUs
  const verdicts = owed.map(([name, property, atTheEnd]): Verdict => {
    const place = run.happenings.findIndex(({ violations }) =>
      violations.some((sentence) => sentence.startsWith(`${property}:`)),
    )
    // What only the end shows is blamed on the last step.
    const ofEnd = run.happenings[place]?.violations.some((text) => text.includes('after quiet'))
    const broken = place >= 0 && (ofEnd ? over : index >= place)
    const detail = place < 0 ? '' : (run.happenings[place].violations[0] ?? '')
    const state = broken ? 'broken' : atTheEnd && !over ? 'pending' : 'kept'
    return { name, state, place, detail }
  })
  if (run.remark === '' || verdicts.some(({ place }) => place >= 0)) return verdicts
  // A checker found that something never comes: no single step shows it.
  const name = /^broken|in the end|strongest/u.test(run.remark) ? 'in the end' : 'checked'
  const broken = index >= run.stop
  return [
    ...verdicts.filter(({ state }) => state !== 'pending'),
    { name, state: broken ? 'broken' : 'pending', place: run.stop, detail: run.remark },
  ]
}
