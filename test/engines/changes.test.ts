/** Groups under `fenced` that change while they run: real processes, a real engine, and the commands of an operator. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violationsOf } from '../../scripts/campaigns/endure/handovers.ts'
import { has, RealServer, type ServerName } from '../../scripts/support/servers.ts'
import { atMs } from '../../scripts/support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { expectSound } from '../support/expect-sound.ts'
import { growing } from '../support/growing-group.ts'

const ENGINES: readonly ServerName[] = ['etcd', 'postgres']

for (const name of ENGINES) {
  describe.skipIf(!has(name))(`a group fenced by ${name}`, () => {
    let server: RealServer
    beforeAll(async () => void (server = await RealServer.open(name)))
    afterAll(async () => server.close())

    test('grows to five, shrinks to one whose others are down, and changes its timing: no majority is asked, and tokens rise', async () => {
      const engine = ['--engine', server.flag()]
      const { cluster, call, add, rolesAt } = await growing(5, 3, [], () => engine)
      await using _ = cluster
      const dead = async (member: string): Promise<unknown> =>
        until(() => cluster.processes.conditionOf(member) === 'dead')
      expect(await cluster.agreed(() => ['a', 'b', 'c'])).toBe('c')
      expect(await add('a', 'd')).toMatchObject({ code: 0 })
      expect(await cluster.agreed(() => ['a', 'b', 'c', 'd'], 'c')).toBe('d')
      expect(await add('b', 'e')).toMatchObject({ code: 0 })
      expect(await cluster.agreed(() => cluster.names, 'd')).toBe('e')
      expect(await call('a', 'configure', 'timing.detection=900ms')).toMatchObject({ code: 0 })
      expect(await call('a', 'members', 'remove', 'e')).toMatchObject({ code: 0 })
      await dead('e')
      expect(await cluster.agreed(() => ['a', 'b', 'c', 'd'], 'e')).toBe('d')
      expect(violationsOf(cluster)).toEqual([])
      // One of four is left, which no rule of majorities would let write.
      for (const member of ['a', 'b', 'c']) {
        cluster.processes.kill(member)
        await dead(member)
      }
      for (const member of ['a', 'b', 'c']) {
        expect(await call('d', 'members', 'remove', member)).toMatchObject({ code: 0 })
      }
      expect(await rolesAt('d')).toEqual({ d: 'voter' })
      for (const member of ['a', 'b', 'c']) {
        cluster.processes.start(member)
        await dead(member)
        expect(cluster.of('exited').at(-1)!.reason).toContain(`${member} was removed`)
      }
      expectSound(cluster)
    })

    test('without its engine nobody leads and nothing is changed; with it again the group goes on under a later token', async () => {
      const engine = ['--engine', server.flag()]
      const { cluster, call, add, rolesAt } = await growing(4, 3, [], () => engine)
      await using _ = cluster
      await cluster.agreed(() => ['a', 'b', 'c'])
      const since = cluster.entries.length
      await server.kill()
      await until(() => cluster.of('lost', since).length > 0, 'the loss')
      const before = cluster.of('elected')
      const lost = cluster.of('lost').at(-1)!
      expect(await call('a', 'members', 'remove', 'a', '--wait', '1s')).toMatchObject({ code: 1 })
      expect(await rolesAt('a')).toEqual({ a: 'voter', b: 'voter', c: 'voter' })
      expect(cluster.of('elected')).toEqual(before)
      await server.start()
      await until(() => cluster.of('elected').length > before.length, 'the next term')
      const next = cluster.of('elected').at(-1)!
      expect(next.term).toBeGreaterThan(lost.term)
      expect(atMs(next)).toBeGreaterThan(atMs(lost))
      await cluster.agreed(() => ['a', 'b', 'c'])
      expect(await add('a', 'd')).toMatchObject({ code: 0 })
      expect(await cluster.agreed(() => cluster.names, 'c')).toBe('d')
      expectSound(cluster)
    })
  })
}
