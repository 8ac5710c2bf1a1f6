/** A group of members in one process changes while it runs. */
import { describe, expect, test } from 'vitest'
import { Cluster, deliver, leaderOf, MemoryDisk } from '../../../test/support/members.ts'
import { sleep } from '../../clock/sleep.ts'
import { until } from '../../testing/wait.ts'
import type { Election } from '../handle.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { firstConfiguration, writeConfiguration } from './group-configuration.ts'

const OLD = ['a', 'b', 'c']
/** A busy machine ends no lease of a second. */
const STEADY = { period: 50, detection: 200, lease: 1000 }

async function running(): Promise<{ cluster: Cluster; leader: Election; follower: Election }> {
  const cluster = new Cluster(OLD, { timing: STEADY })
  await cluster.startAll()
  const name = await cluster.agreed()
  const leader = cluster.members.get(name)!
  const follower = [...cluster.members.values()].find(({ id }) => id !== name)!
  return { cluster, leader, follower }
}

/** Adds a member through any other, starts it, and promotes it when it has caught up. */
async function grow(cluster: Cluster, through: Election, id: string): Promise<Election> {
  await through.add(id, `${id}:1`)
  const member = await cluster.start(id, {
    members: undefined,
    seeds: [`${through.id}:1`],
  } as never)
  await until(() => member.view.kind === 'leader')
  await promoted(through, id)
  return member
}

async function promoted(through: Election, id: string): Promise<void> {
  for (let i = 0; ; i++) {
    try {
      return await through.promote(id)
    } catch (error) {
      if (i > 100 || (error as { rule?: string }).rule !== 'not caught up') throw error
      await sleep(20)
    }
  }
}

const rolesSeenBy = ({ members }: Election): string[] =>
  members.map(({ id, role, seat }) => `${id} ${seat} ${role}`)

