/** Tests that what unknown or broken peers send to the plaintext port of a member has no effect. */
import { deepEqual } from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MAX_BODY, frameOf } from '../../src/transports/frame.ts'
import { tcp } from '../../src/transports/tcp/tcp.ts'
import type { Peer } from '../../src/transports/transport.ts'
import { Cluster, eventually, peersOf, turns, type Member } from '../support/transports.ts'
import { Attacker, header, helloOf } from '../../scripts/support/attacker.ts'

let cluster: Cluster
let peers: Peer[]
let a: Member
let b: Member

/** Members a and b with a link between them; c may come. */
beforeEach(async () => {
  cluster = new Cluster()
  peers = await peersOf('a', 'b', 'c')
  const transport = tcp({ limits: { handshakeMs: 500 } })
  a = await cluster.start(transport, 'a', peers)
  b = await cluster.start(transport, 'b', peers)
  a.endpoint.send('b', 'before')
  await b.log.until(() => b.log.frames().length === 1)
  await a.log.until(() => a.log.connections('b').length === 1)
})

/** Whatever was done, the link of those who belong together stands and still delivers. */
afterEach(async () => {
  a.endpoint.send('b', 'after')
  await b.log.until(() => b.log.frames().at(-1) === 'after')
  deepEqual([a.log.losses('b'), b.log.losses('a'), b.log.connections('a')], [[], [], [1]])
  await cluster[Symbol.asyncDispose]()
})

const deep = Buffer.from('['.repeat(MAX_BODY / 2) + ']'.repeat(MAX_BODY / 2))

describe('an unknown dialler', () => {
  test.each([
    ['random bytes', Buffer.from('GET / HTTP/1.1\r\nHost: b\r\n\r\n'), 'oversized'],
    ['a length of zero', header(0), 'malformed'],
    ['a length of 4 GiB', header(0xffff_ffff), 'oversized'],
    ['a negative length', header(-1_000_000), 'oversized'],
    ['a length one above the cap', header(MAX_BODY + 1), 'oversized'],
    ['a frame that is not JSON', frameOf(Buffer.from('{"hello":')), 'malformed'],
    ['a frame that is not UTF-8', frameOf(Buffer.from([0xff, 0xfe])), 'malformed'],
    ['a hello that is null', frameOf(Buffer.from('{"hello":null}')), 'rejected'],
    ['no hello at all', frameOf(Buffer.from('{"type":"coordinator"}')), 'rejected'],
    [
      'a prototype in place of a hello',
      frameOf(Buffer.from('{"__proto__":{"hello":{}}}')),
      'rejected',
    ],
    ['the deepest nesting', frameOf(deep), 'rejected'],
    ['a rejection', frameOf(Buffer.from('{"rejected":{"field":"x","detail":"y"}}')), 'rejected'],
  ])('that sends %s is rejected and counted', async (_, bytes, counter) => {
    const stranger = Attacker.at(b.endpoint.address).send(bytes)
    await stranger.closed
    expect(b.endpoint.counters[counter]).toBe(1)
    expect(b.log.reasons()).toHaveLength(1)
    expect(b.log.frames()).toEqual(['before'])
  })

  test('that sends half a frame and disconnects leaves nothing behind', async () => {
    const before = b.endpoint.counters['bytesReceived']
    const stranger = Attacker.at(b.endpoint.address).send(header(100))
    await eventually(() => b.endpoint.counters['bytesReceived'] === before + 4)
    expect(b.endpoint.counters['abandoned']).toBe(0)
    stranger.leave()
    await eventually(() => b.endpoint.counters['abandoned'] === 1)
    expect(b.log.frames()).toEqual(['before'])
  })

  test.each([
    ['protocol', { protocol: 9, oldest: 9 }],
    ['cluster', { cluster: 'other' }],
    ['security', { security: 'tls' as const }],
    ['configuration', { configuration: 'x'.repeat(10_000) }],
    ['to', { to: 'a' }],
    ['id', { id: 'b' }],
    ['id', { id: 'nobody' }],
    ['id', { id: '__proto__' }],
    ['hello', { incarnation: -1 }],
    ['hello', { incarnation: 2 ** 60 }],
    ['hello', { life: undefined as never }],
  ])(
    'with a wrong %s (case %#) is rejected with the field, and its frames are not read',
    async (field, more) => {
      const stranger = Attacker.at(b.endpoint.address)
      stranger.sendJson(helloOf('c', 'b', more), 'forged')
      await stranger.closed
      expect(stranger.received.subarray(4).toString()).toMatch(`{"rejected":{"field":"${field}"`)
      expect(stranger.received.length).toBeLessThan(400)
      expect(b.log.frames()).toEqual(['before'])
      expect(b.log.connections('c')).toEqual([])
    },
  )

  test('that is a newer member, supports this version and sends unknown fields, is accepted', async () => {
    const more = { protocol: 2, oldest: 1, colour: 'blue' }
    const newer = Attacker.at(b.endpoint.address).sendJson(helloOf('c', 'b', more), 'hello')
    await b.log.until(() => b.log.frames('c').length === 1)
    expect(b.log.connections('c')).toEqual([1])
    newer.leave()
    await b.log.until(() => b.log.losses('c').length === 1)
  })

  test('that claims the id and incarnation of a connected member is rejected while that one is connected', async () => {
    const stranger = Attacker.at(b.endpoint.address)
    stranger.sendJson(helloOf('a', 'b'), 'forged')
    await stranger.closed
    expect(stranger.received.toString()).toContain('another process with this id and incarnation')
    expect(b.log.frames()).toEqual(['before'])
  })

  test('a thousand of them with malformed bytes leave nothing behind', async () => {
    const rubbish = [
      header(0xffff_ffff),
      frameOf(Buffer.from('{')),
      Buffer.alloc(100, 7),
      header(3),
    ]
    for (let i = 0; i < 1000; i += 20) {
      const batch = Array.from({ length: 20 }, (_, k) =>
        Attacker.at(b.endpoint.address).send(rubbish[(i + k) % rubbish.length]),
      )
      await turns(2)
      for (const stranger of batch) stranger.socket.end()
      await Promise.all(batch.map(({ closed }) => closed))
    }
    expect(b.log.frames()).toEqual(['before'])
  })
})

