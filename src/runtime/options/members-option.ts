/** Checks the option `members` (names, addresses, priorities), and parses it from text, in which a pattern stands for numbered members. */
import { isIP } from 'node:net'
import { splitAddress } from '../../core/address.ts'
import {
  address,
  asRecord,
  checkAddress,
  checkOptionTable,
  number,
  required,
  toggle,
  withDefault,
  wrong,
  type OptionRow,
  type OptionsOf,
} from './option-kinds.ts'

export const MEMBER = {
  /** `host:port`. */
  address: required(address('where peers reach the member')),
  /** The larger number is the stronger member. Equal priorities are ordered by name. */
  priority: withDefault(0, number(-1e9, 1e9)('the larger number is the stronger member')),
  /** Whether the member may lead. One that may not is a witness: a voter that breaks ties. */
  lead: withDefault(true, toggle('whether the member may lead, or is a witness, which only votes')),
}
/** What may change of a member. */
export const MEMBER_CHANGE = {
  address: address('where peers reach the member'),
  priority: number(-1e9, 1e9)('the larger number is the stronger member'),
}
export interface MemberOptions extends OptionsOf<typeof MEMBER> {}

export interface CheckedMember {
  readonly name: string
  readonly address: string
  readonly priority: number
  readonly lead: boolean
}

/** Each name with its address, a list such as `peersFor` of the fault mesh gives, or the text of the flag. */
export type Members =
  | string
  | Readonly<Record<string, string | MemberOptions>>
  | readonly ({ readonly id: string } & MemberOptions)[]

const MOST_MEMBERS = 1000
const JSON_LIST = /^\s*\[\s*\{/u
/** Stands for the numbers from the first to the last. */
const RANGE = /\{(\d{1,6})\.\.(\d{1,6})\}/u

export function members(
  help: string,
  more: Pick<OptionRow, 'flag' | 'shared'>,
): OptionRow<Members, readonly CheckedMember[]> {
  const check = (value: unknown, field: string): CheckedMember[] => {
    const listed = typeof value === 'string' ? parseMemberList(value) : value
    const given =
      asRecord(Array.isArray(listed) ? byName(listed, field) : listed) ??
      wrong(field, "must map each name to its address, as in { a: '10.0.0.1:7400' }", value)
    const entries = Object.entries(given).map(([name, member]) => {
      const path = `${field}.${name}`
      if (name === '' || name.length > 100) wrong(path, 'a name has 1 to 100 characters')
      if (typeof member !== 'string' && asRecord(member) === undefined) {
        wrong(path, 'must be host:port, or { address, priority, lead }', member)
      }
      const address = typeof member === 'string' ? checkAddress(member, `${path}.address`) : ''
      return { name, ...checkOptionTable(MEMBER, address === '' ? member : { address }, path) }
    })
    if (entries.length < 1 || entries.length > MOST_MEMBERS) {
      wrong(field, `must be 1 to ${MOST_MEMBERS}`)
    }
    for (const [i, { name, address }] of entries.entries()) {
      const other = entries.slice(0, i).find((one) => one.address === address)
      if (other !== undefined) {
        wrong(`${field}.${name}.address`, `is the address of ${other.name} already`)
      }
    }
    return entries
  }
  return { help, ...more, check, parseFlag: parseMemberList }
}

/** `a=10.0.0.1:7400,b=10.0.0.2:7400@5,c=10.0.0.3:7400@witness`, or `web-{0..4}.web:7400` for five members whose names are web-0 to web-4. */
export function parseMemberList(list: string): Record<string, MemberOptions> {
  if (JSON_LIST.test(list)) return parseJsonList(list)
  const entries = list
    .split(',')
    .flatMap(numbered)
    .map((entry): [string, MemberOptions] => {
      const [, given, address, priority] = /^\s*(?:([^=]+)=)?([^@=]*)(?:@(.*))?$/u.exec(entry) ?? []
      const name = given ?? firstLabel(address)
      if (name === undefined) {
        wrong('members', 'must be NAME=HOST:PORT, or HOST:PORT with a host that has a name', entry)
      }
      if (priority === 'witness') return [name, { address, lead: false }]
      return [name, { address, ...(priority !== undefined && { priority: Number(priority) }) }]
    })
  return withoutRepetition(entries, 'members')
}

function parseJsonList(text: string): Record<string, MemberOptions> {
  let list: unknown[]
  try {
    list = JSON.parse(text) as unknown[]
  } catch (error) {
    return wrong('members', `is no JSON: ${(error as Error).message}`)
  }
  return byName(list, 'members') as Record<string, MemberOptions>
}

/** Of a list of `{ id, address, priority, lead }`. */
function byName(list: readonly unknown[], field: string): Record<string, unknown> {
  const entries = list.map((member, i): [string, unknown] => {
    const { id, ...others } = asRecord(member) ?? {}
    if (typeof id === 'string') return [id, others]
    return wrong(`${field}[${i}]`, 'must be { id, address }', member)
  })
  return withoutRepetition(entries, field)
}

function withoutRepetition<T>(entries: readonly [string, T][], field: string): Record<string, T> {
  const twice = entries.find(([name], i) => entries.findIndex(([other]) => other === name) < i)
  if (twice !== undefined) wrong(field, `contains ${twice[0]} twice`)
  return Object.fromEntries(entries)
}

/** One entry for each number of the range in it. A range that stands in it again takes the same numbers. */
function numbered(entry: string): string[] {
  const [range, first, last] = RANGE.exec(entry) ?? []
  if (range === undefined) return [entry]
  const count = Number(last) - Number(first) + 1
  if (count < 1 || count > MOST_MEMBERS) {
    wrong('members', `${range} must count up, to at most ${MOST_MEMBERS} members`)
  }
  return Array.from({ length: count }, (_, i) => entry.replaceAll(range, String(Number(first) + i)))
}

/** The name of a host without its domain; undefined for the number of an address. */
function firstLabel(address: string | undefined): string | undefined {
  const { host = '', port } = splitAddress(address ?? '') ?? {}
  return port === undefined || isIP(host) > 0 ? undefined : host.split('.')[0]
}
