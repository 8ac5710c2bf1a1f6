/** Tests the fence checks against real servers: after a larger fence, nothing with a smaller one is written. */
import { createClient } from '@redis/client'
import { once } from 'node:events'
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  EvictionError,
  fence,
  Guard,
  NotCommittedError,
  StaleFenceError,
  type FencedRequest,
  type Incoming,
} from '../../src/fence/index.ts'
import type { Fence, FencedTerm, Term } from '../../src/index.ts'
import { has, RealServer } from '../../scripts/support/servers.ts'

function term(number: number, group = 'ledger'): FencedTerm {
  const { signal } = new AbortController()
  const rest = { remainingMs: () => Infinity, assert: () => undefined }
  return { group, number, text: String(number), fence: number as Fence, signal, ...rest }
}

/** An HTTP resource on loopback; the function sends it a request. */
async function serve(listener: RequestListener) {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    ask: async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers })).status,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

/** A request whose headers leave now, and whose body follows when `end` is called. */
function slowRequest(port: number, headers: Record<string, string>) {
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers })
  sent.flushHeaders()
  sent.write('{ "entry": ')
  const status = once(sent, 'response').then(([response]) => {
    const { statusCode } = (response as IncomingMessage).resume()
    return statusCode
  })
  return { status, end: () => sent.end('"stale" }') }
}

describe('Guard', () => {
  test('refuses what is below the largest it has seen', () => {
    const guard = new Guard({ name: 'ledger', seen: 4 })
    expect(() => guard.check(term(3))).toThrow(/ledger has seen a fence above 3/u)
    guard.check(term(5))
    guard.check(term(5).fence)
    expect(() => guard.check(term(4))).toThrow(StaleFenceError)
    expect(guard.seen).toBe(5)
    for (const nonsense of [NaN, -1, 1.5, Infinity]) {
      expect(() => guard.admit(nonsense)).toThrow(StaleFenceError)
    }
  })

  test('does not count a token that could not be made durable', () => {
    const guard = new Guard({
      keep: () => {
        throw new Error('the disk is full')
      },
    })
    expect(() => guard.check(term(2))).toThrow('full')
    expect(guard.seen).toBe(0)
  })
})