describe('a running group', () => {
  test('grows: a member that knows a seed joins as an observer, becomes a voter, and may lead', async () => {
    const { cluster, leader, follower } = await running()
    const term = leader.term
    await follower.add('d', { address: 'd:1', priority: -1 })
    expect(rolesSeenBy(leader)).toEqual(['d 4 observer', 'a 1 voter', 'b 2 voter', 'c 3 voter'])
    const d = await cluster.start('d', { members: undefined, seeds: ['a:1'] } as never)
    await until(() => d.view.kind === 'leader')
    expect(rolesSeenBy(d)).toEqual(rolesSeenBy(leader))
    await promoted(d, 'd')
    await until(() => rolesSeenBy(d)[0] === 'd 4 voter')
    expect([leader.current?.number, leader.term]).toEqual([term, term])
    await leader.stepDown({ to: 'd' })
    expect(await cluster.agreed(leader.id)).toBe('d')
    expect(d.termText(d.term)).toMatch(/·d$/u)
  })

  test('shrinks: a member that is removed is told so, and neither leads nor follows', async () => {
    const { cluster, leader, follower } = await running()
    let told = false
    follower.on('removed', () => (told = true))
    await leader.remove(follower.id)
    await until(() => told)
    expect(follower.view.kind).not.toBe('leader')
    expect(leader.members.map(({ id }) => id)).not.toContain(follower.id)
    const third = OLD.find((id) => ![leader.id, follower.id].includes(id))!
    await leader.stepDown({ to: third })
    await until(() => cluster.members.get(third)!.current !== null)
  })

  test('removes its leader, which hands over', async () => {
    const { cluster, leader, follower } = await running()
    await follower.remove(leader.id)
    await until(() => follower.view.kind === 'leader' && follower.view.leader !== leader.id)
    expect(cluster.members.size).toBe(3)
    await until(() => leader.current === null)
  })

  test('a leader that removes itself says that it is done, and hands over', async () => {
    const { cluster, leader, follower } = await running()
    await leader.remove(leader.id)
    await until(() => follower.view.kind === 'leader' && follower.view.leader !== leader.id)
    const next = cluster.members.get(leaderOf(follower.view)!)!
    expect(next.members.map(({ id }) => id)).not.toContain(leader.id)
  })

  test('a change that a member passes on is not passed on again', async () => {
    const { cluster, leader, follower } = await running()
    const asked = cluster.members.get(follower.id)!.change({ remove: 'a' }, { isForwarded: true })
    await expect(asked).rejects.toMatchObject({ rule: 'not the leader' })
    expect(leader.members).toHaveLength(3)
  })

  test('changes its timing, which all adopt', async () => {
    const { cluster, leader, follower } = await running()
    await follower.configure({ timing: { lease: 2000, detection: 300 } })
    await until(() =>
      [...cluster.members.values()].every((member) => member.status().leaseMs === 2000),
    )
    expect(leader.current).not.toBeNull()
    await expect(follower.configure({ timing: { lease: 8001 } })).rejects.toMatchObject({
      rule: 'too much',
    })
    await expect(follower.configure({ timing: { lease: 1 } })).rejects.toMatchObject({
      rule: 'configuration',
    })
  })

  test('keeps what it agreed on over a restart of all, whatever list they are given', async () => {
    const { cluster, leader } = await running()
    const d = await grow(cluster, leader, 'd')
    await leader.remove('a')
    expect(d.members.map(({ id }) => id)).toEqual(['b', 'c', 'd'])
    const all = [...cluster.members.values()].filter(({ id }) => id !== 'a')
    for (const member of all) await member.close()
    cluster.members.clear()
    for (const { id } of all) await cluster.start(id, id === 'd' ? { members: { d: 'd:1' } } : {})
    const next = await cluster.agreed()
    expect(cluster.members.get(next)!.members.map(({ id }) => id)).toEqual(['b', 'c', 'd'])
  })

  test('a member that knows seeds only, and could not store its first configuration, takes part once it can', async () => {
    const { cluster, leader } = await running()
    await leader.add('d', 'd:1')
    const disk = new MemoryDisk()
    const write = disk.write.bind(disk)
    let failures = 0
    disk.write = (stored) => {
      if (typeof stored.state['data'] === 'string' && failures++ < 2) throw new Error('no space')
      write(stored)
    }
    cluster.disks.set('d', disk)
    const d = await cluster.start('d', { members: undefined, seeds: ['a:1'] } as never)
    const errors: string[] = []
    d.on('error', ({ message }) => errors.push(message))
    await until(() => leaderOf(d.view) === leader.id)
    await promoted(leader, 'd')
    expect(rolesSeenBy(d)).toContain('d 4 voter')
    expect(errors).toEqual(['no space', 'no space'])
  })

  test('refuses what a rule forbids, and names the rule', async () => {
    const { leader, follower } = await running()
    const refused = async (change: Promise<void>) =>
      change.catch((error: unknown) => (error as { rule?: string }).rule)
    expect(await refused(follower.promote('x'))).toBe('unknown')
    expect(await refused(follower.add('a', 'x:1'))).toBe('exists')
    expect(await refused(leader.add('x', 'a:1'))).toBe('exists')
    await leader.add('x', 'x:1')
    expect(await refused(leader.promote('x'))).toBe('not caught up')
  })

  test('lets a member that lost its state in only after it was added again', async () => {
    const { cluster, leader } = await running()
    const d = await grow(cluster, leader, 'd')
    await d.close()
    cluster.members.delete('d')
    cluster.disks.set('d', new MemoryDisk())
    const seeds = { members: undefined, seeds: [`${leader.id}:1`] } as never
    await expect(cluster.start('d', seeds)).rejects.toThrow('its state is lost')
    await leader.remove('d')
    await leader.add('d', 'd:1')
    const again = await cluster.start('d', seeds)
    await until(() => again.view.kind === 'leader')
    expect(again.members.find(({ id }) => id === 'd')?.seat).toBe(5)
  })
})

describe('a change that no majority has adopted', () => {
  /** A follower, what its leader tells it, and the configuration with another lease. */
  async function misled() {
    const { cluster, leader, follower } = await running()
    const { options } = follower as unknown as { options: ResolvedOptions }
    const first = firstConfiguration(options)
    const timing = { ...(first.options['timing'] as object), lease: 20_000 }
    const longer = writeConfiguration({ ...first, options: { ...first.options, timing } })
    const content = { type: 'config', voters: [1, 2, 3], observers: [], round: 0, incarnation: 0 }
    const tell = (term: number, configVersion: number, data: string) => {
      const m = { ...content, term, configTerm: term, configVersion, bond: 0, data }
      deliver(follower, leader.id, { p: 'e', m })
    }
    return { cluster, follower, tell, longer, term: leader.term }
  }

  test('is given up with its timing where the next leader writes the first configuration again', async () => {
    const { follower, tell, longer, term } = await misled()
    tell(term, 1, longer)
    expect(follower.status().leaseMs).toBe(20_000)
    tell(term + 1024, 0, '')
    expect(follower.status().leaseMs).toBe(STEADY.lease)
  })

  test('leaves no timing behind where it could not be stored', async () => {
    const { cluster, follower, tell, longer, term } = await misled()
    const disk = cluster.disks.get(follower.id)!
    follower.on('error', () => undefined)
    disk.full = true
    tell(term, 1, longer)
    await until(() => follower.view.kind === 'unknown')
    expect(follower.status().leaseMs).toBe(STEADY.lease)
    disk.full = false
  })
})

