import { describe, expect, test } from 'vitest'
import { Cluster, eventually, peersOf, turns, type Member } from '../../test/support/transports.ts'
import { tcp, type TcpOptions } from '../transports/tcp/tcp.ts'
import { FaultMesh, FaultProxy, type Faults } from './index.ts'

/** A lost or repeated frame is delivered so only without protection: a key ends the connection. */
const PLAIN = { insecurePlaintext: true }
const COUNT = 60
const NUMBERS = Array.from({ length: COUNT }, (_, i) => i)

interface Scene {
  readonly a: Member
  readonly b: Member
  readonly proxy: FaultProxy
}

/** Member a reaches b through a proxy; the link stands. */
async function scene(
  cluster: Cluster,
  options: TcpOptions = PLAIN,
  seed = 1,
): Promise<Scene & AsyncDisposable> {
  const [pa, pb] = await peersOf('a', 'b')
  const proxy = await FaultProxy.open(pb.address, { seed })
  const a = await cluster.start(tcp(options), 'a', [pa, { id: 'b', address: proxy.address }])
  const b = await cluster.start(tcp(options), 'b', [pa, pb])
  a.endpoint.send('b', 'ready?')
  await b.log.until(() => b.log.frames().length === 1)
  b.endpoint.send('a', 'ready')
  await a.log.until(() => a.log.frames().length === 1)
  // The handshake's share of spared frames.
  a.endpoint.send('b', 'go')
  b.endpoint.send('a', 'go')
  await b.log.until(() => b.log.frames().length === 2)
  await a.log.until(() => a.log.frames().length === 2)
  return { a, b, proxy, [Symbol.asyncDispose]: () => proxy.close() }
}

/** Sends the numbers from a to b under the faults, then a last frame without; what b got in between. */
async function receivedUnder(faults: Partial<Faults>, seed = 1): Promise<unknown[]> {
  await using cluster = new Cluster()
  await using it = await scene(cluster, PLAIN, seed)
  it.proxy.there.set(faults)
  for (const i of NUMBERS) it.a.endpoint.send('b', i)
  const { counters } = it.proxy.there
  const before = counters.passed + counters.lost + counters.cut - counters.duplicated
  await eventually(() => {
    const now = counters.passed + counters.lost + counters.cut - counters.duplicated
    return now - before >= COUNT || now >= COUNT + 3
  })
  it.proxy.heal()
  it.a.endpoint.send('b', 'last')
  await it.b.log.until(() => it.b.log.frames().at(-1) === 'last')
  return it.b.log.frames().slice(2, -1)
}

