/** Configurations that no majority orders: which is newer, and which change the leader may write. */
import { describe, expect, test } from 'vitest'
import type { Change } from '../../core/configuration.ts'
import { Group } from '../../core/group.ts'
import { NodeSet } from '../../core/node-set.ts'
import { record } from '../../core/schema.ts'
import { NewestConfiguration, termOfWriter } from './newest-configuration.ts'
import { isNewer, registerFields } from './register.ts'

const TIMING = { messageMs: 1, processingMs: 0, detectionMs: 20, watchMs: 20, periodMs: 100 }
const group = new Group(4, TIMING, null, { voters: [1, 2, 3] })
const configurations = new NewestConfiguration(group)
const newState = () => record(registerFields(termOfWriter)).init()
const changeTo = (voters: number[], observers: number[], era?: number): Change => ({
  voters: NodeSet.of(...voters),
  observers: NodeSet.of(...observers),
  data: 'x',
  ...(era !== undefined && { era }),
})

describe('a stamp', () => {
  test('is newer than the one before it, from any writer', () => {
    const s = newState()
    let before = { configTerm: 0, configVersion: 0 }
    for (const writer of [3, 1, 2, 2, 3, 1]) {
      configurations.write(s, writer, changeTo([1, 2, 3], [4]))
      expect(isNewer(s, before)).toBe(true)
      expect(s.configTerm % 1024).toBe(writer)
      before = { configTerm: s.configTerm, configVersion: s.configVersion }
    }
  })

  test('of a later era is newer than any of an earlier one, also where its writer has not heard of that', () => {
    const [earlier, later] = [newState(), newState()]
    for (let i = 0; i < 3; i++) configurations.write(earlier, 3, changeTo([1, 2, 3], [], 7))
    configurations.write(later, 1, changeTo([1, 2], [], 8))
    expect(isNewer(later, earlier)).toBe(true)
    expect(isNewer(earlier, later)).toBe(false)
  })

  test('of two writers side by side is never the same', () => {
    const [one, two] = [newState(), newState()]
    configurations.write(one, 1, changeTo([1, 2, 3], [], 5))
    configurations.write(two, 2, changeTo([1, 2], [], 5))
    expect(isNewer(one, two)).not.toBe(isNewer(two, one))
  })
})

describe('a change', () => {
  test('may take in and remove any number of voters, and keeps one', () => {
    const s = newState()
    expect(configurations.refusal(s, changeTo([3], []))).toBe('')
    expect(configurations.refusal(s, changeTo([], [1]))).toBe('no voter')
    expect(configurations.refusal(s, changeTo([1, 2], [2]))).toBe('two roles')
  })

  test('makes a voter only of an observer that has caught up', () => {
    const s = newState()
    expect(configurations.refusal(s, changeTo([1, 2, 3, 4], []))).toBe('not caught up')
    configurations.write(s, 3, changeTo([1, 2, 3], [4]))
    expect(configurations.refusal(s, changeTo([1, 2, 3, 4], []))).toBe('not caught up')
    s.confirmed.add(4)
    expect(configurations.refusal(s, changeTo([1, 2, 3, 4], []))).toBe('')
  })
})
