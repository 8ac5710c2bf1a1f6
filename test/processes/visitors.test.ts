/** `status` and `step-down` from a machine that holds the key or a certificate and no state folder: real processes, and strangers. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { program, TestCluster } from '../../scripts/support/test-cluster.ts'
import { Recorder } from '../../scripts/support/attacker.ts'
import { memberUri } from '../../src/transports/tcp/security/member-certificate.ts'
import { parseAddress } from '../../src/transports/address.ts'
import { visit } from '../../src/transports/tcp/visit.ts'
import { until } from '../../src/testing/wait.ts'
import { Authority, type Pair } from '../support/certificates.ts'

const BRISK = ['--detection', '600ms', '--lease', '800ms']
/** A member that answers nothing costs two seconds; the rest is the start of the command on a busy machine. */
const QUICK_MS = 8000

const folders: string[] = []
const clusters: TestCluster[] = []
afterEach(async () => {
  for (const cluster of clusters.splice(0)) await cluster.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folder(): string {
  folders.push(mkdtempSync(join(tmpdir(), 'bellwether-visitor-')))
  return folders.at(-1)!
}

function fileWith(name: string, text: string): string {
  const file = join(folder(), name)
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

async function call(...args: readonly string[]) {
  const from = performance.now()
  return new Promise<{ code: number; out: string; err: string; tookMs: number }>((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { cwd: folder() }, (_, out, err) =>
      resolve({ code: child.exitCode!, out, err, tookMs: performance.now() - from }),
    )
  })
}

async function start(protection: readonly string[], flagsOf?: (name: string) => string[]) {
  const cluster = await TestCluster.open({
    members: 3,
    flags: BRISK,
    protection,
    ...(flagsOf && { flagsOf }),
  })
  clusters.push(cluster)
  const leader = await cluster.agreed(() => cluster.names)
  const { addresses } = cluster.processes
  const list = [...addresses].map(([name, address]) => `${name}=${address}`).join(',')
  const peer = addresses.get(cluster.names.find((name) => name !== leader)!)!
  return { cluster, leader, list, peer }
}

async function withKey() {
  const key = fileWith('group.key', 'a key that all members of the group hold')
  const group = await start(['--shared-key', key])
  return { ...group, flags: ['--group', 'cluster', '--shared-key', key] }
}

const statuses = (out: string) => JSON.parse(out) as Record<string, unknown>[]

describe('the holder of the shared key', () => {
  test('sees every member by the list, or by the address of one', async () => {
    const { leader, list, peer, flags } = await withKey()
    for (const where of [
      ['--members', list],
      ['--peer', peer],
    ]) {
      const { code, out } = await call('status', ...where, ...flags, '--json')
      expect(code).toBe(0)
      expect(statuses(out).map(({ id, leader }) => [id, leader])).toEqual([
        ['a', leader],
        ['b', leader],
        ['c', leader],
      ])
    }
    const one = await call('status', '--peer', peer, '--id', leader, ...flags, '--json')
    expect(statuses(one.out)).toMatchObject([{ id: leader, leader }])
  })

  test('is refused who gives two addresses: one member names the others', async () => {
    const twice = ['--peer', '127.0.0.1:1', '--peer', '127.0.0.1:2']
    for (const command of [['status'], ['members', 'list'], ['step-down'], ['configure', 'x=1']]) {
      const { code, err } = await call(...command, ...twice, '--group', 'cluster')
      expect(code).toBe(2)
      expect(err).toContain('is given twice: give the address of one member')
    }
  })

  test('is told by name which members do not answer, soon, whatever the reason', async () => {
    const { cluster, leader, list, flags } = await withKey()
    const [stopped, killed] = cluster.names.filter((name) => name !== leader)
    cluster.processes.pause(stopped)
    cluster.processes.kill(killed)
    await until(() => cluster.processes.conditionOf(killed) === 'dead')
    const { code, out, err, tookMs } = await call('status', '--members', list, ...flags)
    expect(code).toBe(1)
    expect(tookMs).toBeLessThan(QUICK_MS)
    expect(out).toMatch(new RegExp(`^${stopped} +no answer$`, 'mu'))
    expect(err).toMatch(new RegExp(`^bellwether: ${stopped} at .*: no answer in 2000 ms$`, 'mu'))
    expect(err).toMatch(new RegExp(`^bellwether: ${killed} at .*: no process listens there$`, 'mu'))
    const json = await call('status', '--members', list, ...flags, '--json')
    const silent = statuses(json.out).find(({ id }) => id === stopped)!
    expect(Object.keys(silent)).toEqual(['id', 'unreachable', 'reason'])
  })

  test('changes nothing where it names another group than that of the members', async () => {
    const { cluster, leader, peer, flags } = await withKey()
    const key = flags.slice(2)
    for (const names of [
      ['--group', 'other'],
      ['--node', 'cluster', '--group', 'other'],
    ]) {
      const { code, out } = await call('step-down', '--peer', peer, ...key, ...names)
      expect([code === 0, out]).toEqual([false, ''])
    }
    expect(await cluster.agreed(() => cluster.names)).toBe(leader)
    const keyFile = key[1]
    const visited = { cluster: 'cluster', address: peer, member: '' }
    const asked = { ask: 'status', group: 'other' }
    expect(await visit({ keyFile }, visited, asked, 2000)).toEqual({
      error: 'this member is in group "cluster" only',
    })
  })

  test('lets the leader hand over, beside a member that is stopped', async () => {
    const { cluster, leader, peer, list, flags } = await withKey()
    const handed = await call('step-down', '--peer', peer, ...flags, '--reason', 'maintenance')
    expect(handed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^handed over to \w+\n$/u),
      err: '',
    })
    const next = await cluster.agreed(() => cluster.names, leader)
    cluster.processes.pause(leader)
    const again = await call('step-down', '--members', list, ...flags, '--json')
    expect([again.code, JSON.parse(again.out)]).toEqual([0, { ok: true }])
    expect(again.tookMs).toBeLessThan(QUICK_MS)
    await cluster.agreed(() => cluster.names.filter((name) => name !== leader), next)
  })
})

