/** Tests `bellwether node --engine` and `bellwether engine` as an operator runs them. */
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestCluster, program } from '../../scripts/support/test-cluster.ts'
import { has, RealServer } from '../../scripts/support/servers.ts'
import { until } from '../../src/testing/wait.ts'

function bellwether(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe.skipIf(!has('etcd'))('with etcd', () => {
  let server: RealServer
  beforeAll(async () => void (server = await RealServer.open('etcd')))
  afterAll(async () => server.close())

  test('members elect with tokens; after the engine has lost its state, `engine reseed` lets them go on', async () => {
    const engine = ['--engine', server.flag()]
    const quick = ['--detection', '300ms', '--lease', '600ms']
    const cluster = await TestCluster.open({ members: 3, flags: [...engine, ...quick] })
    try {
      expect(await cluster.agreed()).toBe('c')
      await until(() => cluster.of('elected').at(-1)?.node === 'c')
      const { term } = cluster.of('elected').at(-1)!
      const where = ['--group', 'cluster', '--state', cluster.state]
      const shown = bellwether('engine', 'show', ...engine, '--group', 'cluster')
      expect(shown).toMatchObject({ status: 0, stdout: `cluster: token ${term}, held by c\n` })
      await server.restart('empty')
      const reset = await until(() =>
        cluster.of('error').find(({ reason }) => reason?.includes('reseed')),
      )
      expect(reset.reason).toContain(`${term} was seen`)
      const before = cluster.entries.length
      const reseed = bellwether('engine', 'reseed', ...engine, ...where, '--json')
      expect(reseed.status).toBe(0)
      const { token } = JSON.parse(reseed.stdout) as { token: number }
      expect(token).toBeGreaterThan(term)
      const again = await until(() => cluster.of('elected', before)[0], 'a leader')
      expect(again.term).toBeGreaterThan(token)
    } finally {
      await cluster.close()
    }
  })

  test('bad input is one sentence and exit code 2; an engine that does not answer, 1', () => {
    expect(bellwether('engine', 'show', '--engine', 'oracle://x')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('possible: etcd://HOST:PORT'),
    })
    const nowhere = bellwether('engine', 'reseed', '--engine', server.flag(), '--state', '/nowhere')
    expect(nowhere).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('give the largest token with --above'),
    })
    expect(bellwether('engine', 'show', '--engine', 'etcd://127.0.0.1:1')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('ECONNREFUSED'),
    })
    const above = ['--above', String(Number.MAX_SAFE_INTEGER)]
    expect(bellwether('engine', 'reseed', '--engine', server.flag(), ...above)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('4503599627370496'),
    })
    const both = [
      '--engine',
      server.flag(),
      '--safety',
      'quorum',
      '--id',
      'a',
      '--members',
      'a=h:1',
    ]
    expect(bellwether('node', ...both)).toMatchObject({ status: 2 })
  })
})
