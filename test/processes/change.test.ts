/** The procedures of docs/guide/change.md on real processes, each as the page gives it. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { until } from '../../src/testing/wait.ts'
import { atMs, program, TestCluster } from '../../scripts/support/test-cluster.ts'
import { changeTrial } from '../../scripts/campaigns/endure/change-trial.ts'
import { Authority } from '../support/certificates.ts'
import { expectSound } from '../support/expect-sound.ts'

const BRISK = ['--detection', '600ms', '--lease', '800ms']
const GROUP = ['--group', 'cluster']
const call = promisify(execFile)

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folder(): string {
  folders.push(mkdtempSync(join(tmpdir(), 'bellwether-change-')))
  return folders.at(-1)!
}

/** Writes a secret, and returns its path. */
function write(file: string, text: string): string {
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

async function stop(cluster: TestCluster, names: readonly string[]): Promise<void> {
  for (const name of names) cluster.processes.stop(name)
  await until(() => names.every((name) => cluster.processes.conditionOf(name) === 'dead'))
}

/** Each follower starts again, so that its connections are made anew. */
async function restartFollowers(cluster: TestCluster, leader: string): Promise<void> {
  for (const name of cluster.names.filter((other) => other !== leader)) {
    await stop(cluster, [name])
    cluster.processes.start(name)
    expect(await cluster.agreed(() => cluster.names)).toBe(leader)
  }
}

describe('without a moment without a leader', () => {
  test('a shared key is replaced in three steps', async () => {
    const keys = folder()
    const [old, fresh] = [
      'the old key of all members, 0123456789',
      'the new key of all members, 0123456789',
    ]
    const fileOf = (name: string): string => join(keys, `${name}.key`)
    const give = (...lines: string[]): void => {
      for (const name of ['a', 'b', 'c']) write(fileOf(name), `${lines.join('\n')}\n`)
    }
    give(old)
    await using cluster = await TestCluster.open({
      members: 3,
      flags: BRISK,
      protection: [],
      flagsOf: (name) => ['--shared-key', fileOf(name)],
    })
    const leader = await cluster.agreed(() => cluster.names)
    for (const lines of [[old, fresh], [fresh, old], [fresh]]) {
      give(...lines)
      await restartFollowers(cluster, leader)
    }
    expect([cluster.of('lost'), cluster.of('elected').length]).toEqual([[], 1])
    const where = ['--peer', cluster.processes.addresses.get(leader)!, ...GROUP]
    const status = async (key: string) =>
      call(process.execPath, [
        program,
        'status',
        ...where,
        '--shared-key',
        write(join(keys, 'it'), key),
      ])
    await expect(status(old)).rejects.toThrow('it may hold another key')
    expect((await status(fresh)).stdout).toContain(leader)
  })

  test('timing and keys change, and every member restarts after each step: one leader at a time, and terms rise', async () => {
    const { violations, handovers, medianMs } = await changeTrial(1, () => undefined)
    expect(violations).toEqual([])
    // The leader is stopped at least once in each of the five steps.
    expect(handovers).toBeGreaterThanOrEqual(5)
    // On a busy machine; `npm run endure -- changes` measures it.
    expect(medianMs).toBeLessThan(500)
  }, 240_000)

  test('the authority is replaced: first all trust both, then the certificates, then the old one goes', async () => {
    const files = folder()
    const authorities = {
      old: new Authority('old authority'),
      fresh: new Authority('new authority'),
    }
    const trust = (...names: (keyof typeof authorities)[]): string =>
      write(join(files, 'ca.pem'), names.map((name) => authorities[name].certificate).join('\n'))
    const certify = (by: keyof typeof authorities): void => {
      for (const name of ['a', 'b', 'c']) {
        const { certificate, key } = authorities[by].member(name, { group: 'cluster' })
        write(join(files, `${name}.key`), key)
        write(join(files, `${name}.pem`), certificate)
      }
    }
    const ca = trust('old')
    certify('old')
    await using cluster = await TestCluster.open({
      members: 3,
      flags: BRISK,
      protection: ['--ca', ca],
      flagsOf: (name) => [
        '--certificate',
        join(files, `${name}.pem`),
        '--key',
        join(files, `${name}.key`),
      ],
    })
    const leader = await cluster.agreed(() => cluster.names)
    trust('old', 'fresh')
    await restartFollowers(cluster, leader)
    certify('fresh')
    await restartFollowers(cluster, leader)
    trust('fresh')
    await restartFollowers(cluster, leader)
    expect([cluster.of('lost'), cluster.of('elected').length]).toEqual([[], 1])
  })

  test('a member moves to another address: it starts there, and the others learn the address when they start next', async () => {
    const moved = new Set<string>()
    const [port] = await freePorts(1)
    let mover = ''
    await using cluster: TestCluster = await TestCluster.open({
      members: 3,
      flags: BRISK,
      flagsOf: (name) => (moved.has(name) ? ['--members', listWith(mover, port)] : []),
    })
    const listWith = (name: string, at: number): string =>
      [...cluster.processes.addresses]
        .map(([id, address]) => `${id}=${id === name ? `127.0.0.1:${at}` : address}`)
        .join(',')
    const leader = await cluster.agreed(() => cluster.names)
    const [first, other] = cluster.names.filter((name) => name !== leader)
    mover = first
    await stop(cluster, [mover])
    moved.add(mover)
    cluster.processes.start(mover)
    expect(await cluster.agreed(() => cluster.names)).toBe(leader)
    // Its vote counts from there, although no other member knows the address yet.
    await stop(cluster, [other])
    moved.add(other)
    expect(await cluster.agreed(() => [leader, mover])).toBe(leader)
    cluster.processes.start(other)
    expect(await cluster.agreed(() => cluster.names)).toBe(leader)
    expect(cluster.of('lost')).toEqual([])
    await stop(cluster, [leader])
    moved.add(leader)
    await cluster.agreed(() => [mover, other], leader)
    cluster.processes.start(leader)
    await cluster.agreed(() => cluster.names)
    expectSound(cluster)
  })
})

describe('while the whole group is stopped', () => {
  test('the timing is changed: the state stays, and terms go on', async () => {
    let detection = '600ms'
    await using cluster = await TestCluster.open({
      members: 3,
      flags: [],
      flagsOf: () => ['--detection', detection],
    })
    await cluster.agreed(() => cluster.names)
    await stop(cluster, cluster.names)
    const before = cluster.of('elected').at(-1)!
    detection = '900ms'
    for (const name of cluster.names) cluster.processes.start(name)
    await cluster.agreed(() => cluster.names)
    const next = cluster.of('elected').at(-1)!
    expect(next.term).toBeGreaterThan(before.term)
    expect(atMs(next)).toBeGreaterThan(atMs(before))
    expect(cluster.of('refused')).toEqual([])
  })

  test('a majority lost its state: no member leads until all begin anew', async () => {
    await using cluster = await TestCluster.open({ members: 3, flags: BRISK })
    const forget = (name: string): void =>
      readdirSync(cluster.state)
        .filter((file) => file.startsWith(`cluster.${name}.`))
        .forEach((file) => rmSync(join(cluster.state, file)))
    const leader = await cluster.agreed(() => cluster.names)
    const others = cluster.names.filter((name) => name !== leader)
    await stop(cluster, others)
    await until(() => cluster.believes(leader) === null)
    const before = cluster.entries.length
    others.forEach(forget)
    for (const name of others) cluster.processes.start(name)
    await expect(cluster.agreed(() => cluster.names, undefined, 4000)).rejects.toThrow('agreement')
    await stop(cluster, cluster.names)
    expect(cluster.of('elected', before)).toEqual([])
    cluster.names.forEach(forget)
    for (const name of cluster.names) cluster.processes.start(name)
    await cluster.agreed(() => cluster.names)
  })

  test('the list of members is changed: four instead of three', async () => {
    const ports = await freePorts(4)
    let names = ['a', 'b', 'c']
    await using cluster = await TestCluster.open({
      members: 4,
      flags: BRISK,
      flagsOf: () => [
        '--members',
        names.map((name, i) => `${name}=127.0.0.1:${ports[i]}`).join(','),
      ],
    })
    await cluster.agreed(() => names)
    // The list does not have it yet.
    await until(() => cluster.processes.conditionOf('d') === 'dead')
    await stop(cluster, names)
    for (const file of readdirSync(cluster.state).filter((one) => one.endsWith('.state'))) {
      rmSync(join(cluster.state, file))
    }
    names = [...cluster.names]
    for (const name of names) cluster.processes.start(name)
    await cluster.agreed(() => names)
    expect(cluster.of('refused')).toEqual([])
  })
})
