/** Judges whether each promise of an algorithm is kept, pending, broken or undecided at a moment of a run. */
import { RunFrames } from '../simulation/frames.ts'
import type { Run } from '../simulation/worker-protocol.ts'
import { memoize } from '../simulation/memoize.ts'

export interface PromiseState {
  readonly name: string
  /** `pending`: promised for the end of the run, which is not reached yet. `undecided`: the end does not show it. */
  readonly state: 'kept' | 'broken' | 'pending' | 'undecided'
  /** The step that breaks it; −1: none. */
  readonly place: number
  readonly detail: string
}

interface Break {
  readonly place: number
  readonly sentence: string
}

/** The first step that breaks each property, and what the monitors say about it. */
const breaks = memoize(({ steps }: Run) => {
  const found = new Map<string, Break>()
  steps.forEach(({ violations }, place) => {
    for (const sentence of violations) {
      const property = sentence.slice(0, sentence.indexOf(':'))
      if (!found.has(property)) found.set(property, { place, sentence })
    }
  })
  return found
})

/** What holds when the run ends. In a trace of the checker nothing follows the step that it marked. */
const inTheEnd = memoize((run: Run) => {
  const { members } = new RunFrames(run).at(run.mode === 'timed' ? Infinity : run.stop)
  const up = members.filter((member) => member.up)
  const leader = up.at(0)?.leader ?? 0
  const agreement = up.every((member) => member.leader === leader) && members[leader - 1]?.up
  const rank = (label: number): number => run.labels.indexOf(label, 1)
  const highest = agreement && up.every(({ label }) => rank(label) <= rank(leader))
  return { agreement, 'highest leads': highest }
})

/** `over`: the end of the run is reached. */
export function promiseStates(run: Run, index: number, over: boolean): PromiseState[] {
  const { agreement, oneLeaderPerTerm, termsRise, leader } = run.algorithm.promises
  const states: PromiseState[] = []
  if (agreement === 'always') states.push(always(run, 'agreement, always', 'agreement', index))
  else if (agreement === 'in groups') states.push(inGroups(run, index, over))
  else states.push(eventually(run, 'agreement in the end', 'agreement', index, over))
  for (const [promised, property] of [
    [oneLeaderPerTerm, 'one leader per term'],
    [termsRise, 'terms rise'],
  ] as const) {
    if (promised) states.push(always(run, property, property, index))
  }
  if (leader === 'highest')
    states.push(eventually(run, 'the strongest leads', 'highest leads', index, over))
  if (run.remark === '' || states.some(({ place }) => place >= 0)) return states
  const state = index >= run.stop ? 'broken' : 'pending'
  return [...states, { name: 'checked', state, place: run.stop, detail: run.remark }]
}

function always(run: Run, name: string, property: string, index: number): PromiseState {
  const { place, sentence } = breaks(run).get(property) ?? { place: -1, sentence: '' }
  const state = place >= 0 && index >= place ? 'broken' : 'kept'
  return { name, state, place, detail: sentence }
}

/** At every moment among those in one term, and in the end in each part of the network: the monitors judge both. */
function inGroups(run: Run, index: number, over: boolean): PromiseState {
  const judged = always(run, 'agreement in groups', 'agreement', index)
  if (judged.state === 'broken') return judged
  if (!over) return { ...judged, state: 'pending' }
  return run.undecided === '' ? judged : { ...judged, state: 'undecided', detail: run.undecided }
}

function eventually(
  run: Run,
  name: string,
  property: 'agreement' | 'highest leads',
  index: number,
  over: boolean,
): PromiseState {
  if (run.undecided !== '') {
    return { name, state: over ? 'undecided' : 'pending', place: -1, detail: run.undecided }
  }
  if (inTheEnd(run)[property]) {
    return { name, state: over ? 'kept' : 'pending', place: -1, detail: '' }
  }
  const place = run.mode === 'timed' ? run.steps.length - 1 : run.stop
  const broken = over || index >= place
  const detail = breaks(run).get(property)?.sentence ?? run.remark
  return { name, state: broken ? 'broken' : 'pending', place, detail }
}
