/**
 * Parses, writes and relabels the operands of faults, in settings and in traces, and declares the fields that each
 * gives a fault.
 */
import { NONE, type NodeId } from '../../core/node-id.ts'
import { SEAT_ROLES, type SeatRole } from '../../core/configuration.ts'
import { parseDuration, showDuration } from '../../core/time.ts'
import type { StepReader } from '../record/trace.ts'

interface Fields {
  readonly member: { readonly node: NodeId }
  /** Absent or NONE: no successor is named. */
  readonly successor: { readonly successor?: NodeId }
  readonly peer: { readonly peer: NodeId }
  readonly seat: { readonly seat: NodeId }
  readonly role: { readonly role: SeatRole }
  readonly link: { readonly from: NodeId; readonly to: NodeId }
  readonly links: { readonly from: readonly NodeId[]; readonly to: readonly NodeId[] }
  /** Absent: all links. */
  readonly 'links or all': {
    readonly from?: readonly NodeId[]
    readonly to?: readonly NodeId[]
  }
  /** Of the messages in flight on the link, the `place`-th to arrive; 1 is the next. */
  readonly place: { readonly place: number }
  readonly duration: { readonly us: number }
  /** How fast a clock runs: 1.05 is 5 % fast. */
  readonly rate: { readonly rate: number }
}

export type OperandName = keyof Fields

type Intersection<U> = (U extends unknown ? (u: U) => void : never) extends (i: infer I) => void
  ? I
  : never

export type OperandFields<N extends OperandName> = Intersection<Fields[N]>

/** The fields of any fault, for the code that serves all operands alike. */
type AnyFields = Partial<Omit<OperandFields<OperandName>, 'from' | 'to'>> & {
  readonly [side in 'from' | 'to']?: NodeId | readonly NodeId[]
}

interface Operand {
  /** How settings write it: a regular expression, whose groups `parse` gets. */
  readonly pattern: string
  /** Returns undefined where a group cannot be read. */
  parse(groups: Groups, member: (text: string) => NodeId): AnyFields | undefined
  /** What settings put in front of it. */
  readonly prefix: string
  write(fields: AnyFields): string
  read(reader: StepReader): AnyFields
}
type Groups = Readonly<Record<string, string | undefined>>

const LINKS = '(?<from>[^|>]*)(?<arrow>[|>])(?<to>[^|>]*)'
const list = (ids: AnyFields['from'] = []): string => [ids].flat().join(',')

function isRole(text: string): text is SeatRole {
  return (SEAT_ROLES as readonly string[]).includes(text)
}

const links: Operand = {
  pattern: LINKS,
  parse: ({ from, to }, member) =>
    from === undefined || to === undefined
      ? {}
      : { from: from.split(',').map(member), to: to.split(',').map(member) },
  prefix: '',
  write: ({ from, to }) => (from === undefined ? '' : `${list(from)}→${list(to)}`),
  read: (reader) => reader.sides(),
}

