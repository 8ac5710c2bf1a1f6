/** Tests that a peer without a valid certificate delivers no frame, and that connected members stay connected. */
import { deepEqual } from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type ConnectionOptions } from 'node:tls'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseAddress } from '../../src/transports/address.ts'
import type { Introduction } from '../../src/transports/handshake.ts'
import { tcp } from '../../src/transports/tcp/tcp.ts'
import type { Peer } from '../../src/transports/transport.ts'
import { Authority, type CertificateOptions, type Pair } from '../support/certificates.ts'
import { Cluster, eventually, peersOf, type Member } from '../support/transports.ts'
import { Attacker, helloOf, Recorder } from '../../scripts/support/attacker.ts'

const authority = new Authority('test')
const stranger = new Authority('stranger')
const ca = authority.certificate

function secured(pair: Pair, root = ca) {
  return tcp({ tls: { ca: root, ...pair }, limits: { handshakeMs: 2000 } })
}

let cluster: Cluster
let peers: Peer[]
let a: Member
let b: Member

beforeEach(async () => {
  cluster = new Cluster()
  peers = await peersOf('a', 'b', 'c')
  a = await cluster.start(secured(authority.member('a')), 'a', peers)
  b = await cluster.start(secured(authority.member('b')), 'b', peers)
  a.endpoint.send('b', 'before')
  await b.log.until(() => b.log.frames().length === 1)
  await a.log.until(() => a.log.connections('b').length === 1)
})

afterEach(async () => {
  a.endpoint.send('b', 'after')
  await b.log.until(() => b.log.frames().at(-1) === 'after')
  deepEqual(b.log.frames().slice(0, -1), ['before'])
  deepEqual([a.log.losses('b'), b.log.losses('a'), b.log.connections('a')], [[], [], [1]])
  await cluster[Symbol.asyncDispose]()
})

/** Speaks TLS to b with whatever is given, then the perfect hello of c and a frame. */
async function attack(
  options: ConnectionOptions,
  more: Partial<Introduction> = {},
): Promise<Attacker> {
  const address = parseAddress(b.endpoint.address)
  const socket = connect({ ...address, rejectUnauthorized: false, ...options })
  const attacker = new Attacker(socket)
  socket.on('secureConnect', () => {
    attacker.sendJson(helloOf('c', 'b', { security: 'tls', ...more }), 'forged')
  })
  await attacker.closed
  return attacker
}

function certified(id: string, options?: CertificateOptions, by = authority): ConnectionOptions {
  const { certificate, key } = by.member(id, options)
  return { cert: certificate, key }
}

const NO_MEMBER = 'names no member of this group'
const past = { notBefore: new Date('2001-01-01'), notAfter: new Date('2001-02-01') }
const future = { notBefore: new Date('2101-01-01'), notAfter: new Date('2101-02-01') }

