/** Tests what only one engine has: TLS and users of etcd, a pool of PostgreSQL, replicas of Redis. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EngineError, etcd, postgres, redis } from '../../src/engines/index.ts'
import { Authority } from '../support/certificates.ts'
import { has, RealServer } from '../../scripts/support/servers.ts'

const soon = (): AbortSignal => AbortSignal.timeout(5000)
const claim = { holder: 'a', metadata: null }

describe.skipIf(!has('etcd'))('etcd', () => {
  test('over mutual TLS: the right certificate is served, none is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bellwether-tls-'))
    const authority = new Authority('etcd')
    const own = authority.member('server', { addresses: ['127.0.0.1'] })
    const mine = authority.member('client')
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const tls = [
      ['--trusted-ca-file', file('ca.pem', authority.certificate)],
      ['--cert-file', file('server.pem', own.certificate)],
      ['--key-file', file('server.key', own.key)],
      ['--client-cert-auth'],
    ]
    const ca = authority.certificate
    const { certificate, key } = mine
    const options = (address: string) => ({ endpoints: `https://${address}`, ca, certificate, key })
    const server = await RealServer.open('etcd', tls.flat(), (address) => etcd(options(address)))
    const engine = server.engine()
    const stranger = etcd({ endpoints: `https://${server.address}`, ca })
    try {
      const taken = await engine.take('tls', await engine.read('tls', soon()), claim, soon())
      expect(taken?.token).toBeGreaterThan(0)
      await expect(stranger.read('tls', soon())).rejects.toThrow(EngineError)
    } finally {
      await Promise.all([engine.close(), stranger.close()])
      await server.close()
      rmSync(folder, { recursive: true })
    }
  })

  test('with users: logs in, again after its login has expired, and not with a wrong password', async () => {
    const server = await RealServer.open('etcd')
    const call = async (path: string, body: object): Promise<void> => {
      const init = { method: 'POST', body: JSON.stringify(body) }
      const answer = await fetch(`${server.url()}/v3/auth/${path}`, init)
      if (!answer.ok) throw new Error(await answer.text())
    }
    await call('user/add', { name: 'root', password: 'secret' })
    await call('role/add', { name: 'root' })
    await call('user/grant', { user: 'root', role: 'root' })
    await call('enable', {})
    const login = { endpoints: server.url(), user: 'root' }
    const [right, wrong, none] = [
      etcd({ ...login, password: 'secret' }),
      etcd({ ...login, password: 'guess' }),
      etcd(server.url()),
    ]
    try {
      const held = (await right.take('users', await right.read('users', soon()), claim, soon()))!
      await expect(wrong.read('users', soon())).rejects.toThrow(/authentication failed/u)
      await expect(none.read('users', soon())).rejects.toThrow(EngineError)
      await server.kill()
      await server.start((address) =>
        etcd({ ...login, endpoints: `http://${address}`, password: 'secret' }),
      )
      expect(await right.renew('users', held, soon())).toBe(true)
    } finally {
      await Promise.all([right, wrong, none].map(async (one) => one.close()))
      await server.close()
    }
  })

  test('with several endpoints: skips one that does not answer', async () => {
    const server = await RealServer.open('etcd')
    const engine = etcd({ endpoints: ['http://127.0.0.1:1', server.url()] })
    try {
      expect(await engine.read('many', soon())).toMatchObject({ token: 0 })
    } finally {
      await engine.close()
      await server.close()
    }
  })
})

describe.skipIf(!has('postgres'))('postgres', () => {
  test('takes a pool, and releases its client', async () => {
    const server = await RealServer.open('postgres')
    const pool = new pg.Pool({ connectionString: server.url(), max: 2 })
    pool.on('error', () => undefined)
    try {
      const engine = postgres(pool)
      const held = await engine.take('pool', await engine.read('pool', soon()), claim, soon())
      expect(held).toMatchObject({ token: 1, holder: 'a' })
      await engine.close()
      expect((await pool.query('SELECT token FROM bellwether_register')).rows).toHaveLength(1)
      const one = new pg.Pool({ connectionString: server.url(), max: 1 })
      expect(() => postgres(one)).toThrow('give it two or more')
    } finally {
      await pool.end()
      await server.close()
    }
  })
})

describe.skipIf(!has('redis'))('redis', () => {
  let master: RealServer
  beforeAll(async () => void (master = await RealServer.open('redis')))
  afterAll(async () => master.close())

  test('with `replicas`, a token counts only when that many have it', async () => {
    const engine = redis({ url: master.url(), replicas: 1 })
    try {
      const alone = engine.take('r', await engine.read('r', soon()), claim, soon())
      await expect(alone).rejects.toThrow('0 of 1 replicas')
      const replica = await RealServer.open('redis', ['--replicaof', `127.0.0.1 ${master.port}`])
      try {
        // It has to copy first.
        const tokens: number[] = []
        for (let i = 0; i < 40 && tokens.length === 0; i++) {
          const from = await engine.read('r', soon())
          const taken = await engine.take('r', from, claim, soon()).catch(() => null)
          if (taken !== null) tokens.push(taken.token)
        }
        const copy = replica.engine()
        expect(tokens).toEqual([(await copy.read('r', soon())).token])
        await copy.close()
      } finally {
        await replica.close()
      }
    } finally {
      await engine.close()
    }
  })
})
