/** Says in a sentence what a transition of a walk does, and to which group of transitions it belongs. */
import type { Choice } from '../../../src/explore/walk.ts'
import { causeOf } from '../inspector/step-caption.ts'

export const CHOICE_GROUPS = ['Members and messages', 'Failure detectors', 'Faults'] as const
type ChoiceGroup = (typeof CHOICE_GROUPS)[number]

const DETECTOR = new Set(['up', 'down', 'dead'])
const FAULTS = new Set([
  'crash',
  'recover',
  'forget',
  'cut',
  'heal',
  'drop',
  'duplicate',
  'resign',
  'change',
])

export function groupOf({ kind }: Choice): ChoiceGroup {
  if (DETECTOR.has(kind)) return 'Failure detectors'
  return FAULTS.has(kind) ? 'Faults' : 'Members and messages'
}

export function choiceCaption(choice: Choice): string {
  const sentence = plainCaption(choice)
  return choice.text.endsWith('before it sends')
    ? `${sentence}, and crashes before it sends`
    : sentence
}

function plainCaption({ kind, node, peer, event, text }: Choice): string {
  switch (kind) {
    case 'crash':
      return `Member ${node} crashes`
    case 'recover':
      return `Member ${node} recovers`
    case 'forget':
      return `Member ${node} recovers and has lost its stored state`
    case 'tick':
      return 'The time of a lease passes'
    case 'dead':
      return `Member ${node} learns for certain that member ${peer} has ended`
    case 'heal':
      return 'All links are healed'
    case 'cut':
      return `Links are cut: ${text.replace(/^cut /u, '')}`
    case 'resign':
      return peer === 0
        ? `Member ${node} resigns`
        : `Member ${node} resigns in favour of member ${peer}`
    case 'change':
      return `Member ${node}, which leads, is asked to change the configuration: ${text.replace(/^change \d+ /u, '')}`
    case 'drop':
      return causeOf({ kind: 'lose', node, peer, event, why: '' }, String)
    case 'start':
    case 'deliver':
    case 'lose':
    case 'duplicate':
    case 'timeout':
    case 'up':
    case 'down':
    case 'drawn':
      return causeOf({ kind, node, peer, event, why: '' }, String)
  }
}