describe('fence.http', () => {
  test('accepts the latest leader, and answers 409 to a stale fence, 428 to a missing one', async () => {
    const check = fence.http({ guard: new Guard(), authorize: 'upstream' })
    await using resource = await serve((request, response) =>
      check(request, response, () => response.end('done')),
    )
    const { ask } = resource
    expect(await ask(fence.http.headers(term(7)))).toBe(200)
    expect(await ask(fence.http.headers(term(6)))).toBe(409)
    expect(await ask(fence.http.headers(term(7)))).toBe(200)
    expect(await ask({})).toBe(428)
    expect(await ask({ 'bellwether-fence': '9'.repeat(40) })).toBe(428)
  })

  test('a stale request whose body comes after its successor is refused, and its handler does not act', async () => {
    const check = fence.http({ authorize: 'upstream' })
    const served: string[] = []
    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      let text = ''
      try {
        for await (const chunk of request) text += String(chunk)
      } catch {
        return void served.push('interrupted')
      }
      served.push(text)
      response.end()
    }
    await using resource = await serve((request, response) =>
      check(request, response, () => void handle(request, response)),
    )
    const late = slowRequest(resource.port, fence.http.headers(term(6)))
    await sleep(50)
    const successor = slowRequest(resource.port, fence.http.headers(term(7)))
    successor.end()
    expect(await successor.status).toBe(200)
    late.end()
    expect(await late.status).toBe(409)
    expect(served).toEqual(['{ "entry": "stale" }', 'interrupted'])
    // A body that comes late but not stale is served.
    const again = slowRequest(resource.port, fence.http.headers(term(7)))
    await sleep(50)
    again.end()
    expect(await again.status).toBe(200)
  })

  test('so is one over HTTP/2, whose headers do not say that a body follows', async () => {
    const check = fence.http({ authorize: 'upstream' })
    const served: string[] = []
    const server = createHttp2Server((request, response) =>
      check(request, response, () => {
        request.on('data', () => undefined).on('error', () => undefined)
        request.on('end', () => {
          served.push('done')
          response.end()
        })
      }),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const post = (number: number) => {
      const headers = { ':method': 'POST', ...fence.http.headers(term(number)) }
      const stream = session.request(headers, { endStream: false })
      stream.on('error', () => undefined).resume()
      const status = once(stream, 'response').then(([answer]) =>
        Number((answer as IncomingHttpHeaders)[':status']),
      )
      stream.write('{ "entry": ')
      return { status, end: () => stream.end('"stale" }') }
    }
    try {
      const late = post(6)
      await sleep(50)
      const successor = post(7)
      successor.end()
      expect(await successor.status).toBe(200)
      late.end()
      expect(await late.status).toBe(409)
      expect(served).toEqual(['done'])
    } finally {
      session.destroy()
      await once(server.close(), 'close')
    }
  })

  test('request.fence.check() refuses at the effect what became stale while the handler waited', async () => {
    const check = fence.http({ authorize: 'upstream' })
    const released = new AbortController()
    const refused: unknown[] = []
    const handle = async ({ fence }: FencedRequest, response: ServerResponse): Promise<void> => {
      if (fence.token === 6) await once(released.signal, 'abort')
      try {
        fence.check()
      } catch (error) {
        refused.push(error)
      }
      response.end()
    }
    await using resource = await serve((request, response) =>
      check(request, response, () => void handle(request as unknown as FencedRequest, response)),
    )
    const waiting = resource.ask(fence.http.headers(term(6)))
    await sleep(50)
    await resource.ask(fence.http.headers(term(7)))
    expect(refused).toEqual([])
    released.abort()
    await waiting
    expect(refused).toEqual([expect.any(StaleFenceError)])
  })

  test('a stranger cannot raise the fence', async () => {
    const guard = new Guard({ seen: 7 })
    const authorize = async ({ headers }: Incoming): Promise<boolean> =>
      Promise.resolve(headers['authorization'] === 'Bearer secret')
    const check = fence.http({ guard, authorize })
    await using resource = await serve((request, response) =>
      check(request, response, () => response.end('done')),
    )
    const huge = { 'bellwether-fence': String(Number.MAX_SAFE_INTEGER) }
    expect(await resource.ask(huge)).toBe(401)
    // Nor can a member by mistake: no group gets there in a century.
    const secret = { authorization: 'Bearer secret' }
    expect(await resource.ask({ ...huge, ...secret })).toBe(422)
    expect(guard.seen).toBe(7)
    expect(await resource.ask({ ...fence.http.headers(term(8)), ...secret })).toBe(200)
  })
})

