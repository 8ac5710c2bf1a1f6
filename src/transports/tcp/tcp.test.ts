import {
  createServer,
  type AddressInfo,
  type LookupFunction,
  type Server,
  type Socket,
} from 'node:net'
import { describe, expect, test } from 'vitest'
import { Cluster, eventually, peersOf, turns } from '../../../test/support/transports.ts'
import { FaultMesh } from '../../testing/index.ts'
import { isLoopback, parseAddress, showAddress } from '../address.ts'
import { RateLimit } from './rate-limit.ts'
import { RedialBackoff } from './redial-backoff.ts'
import { tcp, type TcpOptions } from './tcp.ts'

describe('plaintext', () => {
  const peersAt = (address: string) => [{ id: 'b', address }]

  test.each(['0.0.0.0:0', '[::]:0', '10.0.0.1:7400', 'a.example:7400'])(
    'off loopback is refused at construction: listening on %s',
    async (at) => {
      await using cluster = new Cluster()
      await expect(cluster.start(tcp(), 'a', [], { at })).rejects.toThrow(
        /can be reached from outside this machine: give certificates \(tls\), a pre-shared key/,
      )
    },
  )

  test('off loopback is refused at construction: a peer elsewhere', async () => {
    await using cluster = new Cluster()
    await expect(cluster.start(tcp(), 'a', peersAt('b.example:7400'))).rejects.toThrow(/b\.example/)
  })

  test.each<[string, TcpOptions]>([
    ['by name', { insecurePlaintext: true }],
    ['with a key', { key: 'k'.repeat(32) }],
  ])('or not off loopback is allowed %s', async (_, options) => {
    await using cluster = new Cluster()
    const peers = peersAt('b.example:7400')
    const { endpoint } = await cluster.start(tcp(options), 'a', peers, { at: '0.0.0.0:0' })
    expect(endpoint.address).toMatch(/^0\.0\.0\.0:\d+$/)
  })
})

test('a key that is too short, and a key beside certificates, are refused with what to do', () => {
  expect(() => tcp({ key: 'hunter2' })).toThrow(/has 7 bytes and needs 32: make one with/)
  const tls = { ca: '', certificate: '', key: '' }
  expect(() => tcp({ key: 'k'.repeat(32), tls })).toThrow(/^give one of .*, not tls and key$/)
})

describe('addresses', () => {
  test.each(['127.0.0.1:7400', '[::1]:7400', 'db-1.internal:0'])('%s is read and shown', (text) => {
    expect(showAddress(parseAddress(text))).toBe(text)
  })

  test.each(['', 'a', 'a:', ':1', 'a:65536', 'a:1x', '::1:7400', '[a]:1', 'a b:1'])(
    '%j is refused with an example',
    (text) => {
      expect(() => parseAddress(text)).toThrow(/give host:port, such as/)
    },
  )

  test('only literal loopback addresses and localhost are loopback', () => {
    const yes = ['127.0.0.1', '127.8.9.1', '::1', 'localhost', '::ffff:127.0.0.1']
    const no = ['128.0.0.1', '127.0.0.1.example', '::', '0.0.0.0', '::ffff:10.0.0.1', 'mylocalhost']
    expect([...yes, ...no].filter(isLoopback)).toEqual(yes)
  })
})

