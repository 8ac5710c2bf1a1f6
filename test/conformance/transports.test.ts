/** The conformance suite of transports. */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/schema.ts'
import { MAX_BODY } from '../../src/transports/frame.ts'
import { MemoryHub } from '../../src/transports/memory.ts'
import { tcp } from '../../src/transports/tcp/tcp.ts'
import type { Peer, Transport } from '../../src/transports/transport.ts'
import { CLUSTER } from '../../scripts/support/attacker.ts'
import { Authority } from '../support/certificates.ts'
import { Cluster, eventually, Log, peersOf, turns, type Member } from '../support/transports.ts'

interface Kind {
  readonly name: string
  /** The transport of one member; those of one call know each other. */
  readonly make: (group?: string) => (id: string) => Transport
  /** How members of two groups notice that they are not one; by the name of the group unless said otherwise. */
  readonly otherGroup?: string
  /** Without protection, a listener reports nothing in the name of a dialler. */
  readonly provesNames?: boolean
}

const authority = new Authority('test')

const kinds: Kind[] = [
  {
    name: 'memory',
    make: () => {
      const hub = new MemoryHub()
      return () => hub
    },
  },
  {
    name: 'tcp, plaintext',
    make: () => () => tcp({ insecurePlaintext: true }),
    provesNames: false,
  },
  { name: 'tcp, key of this user', make: () => () => tcp(), otherGroup: 'key' },
  { name: 'tcp, pre-shared key', make: () => () => tcp({ key: 'k'.repeat(32) }) },
  {
    name: 'tcp, mutual TLS',
    make: (group) => (id) =>
      tcp({ tls: { ca: authority.certificate, ...authority.member(id, group ? { group } : {}) } }),
    otherGroup: 'certificate',
  },
]

/** The fields by which a member was, or seems to be, rejected. */
function differencesOf({ log }: Member, peer: string): (string | undefined)[] {
  return log
    .losses(peer)
    .map((loss) => (loss.kind === 'unreachable' ? loss.suspicion : loss))
    .map((difference) => (difference && 'field' in difference ? difference.field : undefined))
}

