/** FAULTS.md with real processes: killed, stopped, cut, started again. Short forms; `npm run soak` is the long one. */
import { afterEach, describe, expect, test } from 'vitest'
import { atMs, expectSound, Herd, isAlive, type Outset } from '../support/fleet.ts'
import { sleep, until } from '../support/wait.ts'

/** Three times as fast as the default, and slow enough for a busy machine. */
const BRISK = ['--detection', '600ms', '--period', '200ms', '--lease', '800ms']
const TRUSTING = [...BRISK, '--trust-refusals']
const ADVISORY = [...BRISK, '--safety', 'advisory']

const herds: Herd[] = []
afterEach(async () => {
  await Promise.all(herds.splice(0).map(async (herd) => herd.close()))
})

async function open(outset: Outset): Promise<Herd> {
  const herd = await Herd.open(outset)
  herds.push(herd)
  return herd
}

describe.each([
  ['quorum', TRUSTING],
  ['advisory', ADVISORY],
])('with safety %s', (safety, flags) => {
  const unique = { unique: safety === 'quorum' }

  test('the leader is killed: a new one, all survivors agree, and the killed one rejoins', async () => {
    const herd = await open({ flags, restart: true })
    const leader = await herd.agreed(() => herd.names)
    herd.fleet.kill(leader)
    await herd.agreed(() => herd.names.filter((name) => name !== leader), leader)
    await until(() => herd.of('exited').length === 1)
    await until(() => herd.of('started').filter(({ node }) => node === leader).length === 2)
    await herd.agreed(() => herd.names)
    expectSound(herd, unique)
  })

  test('a follower is killed: no election', async () => {
    const herd = await open({ members: 3, flags })
    const leader = await herd.agreed()
    await sleep(300)
    const before = herd.entries.length
    herd.fleet.kill(herd.names.find((name) => name !== leader)!)
    await sleep(1000)
    expect(herd.of('elected', before)).toEqual([])
    expect(herd.of('lost', before)).toEqual([])
    expect(await herd.agreed()).toBe(leader)
  })

  test('all are killed and started again: one leader, in a higher term', async () => {
    const herd = await open({ flags })
    await herd.agreed()
    const before = Math.max(...herd.of('elected').map(({ term }) => term))
    for (const name of herd.names) herd.fleet.kill(name)
    await until(() => herd.of('exited').length === 5)
    for (const name of ['c', 'a', 'e', 'b', 'd']) herd.fleet.start(name)
    await until(() => herd.of('started').length === 10)
    await herd.agreed(() => herd.names)
    const after = Math.max(...herd.of('elected').map(({ term }) => term))
    expect(after).toBeGreaterThan(before)
    expectSound(herd, unique)
  })

  test('the leader is stopped for three leases and resumed: others lead, and it loses its term once', async () => {
    const herd = await open({ flags })
    const leader = await herd.agreed()
    await sleep(300)
    const before = herd.entries.length
    herd.fleet.pause(leader)
    await herd.agreed(herd.running(), leader)
    await sleep(2400)
    herd.fleet.resume(leader)
    await until(() => herd.of('lost', before).some(({ node }) => node === leader))
    await herd.agreed()
    const lost = herd.of('lost', before).filter(({ node }) => node === leader)
    expect(lost).toMatchObject([{ reason: 'paused' }])
    expectSound(herd, unique)
  })

  test('SIGTERM on the leader: handed over before anybody could have noticed its silence', async () => {
    const herd = await open({
      flags: [...flags, '--detection', '3s', '--period', '1s', '--lease', '4s'],
    })
    const leader = await herd.agreed()
    await sleep(500)
    const before = herd.entries.length
    herd.fleet.stop(leader)
    await herd.agreed(herd.running(), leader)
    const [lost] = herd.of('lost', before)
    const [elected] = herd.of('elected', before)
    expect(lost).toMatchObject({ node: leader, reason: 'closed' })
    expect(atMs(elected) - atMs(lost)).toBeLessThan(1500)
    await until(() => herd.of('exited', before).length === 1)
    expect(herd.of('exited', before)[0].reason).toBeNull()
  })
})

