/** The faults of docs/guide/faults.md on real processes: clocks, disks, versions, blocked event loops, restarts. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { Namespaces } from '../../src/testing/namespaces.ts'
import type { LocalClusterOptions } from '../../src/testing/local-cluster.ts'
import type { EventRecord } from '../../src/index.ts'
import { atMs, program, TestCluster } from '../../scripts/support/test-cluster.ts'
import { expectSound } from '../support/expect-sound.ts'
import { until } from '../../src/testing/wait.ts'

const BRISK = ['--detection', '600ms', '--period', '200ms', '--lease', '800ms']
const TRUSTING = [...BRISK, '--trust-refusals']

function fileOf(name: string): string {
  return fileURLToPath(new URL(`../support/launch/${name}`, import.meta.url))
}

function signal(cluster: TestCluster, names: readonly string[], kind: NodeJS.Signals): void {
  for (const name of names) process.kill(cluster.processes.pidOf(name)!, kind)
}

const noNetworks = Namespaces.whyUnavailable()
const isRoot = process.getuid?.() === 0
if (!isRoot) process.stderr.write('no full disks and no odd clocks: that takes root\n')

describe('clocks', () => {
  test('the wall clock jumps: back has no effect; ahead ends the lease of the leader, as a pause of its machine would', async () => {
    const launch = (): { node: string[] } => ({ node: ['--import', fileOf('wall-clock.mjs')] })
    await using cluster = await TestCluster.open({ members: 3, flags: BRISK, launch })
    const ahead = async (): Promise<void> => {
      const leader = await cluster.agreed(() => cluster.names)
      await sleep(500)
      const before = cluster.entries.length
      signal(cluster, cluster.names, 'SIGUSR2')
      await until(() => cluster.of('lost', before).length > 0, 'the end of the lease')
      expect(cluster.of('lost', before)).toMatchObject([{ node: leader, reason: 'paused' }])
    }
    await ahead()
    const leader = await cluster.agreed(() => cluster.names)
    await sleep(500)
    const before = cluster.entries.length
    signal(cluster, cluster.names, 'SIGUSR2')
    await sleep(1000)
    expect(cluster.entries.slice(before)).toEqual([])
    await ahead()
    signal(cluster, [leader], 'SIGUSR2')
    cluster.processes.kill(leader)
    await cluster.agreed(cluster.running(), leader)
    expectSound(cluster)
  })

  test.skipIf(noNetworks !== undefined)(
    'a leader whose machine was suspended, and that wakes before its network, has lost its term',
    async () => {
      using net = Namespaces.open(['a', 'b', 'c'])
      const launch = (): { node: string[] } => ({ node: ['--import', fileOf('suspended.mjs')] })
      await using cluster = await TestCluster.open({ members: 3, network: net, launch })
      const leader = await cluster.agreed(() => cluster.names)
      const others = cluster.names.filter((name) => name !== leader)
      await sleep(1000)
      net.partition(others)
      cluster.processes.pause(leader)
      await cluster.agreed(() => others, leader)
      cluster.processes.resume(leader)
      const resumedAt = performance.now()
      const lost = await until(() => cluster.of('lost')[0], 'the end of the term')
      expect(lost).toMatchObject({ node: leader, reason: 'paused' })
      // Its clock has counted less than half of its lease of 2 s.
      expect(performance.now() - resumedAt).toBeLessThan(800)
    },
  )

  test.skipIf(!isRoot)(
    'monotonic clocks that differ by days, as those of machines do: no effect',
    async () => {
      const offsets: Record<string, string> = { a: '0', b: '86400', c: '864000' }
      const launch = (name: string): { under: string[] } => ({
        under: ['unshare', '--time', '--monotonic', offsets[name]],
      })
      await using cluster = await TestCluster.open({ members: 3, flags: BRISK, launch })
      const leader = await cluster.agreed(() => cluster.names)
      const [first, second] = cluster.of('started').map(atMs)
      expect(Math.abs(first - second)).toBeGreaterThan(80_000_000)
      cluster.processes.kill(leader)
      await cluster.agreed(cluster.running(), leader)
      cluster.processes.start(leader)
      await cluster.agreed(() => cluster.names)
      expectSound(cluster)
    },
  )
})

describe('a main loop that hangs for 2 s', () => {
  const flags = ['--detection', '500ms', '--lease', '700ms']

  type Told = EventRecord & { readonly aborted: boolean | null }

  test.each(['quorum', 'advisory'])(
    'on the leader: others lead, and its signal is aborted before any callback runs (%s)',
    async (safety) => {
      const program = fileOf('blocking.mjs')
      await using cluster = await TestCluster.open({
        members: 3,
        flags: [...flags, '--safety', safety],
        program,
      })
      const leader = await cluster.agreed(() => cluster.names)
      await sleep(500)
      const before = cluster.entries.length
      signal(cluster, [leader], 'SIGUSR2')
      await cluster.agreed(() => cluster.names.filter((name) => name !== leader), leader)
      await until(() => cluster.of('lost', before).length === 1)
      await cluster.agreed(() => cluster.names)
      const own = (cluster.entries.slice(before) as Told[]).filter(({ node }) => node === leader)
      expect(own.find(({ event }) => event !== 'elected')!.aborted).toBe(true)
      expect(own.filter(({ event }) => event === 'lost')).toMatchObject([{ reason: 'paused' }])
      expectSound(cluster, { unique: safety === 'quorum' })
    },
  )

  test('on a follower: calm', async () => {
    await using cluster = await TestCluster.open({
      members: 3,
      flags,
      program: fileOf('blocking.mjs'),
    })
    const leader = await cluster.agreed(() => cluster.names)
    await sleep(500)
    const before = cluster.entries.length
    signal(cluster, [cluster.names.find((name) => name !== leader)!], 'SIGUSR2')
    await sleep(3000)
    expect(cluster.of('elected', before)).toEqual([])
    expect(cluster.of('lost', before)).toEqual([])
    expect(await cluster.agreed(() => cluster.names)).toBe(leader)
  })
})

describe('disks', () => {
  /** Its state folder is a disk of its own, of 32 KiB, with the key of the group in it. */
  const small = (options: string): string[] => [
    'unshare',
    '--mount',
    'sh',
    '-c',
    `key=$(mktemp) && cp -p "$0/cluster.key" "$key" 2>/dev/null
    mount -t tmpfs -o mode=700,size=32k none "$0" && mv "$key" "$0/cluster.key" &&
    mount -o remount,${options} "$0" && exec "$@"`,
  ]

  test.skipIf(!isRoot)(
    'a member whose disk is full votes and leads on: its state file has its room already',
    async () => {
      let state = ''
      const launch: LocalClusterOptions['launch'] = (name, folder) => {
        state = folder
        return name === 'c' ? { under: [...small('size=32k'), folder] } : {}
      }
      await using cluster = await TestCluster.open({ members: 3, flags: TRUSTING, launch })
      const leader = await cluster.agreed(() => cluster.names)
      await sleep(300)
      const disk = `/proc/${cluster.processes.pidOf('c')}/root${state}`
      expect(() => writeFileSync(`${disk}/fill`, Buffer.alloc(64 * 1024))).toThrow('ENOSPC')
      // Of the two that are left, c has to vote.
      const other = leader === 'c' ? 'b' : leader
      cluster.processes.kill(other)
      if (leader === 'c') signal(cluster, ['c'], 'SIGSTOP')
      await sleep(2000)
      if (leader === 'c') signal(cluster, ['c'], 'SIGCONT')
      await cluster.agreed(cluster.running())
      expect(cluster.of('error')).toEqual([])
      expectSound(cluster)
    },
  )

  test.skipIf(!isRoot)(
    'a member whose disk is full when it starts may start later: exit code 4',
    () => {
      const state = mkdtempSync(join(tmpdir(), 'bellwether-full-'))
      try {
        const fill = `head -c 65536 /dev/zero > "$0/fill"; exec "$@"`
        const node = [process.execPath, program, 'node', '--id', 'a', '--members', 'a=127.0.0.1:0']
        const filled = [...small('size=32k'), state, 'sh', '-c', fill, state, ...node]
        const [command, ...args] = [...filled, '--state', state]
        const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
        expect(stderr).toMatch(
          /a\.state\.lock: cannot be created \(ENOSPC\): free space on the disk, and start this member again/u,
        )
        expect(status).toBe(4)
      } finally {
        rmSync(state, { recursive: true })
      }
    },
  )

  test('a disk that takes 500 ms for each sync: members elect; status, log and doctor show how slow it is', async () => {
    const node = ['--import', fileOf('slow-disk.mjs')]
    await using cluster = await TestCluster.open({
      members: 3,
      flags: ['--http', '127.0.0.1:0'],
      launch: () => ({ node, under: ['env', 'SYNC_MS=500'] }),
    })
    const first = await cluster.agreed(() => cluster.names, undefined, 60_000)
    const before = cluster.entries.length
    await sleep(4000)
    expect(cluster.of('lost', before)).toEqual([])
    const where = ['--state', cluster.state, '--group', 'cluster', '--json']
    const call = (...args: string[]): string =>
      spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' }).stdout
    const states = JSON.parse(call('status', ...where)) as { slowestWriteMs: number }[]
    for (const { slowestWriteMs } of states) expect(slowestWriteMs).toBeGreaterThanOrEqual(500)
    const told = cluster.of('error').map(({ reason }) => reason)
    expect(told.length).toBeGreaterThanOrEqual(2) // a majority wrote a vote
    for (const text of told) {
      expect(text).toMatch(/\.state: a durable write took \d+ ms.*elections are slow/u)
    }
    cluster.processes.kill(first)
    await cluster.agreed(cluster.running(), first, 60_000)
    expectSound(cluster)
  })

  test('a disk that is too slow for any leader is named by doctor, with the limit', () => {
    const state = mkdtempSync(join(tmpdir(), 'bellwether-slow-'))
    try {
      const args = ['doctor', '--id', 'a', '--members', 'a=127.0.0.1:1', '--state', state]
      args.push('--observe', '1s', '--json')
      const node = ['--import', fileOf('slow-disk.mjs'), program, ...args]
      const env = { ...process.env, SYNC_MS: '700' }
      const { stdout } = spawnSync(process.execPath, node, { encoding: 'utf8', env })
      const found = JSON.parse(stdout) as { check: string }[]
      expect(found.find(({ check }) => check === 'timing')).toMatchObject({
        ok: false,
        detail: expect.stringMatching(
          /use a timing\.detection of (?:17|18|19|20)\d\d ms or more \(it is 1500 ms\)/u,
        ),
      })
      expect(found.find(({ check }) => check === 'disk')).toMatchObject({
        ok: false,
        detail: expect.stringMatching(
          /with a lease of 2000 ms no member can lead .*limit is 600 ms/u,
        ),
      })
    } finally {
      rmSync(state, { recursive: true })
    }
  })

  test('a process with too many open files says so, and not that the lock or the votes are gone', () => {
    const script = `
      import { openSync, mkdtempSync } from 'node:fs'
      import { FileStore } from '${new URL('../../dist/stores/file.js', import.meta.url).href}'
      const folder = mkdtempSync('${tmpdir()}/bellwether-files-')
      const store = new FileStore(folder + '/a.state', { cluster: 'g', member: 'a' })
      store.write({ incarnation: 1, state: {} })
      const write = () => {
        try {
          store.write({ incarnation: 2, state: {} })
        } catch (error) {
          console.log(error.message)
        }
      }
      try {
        for (;;) openSync('/dev/null')
      } catch {
        write()
      }`
    const node = [process.execPath, '--input-type=module', '--eval', script]
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -n 60 && exec "$0" "$@"', ...node], {
      encoding: 'utf8',
    })
    expect(stdout).toMatch(
      /cannot be (?:read|written) \(EMFILE\): this process has too many open files/u,
    )
    expect(stdout).not.toContain('gone')
  })

  test.skipIf(!isRoot)(
    'a member whose disk is read-only does not start, and says why',
    async () => {
      const launch: LocalClusterOptions['launch'] = (_name, folder) => ({
        under: [...small('ro'), folder],
      })
      await using cluster = await TestCluster.open({ members: 1, launch, protection: [] })
      const [exited] = await until(() => cluster.of('exited').length > 0 && cluster.of('exited'))
      expect(exited.reason).toMatch(/^bellwether: .*EROFS/u)
      expect(cluster.of('elected')).toEqual([])
    },
  )
})