describe.skipIf(!has('postgres'))('fence.postgres', () => {
  let server: RealServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await RealServer.open('postgres')
    pool = new pg.Pool({ connectionString: server.url() })
    pool.on('error', () => undefined)
    await pool.query('CREATE TABLE ledger (id serial, entry text)')
  })
  afterAll(async () => {
    await pool.end()
    await server.close()
  })
  const entries = async (): Promise<string[]> =>
    (await pool.query('SELECT entry FROM ledger ORDER BY id')).rows.map(({ entry }) => entry)
  const insert = (entry: string) => ({
    text: 'INSERT INTO ledger (entry) VALUES ($1)',
    values: [entry],
  })

  test('writes with the guard row or not at all', async () => {
    await fence.postgres(term(3), pool, insert('three'))
    await fence.postgres(term(5), pool, async (client) => {
      await client.query('INSERT INTO ledger (entry) VALUES ($1)', ['five'])
    })
    await expect(fence.postgres(term(4), pool, insert('four'))).rejects.toThrow(StaleFenceError)
    await expect(fence.postgres(term(6), pool, { text: 'SELECT no' })).rejects.toThrow('no')
    // What failed has not raised the fence either.
    await fence.postgres(term(5), pool, insert('again'))
    expect(await entries()).toEqual(['three', 'five', 'again'])
  })

  test('the table is created when it is first needed; where that is not allowed, the error says how', async () => {
    await Promise.all(
      [1, 1, 1].map(async (number) =>
        fence.postgres(term(number), pool, { text: 'SELECT 1' }, { table: 'made_at_once' }),
      ),
    )
    await pool.query('CREATE ROLE poor LOGIN')
    const poor = new pg.Pool({ connectionString: server.url().replace('postgres@', 'poor@') })
    try {
      const refused = fence.postgres(term(1), poor, { text: 'SELECT 1' }, { table: 'unmade' })
      await expect(refused).rejects.toThrow(/run "CREATE TABLE IF NOT EXISTS unmade/u)
    } finally {
      await poor.end()
    }
  })

  test('by default each group has a resource of its own', async () => {
    await fence.postgres(term(9, 'invoices'), pool, insert('9'))
    await fence.postgres(term(1, 'mails'), pool, insert('1'))
    await expect(fence.postgres(term(8, 'invoices'), pool, insert('8'))).rejects.toThrow('invoices')
  })

  test('success means that the server said COMMIT: work that swallows an error is reported', async () => {
    const resource = 'swallowed'
    const swallowed = fence.postgres(
      term(30),
      pool,
      async (client) => client.query('SELECT 1 / 0').catch(() => 'swallowed'),
      { resource },
    )
    await expect(swallowed).rejects.toThrow('current transaction is aborted')
    // Nothing was raised, so an earlier leader still passes: the caller was told.
    await fence.postgres(term(29), pool, insert('29'), { resource })
  })

  test('work that ends the transaction itself is refused', async () => {
    const resource = 'ended'
    const ended = fence.postgres(term(30), pool, async (client) => client.query('COMMIT'), {
      resource,
    })
    await expect(ended).rejects.toThrow(NotCommittedError)
  })

  test('a server that answers ROLLBACK to COMMIT is no success', async () => {
    // What a pooler or a failed deferred check may do: the answer counts, not the absence of an error.
    const rollingBack = {
      connect: async () => {
        const client = await pool.connect()
        return {
          query: async (text: string, values?: unknown[]) =>
            client.query(text === 'COMMIT' ? 'ROLLBACK' : text, values),
          release: (destroy?: boolean) => client.release(destroy),
        }
      },
    }
    const options = { resource: 'rolled back' }
    const lost = fence.postgres(term(30), rollingBack, insert('lost'), options)
    await expect(lost).rejects.toThrow('answered ROLLBACK to COMMIT')
    expect(await entries()).not.toContain('lost')
  })

  test('resources are independent', async () => {
    await fence.postgres(term(9), pool, insert('x'), { resource: 'one' })
    await fence.postgres(term(1), pool, insert('y'), { resource: 'other' })
    expect((await entries()).slice(-2)).toEqual(['x', 'y'])
  })

  test('a writer that stops within its transaction does not lock out its successor', async () => {
    const silent = fence.postgres(term(20), pool, async () => sleep(1500), { idleMs: 200 })
    const failed = silent.then(
      () => 'committed',
      () => 'failed',
    )
    await sleep(50)
    const started = performance.now()
    await fence.postgres(term(21), pool, insert('successor'))
    expect(performance.now() - started).toBeLessThan(1300)
    expect(await failed).toBe('failed')
    expect((await entries()).at(-1)).toBe('successor')
  })

  test('a writer within a long statement does not lock out its successor', async () => {
    const options = { resource: 'long', statementMs: 300 }
    const long = fence.postgres(term(20), pool, { text: 'SELECT pg_sleep(12)' }, options)
    const failed = long.catch((error: unknown) => (error as Error).message)
    await sleep(50)
    const started = performance.now()
    await fence.postgres(term(21), pool, insert('after the long one'), options)
    expect(performance.now() - started).toBeLessThan(3000)
    expect(await failed).toContain('statement timeout')
  })
})

