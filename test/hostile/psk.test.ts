/** Tests that an attacker without the pre-shared key delivers no frame, not even from recorded sessions. */
import { deepEqual } from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tcp } from '../../src/transports/tcp/tcp.ts'
import { FaultProxy } from '../../src/testing/index.ts'
import type { Peer } from '../../src/transports/transport.ts'
import { Cluster, eventually, peersOf, turns, type Member } from '../support/transports.ts'
import { Attacker, helloOf, Recorder } from '../../scripts/support/attacker.ts'

const transport = tcp({ key: 'a key that all of the members hold' })

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

test('members with different keys refuse each other, naming the field on both sides', async () => {
  const c = await cluster.start(tcp({ key: 'another key of thirty-two bytes.' }), 'c', peers)
  c.endpoint.send('b', 'forged')
  await c.log.until(() => c.log.losses('b').length === 1)
  expect(c.log.losses('b')).toMatchObject([{ kind: 'rejected', field: 'key' }])
  await eventually(() => b.log.reasons().length === 1)
  expect(b.log.reasons()).toEqual([expect.stringMatching(/^key: /)])
  expect(b.log.frames('c')).toEqual([])
})

test('a member without a key is refused by the field, and so is one with a key where none is used', async () => {
  const c = await cluster.start(tcp(), 'c', peers)
  c.endpoint.send('b', 'forged')
  await c.log.until(() => c.log.losses('b').length === 1)
  b.endpoint.send('c', 'for whom?')
  await b.log.until(() => b.log.losses('c').length > 0)
  expect(c.log.losses('b')[0]).toMatchObject({ kind: 'rejected', field: 'security' })
  expect(b.log.losses('c').at(-1)).toMatchObject({ kind: 'rejected', field: 'security' })
})

describe('an attacker', () => {
  test.each([
    ['a proof of its own making', { proof: 'x'.repeat(43) }],
    ['a proof that is no text', { proof: { length: 43 } }],
    ['no proof', 'forged'],
    ['a second hello', helloOf('c', 'b', { security: 'psk' })],
  ])('that answers the challenge with %s is rejected', async (_, answer) => {
    const attacker = Attacker.at(b.endpoint.address)
    attacker.sendJson(helloOf('c', 'b', { security: 'psk' }))
    await eventually(() => attacker.received.includes('proof'))
    attacker.sendJson(answer, 'forged')
    await attacker.closed
    expect(attacker.received.toString()).toContain('"field":"key"')
    expect(b.log.frames('c')).toEqual([])
    expect(b.log.connections('c')).toEqual([])
  })

  test("that sends the listener's own proof back is rejected", async () => {
    const attacker = Attacker.at(b.endpoint.address)
    attacker.sendJson(helloOf('c', 'b', { security: 'psk' }))
    await eventually(() => attacker.received.includes('"proof":"'))
    const proof = /"proof":"([^"]+)"/.exec(attacker.received.toString())![1]
    attacker.sendJson({ proof })
    await attacker.closed
    expect(b.log.connections('c')).toEqual([])
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