describe('versions and configurations', () => {
  test('a rolling upgrade to the next wire version: always a leader again, and what is new is ignored', async () => {
    const upgraded = new Set<string>()
    const newer = { node: ['--import', fileOf('newer.mjs')] }
    const launch = (name: string): object => (upgraded.has(name) ? newer : {})
    await using cluster = await TestCluster.open({ members: 3, flags: TRUSTING, launch })
    await cluster.agreed(() => cluster.names)
    for (const name of cluster.names) {
      upgraded.add(name)
      cluster.processes.stop(name)
      await until(() => cluster.processes.conditionOf(name) === 'dead')
      await cluster.agreed(cluster.running())
      cluster.processes.start(name)
      await cluster.agreed(() => cluster.names)
    }
    expect(cluster.of('refused')).toEqual([])
    expect(cluster.of('exited').map(({ reason }) => reason)).toEqual([null, null, null])
    expectSound(cluster)
  })

  test.each([
    [['--lease', '900ms'], /^timing\.lease is "800 ms" at [ab] and "900 ms" at c$/u],
    [['--group', 'other'], /^cluster is "[^"]+" at [ab] and "other" at c$/u],
  ])(
    'a member with %j of its own is refused, with both values, and the others do without it',
    async (own, why) => {
      await using cluster = await TestCluster.open({
        members: 3,
        flags: [...BRISK, '--founding', 'majority'],
        flagsOf: (name) => (name === 'c' ? own : []),
      })
      const leader = await cluster.agreed(() => ['a', 'b'])
      expect(['a', 'b']).toContain(leader)
      const refused = await until(() => cluster.of('refused').find(({ node }) => node !== 'c'))
      expect(refused).toMatchObject({ peer: 'c' })
      expect(refused.reason).toMatch(why)
      expect(cluster.believes('c') ?? null).toBeNull()
    },
  )
})

