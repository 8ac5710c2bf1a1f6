/** FAULTS.md, what is left of it, with real processes: clocks, disks, versions, hung loops, restarts, crowds. */
import { rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type { FleetOptions } from '../../src/testing/local-cluster.ts'
import type { Entry } from '../../src/index.ts'
import { atMs, expectSound, Herd, type Outset } from '../support/fleet.ts'
import { sleep, until } from '../support/wait.ts'

const BRISK = ['--detection', '600ms', '--period', '200ms', '--lease', '800ms']
const TRUSTING = [...BRISK, '--trust-refusals']

const herds: Herd[] = []
afterEach(async () => {
  await Promise.all(herds.splice(0).map(async (herd) => herd.close()))
})

async function open(outset: Outset): Promise<Herd> {
  const herd = await Herd.open(outset)
  herds.push(herd)
  return herd
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`../support/launch/${name}`, import.meta.url))
}

function signal(herd: Herd, names: readonly string[], kind: NodeJS.Signals): void {
  for (const name of names) process.kill(herd.fleet.pidOf(name)!, kind)
}

const isRoot = process.getuid?.() === 0
if (!isRoot) process.stderr.write('no full disks and no odd clocks: that takes root\n')

describe('clocks', () => {
  test('the wall clock jumps an hour ahead and two hours back: no effect', async () => {
    const launch = (): { node: string[] } => ({ node: ['--import', fileOf('wall-clock.mjs')] })
    const herd = await open({ members: 3, flags: BRISK, launch })
    const leader = await herd.agreed(() => herd.names)
    await sleep(500)
    const before = herd.entries.length
    for (let i = 0; i < 3; i++) {
      signal(herd, herd.names, 'SIGUSR2')
      await sleep(1000)
    }
    expect(herd.entries.slice(before)).toEqual([])
    signal(herd, [leader], 'SIGUSR2')
    herd.fleet.kill(leader)
    await herd.agreed(herd.running(), leader)
    expectSound(herd)
  })

  test.skipIf(!isRoot)(
    'monotonic clocks that differ by days, as those of machines do: no effect',
    async () => {
      const offsets: Record<string, string> = { a: '0', b: '86400', c: '864000' }
      const launch = (name: string): { under: string[] } => ({
        under: ['unshare', '--time', '--monotonic', offsets[name]],
      })
      const herd = await open({ members: 3, flags: BRISK, launch })
      const leader = await herd.agreed(() => herd.names)
      const [first, second] = herd.of('started').map(atMs)
      expect(Math.abs(first - second)).toBeGreaterThan(80_000_000)
      herd.fleet.kill(leader)
      await herd.agreed(herd.running(), leader)
      herd.fleet.start(leader)
      await herd.agreed(() => herd.names)
      expectSound(herd)
    },
  )
})

describe('a main loop that hangs for 2 s', () => {
  const flags = ['--detection', '500ms', '--lease', '700ms']

  type Told = Entry & { readonly aborted: boolean | null }

  test.each(['quorum', 'advisory'])(
    'on the leader: others lead, and it is told with its signal aborted before any callback (%s)',
    async (safety) => {
      const program = fileOf('blocking.mjs')
      const herd = await open({ members: 3, flags: [...flags, '--safety', safety], program })
      const leader = await herd.agreed(() => herd.names)
      await sleep(500)
      const before = herd.entries.length
      signal(herd, [leader], 'SIGUSR2')
      await herd.agreed(() => herd.names.filter((name) => name !== leader), leader)
      await until(() => herd.of('lost', before).length === 1)
      await herd.agreed(() => herd.names)
      const own = (herd.entries.slice(before) as Told[]).filter(({ node }) => node === leader)
      expect(own.find(({ event }) => event !== 'elected')!.aborted).toBe(true)
      expect(own.filter(({ event }) => event === 'lost')).toMatchObject([{ reason: 'paused' }])
      expectSound(herd, { unique: safety === 'quorum' })
    },
  )

  test('on a follower: calm', async () => {
    const herd = await open({ members: 3, flags, program: fileOf('blocking.mjs') })
    const leader = await herd.agreed(() => herd.names)
    await sleep(500)
    const before = herd.entries.length
    signal(herd, [herd.names.find((name) => name !== leader)!], 'SIGUSR2')
    await sleep(3000)
    expect(herd.of('elected', before)).toEqual([])
    expect(herd.of('lost', before)).toEqual([])
    expect(await herd.agreed(() => herd.names)).toBe(leader)
  })
})

