import { describe, expect, test } from 'vitest'
import { JOIN_OPTIONS } from './option-table.ts'

const { check } = JOIN_OPTIONS.members
const shown = (list: string) =>
  check(list, 'members').map(({ name, address, priority }) => `${name} ${address} ${priority}`)

describe('members as text', () => {
  test('are names with addresses, and priorities', () => {
    expect(shown('a=10.0.0.1:7400, b=[::1]:7400@5')).toEqual([
      'a 10.0.0.1:7400 0',
      'b [::1]:7400 5',
    ])
  })

  test('a range stands for numbered members, which take their names from their hosts', () => {
    expect(shown('web-{0..2}.web:7400')).toEqual([
      'web-0 web-0.web:7400 0',
      'web-1 web-1.web:7400 0',
      'web-2 web-2.web:7400 0',
    ])
    expect(shown('m{9..10}=10.0.0.{9..10}:7400@1,tie=tie.example:7400')).toEqual([
      'm9 10.0.0.9:7400 1',
      'm10 10.0.0.10:7400 1',
      'tie tie.example:7400 0',
    ])
  })

  test.each([
    ['10.0.0.{1..3}:7400', 'must be NAME=HOST:PORT, or HOST:PORT with a host that has a name'],
    ['web', 'must be NAME=HOST:PORT'],
    ['web-{3..1}.web:7400', '{3..1} must count up, to at most 1000 members'],
    ['web-{0..1000}.web:7400', '{0..1000} must count up, to at most 1000 members'],
    ['web-{0..2}.web', 'must be NAME=HOST:PORT'],
    ['a={0..2}.web:7400', 'contains a twice'],
    ['m{0..1}=web:7400', 'members.m1.address: is the address of m0 already'],
  ])('%s is refused', (list, words) => {
    expect(() => shown(list)).toThrow(words)
  })
})

describe('members as a list', () => {
  const row = JOIN_OPTIONS.members
  const list = [
    { id: 'a', address: '10.0.0.1:7400' },
    { id: 'b', address: '10.0.0.2:7400', priority: 5 },
  ]
  const named = { a: '10.0.0.1:7400', b: { address: '10.0.0.2:7400', priority: 5 } }

  test('are those of the map with the same names, and so is the JSON of the list', () => {
    expect(row.check(list, 'members')).toEqual(row.check(named, 'members'))
    expect(row.check(JSON.stringify(list, null, 2), 'members')).toEqual(row.check(named, 'members'))
  })

  test.each([
    [[{ address: '10.0.0.1:7400' }], 'members[0]: must be { id, address }'],
    [['a'], 'members[0]: must be { id, address }'],
    [[...list, list[0]], 'members: contains a twice'],
    [[{ id: 'a', adress: '10.0.0.1:7400' }], 'members.a.adress: no such option'],
    [[], 'members: must be 1 to 1000'],
    ['[{"id": "a"', 'members: is no JSON'],
  ])('%j is refused', (given, problem) => {
    expect(() => row.check(given, 'members')).toThrow(problem)
  })
})
