/** Tests `bellwether node --engine` and `bellwether engine` as an operator runs them. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

  test('bad input is one sentence and exit code 2; an engine that does not answer, 4', () => {
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
      status: 4,
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

  test('`run` without members runs its command on one replica at a time, and hands over on SIGTERM', async () => {
    const state = mkdtempSync(join(tmpdir(), 'bellwether-candidates-'))
    const command = ['--', process.execPath, '-e', 'setInterval(() => undefined, 1000)']
    const engine = ['--engine', server.flag(), '--group', 'random names', '--state', state]
    // Nobody waits for so long.
    const flags = [...engine, '--lease', '300s', '--json']
    const running = ['web-x7', 'web-q2'].map((id) => {
      const child = spawn(process.execPath, [program, 'run', '--id', id, ...flags, ...command])
      let log = ''
      child.stderr.on('data', (chunk) => (log += String(chunk)))
      return { child, has: (event: string) => log.includes(`"event":"${event}"`) }
    })
    try {
      const first = await until(() => running.find(({ has }) => has('begun')), 'the command')
      const second = running.find((one) => one !== first)!
      expect(second.has('begun')).toBe(false)
      const shown = bellwether('engine', 'show', ...engine.slice(0, 4))
      expect(shown.stdout).toMatch(/^random names: token \d+, held by web-/u)
      first.child.kill('SIGTERM')
      await until(() => second.has('begun'), 'the command elsewhere')
      expect(first.has('ended')).toBe(true)
    } finally {
      for (const { child } of running) child.kill('SIGTERM')
      await until(() => running.every(({ child }) => child.exitCode !== null), 'the ends')
      rmSync(state, { recursive: true })
    }
  })

  test('without members and engine `run` says what is missing; what means nothing without members is refused', () => {
    const flags = ['--id', 'web-x7', '--', 'true']
    expect(bellwether('run', ...flags)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--members, --join or --engine is missing'),
    })
    const engine = ['--engine', server.flag()]
    expect(bellwether('run', ...engine, '--insecure-plaintext', ...flags)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('there are no --members'),
    })
    expect(bellwether('run', ...engine, '--algorithm', 'bully-fd', ...flags)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('algorithm: goes with members'),
    })
  })

  test('`doctor` without members examines the engine, and no ports', () => {
    const state = mkdtempSync(join(tmpdir(), 'bellwether-doctor-'))
    const { stdout } = bellwether(
      'doctor',
      '--engine',
      server.flag(),
      '--id',
      'web-x7',
      '--state',
      state,
      '--json',
    )
    rmSync(state, { recursive: true })
    const findings = JSON.parse(stdout) as { check: string; ok: boolean; detail: string }[]
    const found = new Map(findings.map(({ check, ...finding }) => [check, finding]))
    expect(found.get('configuration')?.detail).toContain('the engine alone')
    expect(found.get('engine')?.ok).toBe(true)
    expect([...found.keys()]).not.toContain('listen')
    expect([...found.keys()]).not.toContain('protection')
  })
})