describe('disks', () => {
  /** Its state folder is a disk of its own, of 32 KiB. */
  const small = (options: string): string[] => [
    'unshare',
    '--mount',
    'sh',
    '-c',
    `mount -t tmpfs -o ${options} none "$0" && exec "$@"`,
  ]

  test.skipIf(!isRoot)(
    'a member whose disk is full takes no part and never leads, and comes back when there is room',
    async () => {
      let state = ''
      const launch: FleetOptions['launch'] = (name, folder) => {
        state = folder
        return name === 'c' ? { under: [...small('size=32k'), folder] } : {}
      }
      const herd = await open({ members: 3, flags: TRUSTING, launch })
      await herd.agreed(() => herd.names)
      await sleep(300)
      const disk = `/proc/${herd.fleet.pidOf('c')}/root${state}`
      expect(() => writeFileSync(`${disk}/fill`, Buffer.alloc(64 * 1024))).toThrow('ENOSPC')
      const before = herd.entries.length
      // Whoever leads goes: c would have to promise.
      const leader = await herd.agreed()
      if (leader === 'c') herd.fleet.pause('c')
      else herd.fleet.kill(leader)
      const others = ['a', 'b'].filter((name) => name !== leader)
      if (leader === 'c') {
        await herd.agreed(() => others, 'c')
        herd.fleet.resume('c')
      }
      const error = await until(() => herd.of('error', before).find(({ node }) => node === 'c'))
      expect(error.reason).toMatch(/cannot be written \(ENOSPC\): free space on the disk/u)
      await sleep(1500)
      expect(herd.of('elected', before).filter(({ node }) => node === 'c')).toEqual([])
      rmSync(`${disk}/fill`)
      if (herd.fleet.conditionOf(leader) === 'dead') herd.fleet.start(leader)
      await herd.agreed(() => herd.names)
      expectSound(herd)
    },
  )

  test.skipIf(!isRoot)(
    'a member whose disk is read-only does not start, and says why',
    async () => {
      const launch: FleetOptions['launch'] = (_name, folder) => ({
        under: [...small('ro'), folder],
      })
      const herd = await open({ members: 1, launch })
      const [exited] = await until(() => herd.of('exited').length > 0 && herd.of('exited'))
      expect(exited.reason).toMatch(/^bellwether: .*EROFS/u)
      expect(herd.of('elected')).toEqual([])
    },
  )
})

describe('versions and configurations', () => {
  test('a rolling upgrade to the next wire version: always a leader again, and what is new is ignored', async () => {
    const upgraded = new Set<string>()
    const newer = { node: ['--import', fileOf('newer.mjs')] }
    const launch = (name: string): object => (upgraded.has(name) ? newer : {})
    const herd = await open({ members: 3, flags: TRUSTING, launch })
    await herd.agreed(() => herd.names)
    for (const name of herd.names) {
      upgraded.add(name)
      herd.fleet.stop(name)
      await until(() => herd.fleet.conditionOf(name) === 'dead')
      await herd.agreed(herd.running())
      herd.fleet.start(name)
      await herd.agreed(() => herd.names)
    }
    expect(herd.of('refused')).toEqual([])
    expect(herd.of('exited').map(({ reason }) => reason)).toEqual([null, null, null])
    expectSound(herd)
  })

  test.each([
    [['--lease', '900ms'], 'configuration is'],
    [['--group', 'other'], 'cluster is'],
  ])(
    'a member with %j of its own is refused by name, and the others do without it',
    async (own, why) => {
      const herd = await open({
        members: 3,
        flags: BRISK,
        flagsOf: (name) => (name === 'c' ? own : []),
      })
      const leader = await herd.agreed(() => ['a', 'b'])
      expect(['a', 'b']).toContain(leader)
      const refused = await until(() => herd.of('refused').find(({ node }) => node !== 'c'))
      expect(refused).toMatchObject({ peer: 'c' })
      expect(refused.reason).toContain(why)
      expect(herd.believes('c') ?? null).toBeNull()
    },
  )
})

describe('restarts and crowds', () => {
  test('the strongest restarts again and again: a sticky leader stays', async () => {
    const herd = await open({ members: 3, flags: TRUSTING })
    await herd.agreed(() => herd.names)
    if ((await herd.agreed()) === 'c') herd.fleet.kill('c')
    const leader = await herd.agreed(() => ['a', 'b'], 'c')
    const before = herd.entries.length
    for (let i = 0; i < 3; i++) await restart(herd, 'c')
    expect(herd.of('elected', before)).toEqual([])
    expect(await herd.agreed(() => herd.names)).toBe(leader)
  })

  test('the strongest restarts again and again where it may take over: no more often than allowed', async () => {
    const takeover = { after: '200ms', stableFor: '100ms', maxPerHour: 1 }
    const herd = await open({
      members: 3,
      flags: TRUSTING,
      config: { preemption: takeover },
      priorities: { c: 5 },
    })
    await herd.agreed(() => herd.names)
    for (let i = 0; i < 4; i++) await restart(herd, 'c')
    await sleep(800)
    await herd.agreed(() => herd.names)
    // Each leader hands over once an hour at most, and there are two that can.
    const handed = herd.of('lost').filter(({ reason }) => reason === 'stepped-down')
    expect(handed.length).toBeLessThanOrEqual(2)
    expectSound(herd)
  })

  async function restart(herd: Herd, name: string): Promise<void> {
    herd.fleet.kill(name)
    await until(() => herd.fleet.conditionOf(name) === 'dead')
    const before = herd.entries.length
    herd.fleet.start(name)
    await until(() => herd.of('started', before).some(({ node }) => node === name))
    await herd.agreed(() => herd.names)
    await sleep(400)
  }

  test('the leader is killed, and whoever stands next a moment later: converges', async () => {
    const herd = await open({ members: 5, flags: TRUSTING, restart: true })
    for (const laterMs of [0, 2, 5]) {
      const leader = await herd.agreed(() => herd.names)
      const next = herd.names.findLast((name) => name !== leader)!
      herd.fleet.kill(leader)
      await sleep(laterMs)
      herd.fleet.kill(next)
      const rest = herd.names.filter((name) => name !== leader && name !== next)
      await until(() => rest.every((name) => rest.includes(herd.believes(name) ?? '')))
      await until(() => herd.running()().length === 5)
      await herd.agreed(() => herd.names)
    }
    expectSound(herd)
  })
})
