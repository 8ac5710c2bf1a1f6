/** Groups in which nobody votes change while they run: `advisory`, and `fenced`, where the engine arbitrates. */
import { describe, expect, test } from 'vitest'
import { Cluster, leaderOf } from '../../../test/support/members.ts'
import { sleep } from '../../clock/sleep.ts'
import { MemoryEngine, MemoryRegisters } from '../../engines/memory.ts'
import { until } from '../../testing/wait.ts'
import { fenced } from '../fencing/fenced.ts'
import type { Election } from '../handle.ts'
import type { JoinOptions } from '../options/option-table.ts'

const OLD = ['a', 'b', 'c']
const STEADY = { period: 50, detection: 200, lease: 1000 }

const server = new MemoryRegisters()
const LEVELS: readonly (readonly [name: string, level: () => Partial<JoinOptions>])[] = [
  ['advisory', () => ({ safety: 'advisory' })],
  ['fenced', () => ({ safety: fenced(new MemoryEngine(server)) })],
]

const namesSeenBy = ({ members }: Election): string[] =>
  members.map(({ id, role }) => `${id} ${role}`).toSorted()

describe.each(LEVELS)('a group under %s', (group, level) => {
  const options = (): Partial<JoinOptions> => ({ ...level(), timing: STEADY })
  const startOf = async (cluster: Cluster, id: string, more: Partial<JoinOptions> = {}) =>
    cluster.start(id, { ...level(), ...more })
  const running = async (name: string): Promise<Cluster> => {
    const cluster = new Cluster(OLD, { group: `${group} ${name}`, timing: STEADY })
    await Promise.all(OLD.map(async (id) => startOf(cluster, id)))
    await cluster.agreed()
    return cluster
  }
  const joinAt = (...seeds: string[]) => ({ members: undefined, seeds }) as never
  const join = joinAt('a:1', 'b:1', 'c:1')

  /** Adds a member, which is started with a seed, and promotes it when it has caught up. */
  const grow = async (cluster: Cluster, id: string): Promise<Election> => {
    const { leader } = cluster
    await leader.add(id, `${id}:1`)
    const member = await startOf(cluster, id, join)
    await until(() => leaderOf(member.view) === leader.id)
    expect(member.members.find((one) => one.id === id)?.role).toBe('observer')
    for (;;) {
      const refused = await member.promote(id).catch((error: unknown) => error)
      if (refused === undefined) return member
      expect(refused).toMatchObject({ rule: 'not caught up' })
      await sleep(20)
    }
  }

  test('grows by a member that knows a seed, and the strongest leads', async () => {
    const cluster = await running('grows')
    expect(cluster.leader.id).toBe('c')
    const d = await grow(cluster, 'd')
    expect(await cluster.agreed('c')).toBe('d')
    for (const member of cluster.members.values()) {
      expect(namesSeenBy(member)).toEqual(['a voter', 'b voter', 'c voter', 'd voter'])
    }
    expect(d.current).not.toBeNull()
  })

  test('goes on with one member of three, removes the others, and tells those that come back', async () => {
    const cluster = await running('shrinks')
    for (const id of ['a', 'b']) {
      await cluster.members.get(id)!.close()
      cluster.members.delete(id)
    }
    const { leader } = cluster
    await leader.remove('a')
    await leader.remove('b')
    expect(namesSeenBy(leader)).toEqual(['c voter'])
    const back = await startOf(cluster, 'b')
    let told = false
    back.on('removed', () => (told = true))
    await until(() => told)
    expect(back.current).toBeNull()
    expect(cluster.members.get('c')!.current).not.toBeNull()
  })

  test('removes its leader, and the strongest of the others leads', async () => {
    const cluster = await running('removes its leader')
    const [a, c] = ['a', 'c'].map((id) => cluster.members.get(id)!)
    await a.remove('c')
    await until(() => c.current === null && leaderOf(a.view) === 'b')
    expect(namesSeenBy(a)).toEqual(['a voter', 'b voter'])
  })

  test('changes its timing and a priority, and keeps both over restarts with the old options', async () => {
    const cluster = await running('retimes')
    await cluster.leader.configure({ timing: { lease: 2000 }, members: { a: { priority: 3 } } })
    expect(await cluster.agreed('c')).toBe('a')
    await until(() =>
      [...cluster.members.values()].every((member) => member.status().leaseMs === 2000),
    )
    cluster.kill('b')
    const b = await startOf(cluster, 'b', options())
    expect(await cluster.agreed()).toBe('a')
    expect(b.status().leaseMs).toBe(2000)
  })

  test('takes a member back that lost its state', async () => {
    const cluster = await running('forgets')
    await grow(cluster, 'd')
    cluster.kill('b')
    cluster.disks.delete('b')
    const b = await startOf(cluster, 'b', join)
    await until(() => leaderOf(b.view) === 'd')
    await until(() => namesSeenBy(b).includes('d voter'))
  })

  /** The leader may lose its token to another member at any moment, and with it the right to write. */
  const persistently = async (call: () => Promise<void>): Promise<void> => {
    for (let tries = 0; (await call().catch((error: unknown) => error)) !== undefined; tries += 1) {
      expect(tries).toBeLessThan(100)
      await sleep(20)
    }
  }

  test('ends the member that only a lost configuration names, and keeps its leader', async () => {
    const cluster = await running('loses a configuration')
    const [b, c] = ['b', 'c'].map((id) => cluster.members.get(id)!)
    for (const one of ['a', 'b', 'd']) for (const other of ['c', 'e']) cluster.net.cut(one, other)
    await persistently(async () => c.add('e', 'e:1'))
    const e = await startOf(cluster, 'e', joinAt('c:1'))
    await persistently(async () => c.promote('e'))
    // Else it would ask c, which it takes for the leader.
    await until(() => b.current !== null)
    await persistently(async () => b.add('d', 'd:1'))
    const d = await startOf(cluster, 'd', joinAt('b:1'))
    await persistently(async () => b.promote('d'))

    const removed: Election[] = []
    for (const member of [d, e]) member.on('removed', () => removed.push(member))
    cluster.net.heal()
    await until(() => removed.length > 0)
    const [lost] = removed
    const kept = lost === d ? e : d
    expect(lost.current).toBeNull()
    cluster.members.delete(lost.id)
    await until(() => cluster.leader === kept)
    expect(await cluster.agreed()).toBe(kept.id)
    const { term } = kept
    const changes: unknown[] = []
    const count = (elected: unknown): void => void changes.push(elected)
    kept.on('elected', count)
    lost.on('elected', count)
    await sleep(1000)
    expect(changes).toEqual([])
    expect([removed, kept.current, kept.term]).toEqual([[lost], expect.anything(), term])
    expect(namesSeenBy(c)).toEqual(namesSeenBy(kept))
  })
})
