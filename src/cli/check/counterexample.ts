/** A counterexample of the checker as a stepped trace, which `simulate --replay` plays and the lab opens. */
import { cutShapes } from '../../check/transitions/cut-shapes.ts'
import type { CheckConfig, Counterexample, Transition } from '../../check/index.ts'
import { writeTrace, type TraceStep } from '../../sim/record/trace.ts'
import { Stepper } from '../../sim/stepper/stepper.ts'

export function counterexampleTrace(
  options: CheckConfig,
  { property, sentence, steps, loop }: Counterexample,
): string {
  const { algorithm, members, ring, start } = options
  const stepper = new Stepper({ algorithm, options: options.options, members, ring, start })
  const boot = start === 'boot' ? [...stepper.group.everyone] : []
  for (const node of boot) stepper.take({ verb: 'start', node })
  const play = (played: readonly Transition[]): void => {
    for (const step of played)
      for (const one of translate(step, options, stepper)) stepper.take(one)
  }
  play(steps)
  const before = stepper.recording.trace(false).length
  play(loop)
  const entries = stepper.recording.trace(false)
  const head = writeTrace({ settings: settingsOf(options), entries: entries.slice(0, before) })
  const rest = writeTrace({ settings: [], entries: entries.slice(before) })
    .split('\n')
    .slice(2)
  const mark = markOf(property, sentence, loop.length > 0)
  return `${head}${mark}\n${rest.join('\n')}`
}

/** A comment behind the step that breaks the property. */
function markOf(property: string, sentence: string, goesOn: boolean): string {
  if (!/in the end|strongest leads/u.test(property)) return `# ${property} breaks here: ${sentence}`
  const then = goesOn ? 'from here on this happens again and again:' : 'nothing more happens.'
  return `# broken: ${sentence}; ${then}`
}

function settingsOf({
  algorithm,
  options,
  members,
  ring,
  start,
}: CheckConfig): (readonly [string, string])[] {
  return [
    ['mode', 'stepped'],
    ['algorithm', algorithm.name],
    ['nodes', String(members)],
    ...Object.entries(options).map(([name, value]) => ['option', `${name}=${value}`] as const),
    ...(ring === null ? [] : [['ring', ring.join(',')] as const]),
    ['start', start],
  ]
}

/** A step of the checker in the words of a trace. */
function translate(step: Transition, options: CheckConfig, stepper: Stepper): TraceStep[] {
  const { kind, node, peer, detail } = step
  const message = (): string =>
    stepper.recording.show(stepper.linkOf(peer, node)[detail], 'election')
  switch (kind) {
    case 'start':
    case 'crash':
    case 'recover':
      return [{ verb: kind, node }]
    case 'deliver':
      return [{ verb: kind, from: peer, to: node, message: message() }]
    case 'lose':
    case 'drop':
      return [{ verb: 'lose', from: peer, to: node, message: message() }]
    case 'duplicate':
      return (['duplicate', 'deliver'] as const).map((verb) => ({
        verb,
        from: peer,
        to: node,
        message: message(),
      }))
    case 'timeout': {
      const timer = Object.keys(options.algorithm.timers)[detail]
      return [{ verb: kind, node, timer, peer: 0 }]
    }
    case 'up':
    case 'down':
      return [{ verb: kind, node, peer }]
    case 'drawn':
      return [{ verb: kind, node, name: step.name!, k: detail }]
    case 'resign':
      return [{ verb: kind, node, successor: peer }]
    case 'heal':
      return [{ verb: kind }]
    case 'cut':
      return [...cutShapes(options.members)[detail - 1]].map((link) => ({
        verb: kind,
        from: [Math.floor(link / options.members) + 1],
        to: [(link % options.members) + 1],
      }))
  }
}
