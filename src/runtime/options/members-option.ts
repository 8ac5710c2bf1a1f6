/** Checks the option `members` (names, addresses, priorities), and parses it from the text of its flag. */
import {
  address,
  asRecord,
  checkAddress,
  checkOptionTable,
  number,
  required,
  withDefault,
  wrong,
  type OptionRow,
  type OptionsOf,
} from './option-kinds.ts'

const MEMBER = {
  /** `host:port`. */
  address: required(address('where peers reach the member')),
  /** The larger number is the stronger member. Equal priorities are ordered by name. */
  priority: withDefault(0, number(-1e9, 1e9)('the larger number is the stronger member')),
}
export interface MemberOptions extends OptionsOf<typeof MEMBER> {}

export interface CheckedMember {
  readonly name: string
  readonly address: string
  readonly priority: number
}

const MOST_MEMBERS = 1000

export function members(
  help: string,
  more: Pick<OptionRow, 'flag' | 'shared'>,
): OptionRow<Readonly<Record<string, string | MemberOptions>>, readonly CheckedMember[]> {
  const check = (value: unknown, field: string): CheckedMember[] => {
    const given =
      asRecord(value) ??
      wrong(field, "must map each name to its address, as in { a: '10.0.0.1:7400' }", value)
    const entries = Object.entries(given).map(([name, member]) => {
      const path = `${field}.${name}`
      if (name === '' || name.length > 100) wrong(path, 'a name has 1 to 100 characters')
      if (typeof member !== 'string' && asRecord(member) === undefined) {
        wrong(path, 'must be host:port, or { address, priority }', member)
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

/** a=10.0.0.1:7400,b=10.0.0.2:7400@5 */
export function parseMemberList(list: string): Record<string, MemberOptions> {
  const entries = list.split(',').map((entry): [string, MemberOptions] => {
    const [, name, address, priority] = /^\s*([^=]+)=([^@]*)(?:@(.*))?$/u.exec(entry) ?? []
    if (name === undefined) wrong('members', 'must be NAME=HOST:PORT', entry)
    return [name, { address, ...(priority !== undefined && { priority: Number(priority) }) }]
  })
  const twice = entries.find(([name], i) => entries.findIndex(([other]) => other === name) < i)
  if (twice !== undefined) wrong('members', `contains ${twice[0]} twice`)
  return Object.fromEntries(entries)
}
