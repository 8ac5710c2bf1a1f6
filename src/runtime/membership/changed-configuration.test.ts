import { describe, expect, test } from 'vitest'
import { changedConfiguration } from './changed-configuration.ts'
import {
  changeTo,
  readConfiguration,
  seatingOf,
  writeConfiguration,
  type GroupConfiguration,
} from './group-configuration.ts'

const FIRST: GroupConfiguration = {
  seats: 2,
  founders: [
    ['a', 0],
    ['b', 3],
  ],
  members: {
    a: { seat: 1, address: 'a:1', priority: 0, role: 'voter' },
    b: { seat: 2, address: 'b:1', priority: 3, role: 'voter' },
  },
  former: {},
  options: { safety: 'quorum', timing: { lease: 100, period: 10 } },
}
const withC = changedConfiguration(FIRST, { add: 'c', address: 'c:1', priority: 1 })

describe('a changed configuration', () => {
  test('gives a member that is added a seat of its own, as an observer', () => {
    expect(withC).toMatchObject({
      seats: 3,
      members: { c: { seat: 3, role: 'observer', key: '' } },
    })
    const { voters, observers } = changeTo(withC)
    expect([[...voters], [...observers]]).toEqual([[1, 2], [3]])
    const without = changedConfiguration(withC, { remove: 'c' })
    expect(changedConfiguration(without, { add: 'c', address: 'c:1' }).members['c'].seat).toBe(4)
  })

  test('orders members by priority, whatever their seats', () => {
    const { names, roles, strength } = seatingOf(withC)
    expect(names).toEqual(['', 'a', 'b', 'c'])
    expect([...roles]).toEqual([
      [1, 'voter'],
      [3, 'observer'],
      [2, 'voter'],
    ])
    expect(strength).toEqual([0, 1, 3, 2])
    expect(seatingOf(FIRST).strength).toBeNull()
  })

  test('is the same where the change is done already', () => {
    expect(changedConfiguration(withC, { add: 'c', address: 'c:1', priority: 1 })).toBe(withC)
    const claimed = changedConfiguration(withC, { claim: 'c', key: 'k' })
    expect(changedConfiguration(claimed, { claim: 'c', key: 'k' })).toBe(claimed)
    const removed = changedConfiguration(withC, { remove: 'a' })
    expect(changedConfiguration(removed, { remove: 'a' })).toBe(removed)
    expect(removed.former).toEqual({ 1: ['a', 'a:1'] })
  })

  test('scales the times that are not named with `detection`, once', () => {
    const timing = { period: 500, detection: 1500, lease: 2000, message: 150 }
    const before = { ...FIRST, options: { timing } }
    const change = { timing: { detection: 1000, message: 120 } }
    const after = changedConfiguration(before, change)
    expect(after.options['timing']).toEqual({
      period: 333.333,
      detection: 1000,
      lease: 1333.333,
      message: 120,
    })
    expect(writeConfiguration(changedConfiguration(after, change))).toBe(writeConfiguration(after))
    expect(changedConfiguration(before, { timing: { lease: 3000 } }).options['timing']).toEqual({
      ...timing,
      lease: 3000,
    })
  })

  test('keeps a voter', () => {
    const alone = changedConfiguration(withC, { remove: 'a' })
    expect(() => changedConfiguration(alone, { remove: 'b' })).toThrow(
      'b is the last voter: nobody would be left to lead',
    )
  })

  test('refuses another address or name that is taken, a stranger, and a second state in one seat', () => {
    const change = (of: Parameters<typeof changedConfiguration>[1]) => () =>
      changedConfiguration(changedConfiguration(withC, { claim: 'c', key: 'k' }), of)
    expect(change({ add: 'a', address: 'x:1' })).toThrow('a is a member already, at a:1')
    expect(change({ add: 'x', address: 'a:1' })).toThrow('a:1 is the address of a already')
    expect(change({ promote: 'x' })).toThrow('x is not a member; the members are a, b, c')
    expect(change({ remove: 'toString' })).toThrow('toString is not a member')
    expect(change({ claim: 'c', key: 'other' })).toThrow('run before with another state')
    expect(change({ claim: 'a', key: 'other' })).toThrow('run before with another state')
  })

  test('remembers the latest of the members that were removed', () => {
    let configuration = FIRST
    for (let i = 0; i < 40; i++) {
      configuration = changedConfiguration(configuration, { add: `x${i}`, address: `x:${i}` })
      configuration = changedConfiguration(configuration, { remove: `x${i}` })
    }
    expect(Object.keys(configuration.former)).toHaveLength(16)
    expect(configuration.former[42]).toEqual(['x39', 'x:39'])
    expect(seatingOf(configuration).names).toHaveLength(43)
  })

  test('keeps the times that are not named', () => {
    const { options } = changedConfiguration(FIRST, { timing: { lease: 200 } })
    expect(options['timing']).toEqual({ lease: 200, period: 10 })
  })

  test('is read as it was written; anything else is no configuration', () => {
    const text = writeConfiguration(withC)
    expect(readConfiguration(text)).toEqual(withC)
    for (const wrong of [
      '',
      '1',
      '{}',
      text.replace('c:1', 'nowhere'),
      text.replace('"seat":3', '"seat":4'),
    ]) {
      expect(readConfiguration(wrong)).toBeUndefined()
    }
  })
})
