/** Tests that a member restores the state that its own algorithm wrote, and refuses any other. */
import { describe, expect, test } from 'vitest'
import { Cluster } from '../../../test/support/members.ts'
import { algorithms } from '../../algorithms/index.ts'
import type { Json, MemberCodec } from '../../core/schema.ts'
import { MemoryStore } from '../../stores/memory.ts'
import { StoreError, type Stored } from '../../stores/store.ts'
import { DurableState } from './durable-state.ts'
import { refuseOtherMembers, restore } from './restore.ts'

const quorum = algorithms.find(({ name }) => name === 'bully-fd-quorum')!
const NAMES = ['', 'a', 'b']
const members: MemberCodec = {
  members: 2,
  write: (id) => NAMES[id],
  read: (name) => (name === 'a' || name === 'b' ? NAMES.indexOf(name) : undefined),
}
const EARLIER: Record<string, Json> = { term: 1027, incarn: 3, started: true }
const kept: Record<string, Json> = { ...EARLIER, vote: 2050, admitted: true }

function restored(stored: Partial<Stored>, algorithm = quorum) {
  const whole = { incarnation: 3, algorithm: algorithm.name, state: kept, ...stored }
  return restore(whole, algorithm, members, { place: 'p.state' })
}

describe('a stored state', () => {
  test('is restored', () => {
    expect(restored({})).toMatchObject(kept)
  })

  test('is restored where it does not name its algorithm, if the fields are the same', () => {
    const stored = { incarnation: 3, state: kept }
    expect(restore(stored, quorum, members, {})).toMatchObject(kept)
  })

  test('of format 2 is restored: its votes are permanent, and the member may vote', () => {
    const upgraded = { ...EARLIER, vote: 1027, admitted: true }
    expect(restored({ state: EARLIER, version: 2 })).toMatchObject(upgraded)
  })

  test.each<[string, Partial<Stored>, string]>([
    [
      'an unknown field',
      { state: { ...kept, promised: 9 } },
      'p.state: has a field "promised", which bully-fd-quorum has not',
    ],
    [
      'a token of an engine',
      { state: { ...kept, 'engine.token': 9 } },
      'p.state: has a field "engine.token", which',
    ],
    ['a missing field', { state: EARLIER }, 'p.state: lacks the field "vote" of bully-fd-quorum'],
    [
      'a value that cannot be',
      { state: { ...kept, term: -1 } },
      'p.state: is no state of bully-fd-quorum (field.term: must be an integer from',
    ],
    [
      'another algorithm',
      { algorithm: 'bully-fd' },
      'p.state: holds the state of "bully-fd", which bully-fd-quorum, the algorithm of this member,',
    ],
  ])('is refused with %s, and the error says what to do', (_case, stored, sentence) => {
    expect(() => restored(stored)).toThrow(StoreError)
    expect(() => restored(stored)).toThrow(sentence)
    expect(() => restored(stored)).toThrow('stop all members, delete the state file of each')
  })

  test.each(algorithms.filter(({ specimen }) => !specimen).map(({ name }) => name))(
    '%s restores what it wrote itself',
    (name) => {
      const algorithm = algorithms.find((one) => one.name === name)!
      const all = algorithm.state.toJson(algorithm.state.init(), members)
      const stable = algorithm.state.entries.filter(
        ({ name: field, field: { stable: isStable } }) => isStable && Object.hasOwn(all, field),
      )
      const state = Object.fromEntries(stable.map((entry) => [entry.name, all[entry.name]]))
      expect(restored({ state }, algorithm)).toMatchObject({ term: 0 })
    },
  )
})

test('a member stores the name of its algorithm, and does not start under another one', async () => {
  const cluster = new Cluster(['a'])
  const first = await cluster.start('a')
  await cluster.agreed()
  await first.close()
  const disk = cluster.disks.get('a')!
  const before = disk.read()!
  expect(before.algorithm).toBe('bully-fd-quorum')
  await expect(cluster.start('a', { safety: 'advisory' })).rejects.toThrow(
    'go back to bully-fd-quorum',
  )
  expect(disk.read()).toEqual(before)
})

describe('the members of a stored state', () => {
  const stored = { incarnation: 3, state: kept, members: ['a', 'b', 'c'] }
  const check = (names: readonly string[], of: Stored = stored): void =>
    refuseOtherMembers(of, ['', ...names], { place: 'p.state' })

  test('may not change by a restart with another list, which the error says', () => {
    for (const names of [
      ['a', 'b'],
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'd'],
      ['x', 'y', 'z'],
    ]) {
      expect(() => check(names)).toThrow(StoreError)
      expect(() => check(names)).toThrow(
        `p.state: was written in a group of a, b, c (weakest first), and this member is given ${names.join(', ')}`,
      )
    }
  })

  test('may not change their order of strength, which terms refer to', () => {
    expect(() => check(['a', 'c', 'b'])).toThrow('could elect a second leader')
  })

  test('are accepted unchanged, and where an older version stored none', () => {
    expect(() => check(['a', 'b', 'c'])).not.toThrow()
    expect(() => check(['x'], { incarnation: 3, state: kept })).not.toThrow()
  })

  test('are stored with the first start, and compared at the next', async () => {
    const cluster = new Cluster(['a', 'b', 'c'])
    await cluster.startAll()
    const election = cluster.members.get('a')!
    await election.close()
    expect(cluster.disks.get('a')!.read()!.members).toEqual(['a', 'b', 'c'])
    const members = { a: 'a:1', b: 'b:1', d: 'd:1' }
    await expect(cluster.start('a', { members })).rejects.toThrow('this member is given a, b, d')
  })
})

test('a number that could not be read back is not written', async () => {
  const store = new MemoryStore()
  const durable = new DurableState({
    algorithm: quorum,
    store,
    names: NAMES,
    roles: new Map(),
    fixedMembers: true,
    key: '',
  })
  const state = await durable.begin(null)
  durable.save({ ...state, term: Number.MAX_SAFE_INTEGER })
  const before = store.read()
  expect(() => durable.save({ ...state, term: 2 ** 53 })).toThrow(/"term" has reached/u)
  expect(store.read()).toBe(before)
})