describe('a dial', () => {
  test('resolves the name of its peer every time: identity is not address', async () => {
    await using cluster = new Cluster()
    let host = '127.0.0.2'
    const asked: string[] = []
    const lookup = resolveTo((name) => {
      asked.push(name)
      return host
    })
    const named = tcp({ insecurePlaintext: true, lookup })
    const [pb] = await peersOf('b')
    const { port } = parseAddress(pb.address)
    const a = await cluster.start(named, 'a', [{ id: 'b', address: `b.example:${port}` }])
    const known = [{ id: 'a', address: a.endpoint.address }]
    const first = await cluster.start(named, 'b', known, { at: `${host}:${port}` })
    a.endpoint.send('b', 'here')
    await first.log.until(() => first.log.frames().length === 1)
    await first.endpoint.close()
    await a.log.until(() => a.log.losses('b').length === 1)
    host = '127.0.0.3'
    const moved = await cluster.start(named, 'b', known, { at: `${host}:${port}`, incarnation: 2 })
    a.endpoint.send('b', 'there')
    await moved.log.until(() => moved.log.frames().length === 1)
    expect(asked).toEqual(['b.example', 'b.example'])
  })

  test('that is refused where the name leads now is no proof about the process that was reached elsewhere', async () => {
    await using cluster = new Cluster()
    let host = '127.0.0.2'
    const named = tcp({ insecurePlaintext: true, lookup: resolveTo(() => host) })
    const [pb] = await peersOf('b')
    const { port } = parseAddress(pb.address)
    const a = await cluster.start(named, 'a', [{ id: 'b', address: `b.example:${port}` }])
    const known = [{ id: 'a', address: a.endpoint.address }]
    const b = await cluster.start(named, 'b', known, { at: `${host}:${port}` })
    a.endpoint.probe('b')
    await a.log.until(() => a.log.connections('b').length > 0)
    host = '127.0.0.3'
    a.endpoint.release('b')
    a.endpoint.probe('b')
    await a.log.until(() => a.log.losses('b').length === 1)
    host = '127.0.0.2'
    await b.endpoint.close()
    a.endpoint.probe('b')
    await a.log.until(() => a.log.losses('b').length === 2)
    const kinds = a.log.losses('b').map(({ kind }) => kind)
    expect(kinds).toEqual(['unreachable', 'refused'])
  })

  test('to a name that does not resolve is unreachable, with the cause', async () => {
    await using cluster = new Cluster()
    const lookup: LookupFunction = (_name, _options, done) => {
      const error = Object.assign(new Error('the name is not found'), {
        code: 'ENOTFOUND',
      })
      process.nextTick(done, error, '', 4)
    }
    const named = tcp({ insecurePlaintext: true, lookup })
    const a = await cluster.start(named, 'a', [{ id: 'b', address: 'b.example:7400' }])
    a.endpoint.probe('b')
    await a.log.until(() => a.log.losses('b').length === 1)
    expect(a.log.losses('b')).toEqual([{ kind: 'unreachable', cause: 'the name is not found' }])
  })

  test('to a listener that accepts and does not answer ends at the deadline', async () => {
    await using silent = await listening(() => {})
    await using cluster = new Cluster()
    const hasty = tcp({ limits: { handshakeMs: 50 } })
    const a = await cluster.start(hasty, 'a', [{ id: 'b', address: silent.address }])
    a.endpoint.send('b', 1)
    await a.log.until(() => a.log.losses('b').length === 1)
    expect(a.log.losses('b')).toEqual([{ kind: 'unreachable', cause: 'no answer in 50 ms' }])
    await eventually(() => a.endpoint.counters['open'] === 0)
  })

  test('is not given up for a time in which this process was held up', async () => {
    await using cluster = new Cluster()
    const peers = await peersOf('a', 'b')
    const b = await cluster.start(tcp(), 'b', peers)
    const hasty = tcp({ limits: { connectMs: 50, handshakeMs: 150 } })
    const a = await cluster.start(hasty, 'a', peers)
    a.endpoint.send('b', 1)
    // Long before the end, it is connected; the one loop of both reads that later than the deadlines.
    for (const until = performance.now() + 100; performance.now() < until;);
    await b.log.until(() => b.log.frames().length === 1)
    expect(a.log.losses('b')).toEqual([])
  })

  test('that is accepted and dropped without an answer is repeated once before it is reported', async () => {
    let accepted = 0
    await using rude = await listening((socket) => {
      accepted += 1
      socket.destroy()
    })
    await using cluster = new Cluster()
    const a = await cluster.start(tcp(), 'a', [{ id: 'b', address: rude.address }])
    a.endpoint.probe('b')
    await a.log.until(() => a.log.losses('b').length === 1)
    expect(a.log.losses('b')).toMatchObject([{ kind: 'unreachable' }])
    expect(accepted).toBe(2)
  })

  test('that is dropped by a process that ends is reported as refused', async () => {
    await using dying = await listening((socket, server) => {
      server.close()
      socket.destroy()
    })
    await using cluster = new Cluster()
    const a = await cluster.start(tcp(), 'a', [{ id: 'b', address: dying.address }])
    a.endpoint.probe('b')
    await a.log.until(() => a.log.losses('b').length === 1)
    expect(a.log.losses('b')).toEqual([{ kind: 'refused' }])
  })

  test('that gets a malformed answer is unreachable, and the frame is counted', async () => {
    await using babbling = await listening((socket) => socket.write('HTTP/1.1 400 Bad'))
    await using cluster = new Cluster()
    const a = await cluster.start(tcp(), 'a', [{ id: 'b', address: babbling.address }])
    a.endpoint.probe('b')
    await a.log.until(() => a.log.losses('b').length === 1)
    expect(a.log.losses('b')).toMatchObject([{ kind: 'unreachable' }])
    expect(a.endpoint.counters['oversized']).toBeGreaterThan(0)
  })

  test('that fails is not repeated at once: the next ones wait for a random time that grows', async () => {
    await using cluster = new Cluster()
    const peers = await peersOf('a', 'b')
    const patient = tcp({ limits: { redialMs: 1e9, redialMaxMs: 1e9 } })
    const a = await cluster.start(patient, 'a', peers)
    a.endpoint.probe('b')
    await a.log.until(() => a.log.losses('b').length === 1)
    for (let i = 0; i < 300; i++) a.endpoint.send('b', i)
    a.endpoint.probe('b')
    await turns()
    expect(a.endpoint.counters).toMatchObject({ dials: 1, queueDropped: 300 - 256 })
  })
})

