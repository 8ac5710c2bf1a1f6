/** The examples, run as they are: real processes, one of which is killed. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { program } from '../../scripts/support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { BalancedClient } from './http/balanced-client.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const children: ChildProcess[] = []
const folders: string[] = []
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await until(() => children.every((one) => one.exitCode !== null || one.signalCode !== null))
  children.length = 0
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Replica {
  readonly id: string
  readonly child: ChildProcess
  out: string
}

function start(id: string, args: readonly string[]): Replica {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const replica: Replica = { id, child, out: '' }
  child.stdout.on('data', (chunk) => (replica.out += String(chunk)))
  return replica
}

/** How many requests the forwarding replicas answer while they are restarted. */
const REQUESTS = Number(process.env['REQUESTS'] ?? 600)

const TSX = ['--conditions=bellwether-source', '--import', 'tsx']

async function replicas(args: (id: string, members: string, state: string) => readonly string[]) {
  const state = mkdtempSync(join(tmpdir(), 'bellwether-example-'))
  folders.push(state)
  const ports = await freePorts(3)
  const members = ports.map((port, i) => `${'abc'[i]}=127.0.0.1:${port}`).join(',')
  const all = ['a', 'b', 'c'].map((id) => start(id, args(id, members, state)))
  return { all, members, state }
}

/** Those that wrote something new since. */
function active(all: readonly Replica[]): Replica[] {
  return all.filter(({ out }) => out !== '')
}

test('cron: one replica runs the job, and another one when it ends', async () => {
  const { all } = await replicas((id, members, state) => [
    ...TSX,
    'examples/cron.ts',
    id,
    members,
    state,
  ])
  const first = await until(() => active(all)[0], 'the job')
  await sleep(400)
  expect(active(all)).toEqual([first])
  first.child.kill('SIGTERM')
  await until(() => active(all).length === 2, 'another replica')
  const wrote = first.out
  await sleep(300)
  expect(first.out).toBe(wrote)
})

test('queue: every message is done once, in rising fences, though the consumer is killed', async () => {
  const { all, state } = await replicas((id, members, state) => [
    ...TSX,
    'examples/queue.ts',
    id,
    members,
    state,
  ])
  const done = (): string[][] => {
    try {
      const text = readFileSync(join(state, 'done'), 'utf8')
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split(' '))
    } catch {
      return []
    }
  }
  for (let i = 0; i < 20; i++) appendFileSync(join(state, 'queue'), `m${i}\n`)
  await until(() => done().length === 20, 'the first messages')
  const [, consumer] = done()[0]
  all.find(({ id }) => id === consumer)!.child.kill('SIGKILL')
  for (let i = 20; i < 40; i++) appendFileSync(join(state, 'queue'), `m${i}\n`)
  await until(() => done().length === 40, 'the rest', 30_000)
  const fences = done().map(([fence]) => Number(fence))
  expect(fences).toEqual(fences.toSorted((a, b) => a - b))
  expect(new Set(done().map(([, , message]) => message)).size).toBe(40)
})

/** `curl -X GET -d body`. */
async function getWithBody(port: number): Promise<number | undefined> {
  const headers = { 'content-length': 4 }
  const sent = request({ port, host: '127.0.0.1', method: 'GET', agent: false, headers })
  sent.end('body')
  const [{ statusCode }] = (await once(sent, 'response')) as [IncomingMessage]
  return statusCode
}

test('forward: whichever replica is asked, the leader answers, also while each is restarted in turn', async () => {
  const http = await freePorts(3)
  const args = (id: string, members: string, state: string): readonly string[] => [
    ...TSX,
    'examples/forward.mjs',
    id,
    members,
    state,
    String(http['abc'.indexOf(id)]),
  ]
  const { all, members, state } = await replicas(args)
  const client = new BalancedClient(http, 8)
  const isUp = (id: string): boolean => client.isReady(http['abc'.indexOf(id)])
  await until(() => all.every(({ id }) => isUp(id)) && client.answered > 0, 'all replicas', 30_000)
  for (const port of http) expect(await getWithBody(port)).toBe(200)
  for (const { id, child } of all) {
    child.kill('SIGTERM')
    await until(() => child.exitCode !== null, `the end of ${id}`, 30_000)
    start(id, args(id, members, state))
    await until(() => isUp(id), `${id} again`, 30_000)
    const before = client.answered
    await until(() => client.answered > before + REQUESTS / 3, 'requests', 120_000)
  }
  await client.close()
  expect(client.failures).toEqual([])
  expect(client.answered).toBeGreaterThan(REQUESTS)
}, 600_000)

test('run with a shell script: it runs on one replica and receives SIGTERM', async () => {
  const { all } = await replicas((id, members, state) => [
    program,
    'run',
    '--id',
    id,
    '--members',
    members,
    '--state',
    state,
    '--',
    'sh',
    'examples/backup.sh',
  ])
  const first = await until(() => active(all)[0], 'the script')
  expect(first.out).toMatch(new RegExp(`^${first.id} backs up, fence \\d+`, 'u'))
  first.child.kill('SIGTERM')
  await until(() => active(all).length === 2, 'another replica')
  expect(first.out).toContain('stopping')
})
