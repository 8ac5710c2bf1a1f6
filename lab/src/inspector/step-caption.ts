/** Describes a step in plain sentences: what happened, which leader the member follows now, what it sends. */
import type { RunStep } from '../simulation/worker-protocol.ts'

export function captionOf(step: RunStep, nameOf: (label: number) => string): string {
  const { kind, node } = step
  const cause = `${causeOf(step, nameOf)}.`
  const effects = kind === 'fault' ? '' : effectsOf(step, nameOf)
  if (effects === '') return cause
  const subject = kind === 'up' || kind === 'down' ? `Member ${nameOf(node)}` : 'It'
  return `${cause} ${subject} ${effects}.`
}

/** What the member does in a step; '': nothing that others see. */
export function effectsOf(step: RunStep, nameOf: (label: number) => string): string {
  const effects = [leaderOf(step, nameOf), ...sendingsOf(step, nameOf)].filter(
    (text) => text !== '',
  )
  const last = effects.pop() ?? ''
  return effects.length === 0 ? last : `${effects.join(', ')} and ${last}`
}

type Cause = Pick<RunStep, 'kind' | 'node' | 'peer' | 'event' | 'why'>

export function causeOf(step: Cause, nameOf: (label: number) => string): string {
  const { kind, node, peer, event, why } = step
  const me = `Member ${nameOf(node)}`
  const other = peer === 0 ? '' : `member ${nameOf(peer)}`
  switch (kind) {
    case 'start':
      return `${me} starts`
    case 'settled':
      return `${me} has followed its leader for a long time`
    case 'deliver':
      return `${me} receives “${event}” from ${other}`
    case 'duplicate':
      return `The message “${event}” from ${other} to member ${nameOf(node)} will arrive twice`
    case 'lose':
      return `The message “${event}” from ${other} to member ${nameOf(node)} is lost`
    case 'timeout':
      return `${me} has waited long enough: its timer “${event}” expires`
    case 'up':
      return `The failure detector of member ${nameOf(node)} reports that ${other} is up`
    case 'down':
      return `The failure detector of member ${nameOf(node)} reports that ${other} is down`
    case 'drawn':
      return `${me} draws a number`
    case 'resign':
      return `${me} resigns`
    case 'fault':
      return faultOf(why.split('; ')[0].replace(/ ! .*$/u, ''), node === 0 ? '' : nameOf(node))
  }
}

/** The caption of a fault in a diagram, without its arrows. */
const IN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^cut (.*) → (.*)$/u, 'The link from $1 to $2 is cut'],
  [/^heal (.*) → (.*)$/u, 'The link from $1 to $2 is healed'],
  [/^cuts heal$/u, 'All links are healed'],
  [/^(the next )?message (.*) → (.*?) is/u, '$1message from $2 to $3 is'],
]

function faultOf(caption: string, member: string): string {
  if (member !== '') return `Member ${member} ${caption.replace(/^\d+ /u, '')}`
  const text = IN_WORDS.reduce((words, [pattern, to]) => words.replace(pattern, to), caption)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function leaderOf({ changes, node }: RunStep, nameOf: (label: number) => string): string {
  const change = changes.find(({ field }) => field === 'leader')
  if (change === undefined) return ''
  if (change.after === '-') {
    return Number(change.before) === node ? 'no longer leads' : 'no longer follows a leader'
  }
  const leader = Number(change.after)
  return leader === node ? 'becomes the leader' : `follows member ${nameOf(leader)}`
}

/** More receivers than this are counted. */
const NAMED = 6

function sendingsOf({ sendings }: RunStep, nameOf: (label: number) => string): string[] {
  return sendings.map(({ type, to }) => {
    if (to.length > NAMED) return `sends “${type}” to ${to.length} members`
    const names = to.map(nameOf)
    const last = names.pop() ?? ''
    const who = names.length === 0 ? `member ${last}` : `members ${names.join(', ')} and ${last}`
    return `sends “${type}” to ${who}`
  })
}
