/** Faults as people write them: `crash 5@100ms`, `cut 1,2|3@1s`, `heal @2s`. */
import type { Labels } from '../../core/group.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { parseDuration, showDuration } from '../../core/time.ts'
import type { Fault } from './fault.ts'

export type FaultKey = Fault['kind']

/** How each fault is written, for complaints and help. */
export const FAULT_FORMS: Readonly<Record<FaultKey, string>> = {
  crash: 'MEMBER@TIME, such as 5@100ms',
  recover: 'MEMBER@TIME, such as 5@300ms',
  pause: 'MEMBER@TIME, such as 5@100ms',
  resume: 'MEMBER@TIME, such as 5@300ms',
  resign: 'MEMBER@TIME, such as 5@2s: 5 leads no longer; 5>3@2s names 3 as its successor',
  slow: 'MEMBER+TIME@TIME, such as 3+20ms@100ms: 3 takes 20 ms longer for each message; +0ms ends it',
  cut: 'A|B@TIME for both directions or A>B@TIME for one, such as 1,2|3,4,5@100ms',
  heal: '@TIME, such as @2s, or for some links A|B@TIME or A>B@TIME',
  drop: 'A>B@TIME, such as 1>2@100ms: the next message from 1 to 2 is lost',
  discard:
    'A>B@TIME, such as 1>2@100ms: the message under way from 1 to 2 is lost; 1>2#2 the second',
  delay:
    'A>B+TIME@TIME, such as 1>2+20ms@100ms: the message under way is 20 ms late, and those behind it',
  repeat: 'A>B@TIME, such as 1>2@100ms: of the message under way from 1 to 2 a copy leaves now',
}

/** A cut or a heal in both directions is two faults. */
export function parseFault(
  kind: FaultKey,
  text: string,
  member: (text: string) => NodeId,
  complain: (possible: string) => Error,
): Fault[] {
  const sign = text.lastIndexOf('@')
  const at = sign < 0 ? undefined : parseDuration(text.slice(sign + 1))
  if (at === undefined) throw complain(`must be ${FAULT_FORMS[kind]}`)
  const what = text.slice(0, sign)
  switch (kind) {
    case 'heal':
      if (what === '') return [{ at, kind }]
      return parseSides(what, member, () => complain(`must be ${FAULT_FORMS[kind]}`)).map(
        (sides) => ({ at, kind, ...sides }),
      )
    case 'slow': {
      const [node, extra = '', ...more] = what.split('+')
      const us = parseDuration(extra)
      if (us === undefined || more.length > 0) throw complain(`must be ${FAULT_FORMS[kind]}`)
      return [{ at, kind, node: member(node), us }]
    }
    case 'resign': {
      const [node, successor, ...more] = what.split('>')
      if (more.length > 0) throw complain(`must be ${FAULT_FORMS[kind]}`)
      const leader = member(node)
      if (successor === undefined) return [{ at, kind, node: leader }]
      const named = member(successor)
      if (named === leader) throw complain('a leader cannot be its own successor')
      return [{ at, kind, node: leader, successor: named }]
    }
    case 'drop': {
      const [from, to, ...more] = what.split('>')
      if (to === undefined || more.length > 0) throw complain(`must be ${FAULT_FORMS[kind]}`)
      return [{ at, kind, from: member(from), to: member(to) }]
    }
    case 'discard':
    case 'repeat':
    case 'delay': {
      const match = /^(\d+)>(\d+)(?:#([1-9]\d*))?(?:\+(.+))?$/u.exec(what)
      const us = match?.[4] === undefined ? undefined : parseDuration(match[4])
      const wrong = kind === 'delay' ? us === undefined : match?.[4] !== undefined
      if (match === null || wrong) throw complain(`must be ${FAULT_FORMS[kind]}`)
      const [from, to, place] = [member(match[1]), member(match[2]), Number(match[3] ?? 1)]
      return [
        kind === 'delay' ? { at, kind, from, to, place, us: us! } : { at, kind, from, to, place },
      ]
    }
    case 'cut':
      return parseSides(what, member, () => complain(`must be ${FAULT_FORMS[kind]}`)).map(
        (sides) => ({ at, kind, ...sides }),
      )
    case 'crash':
    case 'recover':
    case 'pause':
    case 'resume':
      return [{ at, kind, node: member(what) }]
  }
}

function parseSides(
  what: string,
  member: (text: string) => NodeId,
  complaint: () => Error,
): { from: NodeId[]; to: NodeId[] }[] {
  const sides = what.split(/[|>]/u)
  if (sides.length !== 2) throw complaint()
  const [from, to] = sides.map((side) => side.split(',').map(member))
  return what.includes('|')
    ? [
        { from, to },
        { from: to, to: from },
      ]
    : [{ from, to }]
}

export function showFaults(faults: readonly Fault[], labels: Labels): [string, string][] {
  const list = (ids: readonly NodeId[]): string => ids.map((id) => labels.of(id)).join(',')
  return faults.map((fault) => {
    const when = `@${showDuration(fault.at)}`
    switch (fault.kind) {
      case 'heal':
        if (fault.from === undefined || fault.to === undefined) return [fault.kind, when]
        return [fault.kind, `${list(fault.from)}>${list(fault.to)}${when}`]
      case 'discard':
      case 'repeat':
      case 'delay': {
        const place = fault.place === 1 ? '' : `#${fault.place}`
        const extra = fault.kind === 'delay' ? `+${showDuration(fault.us)}` : ''
        const link = `${labels.of(fault.from)}>${labels.of(fault.to)}`
        return [fault.kind, `${link}${place}${extra}${when}`]
      }
      case 'slow':
        return [fault.kind, `${labels.of(fault.node)}+${showDuration(fault.us)}${when}`]
      case 'resign': {
        const { node, successor = NONE } = fault
        const whom = successor === NONE ? '' : `>${labels.of(successor)}`
        return [fault.kind, `${labels.of(node)}${whom}${when}`]
      }
      case 'drop':
        return [fault.kind, `${labels.of(fault.from)}>${labels.of(fault.to)}${when}`]
      case 'cut':
        return [fault.kind, `${list(fault.from)}>${list(fault.to)}${when}`]
      case 'crash':
      case 'recover':
      case 'pause':
      case 'resume':
        return [fault.kind, `${labels.of(fault.node)}${when}`]
    }
  })
}