describe('slow handshakes', () => {
  test('×100: at most 32 are pending, the oldest give way, and a member still connects', async () => {
    const slow = Array.from({ length: 100 }, () =>
      Attacker.at(b.endpoint.address).send(header(300)),
    )
    const drip = setInterval(() => slow.forEach((one) => one.send(Buffer.from(' '))), 20)
    try {
      const c = await cluster.start(tcp(), 'c', peers)
      c.endpoint.send('b', 'in the crowd')
      await b.log.until(() => b.log.frames().length === 2)
      await Promise.all(slow.map(({ closed }) => closed))
    } finally {
      clearInterval(drip)
    }
    const { expired, evicted, overCap, abandoned } = b.endpoint.counters
    expect(expired).toBeLessThanOrEqual(32)
    expect(expired + evicted + overCap + abandoned).toBe(100)
    expect(b.log.frames()).toEqual(['before', 'in the crowd'])
  })

  test('400 idle connections are ended, and no more than the cap are held', async () => {
    const idle = Array.from({ length: 400 }, () => Attacker.at(b.endpoint.address))
    await Promise.all(idle.map(({ closed }) => closed))
    const { expired, evicted, overCap, abandoned } = b.endpoint.counters
    expect(expired + evicted + overCap + abandoned).toBe(400)
    expect(expired).toBeLessThanOrEqual(32)
  })
})

describe('a peer that passed the handshake', () => {
  test('and connects again in the same incarnation: the new connection replaces the old', async () => {
    const old = Attacker.at(b.endpoint.address).sendJson(helloOf('c', 'b'))
    await b.log.until(() => b.log.connections('c').length === 1)
    const fresh = Attacker.at(b.endpoint.address).sendJson(helloOf('c', 'b'), 'again')
    await b.log.until(() => b.log.frames('c').length === 1)
    await old.closed
    b.endpoint.send('c', 'to the new one')
    await eventually(() => fresh.received.includes('to the new one'))
    expect(b.log.losses('c')).toEqual([])
    expect(b.log.connections('c')).toEqual([1])
    fresh.leave()
    await b.log.until(() => b.log.losses('c').length === 1)
  })

  test('and sends malformed bytes is disconnected, and may connect again', async () => {
    const broken = Attacker.at(b.endpoint.address).sendJson(helloOf('c', 'b'), 'fine')
    broken.send(frameOf(Buffer.from('{"half":')))
    await broken.closed
    expect(b.log.frames('c')).toEqual(['fine'])
    expect(b.log.losses('c')).toEqual([{ kind: 'closed' }])
    const again = Attacker.at(b.endpoint.address).sendJson(helloOf('c', 'b'), 'again')
    await b.log.until(() => b.log.frames('c').length === 2)
    again.leave()
    await b.log.until(() => b.log.losses('c').length === 2)
  })

  test('and floods is received at the limit; the rest is dropped and counted', async () => {
    const limited = tcp({ limits: { framesPerSecond: 1, burstFrames: 50 } })
    const c = await cluster.start(limited, 'c', peers)
    const flood = Attacker.at(c.endpoint.address).sendJson(helloOf('a', 'c'))
    flood.sendJson(...Array.from({ length: 10_000 }, (_, i) => i))
    await eventually(() => c.log.frames().length + c.endpoint.counters['rateLimited'] === 10_000)
    expect(c.log.frames().length).toBeGreaterThanOrEqual(50)
    expect(c.log.frames().length).toBeLessThan(200)
    flood.leave()
    await c.log.until(() => c.log.losses('a').length === 1)
  })

  test('and floods is read a little at a time, so that other peers are read', async () => {
    const c = await cluster.start(tcp(), 'c', peers)
    const { counters } = c.endpoint
    const flood = Attacker.at(c.endpoint.address).sendJson(helloOf('a', 'c'))
    const frames = Buffer.concat(Array.from({ length: 1000 }, () => frameOf(Buffer.from('"x"'))))
    for (let i = 0; i < 500; i++) flood.send(frames)
    let [busy, idle] = [0, 0]
    while (counters['bytesReceived'] < 1 << 20) {
      const before = counters['bytesReceived']
      await new Promise(setImmediate)
      if (counters['bytesReceived'] === before) idle += 1
      else if (counters['rateLimited'] > 0) busy += 1
    }
    expect(busy).toBeGreaterThan(0)
    expect(idle).toBeGreaterThan(10 * busy)
    flood.leave()
    await c.log.until(() => c.log.losses('a').length === 1)
  })

  test('and reads nothing is sent no more than the queue holds: the oldest are dropped', async () => {
    const deaf = Attacker.at(b.endpoint.address).sendJson(helloOf('c', 'b'))
    deaf.socket.pause()
    await b.log.until(() => b.log.connections('c').length === 1)
    const before = process.memoryUsage().arrayBuffers
    const bulk = 'x'.repeat(MAX_BODY - 100)
    for (let i = 0; i < 2000; i++) b.endpoint.send('c', [i, bulk])
    expect(b.endpoint.counters['queueDropped']).toBeGreaterThan(1000)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20)
    deaf.socket.resume()
    await eventually(() => deaf.received.includes('[1999,'))
    deaf.leave()
    await b.log.until(() => b.log.losses('c').length === 1)
  })
})
