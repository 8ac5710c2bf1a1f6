/** Tests which name a misspelt one is taken for. */
import { expect, test } from 'vitest'
import { closestName, didYouMean } from './closest-name.ts'

const names = ['bully', 'bully-fd', 'bully-fd-quorum', 'raft', 'ring']

test.each([
  ['buly', 'bully'],
  ['Bully', 'bully'],
  ['bully-fd-quorm', 'bully-fd-quorum'],
  ['rfat', 'raft'],
  ['rign', 'ring'],
  ['paxos', undefined],
  ['', undefined],
])('%j is taken for %s', (given, meant) => {
  expect(closestName(given, names)).toBe(meant)
})

test('a sentence says so, or nothing', () => {
  expect([didYouMean('rfat', names), didYouMean('paxos', names)]).toEqual([
    ' (did you mean raft?)',
    '',
  ])
})