describe('a witness', () => {
  const TIED = { a: 'a:1', b: 'b:1', w: { address: 'w:1', priority: 9, lead: false } }

  test('votes, is listed as one, and neither stands nor takes over', async () => {
    const cluster = new Cluster(['a', 'b', 'w'], { timing: STEADY, members: TIED })
    await cluster.startAll()
    expect(await cluster.agreed()).toBe('b')
    const [a, w] = ['a', 'w'].map((name) => cluster.members.get(name)!)
    expect(rolesSeenBy(a)).toEqual(['w 1 witness', 'a 2 voter', 'b 3 voter'])
    await expect(cluster.leader.stepDown({ to: 'w' })).rejects.toThrow('it is a witness')
    cluster.kill('b')
    expect(await cluster.agreed('b')).toBe('a')
    await a.stepDown()
    await until(() => w.view.kind === 'leader' && w.view.leader === 'a')
    cluster.kill('a')
    await until(() => w.view.kind !== 'leader')
    await sleep(4 * STEADY.lease)
    expect(w.current).toBeNull()
  })

  test('is promoted from an observer, is never made a voter that leads, and is kept a minority', async () => {
    const { cluster, leader } = await running()
    await leader.add('w', 'w:1')
    const w = await cluster.start('w', { members: undefined, seeds: ['a:1'] } as never)
    await until(() => w.view.kind === 'leader')
    for (;;) {
      const refused = await leader.promote('w', { lead: false }).catch((error: unknown) => error)
      if (refused === undefined) break
      expect(refused).toMatchObject({ rule: 'not caught up' })
      await sleep(20)
    }
    expect(rolesSeenBy(w)).toContain('w 4 witness')
    await expect(leader.promote('w')).rejects.toMatchObject({ rule: 'exists' })
    const [one, two] = OLD.filter((id) => id !== leader.id)
    await leader.remove(one)
    await leader.remove(two)
    await expect(leader.add('x', { address: 'x:1', lead: false })).rejects.toThrow('promote')
    expect(rolesSeenBy(leader)).toHaveLength(2)
  })

  test('is refused where witnesses are a majority, and where all members lead', async () => {
    const members = { ...TIED, b: { address: 'b:1', lead: false } }
    await expect(new Cluster(['a']).start('a', { members })).rejects.toThrow(
      'members.b.lead: 2 of 3 voters would be a majority that cannot lead',
    )
    await expect(
      new Cluster(['a']).start('a', { members: TIED, safety: 'advisory' }),
    ).rejects.toThrow('members.w.lead: bully-fd lets every member lead')
  })
})

describe('a member that changes', () => {
  test('gets another priority, and takes over where the stronger one always leads', async () => {
    const cluster = new Cluster(OLD, { timing: STEADY, preemption: 'always' })
    await cluster.startAll()
    expect(await cluster.agreed()).toBe('c')
    await cluster.leader.configure({ members: { a: { priority: 5 } } })
    expect(await cluster.agreed('c')).toBe('a')
    expect(cluster.leader.members.map(({ id, priority }) => `${id} ${priority}`)).toEqual([
      'b 0',
      'c 0',
      'a 5',
    ])
  })

  test('gets another priority without a change of the leader where leadership is sticky', async () => {
    const { cluster, leader, follower } = await running()
    const term = leader.term
    await follower.configure({ members: { [follower.id]: { priority: 5 } } })
    await sleep(2 * STEADY.lease)
    expect([leader.term, leader.current?.number]).toEqual([term, term])
    await leader.stepDown()
    expect(await cluster.agreed(leader.id)).toBe(follower.id)
  })

  test('comes back at another address, and tells the group', async () => {
    const { cluster, leader, follower } = await running()
    cluster.kill(follower.id)
    const moved = await cluster.start(follower.id, { address: 'elsewhere:1' })
    const addressAt = ({ members }: Election): string | undefined =>
      members.find(({ id }) => id === follower.id)?.address
    await until(() => addressAt(leader) === 'elsewhere:1')
    expect(moved.address).toBe('elsewhere:1')
    const third = [...cluster.members.values()].find(
      ({ id }) => ![leader, follower].some((m) => m.id === id),
    )!
    await until(() => addressAt(third) === 'elsewhere:1')
    // The others dial it there.
    cluster.kill(leader.id)
    cluster.kill(third.id)
    const again = await cluster.start(third.id)
    expect(await cluster.agreed(leader.id)).toBeDefined()
    expect(addressAt(again)).toBe('elsewhere:1')
  })
})
