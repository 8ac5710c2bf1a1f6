/** Tests that an attacker without the pre-shared key delivers no frame, not even from recorded sessions. */
import { deepEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/schema.ts'
import { parseAddress } from '../../src/transports/address.ts'
import { frameOf, jsonCodec } from '../../src/transports/frame.ts'
import { NoiseHandshake } from '../../src/transports/tcp/security/noise.ts'
import { HANDSHAKE_VERSION, PROLOGUE } from '../../src/transports/tcp/security/pre-shared-key.ts'
import { tcp } from '../../src/transports/tcp/tcp.ts'
import { FaultProxy } from '../../src/testing/index.ts'
import type { Peer } from '../../src/transports/transport.ts'
import { Cluster, eventually, peersOf, turns, type Member } from '../support/transports.ts'
import { Attacker, helloOf, Recorder } from '../../scripts/support/attacker.ts'

const KEY = 'a key that all of the members hold'
const transport = tcp({ key: KEY })

let cluster: Cluster
let peers: Peer[]
let a: Member
let b: Member

beforeEach(async () => {
  cluster = new Cluster()
  peers = await peersOf('a', 'b', 'c')
  a = await cluster.start(transport, 'a', peers)
  b = await cluster.start(transport, 'b', peers)
  a.endpoint.send('b', 'before')
  await b.log.until(() => b.log.frames().length === 1)
  await a.log.until(() => a.log.connections('b').length === 1)
})

afterEach(async () => {
  a.endpoint.send('b', 'after')
  await b.log.until(() => b.log.frames('a').at(-1) === 'after')
  deepEqual([a.log.losses('b'), b.log.losses('a'), b.log.connections('a')], [[], [], [1]])
  await cluster[Symbol.asyncDispose]()
})

test('members with different keys do not connect: the dialler suspects the key, the listener counts it', async () => {
  const c = await cluster.start(tcp({ key: 'another key of thirty-two bytes.' }), 'c', peers)
  c.endpoint.send('b', 'forged')
  await c.log.until(() => c.log.losses('b').length === 1)
  expect(c.log.losses('b')).toMatchObject([{ kind: 'unreachable', suspicion: { field: 'key' } }])
  expect(b.log.reasons()[0]).toMatch(/^key: a dialler did not prove the key/)
  expect([b.log.frames('c'), b.log.losses('c')]).toEqual([[], []])
})

test('a member without a key, and one with a key, do not connect', async () => {
  const c = await cluster.start(tcp({ insecurePlaintext: true }), 'c', peers)
  c.endpoint.send('b', 'forged')
  await c.log.until(() => c.log.losses('b').length === 1)
  b.endpoint.send('c', 'for whom?')
  await b.log.until(() => b.log.losses('c').length > 0)
  expect([b.log.frames('c'), c.log.frames('b')]).toEqual([[], []])
})

describe('keys', () => {
  const [old, fresh] = ['the first key of the members 0123', 'the second key of the members 45']

  test('are replaced in three steps, and members of neighbouring steps connect', async () => {
    const steps = [[old], [old, fresh], [fresh, old], [fresh]]
    for (let step = 0; step + 1 < steps.length; step++) {
      await using others = new Cluster()
      const known = await peersOf('d', 'e')
      const [d, e] = await Promise.all(
        known.map(({ id }, k) => others.start(tcp({ key: steps[step + k] }), id, known)),
      )
      d.endpoint.send('e', 1)
      await e.log.until(() => e.log.frames('d').length === 1)
      e.endpoint.release('d')
      await d.log.until(() => d.log.losses('e').length === 1)
      e.endpoint.send('d', 2)
      await d.log.until(() => d.log.frames('e').length === 1)
      expect([d.log.frames(), e.log.frames()]).toEqual([[2], [1]])
    }
  })

  test('in a file are read again when it changes, and white space at their end does not count', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bellwether-keys-'))
    try {
      const file = join(folder, 'key')
      writeFileSync(file, `${old} \r\n`)
      await using others = new Cluster()
      const known = await peersOf('d', 'e', 'f')
      const d = await others.start(tcp({ keyFile: file }), 'd', known)
      const e = await others.start(tcp({ key: old }), 'e', known)
      e.endpoint.send('d', 1)
      await d.log.until(() => d.log.frames('e').length === 1)
      writeFileSync(file, `${fresh}\n${old}\n`)
      const f = await others.start(tcp({ key: `${fresh}\n` }), 'f', known)
      f.endpoint.send('d', 2)
      await d.log.until(() => d.log.frames('f').length === 1)
      writeFileSync(file, 'short')
      e.endpoint.release('d')
      e.endpoint.send('d', 3)
      await d.log.until(() => d.log.frames('e').length === 2)
      expect(d.log.reasons()).toEqual([expect.stringMatching(/key has 5 bytes and needs 32/)])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** The first message of a handshake, made with this key. */
function firstMessage(key: Buffer, introduction: Json): Buffer {
  const payload = jsonCodec.encode(introduction)
  const message = new NoiseHandshake('dialler', key, PROLOGUE).write(payload)
  return frameOf(Buffer.concat([Buffer.from([HANDSHAKE_VERSION]), message]))
}

describe('an attacker', () => {
  const hello = helloOf('c', 'b', { security: 'psk' })
  test.each<[string, Buffer]>([
    ['a hello in plaintext', frameOf(jsonCodec.encode(hello))],
    ['a first message that was made with another key', firstMessage(Buffer.alloc(32, 7), hello)],
    ['a first message of another version', frameOf(Buffer.alloc(80, 9))],
    ['a first message that is cut', frameOf(Buffer.from([HANDSHAKE_VERSION, 1, 2, 3]))],
    ['random bytes', frameOf(Buffer.from([HANDSHAKE_VERSION, ...Buffer.alloc(200, 0xa5)]))],
    ['a request of the web', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('that sends %s receives nothing, and its connection ends', async (_, bytes) => {
    const attacker = Attacker.at(b.endpoint.address).send(bytes)
    await attacker.closed
    expect(attacker.received).toHaveLength(0)
    expect(b.log.connections('c')).toEqual([])
    expect(b.log.losses('c')).toEqual([])
  })

  test('that listens at the address of a member learns no name, and gets no frame', async () => {
    const heard: Buffer[] = []
    const server = createServer((socket) => {
      socket.on('data', (chunk: Buffer) => heard.push(chunk))
      setTimeout(() => socket.end(frameOf(Buffer.alloc(80, 1))), 20)
    })
    const { host, port } = parseAddress(peers[2].address)
    await once(server.listen(port, host), 'listening')
    a.endpoint.send('c', 'secret')
    await a.log.until(() => a.log.losses('c').length > 0)
    await once(server.close(), 'close')
    const text = Buffer.concat(heard).toString('latin1')
    expect(text.length).toBeGreaterThan(100)
    for (const word of ['secret', 'test', 'c0ffee', '"a"']) expect(text).not.toContain(word)
  })

  test('that sends a recorded first message again receives nothing', async () => {
    await using recorder = await Recorder.open(b.endpoint.address)
    const seen = peers.map((peer) =>
      peer.id === 'b' ? { id: 'b', address: recorder.address } : peer,
    )
    const c = await cluster.start(transport, 'c', seen)
    c.endpoint.probe('b')
    await b.log.until(() => b.log.connections('c').length === 1)
    const replay = Attacker.at(b.endpoint.address).send(recorder.bytes[0])
    await replay.closed
    expect(replay.received).toHaveLength(0)
    expect(b.log.connections('c')).toHaveLength(1)
  })

  test('that replays a whole recorded session is rejected', async () => {
    await using recorder = await Recorder.open(b.endpoint.address)
    const seen = peers.map((peer) =>
      peer.id === 'b' ? { id: 'b', address: recorder.address } : peer,
    )
    const c = await cluster.start(transport, 'c', seen)
    c.endpoint.send('b', 'I lead')
    await b.log.until(() => b.log.frames('c').length === 1)
    await c.endpoint.close()
    await b.log.until(() => b.log.losses('c').length === 1)
    const replay = Attacker.at(b.endpoint.address).send(Buffer.concat(recorder.bytes))
    await replay.closed
    expect(b.log.frames('c')).toEqual(['I lead'])
    expect(b.log.connections('c')).toHaveLength(1)
  })

  test('that inserts a forged or an old frame ends the session, and the frame is not delivered', async () => {
    for (const forged of ['"forged"', undefined]) {
      await using recorder = await Recorder.open(b.endpoint.address)
      await using others = new Cluster()
      const seen = peers.map((peer) =>
        peer.id === 'b' ? { id: 'b', address: recorder.address } : peer,
      )
      const c = await others.start(transport, 'c', seen, { at: '127.0.0.1:0' })
      const before = b.log.frames('c').length
      const losses = b.log.losses('c').length
      c.endpoint.send('b', 'I lead')
      await b.log.until(() => b.log.frames('c').length === before + 1)
      const body = Buffer.alloc(20, forged ?? '')
      const old = recorder.bytes.at(-1)!
      recorder.inject(
        forged === undefined ? old : Buffer.concat([Buffer.from([0, 0, 0, 20]), body]),
      )
      await b.log.until(() => b.log.losses('c').length > losses)
      expect(b.log.frames('c')).toHaveLength(before + 1)
      expect(b.endpoint.counters['forged']).toBeGreaterThan(0)
    }
  })

  test('in the middle can only cut the connection', async () => {
    await using proxy = await FaultProxy.open(b.endpoint.address)
    const seen = peers.map((peer) => (peer.id === 'b' ? { id: 'b', address: proxy.address } : peer))
    const c = await cluster.start(transport, 'c', seen)
    c.endpoint.send('b', 'hello')
    await b.log.until(() => b.log.frames('c').length === 1)
    proxy.sever()
    await b.log.until(() => b.log.losses('c').length === 1)
    expect(b.log.losses('c')).toEqual([{ kind: 'closed' }])
    await turns()
  })
})

describe('an incarnation', () => {
  test('that leaps is refused, and the real member stays connected', async () => {
    const c = await cluster.start(transport, 'c', peers, { incarnation: 5 })
    c.endpoint.send('b', 'real')
    await b.log.until(() => b.log.frames('c').length === 1)
    for (const incarnation of [5000, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
      const other = { at: '127.0.0.1:0', incarnation }
      const impostor = await cluster.start(transport, 'c', peers, other)
      impostor.endpoint.send('b', 'forged')
      await impostor.log.until(() => impostor.log.losses('b').length > 0)
      expect(impostor.log.losses('b')[0]).toMatchObject({ kind: 'rejected', field: 'incarnation' })
    }
    c.endpoint.send('b', 'still here')
    await b.log.until(() => b.log.frames('c').length === 2)
    expect([b.log.connections('c'), b.log.losses('c')]).toEqual([[5], []])
  })

  test('that was connected for long, and is silent now, still excludes earlier ones', async () => {
    const known = await peersOf('d', 'e')
    const d = await cluster.start(tcp({ key: KEY, limits: { incarnationMs: 700 } }), 'd', known)
    const e = await cluster.start(transport, 'e', known, { incarnation: 5 })
    e.endpoint.send('d', 1)
    await d.log.until(() => d.log.connections('e').length === 1)
    await delay(1000)
    d.endpoint.release('e') // as after a verdict of its detector
    await e.endpoint.close()
    const earlier = await cluster.start(transport, 'e', known, { at: '127.0.0.1:0' })
    earlier.endpoint.send('d', 2)
    await earlier.log.until(() => earlier.log.losses('d').length > 0)
    expect(earlier.log.losses('d')[0]).toMatchObject({ field: 'incarnation' })
    expect(d.log.connections('e')).toEqual([5])
  })

  test('that was seen long ago does not exclude the member for good', async () => {
    const known = await peersOf('d', 'e')
    const forgetful = tcp({ key: KEY, limits: { incarnationMs: 300, redialMaxMs: 50 } })
    const d = await cluster.start(forgetful, 'd', known)
    const impostor = await cluster.start(transport, 'e', known, {
      at: '127.0.0.1:0',
      incarnation: 900,
    })
    impostor.endpoint.send('d', 'forged')
    await d.log.until(() => d.log.connections('e').length === 1)
    const e = await cluster.start(transport, 'e', known)
    e.endpoint.send('d', 1)
    await e.log.until(() => e.log.losses('d').length > 0)
    expect(e.log.losses('d')[0]).toMatchObject({ kind: 'rejected', field: 'incarnation' })
    await impostor.endpoint.close()
    await eventually(() => {
      e.endpoint.send('d', 2)
      return d.log.connections('e').length === 2
    })
    expect(d.log.connections('e')).toEqual([900, 1])
  })
})
