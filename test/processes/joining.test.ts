/** Members that know only a seed find the running group, and say what is wrong where they do not: real processes. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { isAlive } from '../../scripts/support/linux-processes.ts'
import { program, TestCluster } from '../../scripts/support/test-cluster.ts'
import { expectSound } from '../support/expect-sound.ts'

const BRISK = ['--detection', '600ms', '--lease', '800ms', '--preemption', 'sticky']
const call = promisify(execFile)

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function fileWith(text: string): string {
  folders.push(mkdtempSync(join(tmpdir(), 'bellwether-joining-')))
  const file = join(folders.at(-1)!, 'file')
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

/** Members a and b know the list; c knows what `seed` makes of their addresses, and none of the options. */
async function joined(seed: (addresses: readonly string[]) => string) {
  const ports = await freePorts(3)
  const addresses = ports.map((port) => `127.0.0.1:${port}`)
  const list = ['a', 'b', 'c'].map((name, i) => `${name}=${addresses[i]}@${i === 0 ? 5 : 0}`)
  const cluster = await TestCluster.open({
    members: 3,
    joinOf: (name) =>
      name === 'c' ? ['--join', seed(addresses)] : ['--members', list.join(','), ...BRISK],
  })
  return { cluster, addresses }
}

test('a member that knows the address of another one joins with its options, and takes over', async () => {
  const { cluster } = await joined(([a, b]) => `${a},${b}`)
  await using _ = cluster
  const leader = await cluster.agreed(() => cluster.names)
  cluster.processes.stop(leader)
  await cluster.agreed(() => cluster.names.filter((name) => name !== leader), leader)
  expect(cluster.of('refused')).toEqual([])
  expectSound(cluster)
})

test('a member waits for a seed that is written to its file later', async () => {
  const [port] = await freePorts(1)
  const file = fileWith(`# members\nx=127.0.0.1:${port}\n`)
  const { cluster, addresses } = await joined(() => `file:${file}`)
  await using _ = cluster
  await expect(cluster.agreed(() => cluster.names, undefined, 2500)).rejects.toThrow('agreement')
  writeFileSync(file, `x=127.0.0.1:${port}, ${addresses[1]}\n`)
  await cluster.agreed(() => cluster.names)
})

test('a member that the group does not name says who is a member, and joins when it is added', async () => {
  const ports = await freePorts(1)
  await using cluster = await TestCluster.open({ members: 3, flags: BRISK })
  await cluster.agreed(() => cluster.names)
  const peer = cluster.processes.addresses.get('a')!
  const key = ['--group', 'cluster', '--shared-key', join(cluster.state, 'cluster.key')]
  const own = ['--id', 'd', '--join', peer, '--state', join(cluster.state, 'd'), ...key]
  const d = spawn(process.execPath, [program, 'node', ...own])
  try {
    let [out, err] = ['', '']
    d.stdout.on('data', (chunk) => (out += String(chunk)))
    d.stderr.on('data', (chunk) => (err += String(chunk)))
    const named = '"d" is not a member of the running group, whose members are a, b, c: add it with'
    await until(() => err.includes(named))
    await call(process.execPath, [
      program,
      'members',
      'add',
      `d=127.0.0.1:${ports[0]}`,
      '--peer',
      peer,
      ...key,
    ])
    await until(() => / d follows /u.test(out))
  } finally {
    d.kill()
    await once(d, 'exit')
  }
})

test('a member of a group that cannot change and does not name it does not start; nor does one with wrong seeds', async () => {
  await using cluster = await TestCluster.open({
    members: 3,
    flags: ['--safety', 'advisory', '--algorithm', 'bully', '--detection', '600ms'],
  })
  await cluster.agreed(() => cluster.names)
  const address = cluster.processes.addresses.get('a')!
  const key = join(cluster.state, 'cluster.key')
  const start = async (...flags: string[]) => {
    const own = ['--group', 'cluster', '--shared-key', key, '--state', join(cluster.state, 'd')]
    return call(process.execPath, [program, 'node', ...own, ...flags])
  }
  await expect(start('--id', 'd', '--join', address)).rejects.toMatchObject({
    code: 2,
    stderr: 'bellwether: id: "d" is not a member of the running group, whose members are a, b, c\n',
  })
  await expect(start('--id', 'a', '--join', 'somewhere')).rejects.toMatchObject({ code: 2 })
  await expect(start('--id', 'a')).rejects.toMatchObject({
    stderr: 'bellwether: --members, --join or --engine is missing; see --help\n',
  })
})

test('`members list` shows role, seat, address, priority and when each was heard, from anywhere and here', async () => {
  await using cluster = await TestCluster.open({ members: 3, flags: BRISK, priorities: { a: 7 } })
  const leader = await cluster.agreed(() => cluster.names)
  const { addresses } = cluster.processes
  const key = ['--group', 'cluster', '--shared-key', join(cluster.state, 'cluster.key')]
  const list = async (...flags: string[]) =>
    (await call(process.execPath, [program, 'members', 'list', ...flags])).stdout
  const one = cluster.names.find((name) => name !== leader)!
  const places = [
    ['--peer', addresses.get(one)!, ...key],
    ['--state', cluster.state],
  ]
  for (const place of places) {
    const found = JSON.parse(await list(...place, '--json')) as Record<string, unknown>[]
    const order = ['b', 'c', 'a']
    expect(found.map(({ id }) => id)).toEqual(order)
    for (const [i, { seen, ...member }] of found.entries()) {
      const priority = order[i] === 'a' ? 7 : 0
      const address = addresses.get(order[i])
      expect(member).toEqual({ id: order[i], role: 'voter', seat: i + 1, address, priority })
      expect(seen).toBeTypeOf('number')
    }
  }
  expect(await list(...places[0])).toMatch(
    new RegExp(`^${leader} +voter +\\d +127\\.0\\.0\\.1:\\d+ +\\d +0 ms ago +leads$`, 'mu'),
  )
  for (const name of cluster.names) cluster.processes.pause(name)
  await expect(list(...places[0])).rejects.toMatchObject({ code: 1 })
})

test('a member that waits to be added ends with the process that controls it', async () => {
  const [port] = await freePorts(1)
  const state = fileWith('')
  const args = ['node', '--controlled', '--id', 'x', '--join', `127.0.0.1:${port}`]
  const parent = spawn(process.execPath, [
    '-e',
    `const { spawn } = require('node:child_process')
     const child = spawn(process.execPath, ${JSON.stringify([program, ...args, '--state', `${state}s`])}, {
       stdio: ['ignore', 'ignore', 'pipe', 'ipc'], detached: true })
     child.stderr.on('data', (text) => process.stdout.write(child.pid + ' ' + text))`,
  ])
  let printed = ''
  parent.stdout.on('data', (text) => (printed += String(text)))
  await until(() => printed.includes('asked again every second'), 'the member waits')
  const pid = Number(printed.split(' ')[0])
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await until(() => !isAlive(pid), 'the end of the member', 10_000)
})
