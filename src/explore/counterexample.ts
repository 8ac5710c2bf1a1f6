/** Writes a counterexample of the checker as a stepped trace, which `simulate --replay` and the lab can play. */
import type { CheckConfig, Counterexample } from '../check/index.ts'
import { writeTrace } from '../sim/record/trace.ts'
import { play, settingsOf, stepperOf } from './transition-trace.ts'

export function counterexampleTrace(config: CheckConfig, counterexample: Counterexample): string {
  const { steps, loop } = counterexample
  const stepper = stepperOf(config)
  play(steps, config, stepper)
  const before = stepper.recording.trace(false).length
  play(loop, config, stepper)
  const entries = stepper.recording.trace(false)
  const head = writeTrace({ settings: settingsOf(config), entries: entries.slice(0, before) })
  const rest = writeTrace({ settings: [], entries: entries.slice(before) }).split('\n')
  return `${head}${ticksIn(counterexample)}${commentOn(counterexample)}\n${rest.slice(2).join('\n')}`
}

/** Says between which steps the time of a lease passes. */
function ticksIn({ steps }: Counterexample): string {
  let taken = 0
  const ticks = steps.flatMap(({ kind }) => {
    if (kind !== 'tick') taken += 1
    return kind === 'tick' ? [taken] : []
  })
  return ticks.length === 0 ? '' : `# The time of a lease passes after step ${ticks.join(', ')}.\n`
}

function commentOn({ property, sentence, loop }: Counterexample): string {
  if (!/in the end|strongest leads/u.test(property)) return `# ${property} breaks here: ${sentence}`
  const then = loop.length > 0 ? 'from here on this repeats for ever:' : 'nothing more happens.'
  return `# broken: ${sentence}; ${then}`
}