describe('an operator with a certificate', () => {
  async function withCertificates() {
    const authority = new Authority('authority')
    const ca = fileWith('ca.pem', authority.certificate)
    const flagsFor = ({ certificate, key }: Pair): string[] => [
      '--ca',
      ca,
      '--certificate',
      fileWith('it.pem', certificate),
      '--key',
      fileWith('it.key', key),
    ]
    const revoked = fileWith('revoked.txt', '')
    const member = (name: string) => flagsFor(authority.member(name, { group: 'cluster' }))
    const group = await start(['--revoked', revoked], member)
    const operator = (name: string, of = 'cluster') =>
      flagsFor(authority.member(name, { uris: [memberUri(of, name, 'operator')] }))
    return { ...group, member, operator, revoked }
  }

  test('sees the members and lets the leader hand over, until the certificate is revoked', async () => {
    const { cluster, leader, peer, list, operator, revoked } = await withCertificates()
    const flags = ['--group', 'cluster', ...operator('alice')]
    expect((await call('status', '--members', list, ...flags)).code).toBe(0)
    const reason = ['--reason', 'upgrade\nand asked by bob']
    expect((await call('step-down', '--peer', peer, ...flags, ...reason)).out).toMatch(
      /^handed over to \w+\n$/u,
    )
    const next = await cluster.agreed(() => cluster.names, leader)
    const lost = cluster.of('lost').at(-1)!
    expect(lost).toMatchObject({
      reason: 'stepped-down',
      detail: 'asked by alice: upgrade\\u{a}and asked by bob',
    })
    writeFileSync(revoked, 'alice\n')
    const refused = await call('step-down', '--members', list, ...flags)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('none of these members leads; a: the process at its address ends')
    expect(cluster.believes('a')).toBe(next)
  })

  test('is no member, and one of another group is nobody', async () => {
    const { list, peer, leader, cluster, operator } = await withCertificates()
    const member = ['--id', 'a', '--members', list, '--group', 'cluster']
    const intruder = await call('node', ...member, ...operator('a'))
    expect(intruder.code).toBe(2)
    expect(intruder.err).toContain('names no member of this group')
    const flags = operator('bob', 'other')
    const { code, err } = await call('status', '--peer', peer, '--group', 'other', ...flags)
    expect([code, err]).toEqual([1, expect.stringContaining('names no member of this group')])
    expect(cluster.believes('a')).toBe(leader)
  })
})

describe('a stranger', () => {
  test('without the key, or with another one, learns nothing and changes nothing', async () => {
    const { cluster, leader, list, peer } = await withKey()
    const other = fileWith('other.key', 'another key that no member of the group holds')
    for (const flags of [['--shared-key', other], []]) {
      const where = ['--group', 'cluster', ...flags]
      const shown = await call('status', '--members', list, ...where, '--json')
      expect(shown.code).toBe(1)
      for (const body of statuses(shown.out)) {
        expect(Object.keys(body)).toEqual(['id', 'unreachable', 'reason'])
        expect(body['reason']).toMatch(
          /it may hold another key|no member of the group cluster has run on this machine/u,
        )
      }
      expect((await call('step-down', '--peer', peer, ...where)).code).toBe(1)
      expect((await call('step-down', '--members', list, ...where)).code).toBe(1)
    }
    await sleep(300)
    expect(cluster.of('lost')).toEqual([])
    expect(cluster.believes('a')).toBe(leader)
  })

  test('that replays a recorded request to step down gets no answer, and the leader stays', async () => {
    const { cluster, leader, flags } = await withKey()
    const address = cluster.processes.addresses.get(leader)!
    await using recorder = await Recorder.open(address)
    const through = ['--members', `${leader}=${recorder.address}`]
    // With --json it does not ask who leads then.
    expect((await call('step-down', ...through, ...flags, '--json')).code).toBe(0)
    const next = await cluster.agreed(() => cluster.names, leader)
    expect((await call('step-down', '--peer', address, '--to', leader, ...flags)).code).toBe(0)
    await cluster.agreed(() => cluster.names, next)
    const before = cluster.entries.length
    // A hello and a question for each of two visits: the status, the request.
    expect(recorder.bytes).toHaveLength(4)
    for (const session of [recorder.bytes.slice(0, 2), recorder.bytes.slice(2)]) {
      const { host, port } = parseAddress(address)
      const socket = connect({ host, port })
      const answers: Buffer[] = []
      socket.on('data', (chunk: Buffer) => answers.push(chunk))
      socket.on('error', () => undefined)
      socket.write(Buffer.concat(session))
      await until(() => socket.destroyed || socket.readableEnded, 'the end of the connection', 8000)
      expect(Buffer.concat(answers).length).toBe(0)
    }
    expect(cluster.of('lost', before)).toEqual([])
  })

  test('is answered by no member in plaintext, where every process could ask', async () => {
    const { cluster, list } = await start(['--insecure-plaintext'])
    const config = fileWith(
      'config.json',
      JSON.stringify({ insecurePlaintext: true, group: 'cluster' }),
    )
    const shown = await call('step-down', '--members', list, '--config', config)
    expect(shown.code).toBe(1)
    expect(shown.err).toContain('the security differs')
    expect(cluster.of('lost')).toEqual([])
  })
})
