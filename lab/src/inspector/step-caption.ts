/** Describes a step in plain sentences: what happened, which leader the member follows now, what it sends. */
import { say } from '../language/translate.ts'
import type { RunStep } from '../simulation/worker-protocol.ts'

export function captionOf(step: RunStep, nameOf: (label: number) => string): string {
  const { kind, node } = step
  const cause = `${causeOf(step, nameOf)}.`
  const effects = kind === 'fault' ? '' : effectsOf(step, nameOf)
  if (effects === '') return cause
  const what =
    kind === 'up' || kind === 'down'
      ? say('Member {name} {effects}', { name: nameOf(node), effects })
      : say('It {effects}', { effects })
  return `${cause} ${what}.`
}

/** What the member does in a step; '': nothing that others see. */
export function effectsOf(step: RunStep, nameOf: (label: number) => string): string {
  const effects = [leaderOf(step, nameOf), ...sendingsOf(step, nameOf)].filter(
    (text) => text !== '',
  )
  const last = effects.pop() ?? ''
  return effects.length === 0
    ? last
    : say('{first} and {last}', { first: effects.join(', '), last })
}

type Cause = Pick<RunStep, 'kind' | 'node' | 'peer' | 'event' | 'why'>

export function causeOf(step: Cause, nameOf: (label: number) => string): string {
  const { kind, node, peer, event, why } = step
  const values = { name: nameOf(node), peer: peer === 0 ? '' : nameOf(peer), event }
  switch (kind) {
    case 'start':
      return say('Member {name} starts', values)
    case 'settled':
      return say('Member {name} has followed its leader for a long time', values)
    case 'deliver':
      return say('Member {name} receives “{event}” from member {peer}', values)
    case 'duplicate':
      return say(
        'The message “{event}” from member {peer} to member {name} will arrive twice',
        values,
      )
    case 'lose':
      return say('The message “{event}” from member {peer} to member {name} is lost', values)
    case 'timeout':
      return say('Member {name} has waited long enough: its timer “{event}” expires', values)
    case 'up':
      return say('The failure detector of member {name} reports that member {peer} is up', values)
    case 'down':
      return say('The failure detector of member {name} reports that member {peer} is down', values)
    case 'drawn':
      return say('Member {name} draws a number', values)
    case 'resign':
      return say('Member {name} resigns', values)
    case 'fault':
      return faultOf(why.split('; ')[0].replace(/ ! .*$/u, ''), node === 0 ? '' : nameOf(node))
  }
}

/** What happens to a message on its way, as the caption of a fault says it. */
const ON_THE_WAY: readonly (readonly [RegExp, string])[] = [
  [/^the next message (.*) → (.*) is lost$/u, 'The next message from {from} to {to} is lost'],
  [/^message (.*) → (.*) is lost$/u, 'The message from {from} to {to} is lost'],
  [/^message (.*) → (.*) is (.*) ms late$/u, 'The message from {from} to {to} is {ms} ms late'],
  [/^message (.*) → (.*) is copied$/u, 'The message from {from} to {to} will arrive twice'],
]

function faultOf(caption: string, member: string): string {
  if (member !== '') {
    return say('Member {name} {caption}', {
      name: member,
      caption: say(caption.replace(/^\d+ /u, '')),
    })
  }
  const link = /^(cut|heal) (.*) → (.*)$/u.exec(caption)
  if (link !== null) {
    const [, what, from, to] = link
    return say(
      what === 'cut'
        ? 'The link from {from} to {to} is cut'
        : 'The link from {from} to {to} is healed',
      { from, to },
    )
  }
  if (caption === 'cuts heal') return say('All links are healed')
  for (const [pattern, text] of ON_THE_WAY) {
    const [, from, to, ms = ''] = pattern.exec(caption) ?? []
    if (from !== undefined) return say(text, { from, to, ms })
  }
  return `${caption.charAt(0).toUpperCase()}${caption.slice(1)}`
}

function leaderOf({ changes, node }: RunStep, nameOf: (label: number) => string): string {
  const change = changes.find(({ field }) => field === 'leader')
  if (change === undefined) return ''
  if (change.after === '-') {
    return Number(change.before) === node
      ? say('no longer leads')
      : say('no longer follows a leader')
  }
  const leader = Number(change.after)
  return leader === node
    ? say('becomes the leader')
    : say('follows member {name}', { name: nameOf(leader) })
}

/** More receivers than this are counted. */
const NAMED = 6

function sendingsOf({ sendings }: RunStep, nameOf: (label: number) => string): string[] {
  return sendings.map(({ type, to }) => {
    if (to.length > NAMED)
      return say('sends “{type}” to {count} members', { type, count: to.length })
    const names = to.map(nameOf)
    const last = names.pop() ?? ''
    return names.length === 0
      ? say('sends “{type}” to member {names}', { type, names: last })
      : say('sends “{type}” to members {names} and {last}', { type, names: names.join(', '), last })
  })
}
