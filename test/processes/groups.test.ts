/** Processes that are members of many groups over one port each: kills, cuts, and groups that a process lacks. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawn, type ChildProcess } from 'node:child_process'
import { afterEach, describe, expect, test } from 'vitest'
import { open, type Election } from '../../src/index.ts'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { FaultMesh, Processes } from '../../src/testing/index.ts'
import { until } from '../../src/testing/wait.ts'
import type { GroupReport } from '../support/launch/many-groups.mjs'

const PROGRAM = joinPath(import.meta.dirname, '../support/launch/many-groups.mjs')
const IDS = ['a', 'b', 'c']
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** Three nodes of this process, which reach each other through fault proxies, and terms of which two were held at once. */
async function inThisProcess(count: number, shareHeartbeats: boolean) {
  const folder = mkdtempSync(joinPath(tmpdir(), 'bellwether-groups-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  const ports = await freePorts(IDS.length)
  const peers = IDS.map((id, i) => ({ id, address: `127.0.0.1:${ports[i]}` }))
  const mesh = await FaultMesh.open(peers, { seed: 11 })
  ends.push(async () => mesh.close())
  const elections: Election[] = []
  const together: string[] = []
  for (const { id, address } of peers) {
    const members = Object.fromEntries(mesh.peersFor(id).map((peer) => [peer.id, peer.address]))
    const timing = { detection: '450ms' }
    const state = joinPath(folder, id)
    const node = await open({ id, members, listen: address, state, timing, shareHeartbeats })
    ends.push(async () => node.close({ drain: 0 }))
    for (let i = 0; i < count; i++) elections.push(await node.join(`group-${i}`))
  }
  for (const election of elections) {
    election.on('elected', ({ term }) => {
      const isOther = (one: Election) => one !== election && one.group === election.group
      const other = elections.find((one) => isOther(one) && one.current !== null)
      if (other !== undefined) together.push(`${election.id} in ${term} beside ${other.id}`)
    })
  }
  const isLed = (group: string): boolean => {
    const views = elections.filter((one) => one.group === group).map(({ view }) => view)
    const leaders = views.map((view) => (view.kind === 'leader' ? view.leader : ''))
    return leaders[0] !== '' && new Set(leaders).size === 1
  }
  const groups = [...new Set(elections.map(({ group }) => group))]
  return { mesh, elections, together, areLed: () => groups.every(isLed) }
}

/** Three processes with the same groups, each of which each member leads a third of. */
async function started(count: number, { meshed = false, shareHeartbeats = true } = {}) {
  const folder = mkdtempSync(joinPath(tmpdir(), 'bellwether-groups-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  const ports = await freePorts(IDS.length)
  const peers = IDS.map((id, i) => ({ id, address: `127.0.0.1:${ports[i]}` }))
  const mesh = meshed ? await FaultMesh.open(peers, { seed: 7 }) : undefined
  if (mesh !== undefined) ends.push(async () => mesh.close())
  const children = new Map<string, ChildProcess>()
  const reports = new Map<string, GroupReport>()
  const processes = new Processes(
    (id) => {
      const seen = mesh?.peersFor(id) ?? peers
      const members = Object.fromEntries(seen.map((peer) => [peer.id, peer.address]))
      const listen = peers.find((peer) => peer.id === id)!.address
      const state = joinPath(folder, id)
      const args = [PROGRAM, JSON.stringify({ id, members, listen, state, count, shareHeartbeats })]
      return { command: process.execPath, args, controlled: true }
    },
    (id, child) => {
      children.set(id, child)
      child.stderr!.pipe(process.stderr)
      createInterface({ input: child.stdout! }).on('line', (line) => {
        reports.set(id, JSON.parse(line) as GroupReport)
      })
      child.on('exit', () => reports.delete(id))
    },
  )
  ends.push(async () => processes[Symbol.asyncDispose]())
  for (const id of IDS) await processes.start(id)
  const tell = (id: string, message: object): void => void children.get(id)!.send(message)
  /** Of each group: the leader that all of these processes report, or undefined. */
  const leaders = (ids: readonly string[]): Record<string, string> | undefined => {
    const all = ids.map((id) => reports.get(id)?.leaders)
    const [first, ...rest] = all
    if (first === undefined || Object.keys(first).length < count) return undefined
    const agree = Object.entries(first).every(
      ([group, leader]) => leader !== '' && rest.every((other) => other?.[group] === leader),
    )
    return agree ? first : undefined
  }
  const led = async (ids: readonly string[] = IDS) =>
    until(
      () => {
        const all = leaders(ids)
        const isOver = all !== undefined && Object.values(all).some((id) => !ids.includes(id))
        return isOver ? undefined : all
      },
      `a leader of each group among ${ids.join(', ')}`,
      30_000,
    )
  /** No member takes a step: beats of the connections stand for all heartbeats. */
  const atRest = async (ids: readonly string[] = IDS) =>
    until(() => ids.every((id) => reports.get(id)?.steps === 0), 'rest', 30_000)
  return { processes, mesh, reports, tell, led, atRest }
}

describe('processes with many groups over one port', () => {
  test('have one connection for each pair, and groups in which nothing happens take no steps', async () => {
    const { led, atRest, reports } = await started(60)
    const leaders = await led()
    expect(new Set(Object.values(leaders))).toEqual(new Set(IDS))
    await atRest()
    for (const { counters } of reports.values()) {
      expect(counters['connected']).toBe(2)
      expect(counters['open']).toBe(2)
    }
    // At rest a lease still runs from the last beat that a majority answered.
    for (const { leases } of reports.values()) {
      expect(leases.length).toBe(20)
      expect(Math.min(...leases)).toBeGreaterThan(1000)
      expect(Math.max(...leases)).toBeLessThanOrEqual(2000)
    }
  }, 60_000)

  test('elect new leaders for all groups of a process that is killed, and it follows them when it is back', async () => {
    const { led, atRest, processes } = await started(60)
    const before = await led()
    await atRest()
    await processes.kill('c')
    const after = await led(['a', 'b'])
    expect(Object.values(after)).not.toContain('c')
    const kept = Object.entries(before).filter(([, leader]) => leader !== 'c')
    expect(after).toMatchObject(Object.fromEntries(kept))
    await atRest(['a', 'b'])
    await processes.start('c')
    expect(await led()).toEqual(after)
    await atRest()
  }, 90_000)

  test('a process that was stopped has lost all of its terms before any of its code sees one', async () => {
    const { led, atRest, processes, reports } = await started(30)
    const before = await led()
    await atRest()
    processes.pause('c')
    const after = await led(['a', 'b'])
    expect(Object.values(after)).not.toContain('c')
    processes.resume('c')
    expect(await led()).toEqual(after)
    expect(reports.get('c')!.expired).toEqual([])
    expect(Object.values(before)).toContain('c')
  }, 90_000)

  test('a leader that is cut off from all loses its terms, and from one follower keeps them', async () => {
    const { led, atRest, mesh, reports } = await started(30, { meshed: true })
    const before = await led()
    await atRest()
    mesh!.set('a', 'b', { cut: true })
    await until(() => reports.get('a')!.steps > 0, 'the end of the rest')
    await atRest()
    expect(reports.get('c')!.leaders).toEqual(before)
    mesh!.set('a', 'c', { cut: true })
    const after = await led(['b', 'c'])
    expect(Object.values(after)).not.toContain('a')
    await until(() => reports.get('a')!.leases.length === 0, 'the end of its terms')
    mesh!.heal()
    expect(await led()).toEqual(after)
    expect([...reports.values()].flatMap(({ expired }) => expired)).toEqual([])
  }, 90_000)

  test('groups that keep their own heartbeats elect new leaders after a kill, over one connection for each pair', async () => {
    const { led, processes, reports } = await started(30, { shareHeartbeats: false })
    const before = await led()
    // Long after groups that share heartbeats would rest, each process takes steps in each period.
    await sleep(2500)
    const taken = { a: 0, b: 0, c: 0 }
    for (let i = 0; i < 25; i++) {
      await sleep(50)
      for (const id of ['a', 'b', 'c'] as const) taken[id] += reports.get(id)?.steps ?? 0
    }
    expect(Math.min(...Object.values(taken))).toBeGreaterThan(0)
    for (const { counters } of reports.values()) expect(counters['connected']).toBe(2)
    await processes.kill('c')
    const after = await led(['a', 'b'])
    const kept = Object.entries(before).filter(([, leader]) => leader !== 'c')
    expect(after).toMatchObject(Object.fromEntries(kept))
    await processes.start('c')
    expect(await led()).toEqual(after)
    expect([...reports.values()].flatMap(({ expired }) => expired)).toEqual([])
  }, 90_000)

  test.each([true, false])(
    'links that are cut and healed again and again: never two leaders of a group at once, and all agree in the end (shareHeartbeats: %s)',
    async (shares) => {
      const { mesh, elections, together, areLed } = await inThisProcess(8, shares)
      await until(areLed, 'the first leaders')
      const steps = (): number =>
        elections.reduce((sum, { counters }) => sum + counters['steps'], 0)
      let rested = 0
      for (let round = 0; round < 12; round++) {
        await sleep(700)
        const [before, since] = [steps(), performance.now()]
        await sleep(200) // longer than a period
        const stalled = performance.now() - since > 250 // then timers of members are late, too
        if (steps() === before && !stalled) rested += 1
        const [one, two] = [IDS[round % 3], IDS[(round + 1) % 3]]
        if (round % 4 === 3) mesh.partition([one], [two, IDS[(round + 2) % 3]])
        else mesh.set(one, two, round % 2 === 0 ? { cut: true } : { loss: 0.3 })
        await sleep(150 * (round % 5))
        for (const { current } of elections) current?.remainingMs()
        mesh.heal()
      }
      await until(areLed, 'agreement')
      expect(together).toEqual([])
      expect(rested > 0).toBe(shares)
    },
    90_000,
  )

  test('a group that a process lacks has no member there only, until the process joins it', async () => {
    const { led, atRest, tell, reports } = await started(6)
    await led()
    tell('a', { join: 'extra' })
    tell('b', { join: 'extra' })
    const extra = (id: string): string => reports.get(id)?.leaders['extra'] ?? ''
    // All must be present when a group first starts.
    await until(() => reports.get('a')?.missing['extra'] !== undefined, 'c is missing')
    expect(reports.get('a')!.missing).toEqual({
      extra: expect.stringMatching(
        /^c: .*: its process runs, and has not joined this group$/u,
      ) as string,
    })
    tell('c', { join: 'extra' })
    await until(() => IDS.every((id) => extra(id) !== '' && extra(id) === extra('a')), 'a leader')
    const leader = extra('a')
    tell(leader, { leave: 'extra' })
    const others = IDS.filter((id) => id !== leader)
    await until(() => others.every((id) => others.includes(extra(id))), 'another leader')
    await atRest()
    tell(leader, { join: 'extra' })
    await until(() => extra(leader) === extra(others[0]), 'it follows')
    for (const { counters } of reports.values()) expect(counters['connected']).toBe(2)
  }, 90_000)

  test('a process whose folder was lost after many starts takes part again in each group', async () => {
    const folder = mkdtempSync(joinPath(tmpdir(), 'bellwether-groups-'))
    ends.push(() => rmSync(folder, { recursive: true, force: true }))
    const ports = await freePorts(IDS.length)
    const members = Object.fromEntries(IDS.map((id, i) => [id, `127.0.0.1:${ports[i]}`]))
    const started = async (id: string) => {
      const state = joinPath(folder, id)
      const node = await open({ id, members, state, timing: { detection: '450ms' } })
      ends.push(async () => node.close({ drain: 0 }))
      const elections = await Promise.all(['one', 'two'].map(async (group) => node.join(group)))
      return { node, elections }
    }
    const [, , first] = await Promise.all(IDS.map(started))
    await Promise.all(first.elections.map(async (election) => election.ready()))
    await first.node.close()
    for (let starts = 0; starts < 3; starts++) {
      const { node, elections } = await started('c')
      await Promise.all(elections.map(async (election) => election.ready()))
      await node.close()
    }
    rmSync(joinPath(folder, 'c'), { recursive: true })
    const { elections } = await started('c')
    const signal = AbortSignal.timeout(15_000)
    for (const election of elections) {
      expect(await election.ready({ signal })).toMatchObject({ me: false })
    }
  }, 60_000)
})

test('a process that has closed its node ends, although it serves the status, also to a subscriber', async () => {
  const folder = mkdtempSync(joinPath(tmpdir(), 'bellwether-groups-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  const [port] = await freePorts(1)
  const program = `
    import { get } from 'node:http'
    import { open, StatusServer } from 'bellwether'
    const node = await open({ id: 'a', members: { a: '127.0.0.1:${port}' }, state: process.argv[1] })
    const election = await node.join('invoices')
    const server = await StatusServer.open(node, { listen: '127.0.0.1:0' })
    get('http://' + server.address + '/events?group=invoices', (events) => {
      events.socket.unref()
      events.once('data', async () => {
        await election.ready()
        console.log('leaves')
        await node.close()
      })
    })`
  const args = ['--input-type=module', '-e', program, folder]
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: 'pipe' })
  ends.push(() => child.kill('SIGKILL'))
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (out += text))
  await until(() => out.includes('leaves'), 'the end of the node')
  await until(() => child.exitCode !== null, `the end of the process\n${out}`, 5000)
  expect([child.exitCode, out]).toEqual([0, 'leaves\n'])
})
