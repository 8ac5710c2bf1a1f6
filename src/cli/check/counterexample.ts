/** Writes a counterexample of the checker as a stepped trace, which `simulate --replay` and the lab can play. */
import type { CheckConfig, Counterexample, Transition } from '../../check/index.ts'
import { cutShapes } from '../../check/transitions/cut-shapes.ts'
import { writeTrace, type TraceStep } from '../../sim/record/trace.ts'
import { Stepper } from '../../sim/stepper/stepper.ts'

export function counterexampleTrace(config: CheckConfig, counterexample: Counterexample): string {
  const { algorithm, members, ring, start, options } = config
  const { steps, loop } = counterexample
  const stepper = new Stepper({ algorithm, options, members, ring, start })
  const play = (transitions: readonly Transition[]): void => {
    for (const transition of transitions) {
      for (const step of stepsOf(transition, config, stepper)) stepper.take(step)
    }
  }
  if (start === 'boot') {
    for (const node of stepper.group.everyone) stepper.take({ verb: 'start', node })
  }
  play(steps)
  const before = stepper.recording.trace(false).length
  play(loop)
  const entries = stepper.recording.trace(false)
  const head = writeTrace({ settings: settingsOf(config), entries: entries.slice(0, before) })
  const rest = writeTrace({ settings: [], entries: entries.slice(before) }).split('\n')
  return `${head}${commentOn(counterexample)}\n${rest.slice(2).join('\n')}`
}

/** The comment after the step that breaks the property. */
function commentOn({ property, sentence, loop }: Counterexample): string {
  if (!/in the end|strongest leads/u.test(property)) return `# ${property} breaks here: ${sentence}`
  const then = loop.length > 0 ? 'from here on this repeats for ever:' : 'nothing more happens.'
  return `# broken: ${sentence}; ${then}`
}

function settingsOf(config: CheckConfig): (readonly [string, string])[] {
  const { algorithm, options, members, ring, start } = config
  return [
    ['mode', 'stepped'],
    ['algorithm', algorithm.name],
    ['nodes', String(members)],
    ...Object.entries(options).map(([name, value]) => ['option', `${name}=${value}`] as const),
    ...(ring === null ? [] : [['ring', ring.join(',')] as const]),
    ['start', start],
  ]
}

function stepsOf(transition: Transition, config: CheckConfig, stepper: Stepper): TraceStep[] {
  const { kind, node, peer, detail } = transition
  const onMessage = (verb: 'deliver' | 'lose' | 'duplicate'): TraceStep => {
    const message = stepper.recording.show(stepper.linkOf(peer, node)[detail], 'election')
    return { verb, from: peer, to: node, message }
  }
  switch (kind) {
    case 'start':
    case 'crash':
    case 'recover':
      return [{ verb: kind, node }]
    case 'deliver':
      return [onMessage(kind)]
    case 'lose':
    case 'drop':
      return [onMessage('lose')]
    case 'duplicate':
      return [onMessage('duplicate'), onMessage('deliver')]
    case 'timeout':
      return [{ verb: kind, node, timer: Object.keys(config.algorithm.timers)[detail], peer: 0 }]
    case 'up':
    case 'down':
      return [{ verb: kind, node, peer }]
    case 'drawn':
      return [{ verb: kind, node, name: transition.name!, k: detail }]
    case 'resign':
      return [{ verb: kind, node, successor: peer }]
    case 'heal':
      return [{ verb: kind }]
    case 'cut':
      return [...cutShapes(config.members)[detail - 1]].map((link) => ({
        verb: kind,
        from: [Math.floor(link / config.members) + 1],
        to: [(link % config.members) + 1],
      }))
  }
}