describe('a link', () => {
  test.each<[string, TcpOptions]>([
    ['plaintext', {}],
    ['pre-shared key', { key: 'k'.repeat(32) }],
  ])(
    'of two that dial at once over slow wires (%s) ends with one connection, all frames in order',
    async (_, options) => {
      let crossings = 0
      for (let round = 0; round < 25; round++) {
        await using cluster = new Cluster()
        const members = await peersOf('a', 'b')
        await using mesh = await FaultMesh.open(members, { seed: 100 * round })
        mesh.set('a', 'b', { delayMs: [0, 4] })
        mesh.set('b', 'a', { delayMs: [0, 4] })
        const [a, b] = await Promise.all(
          members.map(({ id, address }) =>
            cluster.start(tcp(options), id, mesh.peersFor(id), { at: address }),
          ),
        )
        for (let i = 0; i < 20; i++) {
          a.endpoint.send('b', i)
          b.endpoint.send('a', i)
          await turns(round % 3)
        }
        const numbers = Array.from({ length: 20 }, (_unused, i) => i)
        await a.log.until(() => a.log.frames().length === 20)
        await b.log.until(() => b.log.frames().length === 20)
        expect([a.log.frames(), b.log.frames()]).toEqual([numbers, numbers])
        expect([a.log.losses('b'), b.log.losses('a')]).toEqual([[], []])
        await eventually(
          () => a.endpoint.counters['open'] === 1 && b.endpoint.counters['open'] === 1,
        )
        crossings += a.endpoint.counters['accepted'] + b.endpoint.counters['accepted'] - 1
      }
      expect(crossings, 'some of them really crossed').toBeGreaterThan(0)
    },
  )
})

describe('the wait before a redial', () => {
  test('is a random time from half of a bound, which doubles up to a maximum, to all of it, and is zero after a success', () => {
    const redial = new RedialBackoff(20, 100, () => 0.5)
    const waits = [0, 1, 2, 3, 4, 5].map(() => {
      redial.failed(1000)
      return redial.waitMs(1000)
    })
    expect(waits).toEqual([15, 30, 60, 75, 75, 75])
    expect(redial.waitMs(1030)).toBe(45)
    expect(redial.waitMs(2000)).toBe(0)
    redial.succeeded()
    expect(redial.waitMs(1000)).toBe(0)
  })

  test('stays finite after any number of failures', () => {
    const redial = new RedialBackoff(20, 1000, () => 1)
    for (let i = 0; i < 5000; i++) redial.failed(0)
    expect(redial.waitMs(0)).toBe(1000)
  })
})

test('the rate limit allows a burst, then the rate, and never saves up more than the burst', () => {
  const limit = new RateLimit(() => ({ perSecond: 10, burst: 3 }))
  const allowed = (nowMs: number) => [1, 2, 3, 4, 5].filter(() => limit.allows(nowMs)).length
  expect(allowed(0)).toBe(3)
  expect(allowed(100)).toBe(1)
  expect(allowed(150)).toBe(0)
  expect(allowed(200)).toBe(1)
  expect(allowed(100_000)).toBe(3)
})

function resolveTo(host: (name: string) => string): LookupFunction {
  return (name, options, done) => {
    const address = host(name)
    if (options.all === true) process.nextTick(done, null, [{ address, family: 4 }])
    else process.nextTick(done, null, address, 4)
  }
}

/** A listener that is no member. */
async function listening(
  accept: (socket: Socket, server: Server) => void,
): Promise<AsyncDisposable & { readonly address: string }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    accept(socket, server)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => {
        server.close(resolve)
      })
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
