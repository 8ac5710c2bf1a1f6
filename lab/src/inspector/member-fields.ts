/** Groups the fields of a member's state by what they are, and writes their values as people read them. */
import { say } from '../language/translate.ts'
import type { AlgorithmInfo } from '../simulation/worker-protocol.ts'

type FieldInfo = AlgorithmInfo['fields'][number]

const MAIN = new Set(['status', 'leader', 'term'])
export const FIELD_GROUPS = [
  'This member',
  'Survives a crash',
  'Other members',
  'Numbers',
  'Yes or no',
] as const

export function groupOf({ name, stable, type }: FieldInfo): (typeof FIELD_GROUPS)[number] {
  if (MAIN.has(name)) return 'This member'
  if (stable) return 'Survives a crash'
  if (type === 'flag') return 'Yes or no'
  return type === 'node' || type === 'set' || type === 'array' ? 'Other members' : 'Numbers'
}

/** An id of an election holds the incarnation of its member above so many elections. */
const ELECTIONS = 2 ** 20

/** `nameOf` names a member by its number in the algorithm. */
export function readable(
  { name, type, role, stride }: FieldInfo,
  value: string,
  nameOf: (id: number) => string,
): string {
  if (value === '-') return say('none')
  if (type === 'flag') return value === 'true' || value === '1' ? say('yes') : say('no')
  const number = Number(value)
  if (type !== 'int' || !Number.isInteger(number)) return value
  if (role === 'counter' && stride > 1) return termInWords(number, stride, nameOf)
  if (role !== 'id') return value
  if (number === 0) return say('none')
  if (number < ELECTIONS || name.toLowerCase().includes('incarnation')) return value
  return say('election {count} of incarnation {incarnation}', {
    count: number % ELECTIONS,
    incarnation: Math.floor(number / ELECTIONS),
  })
}

function termInWords(term: number, stride: number, nameOf: (id: number) => string): string {
  if (term === 0) return say('none')
  if (term < stride) return String(term)
  const member = term % stride
  return member === 0
    ? String(Math.floor(term / stride))
    : say('term {term} of {name}', { term: Math.floor(term / stride), name: nameOf(member) })
}
