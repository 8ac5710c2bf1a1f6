/** Configurations of a member that lies about their stamps or their content: none ends the elections or the changes of the others. */
import { describe, expect, test } from 'vitest'
import { Cluster, deliver } from '../../../test/support/members.ts'
import { sleep } from '../../clock/sleep.ts'
import { until } from '../../testing/wait.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { firstConfiguration } from './group-configuration.ts'

const STEADY = { period: 50, detection: 200, lease: 1000 }
const STRIDE = 1024
const CHANGED_TWICE = [
  [1100, 1100],
  [1101, 1101],
]

/** Three members; `tell` lets c send a and b a configuration with this stamp. */
async function lyingMember(safety: 'quorum' | 'advisory' = 'quorum') {
  const cluster = new Cluster(['a', 'b', 'c'], { timing: STEADY, safety })
  await cluster.startAll()
  await cluster.agreed()
  const c = cluster.members.get('c')!
  const { options } = c as unknown as { options: ResolvedOptions }
  const first = firstConfiguration(options)
  const tell = (configTerm: number, configVersion: number, given: object = first) => {
    const { members, ...rest } = { ...first, ...given }
    const voters = [...new Set(Object.values(members).map(({ seat }) => seat))]
    const content = { voters, observers: [], data: JSON.stringify({ ...rest, members }) }
    const stamp = { term: configTerm, round: 0, incarnation: 0, bond: 0, configTerm, configVersion }
    for (const id of ['a', 'b']) {
      deliver(cluster.members.get(id)!, 'c', {
        p: 'e',
        m: { type: 'config', ...stamp, ...content },
      })
    }
  }
  return { cluster, first, tell, term: c.term }
}

/** A leader may lose its term while the change is on its way. */
async function changed(cluster: Cluster, timing: { readonly lease: number }): Promise<void> {
  for (let i = 0; ; i++) {
    const leader = await until(() => cluster.leader)
    try {
      return await leader.configure({ timing })
    } catch (error) {
      if (i > 10) throw error
      await sleep(100)
    }
  }
}

/** Without c the others elect, change their configuration, and do so again after a restart. Returns the leases of both times. */
async function leasesWithout(cluster: Cluster): Promise<number[][]> {
  const leases: number[][] = []
  cluster.kill('c')
  for (let i = 0; i < 2; i++) {
    await changed(cluster, { lease: 1100 + i })
    await until(() =>
      [...cluster.members.values()].every((one) => one.status().leaseMs === 1100 + i),
    )
    for (const id of ['a', 'b']) {
      await cluster.members.get(id)!.close()
      await cluster.start(id)
    }
    leases.push([...cluster.members.values()].map((member) => member.status().leaseMs))
  }
  return leases
}

describe('a member that lies about configurations', () => {
  test.each(['quorum', 'advisory'] as const)(
    'cannot give them the last version, after which none could follow (%s)',
    async (safety) => {
      const { cluster, tell, term } = await lyingMember(safety)
      tell(safety === 'quorum' ? term : 2 * STRIDE + 3, 2 ** 31 - 1)
      expect(await leasesWithout(cluster)).toEqual(CHANGED_TWICE)
    },
  )

  test('cannot stamp them with a term that no leader has reached, which none could follow', async () => {
    const { cluster, tell, term } = await lyingMember()
    tell(term + 2 ** 20 * STRIDE, 0)
    expect(await leasesWithout(cluster)).toEqual(CHANGED_TWICE)
  })

  test.each([
    ['names no founders', { founders: [] }, [1, 2, 3]],
    ['names no members', {}, []],
    ['gives two members one seat', {}, [1, 2, 2]],
    ['gives a founder the seat of another one', {}, [2, 1, 3]],
    ['gives a founder a seat of its own', {}, [1, 4, 3]],
  ])('cannot make them adopt one that %s', async (_, wrong, seats) => {
    const { cluster, first, tell, term } = await lyingMember()
    const all = [...cluster.members.values()]
    const seenBy = ({ members, term: own, view }: (typeof all)[0]) => {
      return [own, view.kind, members.map(({ id, seat }) => `${id} ${seat}`)]
    }
    const before = all.map(seenBy)
    const errors: Error[] = []
    for (const member of all) member.on('error', (error) => void errors.push(error))
    const members = Object.entries(first.members)
      .slice(0, seats.length)
      .map(([name, member], i) => [name, { ...member, seat: seats[i] }])
    tell(term, 1, { seats: 4, members: Object.fromEntries(members), ...wrong })
    await sleep(2 * STEADY.detection)
    expect([all.map(seenBy), errors]).toEqual([before, []])
  })
})
