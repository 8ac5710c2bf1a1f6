/** Tests how fields of a state are grouped and written. */
import { expect, test } from 'vitest'
import { algorithms } from '../../../src/algorithms/index.ts'
import { algorithmInfo } from '../simulation/run-to-completion.ts'
import { groupOf, readable } from './member-fields.ts'

const { fields } = algorithmInfo(algorithms.find(({ name }) => name === 'bully-fd-quorum')!)
const named = (name: string) => fields.find((field) => field.name === name)!
const read = (name: string, value: string) => readable(named(name), value, (id) => 'abcde'[id - 1])

test('a term names its leader, an id its election, and a flag is yes or no', () => {
  expect(read('term', '1029')).toBe('term 1 of e')
  expect(read('round', '1048577')).toBe('election 1 of incarnation 1')
  expect(read('round', '0')).toBe('none')
  expect(read('incarnation', '3')).toBe('3')
  expect([read('backingOff', 'true'), read('backingOff', 'false')]).toEqual(['yes', 'no'])
  expect(read('leader', '-')).toBe('none')
  expect(read('acks', '{1,2}')).toBe('{1,2}')
})

test.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
  'what the page knows about %s can cross from the worker to the page',
  (_, algorithm) => {
    const info = algorithmInfo(algorithm)
    expect(structuredClone(info)).toEqual(info)
  },
)

test('fields are grouped by what they are', () => {
  const groups = ['status', 'vote', 'acks', 'round', 'inherits'].map((name) => groupOf(named(name)))
  expect(groups).toEqual([
    'This member',
    'Survives a crash',
    'Other members',
    'Numbers',
    'Yes or no',
  ])
})
