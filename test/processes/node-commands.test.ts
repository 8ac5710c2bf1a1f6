/** Commands and HTTP requests that name one group of processes with many groups: real processes, a shared key, no state folder. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, test } from 'vitest'
import { program } from '../../scripts/support/test-cluster.ts'
import { Processes } from '../../src/testing/index.ts'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { memberUri } from '../../src/transports/tcp/security/member-certificate.ts'
import { Authority, type Pair } from '../support/certificates.ts'
import type { GroupReport } from '../support/launch/many-groups.mjs'

const PROGRAM = join(import.meta.dirname, '../support/launch/many-groups.mjs')
const IDS = ['a', 'b', 'c']
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'bellwether-node-'))
  ends.push(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Three processes, which are members of `group-0`, `group-1` and `group-2`; each leads one of them. */
async function started({ authority, ...options }: { name?: string; authority?: Authority } = {}) {
  const place = folder()
  const keyFile = join(place, 'group.key')
  writeFileSync(keyFile, 'a key that all of these processes hold', { mode: 0o600 })
  const ports = await freePorts(IDS.length)
  const addresses = new Map(IDS.map((id, i) => [id, `127.0.0.1:${ports[i]}`]))
  const reports = new Map<string, GroupReport>()
  const processes = new Processes(
    (id) => {
      const own = { id, listen: addresses.get(id), state: join(place, id), http: '127.0.0.1:0' }
      const members = Object.fromEntries(addresses)
      const tls = authority && filesOf(place, authority, authority.member(id, { group: 'default' }))
      const protection = tls === undefined ? { keyFile } : { tls }
      const given = { ...options, ...own, members, protection, count: 3 }
      return { command: process.execPath, args: [PROGRAM, JSON.stringify(given)], controlled: true }
    },
    (id, child) => {
      child.stderr!.pipe(process.stderr)
      createInterface({ input: child.stdout! }).on('line', (line) => {
        reports.set(id, JSON.parse(line) as GroupReport)
      })
    },
  )
  ends.push(async () => processes[Symbol.asyncDispose]())
  for (const id of IDS) await processes.start(id)
  /** The leader of a group, as all report it, other than `not`. */
  const leaderOf = async (group: string, not = ''): Promise<string> =>
    until(
      () => {
        const seen = new Set(IDS.map((id) => reports.get(id)?.leaders[group] ?? ''))
        const [leader] = seen
        return seen.size === 1 && leader !== '' && leader !== not ? leader : undefined
      },
      `a leader of ${group}`,
      30_000,
    )
  for (const group of ['group-0', 'group-1', 'group-2']) await leaderOf(group)
  const list = [...addresses].map(([id, address]) => `${id}=${address}`).join(',')
  return { place, list, addresses, reports, leaderOf, flags: ['--shared-key', keyFile] }
}

function filesOf(place: string, authority: Authority, pair: Pair) {
  const write = (name: string, text: string): string => {
    const file = join(mkdtempSync(join(place, 'tls-')), name)
    writeFileSync(file, text, { mode: 0o600 })
    return file
  }
  const ca = write('ca.pem', authority.certificate)
  return { ca, certificate: write('it.pem', pair.certificate), key: write('it.key', pair.key) }
}

async function call(...args: readonly string[]) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { cwd: folder() }, (_, out, err) =>
      resolve({ code: child.exitCode!, out, err }),
    )
  })
}

describe('commands from anywhere', () => {
  test('list the groups of a port, and act on the one that is named', async () => {
    const { addresses, list, leaderOf, flags } = await started()
    const peer = ['--peer', addresses.get('a')!, ...flags]
    const groups = ['group-0', 'group-1', 'group-2']
    const listed = await call('status', ...peer, '--json')
    expect([listed.code, JSON.parse(listed.out)]).toEqual([0, groups.map((group) => ({ group }))])
    expect((await call('status', ...peer)).out).toBe('group\ngroup-0\ngroup-1\ngroup-2\n')
    const several = await call('step-down', ...peer)
    expect(several.code).toBe(2)
    expect(several.err).toContain('choose one with --group: group-0, group-1, group-2')

    for (const group of groups) {
      const leader = await leaderOf(group)
      for (const where of [peer, ['--members', list, ...flags]]) {
        const { code, out, err } = await call('status', ...where, '--group', group, '--json')
        const seen = (JSON.parse(out) as Record<string, unknown>[]).map((one) => [
          one['id'],
          one['leader'],
        ])
        expect([code, seen, err]).toEqual([0, IDS.map((id) => [id, leader]), ''])
      }
    }
    const absent = await call('status', ...peer, '--group', 'other')
    expect(absent.code).not.toBe(0)
    expect(absent.err).toContain('this process has not joined group "other"')

    const before = await leaderOf('group-1')
    const kept = await leaderOf('group-2')
    const down = await call('step-down', ...peer, '--group', 'group-1', '--reason', 'maintenance')
    expect(down).toEqual({
      code: 0,
      out: expect.stringMatching(/^handed over to [abc]\n$/u),
      err: '',
    })
    await leaderOf('group-1', before)
    expect(await leaderOf('group-2')).toBe(kept)

    const change = ['timing.detection=3s', 'timing.period=1s', 'timing.lease=4s']
    const changed = await call('configure', ...change, ...peer, '--group', 'group-2')
    expect(changed).toMatchObject({ code: 0 })
    const lease = async (group: string) => {
      const { out } = await call('status', ...peer, '--group', group, '--id', 'b', '--json')
      return (JSON.parse(out) as { leaseMs: number }[])[0].leaseMs
    }
    expect(await lease('group-2')).toBe(4000)
    expect(await lease('group-0')).not.toBe(4000)

    const members = await call('members', ...peer, '--group', 'group-2', '--json')
    const ids = (JSON.parse(members.out) as { id: string }[]).map(({ id }) => id)
    expect([members.code, ids.toSorted()]).toEqual([0, IDS])
  }, 90_000)

  test('name the nodes where these have a name, and doctor compares the options of the named group', async () => {
    const { addresses, leaderOf, flags } = await started({ name: 'fleet' })
    const peer = ['--peer', addresses.get('b')!, ...flags]
    const leader = await leaderOf('group-0')
    const unnamed = await call('status', ...peer, '--group', 'group-0')
    expect(unnamed.code).not.toBe(0)
    const named = await call('status', ...peer, '--node', 'fleet', '--group', 'group-0', '--json')
    expect(JSON.parse(named.out)).toMatchObject([{ leader }, { leader }, { leader }])
    const listed = await call('status', ...peer, '--node', 'fleet', '--json')
    expect(JSON.parse(listed.out)).toHaveLength(3)

    const examine = async (...more: readonly string[]) => {
      const join = addresses.get('b')!
      const own = ['--id', 'c', '--join', join, '--node', 'fleet', '--group', 'group-0']
      const { out } = await call('doctor', ...own, ...flags, ...more, '--json')
      const findings = JSON.parse(out) as { check: string; ok: boolean; detail: string }[]
      return findings.find(({ check }) => check === 'peer b')!
    }
    expect(await examine()).toMatchObject({ ok: true, detail: /same options$/u })
    const other = await examine('--lease', '9s')
    expect(other.ok).toBe(false)
    expect(other.detail).toContain('lease')
  }, 90_000)
})