describe.skipIf(!has('redis'))('fence.redis', () => {
  let server: RealServer
  beforeAll(async () => void (server = await RealServer.open('redis')))
  afterAll(async () => server.close())

  test('runs the commands with the check or not at all', async () => {
    const client = await createClient({ url: server.url() }).connect()
    try {
      const answers = await fence.redis(term(2 ** 50), client, [
        ['SET', 'a', 'first'],
        ['INCR', 'n'],
        ['GET', 'a'],
      ])
      expect(answers).toEqual(['OK', 1, 'first'])
      const stale = fence.redis(term(2 ** 50 - 1), client, [['SET', 'a', 'stale']])
      await expect(stale).rejects.toThrow(StaleFenceError)
      await fence.redis(term(2 ** 50), client, [['INCR', 'n']])
      expect([await client.get('a'), await client.get('n')]).toEqual(['first', '2'])
    } finally {
      client.destroy()
    }
  })

  test('by default each group has a key of its own', async () => {
    const client = await createClient({ url: server.url() }).connect()
    try {
      const write = async (number: number, group: string) =>
        fence.redis(term(number, group), client, [['SET', group, String(number)]])
      await write(9, 'invoices')
      await write(1, 'mails')
      await expect(write(8, 'invoices')).rejects.toThrow(StaleFenceError)
      expect([await client.get('invoices'), await client.get('mails')]).toEqual(['9', '1'])
    } finally {
      client.destroy()
    }
  })

  test('a server that evicts its keys is refused, and no stale write gets through', async () => {
    const client = await createClient({ url: server.url() }).connect()
    const write = async (number: number) =>
      fence.redis(term(number, 'evicted'), client, [['SET', 'last', String(number)]])
    try {
      await write(5)
      expect(await client.get('bellwether:fence:{evicted}')).toBe('5')
      await client.sendCommand(['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'])
      await write(6) // without a limit nothing is evicted
      await client.sendCommand(['CONFIG', 'SET', 'maxmemory', '3mb'])
      const filler = 'x'.repeat(20_000)
      await Promise.all(
        Array.from({ length: 200 }, async (_, i) => client.set(`filler ${i}`, filler)),
      )
      await expect(write(4)).rejects.toThrow(EvictionError)
      await client.sendCommand(['CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru'])
      await client.sendCommand(['CONFIG', 'SET', 'maxmemory', '0'])
      await write(7)
    } finally {
      client.destroy()
    }
  })

  test('where the policy cannot be read, a warning says so', async () => {
    const client = await createClient({ url: server.url() }).connect()
    const warned = once(process, 'warning')
    try {
      await client.sendCommand(['ACL', 'SETUSER', 'poor', 'on', 'nopass', '~*', '+@all', '-info'])
      await client.sendCommand(['AUTH', 'poor', ''])
      await fence.redis(term(1, 'unseen'), client, [])
      expect(String(await warned)).toContain('maxmemory-policy')
    } finally {
      client.destroy()
    }
  })
})

describe('types', () => {
  test('an advisory term is refused by every checker', () => {
    const use = (advisory: Term, pool: pg.Pool, client: ReturnType<typeof createClient>) => {
      // @ts-expect-error An advisory term has no fence.
      void fence.postgres(advisory, pool, { text: 'SELECT 1' })
      // @ts-expect-error An advisory term has no fence.
      void fence.redis(advisory, client, [])
      // @ts-expect-error An advisory term has no fence.
      fence.http.headers(advisory)
      // @ts-expect-error An advisory term has no fence.
      new Guard().check(advisory)
      // @ts-expect-error A plain number is no fence.
      new Guard().check(3)
    }
    expect(use).toBeTypeOf('function')
  })
})