describe('the fault proxy', () => {
  test('without faults passes every frame, in order', async () => {
    expect(await receivedUnder({})).toEqual(NUMBERS)
  })

  test('loses about the configured share of frames and keeps the order of the rest', async () => {
    const got = (await receivedUnder({ loss: 0.5 })) as number[]
    expect(got.length).toBeGreaterThan(COUNT * 0.2)
    expect(got.length).toBeLessThan(COUNT * 0.8)
    expect(got).toEqual(got.toSorted((a, b) => a - b))
  })

  test('duplicates frames', async () => {
    expect(await receivedUnder({ duplicate: 1 })).toEqual(NUMBERS.flatMap((i) => [i, i]))
  })

  test('reorders frames, and loses none', async () => {
    const got = (await receivedUnder({ reorder: 0.5 })) as number[]
    expect(got).not.toEqual(NUMBERS)
    expect(got.toSorted((a, b) => a - b)).toEqual(NUMBERS)
  })

  test('does the same again for the same seed, and something else for another', async () => {
    const runs = await Promise.all([7, 7, 8].map((seed) => receivedUnder({ loss: 0.5 }, seed)))
    expect(runs[0]).toEqual(runs[1])
    expect(runs[0]).not.toEqual(runs[2])
  })

  test('delays frames by at least the configured time', async () => {
    await using cluster = new Cluster()
    await using it = await scene(cluster)
    it.proxy.there.set({ delayMs: [40, 60] })
    const sentMs = performance.now()
    it.a.endpoint.send('b', 'late')
    it.a.endpoint.send('b', 'later')
    await it.b.log.until(() => it.b.log.frames().length === 4)
    expect(performance.now() - sentMs).toBeGreaterThan(39)
    expect(it.b.log.frames().slice(2)).toEqual(['late', 'later'])
  })

  test('a stall holds frames up until it ends; the other direction is not touched', async () => {
    await using cluster = new Cluster()
    await using it = await scene(cluster)
    it.proxy.there.set({ stall: true })
    for (const i of NUMBERS) it.a.endpoint.send('b', i)
    it.b.endpoint.send('a', 'still here')
    await it.a.log.until(() => it.a.log.frames().at(-1) === 'still here')
    expect(it.b.log.frames()).toHaveLength(2)
    it.proxy.heal()
    await it.b.log.until(() => it.b.log.frames().length === COUNT + 2)
    expect(it.b.log.frames().slice(2)).toEqual(NUMBERS)
  })

  test('a one-way cut swallows what is sent and hides the end, and the other way still works', async () => {
    await using cluster = new Cluster()
    await using it = await scene(cluster)
    it.proxy.there.set({ cut: true })
    it.a.endpoint.send('b', 'lost')
    it.b.endpoint.send('a', 'heard')
    await it.a.log.until(() => it.a.log.frames().at(-1) === 'heard')
    await eventually(() => it.proxy.there.counters.cut === 1)
    it.a.endpoint.release('b')
    await turns()
    expect(it.b.log.losses('a')).toEqual([])
    expect(it.b.log.frames()).toHaveLength(2)
    it.proxy.heal()
    await it.b.log.until(() => it.b.log.losses('a').length === 1)
    expect(it.b.log.losses('a')).toEqual([{ kind: 'closed' }])
  })

  test('a connection that it severs is reported closed on both sides, and a refusing proxy refuses', async () => {
    await using cluster = new Cluster()
    await using it = await scene(cluster)
    it.proxy.refuse()
    it.proxy.sever()
    await it.b.log.until(() => it.b.log.losses('a').length === 1)
    await it.a.log.until(() => it.a.log.losses('b').length === 1)
    it.a.endpoint.probe('b')
    await it.a.log.until(() => it.a.log.losses('b').length === 2)
    expect(it.a.log.losses('b')).toEqual([{ kind: 'closed' }, { kind: 'refused' }])
    await it.proxy.listen()
    it.a.endpoint.send('b', 'again')
    await it.b.log.until(() => it.b.log.frames().at(-1) === 'again')
  })

  test('under a pre-shared key no corrupted, repeated or reordered frame is delivered: the link is closed', async () => {
    for (const faults of [{ corrupt: 1 }, { duplicate: 1 }, { reorder: 1 }]) {
      await using cluster = new Cluster()
      await using it = await scene(cluster, { key: 'k'.repeat(32) })
      it.proxy.there.set(faults)
      // A length that was corrupted upward takes many frames to be found out.
      for (let sent = 0; it.b.log.losses('a').length === 0; sent++) {
        it.a.endpoint.send('b', sent)
        await turns(1)
      }
      expect(it.b.log.losses('a')).toEqual([{ kind: 'closed' }])
      const got = it.b.log.frames().slice(2)
      expect(got).toEqual(NUMBERS.slice(0, got.length))
      it.proxy.heal()
      await it.a.log.until(() => it.a.log.losses('b').length > 0)
      it.a.endpoint.send('b', 'healed')
      await it.b.log.until(() => it.b.log.frames().at(-1) === 'healed')
    }
  })
})

describe('the mesh', () => {
  test('cuts the members apart, whichever side dialled, and heals', async () => {
    await using cluster = new Cluster()
    const members = await peersOf('a', 'b', 'c')
    await using mesh = await FaultMesh.open(members)
    const [a, b, c] = await Promise.all(
      members.map(({ id, address }) =>
        cluster.start(tcp(PLAIN), id, mesh.peersFor(id), { at: address }),
      ),
    )
    a.endpoint.send('b', 'from a')
    b.endpoint.send('c', 'from b')
    c.endpoint.send('a', 'from c')
    // Each has dialled one and been dialled by one.
    for (const { log } of [a, b, c]) await log.until(() => log.told.length === 3)
    mesh.partition(['a', 'b'], ['c'])
    a.endpoint.send('c', 'cut')
    c.endpoint.send('b', 'cut')
    b.endpoint.send('a', 'together')
    await a.log.until(() => a.log.frames().length === 2)
    await turns()
    expect([b.log.frames(), c.log.frames()]).toEqual([['from a'], ['from b']])
    mesh.heal()
    a.endpoint.send('c', 'healed')
    await c.log.until(() => c.log.frames().at(-1) === 'healed')
    expect(c.log.frames()).toEqual(['from b', 'healed'])
    expect(() => mesh.set('a', 'x', { loss: 1 })).toThrow(/a and x are not two members/)
  })
})
