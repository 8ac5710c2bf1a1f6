/** Plays steps that a test writes as text: separated by line ends or semicolons, messages named by their type. */
import type { Algorithm } from '../../src/core/algorithm.ts'
import { parseTrace, type TraceStep } from '../../src/sim/record/trace.ts'
import { Stepper, type StepperConfig } from '../../src/sim/stepper/stepper.ts'

export function stepperFor(
  algorithm: Algorithm,
  members: number,
  more: Partial<StepperConfig> = {},
): Stepper {
  return new Stepper({ algorithm, members, ...more })
}

/** Plays steps; `deliver 1→3 halt` stands for the oldest Halt under way from 1 to 3. */
export function play(stepper: Stepper, text: string): Stepper {
  for (const line of text.split(/[\n;]/u)) {
    const step = line.replace(/#.*$/u, '').trim()
    if (step !== '') stepper.take(readStep(stepper, step))
  }
  return stepper
}

/** `1:Norm(1) 2:down 3:Elec1`: what every member is and whom it follows, by label. */
export function beliefs(stepper: Stepper): string {
  const shown: string[] = []
  for (let label = 1; label <= stepper.group.members; label++) {
    const node = stepper.labels.of(label)
    const { status, leader } = stepper.stateOf(node)
    const follows = leader === 0 ? '' : `(${stepper.labels.of(leader)})`
    shown.push(`${label}:${stepper.isUp(node) ? status + follows : 'down'}`)
  }
  return shown.join(' ')
}

/** What the last step sent: `1→2 election`. */
export function sentLast(stepper: Stepper): string[] {
  const sendings = stepper.recording.entries.at(-1)?.sendings ?? []
  return sendings.map(({ from, to, message }) => `${from}→${to} ${message.type}`)
}

function readStep(stepper: Stepper, line: string): TraceStep {
  const { step } = parseTrace(`bellwether trace 1\n----\n${line}`).entries[0]
  if (step.verb !== 'deliver' && step.verb !== 'lose' && step.verb !== 'duplicate') return step
  const { labels } = stepper
  const found = stepper
    .linkOf(labels.of(step.from), labels.of(step.to))
    .find(({ type }) => type === step.message)
  return found === undefined
    ? step
    : { ...step, message: stepper.recording.show(found, 'election') }
}

/** Delivers all that is under way and all that follows from it, each link in its order. */
export function drain(stepper: Stepper): Stepper {
  const ids = [...stepper.group.everyone]
  for (let busy = true; busy;) {
    busy = false
    for (const from of ids) {
      for (const to of ids) {
        const [oldest] = stepper.linkOf(from, to)
        if (oldest === undefined || !stepper.isUp(to)) continue
        const { labels } = stepper
        play(stepper, `deliver ${labels.of(from)}→${labels.of(to)} ${oldest.type}`)
        busy = true
      }
    }
  }
  return stepper
}