describe('restarts and crowds', () => {
  test('the strongest restarts again and again: a sticky leader stays', async () => {
    await using cluster = await TestCluster.open({ members: 3, flags: TRUSTING })
    await cluster.agreed(() => cluster.names)
    if ((await cluster.agreed()) === 'c') cluster.processes.kill('c')
    const leader = await cluster.agreed(() => ['a', 'b'], 'c')
    const before = cluster.entries.length
    for (let i = 0; i < 3; i++) await restart(cluster, 'c')
    expect(cluster.of('elected', before)).toEqual([])
    expect(await cluster.agreed(() => cluster.names)).toBe(leader)
  })

  test('the strongest restarts again and again where it may take over: no more often than allowed', async () => {
    const takeover = { after: '200ms', stableFor: '100ms', maxPerHour: 1 }
    await using cluster = await TestCluster.open({
      members: 3,
      flags: TRUSTING,
      config: { preemption: takeover },
      priorities: { c: 5 },
    })
    await cluster.agreed(() => cluster.names)
    for (let i = 0; i < 4; i++) await restart(cluster, 'c')
    await sleep(800)
    await cluster.agreed(() => cluster.names)
    // Each leader hands over once an hour at most, and there are two that can.
    const handed = cluster.of('lost').filter(({ reason }) => reason === 'stepped-down')
    expect(handed.length).toBeLessThanOrEqual(2)
    expectSound(cluster)
  })

  async function restart(cluster: TestCluster, name: string): Promise<void> {
    cluster.processes.kill(name)
    await until(() => cluster.processes.conditionOf(name) === 'dead')
    const before = cluster.entries.length
    cluster.processes.start(name)
    await until(() => cluster.of('started', before).some(({ node }) => node === name))
    await cluster.agreed(() => cluster.names)
    await sleep(400)
  }

  test('the leader is killed, and the next candidate a moment later: all agree on one leader', async () => {
    await using cluster = await TestCluster.open({ members: 5, flags: TRUSTING, restart: true })
    for (const laterMs of [0, 2, 5]) {
      const leader = await cluster.agreed(() => cluster.names)
      const next = cluster.names.findLast((name) => name !== leader)!
      cluster.processes.kill(leader)
      await sleep(laterMs)
      cluster.processes.kill(next)
      const rest = cluster.names.filter((name) => name !== leader && name !== next)
      await until(() => rest.every((name) => rest.includes(cluster.believes(name) ?? '')))
      await until(() => cluster.running()().length === 5)
      await cluster.agreed(() => cluster.names)
    }
    expectSound(cluster)
  })
})
