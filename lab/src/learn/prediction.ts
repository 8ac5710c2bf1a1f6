/** Asks what a member does next in a run: the right answer among what members do elsewhere in the same run. */
import { say } from '../language/translate.ts'
import { causeOf, effectsOf } from '../inspector/step-caption.ts'
import type { Run, RunStep } from '../simulation/worker-protocol.ts'

export interface Question {
  /** What happens to the member. */
  readonly cause: string
  readonly answers: readonly string[]
  readonly right: number
}

/** What a member shows that does nothing. */
const nothing = (): string => say('nothing that others see')
const MOST_ANSWERS = 3

/** The question about a step; null: a fault, which nobody can predict, or a run with too few answers. */
export function questionAbout(
  { steps }: Pick<Run, 'steps'>,
  step: RunStep,
  nameOf: (label: number) => string,
): Question | null {
  if (step.kind === 'fault') return null
  const effect = (one: RunStep): string => effectsOf(one, nameOf) || nothing()
  const answer = effect(step)
  const place = steps.indexOf(step)
  // Those nearby first: they speak of the same messages.
  const others = steps
    .map((one, i) => ({ one, distance: Math.abs(i - place) }))
    .filter(({ one }) => one.kind !== 'fault' && effect(one) !== answer)
    .sort((a, b) => a.distance - b.distance)
    .map(({ one }) => effect(one))
  const wrong = [...new Set(others)].slice(0, MOST_ANSWERS - 1)
  if (wrong.length === 0) return null
  const right = place % (wrong.length + 1)
  return { cause: causeOf(step, nameOf), answers: wrong.toSpliced(right, 0, answer), right }
}