describe('stalls', () => {
  const flags = ['--detection', '500ms', '--lease', '1s']

  test.each([
    ['quorum', flags],
    ['advisory', [...flags, '--safety', 'advisory']],
  ])('a follower is stopped for 1.2 s, again and again: 0 elections (%s)', async (_, flags) => {
    const herd = await open({ members: 3, flags })
    const leader = await herd.agreed()
    const follower = herd.names.find((name) => name !== leader)!
    await sleep(500)
    const before = herd.entries.length
    for (let i = 0; i < 4; i++) {
      herd.fleet.pause(follower)
      await sleep(1200)
      herd.fleet.resume(follower)
      await sleep(300)
    }
    expect(herd.of('elected', before)).toEqual([])
    expect(herd.of('leader', before)).toEqual([])
    expect(await herd.agreed()).toBe(leader)
  })

  test('the leader is stopped for half a detection time: nothing', async () => {
    const herd = await open({ members: 3, flags: ['--detection', '2s', '--lease', '3s'] })
    const leader = await herd.agreed()
    await sleep(500)
    const before = herd.entries.length
    herd.fleet.pause(leader)
    await sleep(1000)
    herd.fleet.resume(leader)
    await sleep(1500)
    expect(herd.of('elected', before)).toEqual([])
    expect(herd.of('lost', before)).toEqual([])
  })
})

describe('cuts', () => {
  test('the leader is isolated: the majority leads after its lease, and it has stepped down before', async () => {
    const herd = await open({ flags: BRISK })
    const leader = await herd.agreed()
    await sleep(300)
    const before = herd.entries.length
    herd.fleet.isolate(leader)
    const rest = herd.names.filter((name) => name !== leader)
    await herd.agreed(() => rest, leader)
    const lost = await until(() => herd.of('lost', before).find(({ node }) => node === leader))
    const [elected] = herd.of('elected', before)
    expect(lost.reason).toBe('quorum-lost')
    expect(atMs(lost)).toBeLessThan(atMs(elected))
    herd.fleet.heal()
    await herd.agreed(() => herd.names)
    expectSound(herd)
  })

  test('majority and minority: the majority leads, the minority has no leader, and they agree when healed', async () => {
    const herd = await open({ flags: BRISK })
    const leader = await herd.agreed()
    await sleep(300)
    const [other, ...majority] = herd.names.filter((name) => name !== leader)
    const minority = [leader, other]
    for (const a of minority) for (const b of majority) herd.fleet.cut(a, b)
    const next = await herd.agreed(() => majority, leader)
    expect(majority).toContain(next)
    await until(() =>
      minority.every(
        (name) => herd.of('leader').findLast(({ node }) => node === name)?.leader === null,
      ),
    )
    herd.fleet.heal()
    await herd.agreed(() => herd.names)
    expectSound(herd)
  })

  test('partial partition: the strongest sees one of four others; the rest has a leader and keeps it', async () => {
    const herd = await open({ flags: BRISK })
    await herd.agreed()
    await sleep(300)
    for (const other of ['a', 'b', 'c']) herd.fleet.cut('e', other)
    await herd.agreed(() => ['a', 'b', 'c'], 'e')
    await sleep(1500)
    const before = herd.entries.length
    await sleep(3000)
    const churn = herd.of('elected', before)
    expect(churn.length).toBeLessThanOrEqual(1)
    expect(await herd.agreed(() => ['a', 'b', 'c'], 'e')).not.toBe('e')
    expectSound(herd)
  })
})

test('members of a fleet end with it', async () => {
  const herd = await open({ members: 3 })
  await herd.agreed()
  const pids = herd.names.map((name) => herd.fleet.pidOf(name)!)
  herd.fleet.pause('a')
  await herd.fleet.close()
  expect(pids.filter(isAlive)).toEqual([])
})
