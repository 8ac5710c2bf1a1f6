/** Grows and shrinks a group, and replaces all of its machines, under the load of a Fastify service: docs/guide/change.md. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { program } from '../../scripts/support/test-cluster.ts'
import { newSharedKey } from '../../src/transports/tcp/security/local-key.ts'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { BalancedClient } from './http/balanced-client.ts'

const call = promisify(execFile)
const children: ChildProcess[] = []
const folder = mkdtempSync(join(tmpdir(), 'bellwether-replacement-'))
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await until(() => children.every((one) => one.exitCode !== null || one.signalCode !== null))
  rmSync(folder, { recursive: true, force: true })
})

test('3 → 5 → 3, then all three by three others, one by one: no request of a Fastify service fails', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const ports = await freePorts(2 * names.length)
  const httpOf = (name: string): number => ports[names.indexOf(name)]
  const addressOf = (name: string): string => `127.0.0.1:${ports[8 + names.indexOf(name)]}`
  const key = join(folder, 'group.key')
  writeFileSync(key, newSharedKey(), { mode: 0o600 })
  const replicas = new Map<string, ChildProcess>()
  const start = (name: string, others: string): void => {
    const tsx = ['--conditions=bellwether-source', '--import', 'tsx']
    const args = ['test/processes/http/fastify-replica.ts', name, String(httpOf(name)), folder, key]
    const child = spawn(process.execPath, [...tsx, ...args, others], { stdio: 'inherit' })
    children.push(child)
    replicas.set(name, child)
  }
  const members = async (...args: string[]): Promise<string> => {
    const [peer] = replicas.keys() // one that runs
    const flags = ['--peer', addressOf(peer), '--group', 'cluster', '--shared-key', key]
    return (await call(process.execPath, [program, 'members', ...args, ...flags])).stdout
  }
  const client = new BalancedClient(names.map(httpOf), 4)
  const answers = async (): Promise<void> => {
    const before = client.answered
    await until(() => client.answered > before + 50, 'requests', 60_000)
  }
  const add = async (name: string): Promise<void> => {
    const seeds = [...replicas.keys()].map(addressOf).join(',')
    start(name, seeds)
    expect(await members('add', `${name}=${addressOf(name)}`)).toContain(`${name} is a voter`)
    await until(() => client.isReady(httpOf(name)), `${name} to be ready`, 60_000)
    await answers()
  }
  const remove = async (name: string): Promise<void> => {
    const child = replicas.get(name)!
    child.kill('SIGTERM')
    await until(() => child.exitCode !== null, `the end of ${name}`, 60_000)
    replicas.delete(name)
    expect(await members('remove', name)).toContain(`${name} is removed`)
    await answers()
  }
  const founders = ['a', 'b', 'c'].map((name) => `${name}=${addressOf(name)}`).join(',')
  for (const name of ['a', 'b', 'c']) start(name, founders)
  await until(() => client.answered > 0, 'the first answer', 60_000)
  await add('d')
  await add('e')
  await remove('a')
  await remove('b')
  for (const [old, fresh] of ['cf', 'dg', 'eh']) {
    await add(fresh)
    await remove(old)
  }
  await client.close()
  expect(client.failures).toEqual([])
  const list = JSON.parse(await members('list', '--json')) as { id: string; role: string }[]
  expect(list.map(({ id, role }) => `${id} ${role}`).toSorted()).toEqual([
    'f voter',
    'g voter',
    'h voter',
  ])
}, 400_000)
