/** Says in a sentence what a transition of a walk does, and to which group of transitions it belongs. */
import { say } from '../language/translate.ts'
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
    ? say('{sentence}, and crashes before it sends', { sentence })
    : sentence
}

function plainCaption({ kind, node, peer, event, text }: Choice): string {
  switch (kind) {
    case 'crash':
      return say('Member {name} crashes', { name: node })
    case 'recover':
      return say('Member {name} recovers', { name: node })
    case 'forget':
      return say('Member {name} recovers and has lost its stored state', { name: node })
    case 'tick':
      return say('The time of a lease passes')
    case 'dead':
      return say('Member {name} learns for certain that member {peer} has ended', {
        name: node,
        peer,
      })
    case 'heal':
      return say('All links are healed')
    case 'cut':
      return say('Links are cut: {list}', { list: text.replace(/^cut /u, '') })
    case 'resign':
      return peer === 0
        ? say('Member {name} resigns', { name: node })
        : say('Member {name} resigns in favour of member {peer}', { name: node, peer })
    case 'change':
      return say('Member {name}, which leads, is asked to change the configuration: {change}', {
        name: node,
        change: text.replace(/^change \d+ /u, ''),
      })
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