test("an operator's certificate of the nodes names any of their groups; one of another set of nodes, none", async () => {
  const authority = new Authority('authority')
  const { place, addresses, leaderOf } = await started({ authority })
  const ask = async (nodes: string) => {
    const uris = [memberUri(nodes, 'alice', 'operator')]
    const files = filesOf(place, authority, authority.member('alice', { uris }))
    const flags = Object.entries(files).flatMap(([name, file]) => [`--${name}`, file])
    const where = ['--peer', addresses.get('c')!, '--group', 'group-1']
    return call('status', ...where, ...flags, '--json')
  }
  const leader = await leaderOf('group-1')
  expect(JSON.parse((await ask('default')).out)).toMatchObject([{ leader }, { leader }, { leader }])
  const other = await ask('others')
  expect([other.code === 0, other.out]).toEqual([false, ''])
}, 60_000)

describe('the status server of a node', () => {
  test('shows each group by its name, and the metrics of all', async () => {
    const { reports, leaderOf } = await started()
    const { http, token } = reports.get('b')!
    const ask = async (path: string, init?: RequestInit) => fetch(`http://${http}${path}`, init)
    const groups = ['group-0', 'group-1', 'group-2']
    const unnamed = await ask('/status')
    expect(unnamed.status).toBe(404)
    expect(await unnamed.json()).toMatchObject({ groups })
    expect((await ask('/status?group=other')).status).toBe(404)
    for (const group of groups) {
      const leader = await leaderOf(group)
      expect(await (await ask(`/status?group=${group}`)).json()).toMatchObject({ id: 'b', leader })
      expect((await ask(`/leader?group=${group}`)).status).toBe(leader === 'b' ? 200 : 503)
    }
    expect((await ask('/healthz')).status).toBe(200)
    expect(await (await ask('/readyz')).json()).toEqual({ ready: true })

    const metrics = await (await ask('/metrics')).text()
    const heads = metrics.match(/^# TYPE \S+/gmu)!
    expect(new Set(heads).size).toBe(heads.length)
    const leads = [...metrics.matchAll(/^bellwether_is_leader\{group="(.+)",id="b"\} 1$/gmu)]
    expect(leads).toHaveLength(1)
    const [, led] = leads[0]
    expect(await leaderOf(led)).toBe('b')
    expect(metrics).toContain(`bellwether_elected_total{group="${led}",id="b"} 1`)

    const events = (await ask(`/events?group=${led}`)).body!.getReader()
    const order = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{}' }
    expect((await ask('/step-down', order)).status).toBe(404)
    expect((await ask(`/step-down?group=${led}`, { ...order, headers: {} })).status).toBe(401)
    expect((await ask(`/step-down?group=${led}`, order)).status).toBe(200)
    await leaderOf(led, 'b')
    let text = ''
    while (!text.includes('event: lost')) {
      const { value, done } = await events.read()
      if (done) break
      text += new TextDecoder().decode(value as Uint8Array)
    }
    expect(text).toContain('event: lost')
    await events.cancel()

    const command = await call('status', '--http', http!, '--json')
    expect(JSON.parse(command.out)).toEqual(groups.map((group) => ({ group })))
    const one = await call('status', '--http', http!, '--group', 'group-2', '--json')
    expect(JSON.parse(one.out)).toMatchObject([{ id: 'b', leader: await leaderOf('group-2') }])
  }, 60_000)
})
