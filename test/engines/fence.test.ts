/** Tests the fence checks against real servers: after a larger fence, nothing with a smaller one is written. */
import { createClient } from '@redis/client'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fence, Guard, StaleFenceError } from '../../src/fence/index.ts'
import type { Fence, FencedTerm, Term } from '../../src/index.ts'
import { has, RealServer } from '../../scripts/support/servers.ts'

function term(number: number): FencedTerm {
  const { signal } = new AbortController()
  const rest = { remainingMs: () => Infinity, assert: () => undefined }
  return { number, fence: number as Fence, signal, ...rest }
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
    const check = fence.http({ guard: new Guard() })
    const server = createServer((request, response) =>
      check(request, response, () => response.end('done')),
    )
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(url, { method: 'POST', headers })).status
    try {
      expect(await ask(fence.http.headers(term(7)))).toBe(200)
      expect(await ask(fence.http.headers(term(6)))).toBe(409)
      expect(await ask(fence.http.headers(term(7)))).toBe(200)
      expect(await ask({})).toBe(428)
      expect(await ask({ 'bellwether-fence': '9'.repeat(40) })).toBe(428)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

describe.skipIf(!has('postgres'))('fence.postgres', () => {
  let server: RealServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await RealServer.open('postgres')
    pool = new pg.Pool({ connectionString: server.url() })
    pool.on('error', () => undefined)
    await pool.query(fence.postgres.schema())
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