const OPERANDS: Readonly<Record<OperandName, Operand>> = {
  member: {
    pattern: '(?<node>[^>+]*)',
    parse: ({ node = '' }, member) => ({ node: member(node) }),
    prefix: '',
    write: ({ node }) => String(node),
    read: (reader) => ({ node: reader.number() }),
  },
  successor: {
    pattern: '(?:>(?<successor>[^>]*))?',
    parse: ({ successor }, member) =>
      successor === undefined ? {} : { successor: member(successor) },
    prefix: '>',
    write: ({ successor = NONE }) => (successor === NONE ? '' : String(successor)),
    read: (reader) => ({ successor: reader.isDone ? NONE : reader.number() }),
  },
  peer: {
    pattern: '>(?<peer>[^>]*)',
    parse: ({ peer = '' }, member) => ({ peer: member(peer) }),
    prefix: '>',
    write: ({ peer }) => String(peer),
    read: (reader) => ({ peer: reader.number() }),
  },
  seat: {
    pattern: '>(?<seat>[^>=]*)',
    parse: ({ seat = '' }, member) => ({ seat: seat === '0' ? NONE : member(seat) }),
    prefix: '>',
    write: ({ seat }) => String(seat),
    read: (reader) => ({ seat: reader.number() }),
  },
  role: {
    pattern: '=(?<role>[a-z]+)',
    parse: ({ role = '' }) => (isRole(role) ? { role } : undefined),
    prefix: '=',
    write: ({ role = 'outside' }) => role,
    read: (reader) => ({ role: reader.oneOf(SEAT_ROLES) }),
  },
  link: {
    ...links,
    pattern: '(?<from>[^|>]*)>(?<to>[^|>#+]*)',
    parse: ({ from = '', to = '' }, member) => ({ from: member(from), to: member(to) }),
    read: (reader) => reader.link(),
  },
  links,
  'links or all': {
    ...links,
    pattern: `(?:${LINKS})?`,
    read: (reader) => (reader.isDone ? {} : reader.sides()),
  },
  place: {
    pattern: '(?:#(?<place>[1-9]\\d*))?',
    parse: ({ place = '1' }) => ({ place: Number(place) }),
    prefix: '#',
    write: ({ place }) => String(place),
    read: (reader) => ({ place: reader.number() }),
  },
  duration: {
    pattern: '\\+(?<duration>[^+]*)',
    parse({ duration = '' }) {
      const us = parseDuration(duration)
      return us === undefined ? undefined : { us }
    },
    prefix: '+',
    write: ({ us = 0 }) => showDuration(us),
    read: (reader) => ({ us: reader.duration() }),
  },
  rate: {
    pattern: '\\*(?<rate>\\d+(?:\\.\\d+)?)',
    parse: ({ rate = '' }) => (Number(rate) > 0 ? { rate: Number(rate) } : undefined),
    prefix: '*',
    write: ({ rate = 1 }) => String(rate),
    read: (reader) => ({ rate: reader.decimal() }),
  },
}

/** Reads the operands of a setting. Links that are written `A|B`, for both directions, give two results. */
export function parseOperands(
  names: readonly OperandName[],
  text: string,
  member: (text: string) => NodeId,
): AnyFields[] | undefined {
  const pattern = names.map((name) => OPERANDS[name].pattern).join('')
  const match = new RegExp(`^${pattern}$`, 'u').exec(text)
  if (match === null) return undefined
  const { groups = {} } = match
  const fields: AnyFields = {}
  for (const name of names) {
    const parsed = OPERANDS[name].parse(groups, member)
    if (parsed === undefined) return undefined
    Object.assign(fields, parsed)
  }
  return groups['arrow'] === '|' ? [fields, { from: fields.to!, to: fields.from! }] : [fields]
}

export function showOperands(names: readonly OperandName[], fields: object): string {
  const shown = names.map((name) => {
    const operand = OPERANDS[name]
    const text = operand.write(fields).replace('→', '>')
    return text === '' || (name === 'place' && text === '1') ? '' : operand.prefix + text
  })
  return shown.join('')
}

export function writeOperands(names: readonly OperandName[], fields: object): string {
  const words = names.map((name) => OPERANDS[name].write(fields))
  return words.filter((word) => word !== '').join(' ')
}

export function readOperands(names: readonly OperandName[], reader: StepReader): AnyFields {
  const fields: AnyFields = {}
  for (const name of names) Object.assign(fields, OPERANDS[name].read(reader))
  return fields
}

/** The fields with members in them. The second list may hold NONE. */
const MEMBER_FIELDS = ['node', 'from', 'to', 'leader']
const OPTIONAL_MEMBER_FIELDS = ['peer', 'successor', 'seat']

/** The same fields with every member replaced: its label for its `NodeId`, or the reverse. */
export function relabel<F extends object>(fields: F, labelOf: (id: NodeId) => number): F {
  const replaced = { ...fields } as Record<string, unknown>
  for (const key of [...MEMBER_FIELDS, ...OPTIONAL_MEMBER_FIELDS]) {
    const value = replaced[key] as NodeId | readonly NodeId[] | undefined
    if (Array.isArray(value)) replaced[key] = value.map(labelOf)
    else if (value === NONE && OPTIONAL_MEMBER_FIELDS.includes(key)) continue
    else if (value !== undefined) replaced[key] = labelOf(value as NodeId)
  }
  return replaced as F
}
