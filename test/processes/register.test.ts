/** A group of real processes that changes while it runs: `bellwether members` and `configure`, under an independent monitor. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { expectSound } from '../support/expect-sound.ts'
import { growing } from '../support/growing-group.ts'

describe('a group that runs', () => {
  test('grows from three to five and shrinks to three others, and never has two leaders', async () => {
    const { cluster, call, add, rolesAt } = await growing(5, 3)
    await using _ = cluster
    const first = await cluster.agreed(() => ['a', 'b', 'c'])
    expect(await add('a', 'd')).toMatchObject({
      code: 0,
      out: 'd is a member, as an observer\nd is a voter\n',
    })
    expect(await add('b', 'e')).toMatchObject({ code: 0 })
    expect(await cluster.agreed(() => cluster.names)).toBe(first)
    expect(cluster.of('elected')).toHaveLength(1)
    const voters = Object.fromEntries(cluster.names.map((name) => [name, 'voter']))
    for (const name of cluster.names) expect(await rolesAt(name)).toEqual(voters)
    // Two go that are no leader, with the old majority of three among the first ones; then the leader itself.
    const [one, two] = ['a', 'b', 'c'].filter((name) => name !== first)
    const dead = async (name: string): Promise<unknown> =>
      until(() => cluster.processes.conditionOf(name) === 'dead')
    const removed = async (name: string): Promise<void> =>
      expect(await call('d', 'members', 'remove', name)).toMatchObject({
        code: 0,
        out: `${name} is removed\n`,
      })
    await removed(one)
    await dead(one)
    // It does not run, and learns of it when it starts.
    cluster.processes.kill(two)
    await dead(two)
    await removed(two)
    cluster.processes.start(two)
    await dead(two)
    expect(cluster.of('lost')).toEqual([])
    expect(cluster.of('exited').map(({ reason }) => reason)).toEqual([
      expect.stringContaining(`${one} was removed from its group`),
      'SIGKILL',
      expect.stringContaining(`${two} was removed from its group`),
    ])
    expect(await rolesAt('e')).toEqual({ [first]: 'voter', d: 'voter', e: 'voter' })
    expect(await call('e', 'members', 'remove', first)).toMatchObject({ code: 0 })
    const next = await cluster.agreed(() => ['d', 'e'], first)
    expect(['d', 'e']).toContain(next)
    expectSound(cluster)
  })

  test('replaces every member by another one under the name of the old one, or a new name', async () => {
    const { cluster, call, rolesAt, addressOf } = await growing(6, 3)
    await using _ = cluster
    await cluster.agreed(() => ['a', 'b', 'c'])
    for (const [old, fresh] of [
      ['a', 'd'],
      ['b', 'e'],
      ['c', 'f'],
    ]) {
      cluster.processes.start(fresh)
      const replaced = call(
        fresh === 'd' ? 'b' : 'd',
        'members',
        'replace',
        old,
        `${fresh}=${addressOf(fresh)}`,
      )
      expect(await replaced).toMatchObject({ code: 0 })
      await until(() => cluster.processes.conditionOf(old) === 'dead')
    }
    await cluster.agreed(() => ['d', 'e', 'f'])
    expect(await rolesAt('d')).toEqual({ d: 'voter', e: 'voter', f: 'voter' })
    // A disk is lost.
    const leader = await cluster.agreed(() => ['d', 'e', 'f'])
    const lost = ['d', 'e', 'f'].find((name) => name !== leader)!
    cluster.processes.kill(lost)
    await until(() => cluster.processes.conditionOf(lost) === 'dead')
    rmSync(join(cluster.state, `cluster.${lost}.state`))
    const again = call(leader, 'members', 'replace', lost, `${lost}=${addressOf(lost)}`)
    while ((await rolesAt(leader))[lost] !== 'observer') await sleep(100)
    cluster.processes.start(lost)
    expect(await again).toMatchObject({ code: 0 })
    expect(await rolesAt(leader)).toEqual({ d: 'voter', e: 'voter', f: 'voter' })
    expectSound(cluster)
  })

  test('changes its timing without a stop, and keeps it over restarts with the old options', async () => {
    const { cluster, call } = await growing(3, 3)
    await using _ = cluster
    const leader = await cluster.agreed(() => cluster.names)
    const leaseOf = async (name: string): Promise<unknown> =>
      (
        JSON.parse((await call(name, 'status', '--id', name, '--json')).out) as {
          leaseMs: number
        }[]
      )[0].leaseMs
    const changed = await call(
      'a',
      'configure',
      'timing.detection=400ms',
      'timing.lease=500ms',
      'timing.period=100ms',
      'timing.message=30ms',
    )
    expect(changed).toMatchObject({ code: 0 })
    for (const name of cluster.names) expect(await leaseOf(name)).toBe(500)
    expect(cluster.of('lost')).toEqual([])
    const one = cluster.names.find((name) => name !== leader)!
    cluster.processes.stop(one)
    await until(() => cluster.processes.conditionOf(one) === 'dead')
    cluster.processes.start(one)
    expect(await cluster.agreed(() => cluster.names)).toBe(leader)
    expect(await leaseOf(one)).toBe(500)
    expect(cluster.of('refused')).toEqual([])
  })

  test('takes in a witness, another priority and another address by commands, and keeps its leader', async () => {
    const { cluster, call, rolesAt, addressOf } = await growing(4, 3)
    await using _ = cluster
    const first = await cluster.agreed(() => ['a', 'b', 'c'])
    const adding = call('a', 'members', 'add', `d=${addressOf('d')}@witness`)
    cluster.processes.start('d')
    expect(await adding).toMatchObject({
      code: 0,
      out: 'd is a member, as an observer\nd is a witness\n',
    })
    expect(await rolesAt('d')).toEqual({ a: 'voter', b: 'voter', c: 'voter', d: 'witness' })
    expect(await call('a', 'step-down', '--to', 'd')).toMatchObject({
      code: 1,
      err: expect.stringContaining('d cannot take over: it is a witness') as string,
    })
    const other = ['a', 'b', 'c'].find((name) => name !== first)!
    expect(await call('d', 'configure', `members.${other}.priority=7`)).toMatchObject({
      code: 0,
      out: `changed: members.${other}.priority=7\n`,
    })
    expect(cluster.of('elected')).toHaveLength(1)
    expect(await call('d', 'step-down')).toMatchObject({ code: 0 })
    expect(await cluster.agreed(() => cluster.names, first)).toBe(other)
    // The last member goes to a port of its own, and the others dial it there.
    const mover = ['a', 'b', 'c'].find((name) => name !== first && name !== other)!
    const [port] = await freePorts(1)
    const moved = `127.0.0.1:${port}`
    expect(await call('d', 'members', 'change', mover, '--address', moved)).toMatchObject({
      code: 0,
      out: `${mover} is changed\n`,
    })
    const list = JSON.parse((await call('d', 'members', 'list', '--json')).out) as object[]
    expect(list).toContainEqual(expect.objectContaining({ id: mover, address: moved, priority: 0 }))
    expectSound(cluster)
  })

  test('an observer stays one until it is promoted, and a member that comes back at --address is dialled there', async () => {
    const moved: Record<string, string> = {}
    const at = (name: string): string[] => (name in moved ? ['--address', moved[name]] : [])
    const { cluster, call, rolesAt, addressOf } = await growing(4, 3, [], at)
    await using _ = cluster
    const leader = await cluster.agreed(() => ['a', 'b', 'c'])
    const adding = ['members', 'add', `d=${addressOf('d')}`, '--observer']
    expect(await call('a', ...adding)).toMatchObject({
      code: 0,
      out: 'd is a member, as an observer\n',
    })
    cluster.processes.start('d')
    expect(await cluster.agreed(() => cluster.names)).toBe(leader)
    expect(await rolesAt('d')).toEqual({ a: 'voter', b: 'voter', c: 'voter', d: 'observer' })
    expect(await call('b', 'members', 'promote', 'd')).toMatchObject({
      code: 0,
      out: 'd is a voter\n',
    })
    const mover = ['a', 'b', 'c'].find((name) => name !== leader)!
    cluster.processes.stop(mover)
    await until(() => cluster.processes.conditionOf(mover) === 'dead')
    const [port] = await freePorts(1)
    moved[mover] = `127.0.0.1:${port}`
    cluster.processes.start(mover)
    expect(await cluster.agreed(() => cluster.names)).toBe(leader)
    const listed = async (): Promise<unknown> =>
      (
        JSON.parse((await call('d', 'members', 'list', '--json')).out) as {
          id: string
          address: string
        }[]
      ).find(({ id }) => id === mover)?.address
    for (let i = 0; i < 50 && (await listed()) !== moved[mover]; i++) await sleep(100)
    expect(await listed()).toBe(moved[mover])
    expect(cluster.of('lost')).toEqual([])
    expectSound(cluster)
  })

  test('a dry run names the rule that would refuse a change, and changes nothing', async () => {
    const { cluster, call, rolesAt } = await growing(3, 3)
    await using _ = cluster
    await cluster.agreed(() => cluster.names)
    expect(await call('a', 'members', 'promote', 'x', '--dry-run', '--json')).toMatchObject({
      code: 1,
      out: expect.stringContaining('"rule":"unknown"') as string,
    })
    expect(await call('a', 'members', 'add', 'x=127.0.0.1:1', '--dry-run')).toMatchObject({
      code: 0,
      out: 'no rule refuses this change now\n',
    })
    expect(await call('a', 'configure', 'timing.lease=1ms', '--dry-run')).toMatchObject({
      code: 1,
      err: expect.stringContaining('timing.lease: 1 ms is shorter than two periods') as string,
    })
    expect(await rolesAt('a')).toEqual({ a: 'voter', b: 'voter', c: 'voter' })
  })
})

describe('a group without votes', () => {
  test('grows, shrinks to one and changes its timing', async () => {
    const { cluster, call, add, rolesAt } = await growing(4, 3, ['--safety', 'advisory'])
    await using _ = cluster
    expect(await cluster.agreed(() => ['a', 'b', 'c'])).toBe('c')
    expect(await add('a', 'd')).toMatchObject({ code: 0 })
    expect(await cluster.agreed(() => cluster.names, 'c')).toBe('d')
    expect(await call('a', 'configure', 'timing.detection=900ms')).toMatchObject({ code: 0 })
    for (const name of ['a', 'b']) {
      expect(await call('d', 'members', 'remove', name)).toMatchObject({ code: 0 })
      await until(() => cluster.processes.conditionOf(name) === 'dead')
    }
    cluster.processes.kill('c')
    await until(() => cluster.processes.conditionOf('c') === 'dead')
    expect(await call('d', 'members', 'remove', 'c')).toMatchObject({ code: 0 })
    expect(await rolesAt('d')).toEqual({ d: 'voter' })
    cluster.processes.start('c')
    await until(() => cluster.processes.conditionOf('c') === 'dead')
    expect(cluster.of('exited').map(({ reason }) => reason)).toEqual([
      expect.stringContaining('a was removed from its group'),
      expect.stringContaining('b was removed from its group'),
      'SIGKILL',
      expect.stringContaining('c was removed from its group'),
    ])
    expect(cluster.leader()).toBe('d')
  })
})

test.each([
  ['advisory', ['--safety', 'advisory']],
  ['quorum', []],
])(
  'under %s a member that was stopped while another one got its name ends, and its successor leads on',
  async (_safety, flags) => {
    const { cluster, call, addressOf } = await growing(4, 3, flags)
    await using _ = cluster
    const old = await cluster.agreed(() => ['a', 'b', 'c'])
    cluster.processes.pause(old)
    const others = ['a', 'b', 'c'].filter((name) => name !== old)
    const leader = await cluster.agreed(() => others, old)
    expect(await call(leader, 'members', 'remove', old)).toMatchObject({ code: 0 })
    const added = await call(leader, 'members', 'add', `${old}=${addressOf('d')}`, '--observer')
    expect(added).toMatchObject({ code: 0 })
    cluster.processes.resume(old)
    await until(() => cluster.processes.conditionOf(old) === 'dead')
    expect(cluster.of('exited').at(-1)!.reason).toContain(`${old} was removed from its group`)
    expect(await cluster.agreed(() => others)).toBe(leader)
  },
)