describe.each(kinds)('$name', ({ make, otherGroup, provesNames = true }) => {
  const pair = async (cluster: Cluster, transport = make()) => {
    const peers = await peersOf('a', 'b')
    const a = await cluster.start(transport('a'), 'a', peers)
    const b = await cluster.start(transport('b'), 'b', peers)
    return { a, b, peers, transport }
  }

  test('carries any JSON value to the peer, with the sender known from the connection', async () => {
    await using cluster = new Cluster()
    const { a, b } = await pair(cluster)
    const values: Json[] = [null, 0, -1.5, '', 'é\u0000😀', [], {}, { from: 'c', a: [{ b: null }] }]
    for (const value of values) a.endpoint.send('b', value)
    await b.log.until(() => b.log.frames('a').length === values.length)
    expect(b.log.frames('a')).toEqual(values)
  })

  test('equal frames are all delivered, to the dialler and to the listener', async () => {
    await using cluster = new Cluster()
    const { a, b } = await pair(cluster)
    const said: Json[] = [{ x: 1 }, { x: 1 }, { x: 1 }, { x: 2 }, { x: 1 }, null, null, { x: 1 }]
    for (const [i, value] of said.entries()) {
      a.endpoint.send('b', value)
      await b.log.until(() => b.log.frames('a').length === i + 1)
      b.endpoint.send('a', value)
      await a.log.until(() => a.log.frames('b').length === i + 1)
    }
    expect([b.log.frames('a'), a.log.frames('b')]).toEqual([said, said])
  })

  test('dials only when there is a frame to send or the owner probes', async () => {
    await using cluster = new Cluster()
    const { a, b } = await pair(cluster)
    await turns()
    expect([...a.log.told, ...b.log.told]).toEqual([])
    expect([a.endpoint.counters['dials'], b.endpoint.counters['dials']]).toEqual([0, 0])
    a.endpoint.probe('b')
    await a.log.until(() => a.log.connections('b').length > 0)
    await b.log.until(() => b.log.connections('a').length > 0)
    expect([a.endpoint.counters['dials'], b.endpoint.counters['dials']]).toEqual([1, 0])
  })

  test('reports `connected` with the incarnation before the first frame, once', async () => {
    await using cluster = new Cluster()
    const transport = make()
    const peers = await peersOf('a', 'b')
    const a = await cluster.start(transport('a'), 'a', peers, { incarnation: 7 })
    const b = await cluster.start(transport('b'), 'b', peers)
    a.endpoint.send('b', 1)
    a.endpoint.send('b', 2)
    await b.log.until(() => b.log.frames().length === 2)
    b.endpoint.send('a', 3)
    await a.log.until(() => a.log.frames().length === 1)
    expect(b.log.told.map(({ event }) => event)).toEqual(['connected', 'frame', 'frame'])
    expect(b.log.connections('a')).toEqual([7])
    expect(a.log.told.map(({ event }) => event)).toEqual(['connected', 'frame'])
  })

  test('keeps the order of a thousand frames in both directions', async () => {
    await using cluster = new Cluster()
    const { a, b } = await pair(cluster)
    const numbers = Array.from({ length: 1000 }, (_, i) => i)
    for (const i of numbers) {
      a.endpoint.send('b', i)
      b.endpoint.send('a', i)
      if (i % 100 > 0) continue // more would wait than a queue holds, if the two connections crossed
      await b.log.until(() => b.log.frames().length > i)
      await a.log.until(() => a.log.frames().length > i)
    }
    await b.log.until(() => b.log.frames().length === 1000)
    await a.log.until(() => a.log.frames().length === 1000)
    expect([a.log.frames(), b.log.frames()]).toEqual([numbers, numbers])
  })

  test('reports `refused` where no process listens, and drops the frame', async () => {
    await using cluster = new Cluster()
    const transport = make()
    const peers = await peersOf('a', 'b')
    const a = await cluster.start(transport('a'), 'a', peers)
    a.endpoint.send('b', 'too early')
    await a.log.until(() => a.log.losses('b').length === 1)
    expect(a.log.losses('b')).toEqual([{ kind: 'refused' }])
    const b = await cluster.start(transport('b'), 'b', peers)
    a.endpoint.send('b', 'in time')
    await b.log.until(() => b.log.frames().length > 0)
    expect(b.log.frames()).toEqual(['in time'])
  })

  test('reports `closed` to the peers of an endpoint that closes, and `refused` to the next dial', async () => {
    await using cluster = new Cluster()
    const { a, b } = await pair(cluster)
    a.endpoint.probe('b')
    await b.log.until(() => b.log.connections('a').length > 0)
    await b.endpoint.close()
    await a.log.until(() => a.log.losses('b').length === 1)
    a.endpoint.probe('b')
    await a.log.until(() => a.log.losses('b').length === 2)
    expect(a.log.losses('b')).toEqual([{ kind: 'closed' }, { kind: 'refused' }])
  })

  test('delivers the frames that were sent before an orderly close', async () => {
    await using cluster = new Cluster()
    const { a, b } = await pair(cluster)
    a.endpoint.probe('b')
    await a.log.until(() => a.log.connections('b').length > 0)
    for (let i = 0; i < 50; i++) a.endpoint.send('b', i)
    await a.endpoint.close()
    await b.log.until(() => b.log.losses('a').length > 0)
    expect(b.log.frames('a')).toHaveLength(50)
  })

  test('reports no event after close has resolved, and ignores later calls', async () => {
    await using cluster = new Cluster()
    const { a, b } = await pair(cluster)
    a.endpoint.send('b', 1)
    await b.log.until(() => b.log.frames().length > 0)
    b.endpoint.send('a', 2)
    await b.endpoint.close()
    const { length } = b.log.told
    a.endpoint.send('b', 3)
    b.endpoint.send('a', 4)
    b.endpoint.probe('a')
    b.endpoint.release('a')
    await b.endpoint.close()
    await turns()
    expect(b.log.told).toHaveLength(length)
  })

  test('release ends the connection: the peer gets `closed`, the owner no event, and the next frame dials again', async () => {
    await using cluster = new Cluster()
    const { a, b } = await pair(cluster)
    a.endpoint.send('b', 1)
    await a.log.until(() => a.log.connections('b').length > 0)
    await b.log.until(() => b.log.frames().length > 0)
    a.endpoint.release('b')
    await b.log.until(() => b.log.losses('a').length > 0)
    expect(b.log.losses('a')).toEqual([{ kind: 'closed' }])
    expect(a.log.losses('b')).toEqual([])
    a.endpoint.send('b', 2)
    await b.log.until(() => b.log.frames().length === 2)
    expect(b.log.connections('a')).toEqual([1, 1])
  })

  test('both sides that dial at once end with one link and every frame, in order', async () => {
    await using cluster = new Cluster()
    for (let round = 0; round < 15; round++) {
      const { a, b } = await pair(cluster)
      const count = 5
      for (let i = 0; i < count; i++) {
        a.endpoint.send('b', i)
        b.endpoint.send('a', i)
        if (i === round % count) await turns(round % 4)
      }
      await a.log.until(() => a.log.frames().length === count)
      await b.log.until(() => b.log.frames().length === count)
      const inOrder = Array.from({ length: count }, (_, i) => i)
      expect([a.log.frames(), b.log.frames()]).toEqual([inOrder, inOrder])
      expect([a.log.connections('b'), b.log.connections('a')]).toEqual([[1], [1]])
      expect([a.log.losses('b'), b.log.losses('a')]).toEqual([[], []])
      await a.endpoint.close()
      await b.endpoint.close()
    }
  })

  test.each([
    ['cluster', { cluster: 'other' }],
    ['configuration', { configuration: 'dead' }],
    ['configuration', { configuration: 'dead', fixed: 'f' }],
  ])('rejects a peer whose %s differs, naming the field on both sides', async (name, theirs) => {
    await using cluster = new Cluster()
    const one = make()
    const peers = await peersOf('a', 'b')
    const other = name === 'cluster' && otherGroup !== undefined ? make('other') : one
    const a = await cluster.start(one('a'), 'a', peers)
    const b = await cluster.start(other('b'), 'b', peers, theirs)
    const field = other === one ? name : otherGroup
    a.endpoint.send('b', 'secret')
    await a.log.until(() => a.log.losses('b').length > 0)
    expect(differencesOf(a, 'b')).toEqual([field])
    const reports = other === one && provesNames
    if (reports) await b.log.until(() => b.log.losses('a').length > 0)
    expect(differencesOf(b, 'a')).toEqual(reports ? [field] : [])
    // With certificates, the dialler itself notices another group.
    const reason = field === 'certificate' ? undefined : field
    expect(b.log.reasons()[0]?.split(': ')[0]).toBe(reason)
    expect(b.log.frames()).toEqual([])
    expect([...a.log.connections('b'), ...b.log.connections('a')]).toEqual([])
  })

  test('accepts a peer whose configuration differs if one of them has changed, unless the fixed part differs too', async () => {
    await using cluster = new Cluster()
    const transport = make()
    const peers = await peersOf('a', 'b', 'c')
    const later = { configuration: 'later', fixed: 'f', changed: true }
    const a = await cluster.start(transport('a'), 'a', peers, later)
    const b = await cluster.start(transport('b'), 'b', peers, { configuration: 'old', fixed: 'f' })
    const c = await cluster.start(transport('c'), 'c', peers, { configuration: 'old', fixed: 'g' })
    b.endpoint.send('a', 1)
    c.endpoint.send('a', 2)
    await a.log.until(() => a.log.frames('b').length > 0)
    await c.log.until(() => c.log.losses('a').length > 0)
    expect(differencesOf(c, 'a')).toEqual(['configuration'])
    expect(a.log.frames()).toEqual([1])
  })

  test('rejects an unknown member, and one that answers at the address of another', async () => {
    await using cluster = new Cluster()
    const transport = make()
    const [pa, pb, pc] = await peersOf('a', 'b', 'c')
    const a = await cluster.start(transport('a'), 'a', [pa, pb])
    const c = await cluster.start(transport('c'), 'c', [pc, pa])
    c.endpoint.send('a', 'hello?')
    await c.log.until(() => c.log.losses('a').length > 0)
    expect(c.log.losses('a')).toMatchObject([{ kind: 'rejected', field: 'id' }])
    expect(a.log.told).toMatchObject([{ event: 'refused' }])
    const misled: Peer = { id: 'b', address: pc.address }
    const d = await cluster.start(transport('d'), 'd', [misled], { at: '127.0.0.1:0' })
    d.endpoint.send('b', 'hello?')
    await d.log.until(() => d.log.losses('b').length > 0)
    // Certificates and keys tell it before anything is said.
    const field = expect.stringMatching(/^(?:to|id|certificate)$/)
    expect(d.log.losses('b')).toMatchObject([{ kind: 'rejected', field }])
    expect(c.log.frames()).toEqual([])
  })

  test('a higher incarnation replaces the earlier one, a lower one is rejected', async () => {
    await using cluster = new Cluster()
    const transport = make()
    const peers = await peersOf('a', 'b')
    const [, other] = await peersOf('a', 'b')
    const a = await cluster.start(transport('a'), 'a', peers)
    const first = await cluster.start(transport('b'), 'b', peers, { incarnation: 5 })
    first.endpoint.send('a', 'first')
    await a.log.until(() => a.log.frames().length === 1)
    const at = { at: other.address }
    const second = await cluster.start(transport('b'), 'b', peers, { incarnation: 6, ...at })
    second.endpoint.send('a', 'second')
    await a.log.until(() => a.log.frames().length === 2)
    expect(a.log.told.filter(({ event }) => event !== 'refused')).toEqual([
      { event: 'connected', peer: 'b', incarnation: 5 },
      { event: 'frame', peer: 'b', payload: 'first' },
      { event: 'lost', peer: 'b', loss: { kind: 'closed' } },
      { event: 'connected', peer: 'b', incarnation: 6 },
      { event: 'frame', peer: 'b', payload: 'second' },
    ])
    first.endpoint.release('a')
    first.endpoint.send('a', 'zombie')
    await first.log.until(() => first.log.losses('a').some(({ kind }) => kind === 'rejected'))
    expect(first.log.losses('a').at(-1)).toMatchObject({ kind: 'rejected', field: 'incarnation' })
    await second.endpoint.close()
    expect(a.log.frames()).toEqual(['first', 'second'])
  })

  test('does not send a frame that is too large, and reports it', async () => {
    await using cluster = new Cluster()
    const { a, b } = await pair(cluster)
    a.endpoint.send('b', 'x'.repeat(MAX_BODY - 1))
    a.endpoint.send('b', 'x'.repeat(MAX_BODY - 2))
    await b.log.until(() => b.log.frames().length > 0)
    expect(b.log.frames()).toEqual(['x'.repeat(MAX_BODY - 2)])
    expect(a.log.reasons()).toEqual([expect.stringContaining(`${MAX_BODY + 1} bytes`)])
  })

  test('counts and ignores a frame for an unknown peer', async () => {
    await using cluster = new Cluster()
    const { a } = await pair(cluster)
    a.endpoint.send('nobody', 1)
    a.endpoint.send('a', 1)
    expect(a.log.reasons()).toEqual(['nobody is not a peer', 'a is not a peer'])
  })

  test('reports its address, and does not listen on one that is taken', async () => {
    await using cluster = new Cluster()
    const { a, transport } = await pair(cluster)
    expect(a.endpoint.address).toMatch(/^127\.0\.0\.1:[1-9]\d*$/)
    const identity = { id: 'x', cluster: 'test', configuration: '', incarnation: 0 }
    await expect(
      transport('x').listen(identity, a.endpoint.address, [], new Log()),
    ).rejects.toThrow(/^cannot listen on 127\.0\.0\.1:\d+: another/)
  })

  test('a peer that is added while the endpoint runs exchanges frames', async () => {
    await using cluster = new Cluster()
    const transport = make()
    const [a, b, c] = await peersOf('a', 'b', 'c')
    const first = await cluster.start(transport('a'), 'a', [a, b])
    const third = await cluster.start(transport('c'), 'c', [a, b, c])
    first.endpoint.send('c', 0)
    expect(first.log.reasons()).toEqual(['c is not a peer'])
    first.endpoint.setPeer(c)
    first.endpoint.send('c', 1)
    await third.log.until(() => third.log.frames('a').length > 0)
    third.endpoint.send('a', 2)
    await first.log.until(() => first.log.frames('c').length > 0)
    expect([first.log.frames('c'), third.log.frames('a')]).toEqual([[2], [1]])
  })

  test('a peer that is removed is disconnected, and its handshakes are rejected', async () => {
    await using cluster = new Cluster()
    const { a, b } = await pair(cluster)
    a.endpoint.send('b', 1)
    await b.log.until(() => b.log.frames('a').length > 0)
    a.endpoint.removePeer('b')
    await b.log.until(() => b.log.losses('a').length > 0)
    b.endpoint.send('a', 2)
    await b.log.until(() => b.log.losses('a').some(({ kind }) => kind === 'rejected'))
    a.endpoint.send('b', 3)
    expect(a.log.frames('b')).toEqual([])
    expect(a.log.losses('b')).toEqual([])
    expect(a.log.reasons().at(-1)).toBe('b is not a peer')
  })

  test('a visitor learns the answer of the member at the address, or why there is none', async () => {
    await using cluster = new Cluster()
    const transport = make()
    const [a] = await peersOf('a')
    const log = new Log()
    const asked = async (_visitor: string, question: Json) => Promise.resolve({ question })
    const one = Object.assign(log, { asked })
    await cluster.start(transport('a'), 'a', [a], { log: one })
    const visit = async (address: string) =>
      transport('v').visit!(CLUSTER.cluster, address, { ask: 'x' }, 2000)
    const answer = await visit(a.address).catch((error: unknown) => (error as Error).message)
    const isAnswered = JSON.stringify(answer) === '{"question":{"ask":"x"}}'
    expect([isAnswered, answer === 'the security differs']).toEqual([provesNames, !provesNames])
    const [nobody] = await peersOf('nobody')
    await expect(visit(nobody.address)).rejects.toThrow('no process listens there')
  })

  test('a peer that moves is dialled at its new address', async () => {
    await using cluster = new Cluster()
    const { a, b, transport } = await pair(cluster)
    a.endpoint.send('b', 1)
    await b.log.until(() => b.log.frames('a').length > 0)
    const [elsewhere] = await peersOf('b')
    a.endpoint.setPeer(elsewhere)
    a.endpoint.send('b', 2)
    await b.log.until(() => b.log.frames('a').length === 2)
    await b.endpoint.close()
    await a.log.until(() => a.log.losses('b').length > 0)
    const [self] = await peersOf('a')
    const moved = await cluster.start(transport('b'), 'b', [self, elsewhere], { incarnation: 2 })
    a.endpoint.send('b', 3)
    await moved.log.until(() => moved.log.frames('a').length > 0)
    expect([b.log.frames('a'), moved.log.frames('a')]).toEqual([[1, 2], [3]])
  })

  test('a refusal at the address that a peer is to have is no proof about its process at the old one', async () => {
    await using cluster = new Cluster()
    const { a } = await pair(cluster)
    a.endpoint.probe('b')
    await a.log.until(() => a.log.connections('b').length > 0)
    const [elsewhere] = await peersOf('b')
    a.endpoint.setPeer(elsewhere)
    a.endpoint.release('b')
    a.endpoint.probe('b')
    await a.log.until(() => a.log.losses('b').length > 0)
    expect(a.log.losses('b')).toMatchObject([{ kind: 'unreachable' }])
  })

  test('ends two links to three members when one of them goes', async () => {
    await using cluster = new Cluster()
    const transport = make()
    const peers = await peersOf('a', 'b', 'c')
    const [a, b, c] = await Promise.all(
      peers.map(({ id }) => cluster.start(transport(id), id, peers)),
    )
    b.endpoint.send('a', 1)
    c.endpoint.send('a', 1)
    await a.log.until(() => a.log.frames().length === 2)
    await a.endpoint.close()
    await b.log.until(() => b.log.losses('a').length > 0)
    await c.log.until(() => c.log.losses('a').length > 0)
    b.endpoint.send('c', 2)
    await eventually(() => c.log.frames('b').length > 0)
    expect(b.log.losses('c')).toEqual([])
  })
})
