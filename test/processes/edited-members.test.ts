/** Restarts with an edited list of members, and of members that lost their state: none of them gives two leaders. Real processes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { EditedGroup } from '../../scripts/support/edited-group.ts'
import { LIST_CHANGES } from '../../scripts/support/list-changes.ts'
import { until } from '../../src/testing/wait.ts'

const groups: EditedGroup[] = []
afterEach(async () => {
  for (const group of groups.splice(0)) await group[Symbol.asyncDispose]()
})

/** Every order of the members. */
function orders(names: readonly string[]): string[][] {
  if (names.length < 2) return [[...names]]
  return names.flatMap((name) =>
    orders(names.filter((other) => other !== name)).map((rest) => [name, ...rest]),
  )
}

const OLD = ['a', 'b', 'c']
const RESTARTS = Object.entries(LIST_CHANGES).filter(([, { at }]) => at === undefined)

/** The orders that the short form tries; `ORDERS=all` tries every one of them. */
function tried(from: readonly string[], to: readonly string[]): string[][] {
  const all = orders([...new Set([...from, ...to])].filter((name) => to.includes(name)))
  if (process.env['ORDERS'] === 'all') return all
  return [all[0], all.at(-1)!]
}

describe.each(RESTARTS)('%s by restarts with another list', (_name, { from, to }) => {
  test.each(tried(from, to).map((order) => [order.join(' '), order] as const))(
    'in the order %s never gives two leaders, and each old member says why it does not start',
    async (_order, order) => {
      const group = await EditedGroup.of([...new Set([...from, ...to])])
      groups.push(group)
      for (const name of from) group.start(name, from)
      await group.settled()
      expect(group.leaders).toHaveLength(1)
      for (const name of order) {
        await group.kill(name)
        group.start(name, to)
        await sleep(400)
      }
      await group.settled()
      expect(group.violations).toEqual([])
      const old = order.filter((name) => from.includes(name))
      await until(() => (group.refusals.length >= old.length ? true : undefined))
      for (const refusal of group.refusals) expect(refusal).toContain('could elect a second leader')
    },
  )
})

test('members that swap their addresses keep one leader', async () => {
  const group = await EditedGroup.of(OLD)
  groups.push(group)
  for (const name of OLD) group.start(name, OLD)
  await group.settled()
  const { at } = LIST_CHANGES['swap addresses']
  for (const name of ['b', 'c', 'a']) {
    await group.kill(name)
    group.start(name, OLD, at)
    await sleep(600)
  }
  await group.settled()
  expect(group.violations).toEqual([])
  expect(group.leaders).toHaveLength(1)
})

describe('members that lost their state', () => {
  async function settledGroup(): Promise<EditedGroup> {
    const group = await EditedGroup.of([...OLD, 'd', 'e'])
    groups.push(group)
    for (const name of OLD) group.start(name, OLD)
    await group.settled()
    expect(group.leaders).toHaveLength(1)
    return group
  }

  test('one of three: it takes part again, and the leader keeps its term', async () => {
    const group = await settledGroup()
    const [leader] = group.leaders
    const term = group.term!
    const [first, second] = OLD.filter((name) => name !== leader)
    await group.kill(first)
    group.forget(first)
    group.start(first, OLD)
    await sleep(3000)
    expect([group.leaders, group.term]).toEqual([[leader], term])
    // Its vote counts: without the other follower the leader still has a majority.
    await group.kill(second)
    await sleep(2000)
    expect([group.leaders, group.term, group.violations]).toEqual([[leader], term, []])
  })

  test('one of three, after many restarts: it takes part again, and the leader keeps its term', async () => {
    const group = await settledGroup()
    const [leader] = group.leaders
    const term = group.term!
    const [first, second] = OLD.filter((name) => name !== leader)
    await group.restart(first, OLD, 4)
    await group.kill(first)
    group.forget(first)
    group.start(first, OLD)
    await sleep(4000)
    await group.kill(second)
    await sleep(2000)
    expect([group.leaders, group.term, group.violations]).toEqual([[leader], term, []])
  })

  test('one of three, whose state is restored from an old copy: it takes no part, however often it is restarted', async () => {
    const group = await settledGroup()
    const [leader] = group.leaders
    const [first, second] = OLD.filter((name) => name !== leader)
    await group.kill(first)
    const restoreState = group.copyState(first)
    group.start(first, OLD)
    await group.accepted(first)
    for (let i = 0; i < 3; i++) {
      await group.restart(first, OLD, 1)
      await group.accepted(first)
    }
    await group.kill(first)
    restoreState()
    group.start(first, OLD)
    await sleep(1000)
    await group.restart(first, OLD, 5)
    await group.kill(second)
    await sleep(2500)
    expect([group.leaders, group.violations]).toEqual([[], []])
    // What the guide says to do: it is admitted as a member without state.
    await group.kill(first)
    group.forget(first)
    group.start(first, OLD)
    group.start(second, OLD)
    await group.settled()
    expect([group.leaders.length, group.violations]).toEqual([1, []])
  })

  test.each([
    ['the same names', ['b', 'c'], OLD],
    ['other names', ['d', 'e'], ['a', 'd', 'e']],
  ])(
    'two of three that are replaced at once, with %s, found no second group',
    async (_names, fresh, list) => {
      const group = await settledGroup()
      group.pause('a') // it may lead
      await Promise.all(['b', 'c'].map(async (name) => group.kill(name)))
      for (const name of ['b', 'c']) group.forget(name)
      for (const name of fresh) group.start(name, list)
      await sleep(3500)
      expect(group.leaders.filter((name) => name !== 'a')).toEqual([])
      group.resume('a')
      await sleep(2000)
      expect([group.leaders.filter((name) => name !== 'a'), group.violations]).toEqual([[], []])
    },
  )
})
