/** Explains a step of a run in one sentence: its cause, the changes of the state, the messages sent. */
import type { Labels } from '../../core/group.ts'
import { groupBy } from './group-by.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { captionOf } from '../faults/fault-text.ts'
import type { RecordedStep, Recording } from './recording.ts'

export function explainStep(
  entry: RecordedStep,
  labels: Labels,
  recording: Pick<Recording, 'show'>,
): string {
  const { changes, violations } = entry
  const parts = [cause(entry, labels)]
  if (changes.length > 0) {
    const shown = changes.map(({ field, before, after }) => `${field} ${before}→${after}`)
    parts.push(shown.join(', '))
  }
  const sent = sendings(entry, labels, recording)
  if (sent !== '') parts.push(`sends ${sent}`)
  return [parts.join('; '), ...violations.map((sentence) => `! ${sentence}`)].join(' ')
}

function cause({ step }: RecordedStep, labels: Labels): string {
  const label = (id: NodeId): number => labels.of(id)
  const me = label(step.node)
  switch (step.kind) {
    case 'start':
      return `${me} starts`
    case 'settled':
      return `${me} has long followed ${labels.of(step.leader)}`
    case 'deliver':
      return `${me} receives ${step.message.type} from ${labels.of(step.from)}`
    case 'duplicate':
      return `${step.message.type} from ${labels.of(step.from)} to ${me} will arrive twice`
    case 'lose':
      return `${step.message.type} from ${labels.of(step.from)} to ${me} is lost: ${step.why}`
    case 'timeout':
      return `${me}'s timer ${step.timer} expires`
    case 'up':
    case 'down':
      return `${me} learns that ${labels.of(step.peer)} is ${step.kind}`
    case 'drawn':
      return `${me} draws ${step.k}`
    case 'resign':
      return `${me} ${captionOf({ at: 0, ...step }, label)}`
    case 'fault':
      return `${step.node === NONE ? '' : `${me} `}${captionOf(step.fault, label)}`
  }
}

/** Each message once, with all its receivers. */
function sendings(
  { sendings }: RecordedStep,
  labels: Labels,
  recording: Pick<Recording, 'show'>,
): string {
  const groups = groupBy(sendings, ({ message, part }) => recording.show(message, part))
  return [...groups]
    .map(([text, sent]) => `${text} to ${sent.map(({ to }) => labels.of(to)).join(',')}`)
    .join(', ')
}
