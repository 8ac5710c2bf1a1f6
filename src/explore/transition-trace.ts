/** Plays the transitions of a check on a stepper, so that a path through its states becomes a trace. */
import type { CheckConfig, Transition } from '../check/index.ts'
import { cutShapes } from '../check/transitions/cut-shapes.ts'
import { SEAT_ROLES } from '../core/configuration.ts'
import type { NodeId } from '../core/node-id.ts'
import type { TraceStep } from '../sim/record/trace.ts'
import { Stepper } from '../sim/stepper/stepper.ts'

/** A stepper in the initial state of a check. */
export function stepperOf(config: CheckConfig): Stepper {
  const { start } = config
  const stepper = new Stepper(config)
  if (start === 'boot') {
    for (const node of stepper.group.everyone) stepper.take({ verb: 'start', node })
  }
  if (start === 'settled' && config.clocks) playRound(stepper)
  return stepper
}

export function play(
  transitions: readonly Transition[],
  config: CheckConfig,
  stepper: Stepper,
): void {
  for (const transition of transitions) {
    const before = transition.crashes ? messagesFrom(transition.node, stepper) : []
    for (const step of stepsOf(transition, config, stepper)) stepper.take(step)
    if (transition.crashes) crashInStep(transition.node, before, stepper)
  }
}

/** The settled leader sends a round, and all answer it, as in the initial state of the checker. */
function playRound(stepper: Stepper): void {
  const { everyone, strongest: leader } = stepper.group
  const timers = [...stepper.memberOf(leader).timers]
  for (const timer of timers) {
    stepper.take({ verb: 'timeout', node: leader, timer, peer: 0 })
  }
  const deliver = (from: NodeId, to: NodeId): void => {
    const inFlight = [...stepper.linkOf(from, to)]
    for (const message of inFlight) {
      const text = stepper.recording.show(message, 'election')
      stepper.take({ verb: 'deliver', from, to, message: text })
    }
  }
  for (const peer of everyone) deliver(leader, peer)
  for (const peer of everyone) deliver(peer, leader)
}

function messagesFrom(node: NodeId, stepper: Stepper): number[] {
  return [...stepper.group.everyone].map((peer) => stepper.linkOf(node, peer).length)
}

/** The messages of the last step are lost, and the member crashes. */
function crashInStep(node: NodeId, before: readonly number[], stepper: Stepper): void {
  for (const peer of stepper.group.everyone) {
    for (const message of stepper.linkOf(node, peer).slice(before[peer - 1])) {
      const text = stepper.recording.show(message, 'election')
      stepper.take({ verb: 'lose', from: node, to: peer, message: text })
    }
  }
  stepper.take({ verb: 'crash', node })
}

/** The head of the trace. */
export function settingsOf(config: CheckConfig): (readonly [string, string])[] {
  const { algorithm, options, members, ring, voters, observers, witnesses, start } = config
  return [
    ['mode', 'stepped'],
    ['algorithm', algorithm.name],
    ['nodes', String(members)],
    ...Object.entries(options).map(([name, value]) => ['option', `${name}=${value}`] as const),
    ...(ring === null ? [] : [['ring', ring.join(',')] as const]),
    ...(voters === null ? [] : [['voters', voters.join(',')] as const]),
    ...(observers.length === 0 ? [] : [['observers', observers.join(',')] as const]),
    ...(witnesses.length === 0 ? [] : [['witnesses', witnesses.join(',')] as const]),
    ['start', start],
  ]
}

/** What a transition is in the trace of a stepper. */
export function stepsOf(
  transition: Transition,
  config: CheckConfig,
  stepper: Stepper,
): TraceStep[] {
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
    case 'forget':
      return [
        { verb: kind, node },
        { verb: 'recover', node },
      ]
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
    case 'tick':
      return [] // the stepper has no clock: its timers fire when the trace says so
    case 'dead':
      return [{ verb: 'proof', node, peer }]
    case 'change':
      return [{ verb: kind, node, seat: peer, role: SEAT_ROLES[detail] }]
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