describe('a dialler with', () => {
  test.each([
    ['no certificate', () => ({}), 'a certificate is required'],
    ['a certificate of another authority', () => certified('c', {}, stranger), 'UNABLE_TO_VERIFY'],
    ['an expired certificate', () => certified('c', past), 'CERT_HAS_EXPIRED'],
    ['a certificate that is not yet valid', () => certified('c', future), 'CERT_NOT_YET_VALID'],
    ['a certificate without a member in it', () => certified('c', { uris: [] }), NO_MEMBER],
    ['another kind of name', () => certified('c', { uris: ['spiffe://c'] }), NO_MEMBER],
    [
      'a certificate of two members',
      () => certified('c', { uris: ['bellwether:test:c', 'bellwether:test:a'] }),
      NO_MEMBER,
    ],
    [
      'a certificate that smuggles a name into another',
      () => certified('c', { uris: ['x, URI:bellwether:test:c'] }),
      NO_MEMBER,
    ],
    ['a certificate of another group', () => certified('c', { group: 'other' }), NO_MEMBER],
    [
      'another spelling of a name',
      () => certified('c', { uris: ['bellwether:test:%63'] }),
      NO_MEMBER,
    ],
    [
      'another spelling of the group',
      () => certified('c', { uris: ['bellwether:tes%74:c'] }),
      NO_MEMBER,
    ],
  ])('%s receives nothing; the reason is in the log', async (_, options, detail) => {
    const attacker = await attack(options())
    expect(attacker.received).toHaveLength(0)
    expect(b.log.reasons()).toEqual([expect.stringMatching(`^certificate: .*${detail}`)])
    expect([b.log.connections('c'), b.log.losses('c')]).toEqual([[], []])
  })

  test('TLS 1.2 fails in TLS itself', async () => {
    const attacker = await attack({ ...certified('c'), maxVersion: 'TLSv1.2' })
    await eventually(() => b.endpoint.counters['tlsErrors'] === 1)
    expect(b.log.reasons()).toEqual([expect.stringMatching(/^TLS: .*protocol/)])
    expect(attacker.received).toHaveLength(0)
  })

  test('the certificate of another member is refused by the field', async () => {
    const attacker = await attack(certified('a'))
    expect(attacker.received.subarray(4).toString()).toMatch(
      /^{"rejected":{"field":"certificate","detail":"the certificate is \\"a\\"'s/,
    )
    expect(b.log.connections('c')).toEqual([])
  })

  test('a session of an earlier connection, and no certificate, receives nothing', async () => {
    const at = parseAddress(b.endpoint.address)
    const first = connect({ ...at, rejectUnauthorized: false, ...certified('a') })
    const [session] = (await once(first, 'session')) as [Buffer]
    first.destroy()
    const attacker = await attack({ session })
    expect(attacker.received).toHaveLength(0)
    expect(b.log.reasons().at(-1)).toMatch('a resumed session does not show its certificate')
    expect(b.log.connections('c')).toEqual([])
  })

  test('plaintext in place of TLS receives nothing', async () => {
    const plain = Attacker.at(b.endpoint.address)
    plain.sendJson(helloOf('c', 'b'), 'forged')
    await plain.closed
    await eventually(() => b.endpoint.counters['tlsErrors'] === 1)
    expect(plain.received).toHaveLength(0)
    expect(b.log.connections('c')).toEqual([])
  })

  test('TLS bytes that were recorded from another session receives nothing', async () => {
    await using recorder = await Recorder.open(b.endpoint.address)
    await attack({ ...certified('c'), ...parseAddress(recorder.address) }, { cluster: 'other' })
    const replay = Attacker.at(b.endpoint.address).send(Buffer.concat(recorder.bytes))
    await replay.closed
    expect(b.log.connections('c')).toEqual([])
  })
})

describe('a member', () => {
  test('does not connect to a listener that is not the member it dialled', async () => {
    const misled = peers.map(({ id, address }) =>
      id === 'c' ? { id, address: b.endpoint.address } : { id, address },
    )
    const d = await cluster.start(secured(authority.member('d')), 'd', misled)
    d.endpoint.send('c', 'secret')
    await d.log.until(() => d.log.losses('c').length === 1)
    expect(d.log.losses('c')).toMatchObject([
      { kind: 'rejected', field: 'certificate', detail: expect.stringContaining('"b"') },
    ])
  })

  test('does not connect to a listener of an unknown authority, or with an expired certificate', async () => {
    for (const pair of [stranger.member('c'), authority.member('c', past)]) {
      await using others = new Cluster()
      const c = await others.start(secured(pair), 'c', peers)
      a.endpoint.send('c', 'secret')
      await a.log.until(() => a.log.losses('c').length > 0)
      expect(a.log.losses('c').at(-1)).toMatchObject({ kind: 'rejected', field: 'certificate' })
      expect(c.log.frames()).toEqual([])
      a.log.told.length = 0
      a.log.connected('b', 1)
    }
  })

  test('suspects its own certificate when others reject it', async () => {
    const c = await cluster.start(secured(stranger.member('c'), ca), 'c', peers)
    c.endpoint.send('b', 'hello?')
    await c.log.until(() => c.log.losses('b').length > 0)
    expect(c.log.losses('b')).toMatchObject([
      { kind: 'unreachable', suspicion: { field: 'certificate' } },
    ])
  })

  test('does not start with a certificate of another member, without one, or with the key of another certificate', async () => {
    const start = (pair: Pair) => cluster.start(secured(pair), 'c', peers)
    await expect(start(authority.member('a'))).rejects.toThrow(
      `the certificate: the certificate is "a"'s; bellwether:test:c was expected`,
    )
    const missing = { certificate: '/nowhere/c.pem', key: '/nowhere/c.key' }
    await expect(start(missing)).rejects.toThrow(/^\/nowhere\/c\.pem: cannot be used \(ENOENT\)/)
    const mixed = { ...authority.member('c'), key: authority.member('c').key }
    await expect(start(mixed)).rejects.toThrow(/the key that fits the certificate/)
  })
})

test('certificates are rotated by replacing the files: new connections use them, and open ones stay', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bellwether-tls-'))
  const files = { certificate: join(folder, 'c.pem'), key: join(folder, 'c.key') }
  const put = ({ certificate, key }: Pair) => {
    writeFileSync(files.certificate, certificate)
    writeFileSync(files.key, key)
  }
  try {
    put(authority.member('c'))
    const c = await cluster.start(secured(files), 'c', peers)
    c.endpoint.send('a', 1)
    await a.log.until(() => a.log.frames('c').length === 1)
    // Replaced by one that nobody trusts: the link to a stays, a new one to b is refused.
    put(stranger.member('c'))
    c.endpoint.send('a', 2)
    await a.log.until(() => a.log.frames('c').length === 2)
    c.endpoint.send('b', 'no')
    await c.log.until(() => c.log.losses('b').length === 1)
    expect(c.log.losses('b')).toMatchObject([{ suspicion: { field: 'certificate' } }])
    // Half replaced: the last good pair stays in use, and the owner is told.
    writeFileSync(files.certificate, 'rubbish')
    c.endpoint.release('a')
    c.endpoint.send('a', 'no')
    await c.log.until(() => c.log.losses('a').length === 1)
    expect(c.log.reasons()).toEqual([expect.stringContaining('c.pem: cannot be used')])
    put(authority.member('c'))
    c.endpoint.send('a', 3)
    await a.log.until(() => a.log.frames('c').length === 3)
    expect(a.log.frames('c')).toEqual([1, 2, 3])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe('a link ends', () => {
  test('when the certificate of the peer expires', async () => {
    const known = await peersOf('d', 'e')
    const brief = { notAfter: new Date(Date.now() + 4000) }
    const d = await cluster.start(secured(authority.member('d')), 'd', known)
    const e = await cluster.start(secured(authority.member('e', brief)), 'e', known)
    e.endpoint.send('d', 1)
    await d.log.until(() => d.log.losses('e').length > 0)
    expect(d.log.frames('e')).toEqual([1])
    d.endpoint.send('e', 'to no one')
    await d.log.until(() => d.log.losses('e').length > 1)
    expect(d.log.losses('e').at(-1)).toMatchObject({ kind: 'rejected', field: 'certificate' })
  })

  test.each(['name', 'fingerprint'])(
    'when the list of revoked certificates gets its %s',
    async (by) => {
      const folder = mkdtempSync(join(tmpdir(), 'bellwether-tls-'))
      try {
        const revoked = join(folder, 'revoked')
        writeFileSync(revoked, '# nothing yet\n')
        const known = await peersOf('d', 'e')
        const pair = authority.member('e')
        const tls = { ca, ...authority.member('d'), revoked }
        const d = await cluster.start(tcp({ tls }), 'd', known)
        const e = await cluster.start(secured(pair), 'e', known)
        e.endpoint.send('d', 1)
        await d.log.until(() => d.log.frames('e').length === 1)
        const { fingerprint256 } = new X509Certificate(pair.certificate)
        writeFileSync(revoked, `# left us\n${by === 'name' ? 'e' : fingerprint256} # in March\n`)
        await d.log.until(() => d.log.losses('e').length > 0)
        e.endpoint.send('d', 2)
        await e.log.until(() => e.log.losses('d').length > 1)
        d.endpoint.send('e', 3)
        await d.log.until(() => d.log.losses('e').length > 1)
        expect(d.log.losses('e').at(-1)).toMatchObject({ kind: 'rejected', field: 'certificate' })
        expect([d.log.frames('e'), e.log.frames('d')]).toEqual([[1], []])
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  )
})
