/**
 * Redis: a hash for each group, changed by Lua, and a channel for those who watch.
 *
 * Redis answers before a replica has what it wrote, and by default before the disk has it. A fail-over or a
 * crash may therefore lose the latest tokens. Members that saw them notice (EngineReset); one that did not
 * may be given a token a second time. `replicas` narrows that, and nothing closes it: see docs/guide/fencing.md.
 */
import type { Json } from '../core/schema.ts'
import {
  bounded,
  client as load,
  EMPTY,
  EngineError,
  isSame,
  tokenOf,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'
import { Shared } from './shared-connection.ts'
import { aborted, keepWatching } from './resilient-watch.ts'

export interface RedisOptions {
  readonly url: string
  /** A token counts only when so many replicas have it; 0 unless given. */
  readonly replicas?: number
  /** What keys begin with. */
  readonly prefix?: string
}

/** What we use of a client of `@redis/client`. */
interface Connection {
  readonly isReady: boolean
  sendCommand(args: string[]): Promise<unknown>
  connect(): Promise<unknown>
  destroy(): void
  on(event: 'error' | 'end', listener: () => void): unknown
  subscribe(channel: string, listener: () => void): Promise<unknown>
}

const FIELDS = ['token', 'holder', 'metadata', 'beat'] as const

const TAKE = `
if (redis.call('HGET', KEYS[1], 'token') or '0') ~= ARGV[1] then return false end
local token = redis.call('HINCRBY', KEYS[1], 'token', 1)
redis.call('HSET', KEYS[1], 'holder', ARGV[2], 'metadata', ARGV[3], 'beat', 0)
redis.call('PUBLISH', KEYS[1], token)
return token`

const RENEW = `
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
redis.call('HINCRBY', KEYS[1], 'beat', 1)
return 1`

const RESEED = `
local token = tonumber(redis.call('HGET', KEYS[1], 'token') or '0')
token = math.max(token, tonumber(ARGV[1])) + 1
redis.call('HSET', KEYS[1], 'token', string.format('%.0f', token), 'holder', '',
  'metadata', 'null', 'beat', 0)
redis.call('PUBLISH', KEYS[1], string.format('%.0f', token))
return string.format('%.0f', token)`

class Redis implements Engine {
  readonly name = 'redis'
  private readonly options: RedisOptions
  private readonly shared = new Shared<Connection>('redis', async () =>
    this.connect(() => this.shared.forget()),
  )

  constructor(options: RedisOptions) {
    this.options = options
  }

  async load(): Promise<void> {
    await client()
  }

  async read(group: string, signal: AbortSignal): Promise<Register> {
    return this.use(signal, async (connection) => this.readOn(connection, group))
  }

  async take(
    group: string,
    from: Register,
    { holder, metadata }: Claim,
    signal: AbortSignal,
  ): Promise<Register | null> {
    const values = [String(from.token), holder, JSON.stringify(metadata)]
    return this.use(signal, async (connection) => {
      const answer = await this.run(connection, TAKE, group, values)
      if (answer === null) return null
      await this.replicated(connection)
      return { token: tokenOf(this.name, answer), holder, metadata, beat: 0, offset: 0 }
    })
  }

  async renew(group: string, held: Register, signal: AbortSignal): Promise<boolean> {
    return this.use(
      signal,
      async (connection) =>
        Number(await this.run(connection, RENEW, group, [String(held.token)])) === 1,
    )
  }

  watch(group: string, watcher: Watcher, signal: AbortSignal): void {
    let last: Register | null = null
    keepWatching(signal, async (live) => {
      const lost = new AbortController()
      const connection = await this.connect(() => lost.abort())
      try {
        const tell = async (): Promise<void> => {
          const register = await this.read(group, AbortSignal.timeout(5000))
          if (signal.aborted || isSame(last, register)) return
          last = register
          watcher.changed(register)
        }
        await connection.subscribe(this.key(group), () => void tell().catch(() => lost.abort()))
        await tell()
        live()
        await aborted(AbortSignal.any([signal, lost.signal]))
      } finally {
        destroy(connection)
      }
    })
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    return this.use(signal, async (connection) => {
      const token = await this.run(connection, RESEED, group, [String(above)])
      return { ...EMPTY, token: tokenOf(this.name, token) }
    })
  }

  async close(): Promise<void> {
    const connection = await this.shared.close()
    if (connection !== null) destroy(connection)
  }

  private key(group: string): string {
    return `${this.options.prefix ?? 'bellwether:'}{${group}}`
  }

  private async readOn(connection: Connection, group: string): Promise<Register> {
    const values = (await connection.sendCommand(['HMGET', this.key(group), ...FIELDS])) as (
      string | null
    )[]
    const [token, holder, metadata, beat] = values
    if (token === null) return EMPTY
    return {
      token: tokenOf(this.name, token),
      holder: holder ?? '',
      metadata: JSON.parse(metadata ?? 'null') as Json,
      beat: Number(beat ?? 0),
      offset: 0,
    }
  }

  private async run(
    connection: Connection,
    script: string,
    group: string,
    values: readonly string[],
  ): Promise<unknown> {
    return connection.sendCommand(['EVAL', script, '1', this.key(group), ...values])
  }

  private async replicated(connection: Connection): Promise<void> {
    const { replicas = 0 } = this.options
    if (replicas === 0) return
    const reached = await connection.sendCommand(['WAIT', String(replicas), String(REPLICATION_MS)])
    if (Number(reached) >= replicas) return
    throw new EngineError(`redis: ${String(reached)} of ${replicas} replicas have the token`)
  }

  // Connections.

  private async use<T>(
    signal: AbortSignal,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    return bounded(this.name, signal, async () => {
      const connection = await this.shared.get()
      const giveUp = (): void => this.discard(connection)
      signal.addEventListener('abort', giveUp, { once: true })
      if (signal.aborted) giveUp()
      try {
        return await work(connection)
      } catch (error) {
        if (!connection.isReady) this.discard(connection)
        throw error
      } finally {
        signal.removeEventListener('abort', giveUp)
      }
    })
  }

  /** What waits in it is never sent: a renewal must not go out after its lease. */
  private discard(connection: Connection): void {
    this.shared.forget()
    destroy(connection)
  }

  private async connect(lost: () => void): Promise<Connection> {
    const { createClient } = await client()
    const connection = createClient({
      url: this.options.url,
      disableOfflineQueue: true,
      // A connection that was cut says nothing: whoever does not answer a ping is let go.
      pingInterval: CONNECT_MS / 3,
      socket: { connectTimeout: CONNECT_MS, socketTimeout: CONNECT_MS, reconnectStrategy: false },
    }) as unknown as Connection
    connection.on('error', () => {
      lost()
      destroy(connection)
    })
    connection.on('end', lost)
    // Its own limit covers the dial only, not a server that accepts and says nothing.
    const limit = setTimeout(() => destroy(connection), CONNECT_MS)
    try {
      await connection.connect()
    } finally {
      clearTimeout(limit)
    }
    return connection
  }
}

async function client() {
  return load('redis', '@redis/client', async () => import('@redis/client'))
}

const CONNECT_MS = 3000
/** How long replicas have to say that they have a token. */
const REPLICATION_MS = 250

function destroy(connection: Connection): void {
  try {
    connection.destroy()
  } catch {
    // It was closed before.
  }
}

/** Needs the package `@redis/client`. */
export function redis(options: RedisOptions | string): Engine {
  return new Redis(typeof options === 'string' ? { url: options } : options)
}
