/** Tests that what unknown or broken peers send to the plaintext port of a member has no effect. */
import { deepEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/schema.ts'
import { parseAddress } from '../../src/transports/address.ts'
import { MAX_BODY, frameOf, jsonCodec } from '../../src/transports/frame.ts'
import { FaultProxy } from '../../src/testing/index.ts'
import { tcp } from '../../src/transports/tcp/tcp.ts'
import { visit } from '../../src/transports/tcp/visit.ts'
import type { Peer } from '../../src/transports/transport.ts'
import { Cluster, eventually, peersOf, turns, type Member } from '../support/transports.ts'
import { Attacker, CLUSTER, header, helloOf } from '../../scripts/support/attacker.ts'

let cluster: Cluster
let peers: Peer[]
let a: Member
let b: Member

/** Members a and b with a link between them; c may come. */
beforeEach(async () => {
  cluster = new Cluster()
  peers = await peersOf('a', 'b', 'c')
  const transport = tcp({
    insecurePlaintext: true,
    limits: { handshakeMs: 500, pendingHandshakes: 32 },
  })
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

const deep = Buffer.from('['.repeat(2048) + ']'.repeat(2048))

describe('an unknown dialler', () => {
  test.each([
    ['random bytes', Buffer.from('GET / HTTP/1.1\r\nHost: b\r\n\r\n'), 'oversized'],
    ['a length of zero', header(0), 'malformed'],
    ['a length of 4 GiB', header(0xffff_ffff), 'oversized'],
    ['a negative length', header(-1_000_000), 'oversized'],
    ['a length one above the cap of a handshake', header(4097), 'oversized'],
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
    ['configuration', { configuration: 'x'.repeat(3000) }],
    ['configuration', { configuration: 'x', options: { toString: 'a' } }],
    ['configuration', { configuration: 'x', options: JSON.parse('{"__proto__":"a"}') }],
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
      expect(stranger.received.length).toBeLessThan(100) // and nothing about this member
      expect(b.log.frames()).toEqual(['before'])
      expect(b.log.connections('c')).toEqual([])
    },
  )

  test('that is a newer member, supports this version and sends unknown fields, is accepted', async () => {
    const more = { protocol: 3, oldest: 2, colour: 'blue' }
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
    expect(b.log.reasons()).toEqual([
      'id: another process with this id and incarnation is connected',
    ])
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
  test('×100: at most 32 are pending, the others give way, and a member still connects', async () => {
    const slow = Array.from({ length: 100 }, () =>
      Attacker.at(b.endpoint.address).send(header(300)),
    )
    let most = 0
    const drip = setInterval(() => {
      most = Math.max(most, b.endpoint.counters['open'])
      slow.forEach((one) => one.send(Buffer.from(' ')))
    }, 20)
    try {
      const c = await cluster.start(tcp({ insecurePlaintext: true }), 'c', peers)
      c.endpoint.send('b', 'in the crowd')
      await b.log.until(() => b.log.frames().length === 2)
      await Promise.all(slow.map(({ closed }) => closed))
    } finally {
      clearInterval(drip)
    }
    const { expired, evicted, overCap, abandoned } = b.endpoint.counters
    expect(most).toBeLessThanOrEqual(32 + 3)
    expect(expired + evicted + overCap + abandoned).toBe(100)
    expect(b.log.frames()).toEqual(['before', 'in the crowd'])
  })

  test('400 idle connections are ended, and no more than the cap are held', async () => {
    const idle = Array.from({ length: 400 }, () => Attacker.at(b.endpoint.address))
    let most = 0
    const sample = setInterval(() => (most = Math.max(most, b.endpoint.counters['open'])), 5)
    await Promise.all(idle.map(({ closed }) => closed))
    clearInterval(sample)
    const { expired, evicted, overCap, abandoned } = b.endpoint.counters
    expect(expired + evicted + overCap + abandoned).toBe(400)
    expect(most).toBeLessThanOrEqual(32 + 3)
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
    const limited = tcp({
      insecurePlaintext: true,
      limits: { framesPerSecond: 1, burstFrames: 60 },
    })
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
    const c = await cluster.start(tcp({ insecurePlaintext: true }), 'c', peers)
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

test('of 500 of the longest frames of a member, most are not decoded', async () => {
  // A frame of 16 KiB costs as much as 33 short ones.
  const limits = { framesPerSecond: 1, burstFrames: 330 }
  const c = await cluster.start(tcp({ insecurePlaintext: true, limits }), 'c', peers)
  const flood = Attacker.at(c.endpoint.address).sendJson(helloOf('a', 'c'))
  await c.log.until(() => c.log.connections('a').length === 1)
  const frame = frameOf(Buffer.from('['.repeat(MAX_BODY / 2) + ']'.repeat(MAX_BODY / 2)))
  for (let i = 0; i < 500; i++) flood.send(frame)
  const { counters } = c.endpoint
  await eventually(() => c.log.frames('a').length + counters['rateLimited'] === 500)
  expect(c.log.frames('a').length).toBeLessThan(20)
  flood.leave()
  await c.log.until(() => c.log.losses('a').length === 1)
})

/** At the address of c, a listener that answers everything with this frame. */
async function withListener(answer: Json, use: () => Promise<void>): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume()
    socket.end(frameOf(jsonCodec.encode(answer)))
  })
  const { host, port } = parseAddress(peers[2].address)
  await once(server.listen(port, host), 'listening')
  try {
    await use()
  } finally {
    await once(server.close(), 'close')
  }
}

describe('what a listener answers', () => {
  const detail = 'ok\n2026 a leads\u001b[2J\u202e'
  const printed = 'ok\\u{a}2026 a leads\\u{1b}[2J\\u{202e}'
  const rejected = { rejected: { field: 'x\r', detail } }

  test('reaches no log as control characters', async () => {
    await withListener(rejected, async () => {
      b.endpoint.send('c', 1)
      await b.log.until(() => b.log.losses('c').length === 1)
    })
    expect(b.log.losses('c')).toEqual([{ kind: 'rejected', field: 'x\\u{d}', detail: printed }])
  })

  test('reaches no terminal of a visitor as control characters', async () => {
    const visited = { cluster: CLUSTER.cluster, address: peers[2].address, member: 'c' }
    const ask = async (): Promise<Json> =>
      visit({ insecurePlaintext: true }, visited, { ask: 'members' }, 5000)
    await withListener(rejected, async () => {
      await expect(ask()).rejects.toThrow(printed)
    })
    await withListener({ answer: { members: { [detail]: detail } } }, async () => {
      expect(await ask()).toEqual({ members: { [printed]: printed } })
    })
  })
})

test('a crowd of idle connections from another address does not keep out a member that is 50 ms away', async () => {
  const crowd: Attacker[] = []
  const secured = tcp({ key: 'k'.repeat(32), limits: { pendingHandshakes: 8 } })
  await using others = new Cluster()
  const known = await peersOf('d', 'e')
  const d = await others.start(secured, 'd', known)
  await using slow = await FaultProxy.open(d.endpoint.address)
  slow.there.set({ delayMs: [25, 25] })
  slow.back.set({ delayMs: [25, 25] })
  // All eight slots change hands several times within a round trip. More would starve the event loop that all share.
  const arrivals = setInterval(() => {
    for (let i = 0; i < 20; i++) crowd.push(Attacker.at(d.endpoint.address, '127.0.0.9'))
    crowd.splice(0, crowd.length - 200).forEach((one) => one.leave())
  }, 20)
  try {
    await eventually(() => d.endpoint.counters['evicted'] > 0)
    const e = await others.start(secured, 'e', [{ id: 'd', address: slow.address }])
    const startedMs = performance.now()
    e.endpoint.send('d', 'through')
    await d.log.until(() => d.log.frames('e').length === 1)
    expect(performance.now() - startedMs).toBeLessThan(5000)
  } finally {
    clearInterval(arrivals)
    crowd.forEach((one) => one.leave())
  }
})
