/** Steps in the words of a trace, for tests that need one exact interleaving. */
import type { Algorithm } from '../src/core/algorithm.ts'
import { parseTrace } from '../src/core/trace.ts'
import { Stepper, type StepperConfig } from '../src/sim/index.ts'

export function stepperFor(
  algorithm: Algorithm,
  members: number,
  more: Partial<StepperConfig> = {},
): Stepper {
  return new Stepper({ algorithm, members, ...more })
}

/** Plays steps, one to a line or separated by semicolons. */
export function play(stepper: Stepper, steps: string): Stepper {
  const lines = steps.split(/[\n;]/u).map((line) => line.trim())
  const text = ['bellwether trace 1', '----', ...lines].join('\n')
  for (const { step } of parseTrace(text).entries) stepper.take(step)
  return stepper
}

/** What the last step sent: `1→2 election`. */
export function sentLast(stepper: Stepper): string[] {
  const sendings = stepper.recording.entries.at(-1)?.sendings ?? []
  return sendings.map(({ from, to, message }) => `${from}→${to} ${message.type}`)
}

/** Status and leader of every member: `Norm(3)`, `Elec`, `down`. */
export function beliefs(stepper: Stepper): string {
  return [...stepper.group.everyone]
    .map((id) => {
      if (!stepper.isUp(id)) return 'down'
      const { status, leader } = stepper.stateOf(id)
      return leader === 0 ? status : `${status}(${leader})`
    })
    .join(' ')
}
