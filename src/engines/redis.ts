/**
 * The engine Redis: keeps registers as hashes that Lua scripts change, and watches them by a channel.
 *
 * Redis answers before a replica has the write, and by default before the disk has it. A failover or a crash can
 * therefore lose the latest tokens. Members that saw them notice (EngineResetError); another member may get a token a
 * second time. `replicas` makes that less likely, not impossible: see docs/guide/fencing.md.
 */
import { clearTimeout, setTimeout } from '../clock/native-timers.ts'
import type { Json } from '../core/schema.ts'
import {
  engineOptions,
  checkSeed,
  EMPTY,
  EngineError,
  loadClient,
  tokenOf,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'
import { aborted, keepWatching, SharedConnection } from './connections.ts'

export interface RedisOptions {
  readonly url: string
  /** How many replicas must have a token before it counts; 0 by default. */
  readonly replicas?: number
  readonly prefix?: string
}

/** The part of a client of `@redis/client` that is used. */
interface Connection {
  readonly isReady: boolean
  sendCommand(args: string[]): Promise<unknown>
  connect(): Promise<unknown>
  destroy(): void
  on(event: 'error' | 'end', listener: () => void): unknown
  subscribe(channel: string, listener: () => void): Promise<unknown>
}

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
  private readonly shared = new SharedConnection<Connection>('redis', {
    open: async () => this.connect((connection) => this.shared.forget(connection)),
    end: (connection) => {
      this.shared.forget(connection)
      destroy(connection)
    },
    isBroken: (_error, connection) => !connection.isReady,
  })

  constructor(options: RedisOptions) {
    this.options = options
  }

  async load(): Promise<void> {
    await loadRedis()
  }

  async read(group: string, signal: AbortSignal): Promise<Register> {
    return this.shared.use(signal, async (connection) => this.readOn(connection, group))
  }

  async take(group: string, from: Register, claim: Claim, signal: AbortSignal) {
    const values = [String(from.token), claim.holder, JSON.stringify(claim.metadata)]
    return this.shared.use(signal, async (connection) => {
      const answer = await this.run(connection, TAKE, group, values)
      if (answer === null) return null
      await this.replicated(connection)
      return { ...EMPTY, ...claim, token: tokenOf(this.name, answer) }
    })
  }

  async renew(group: string, held: Register, signal: AbortSignal): Promise<boolean> {
    return this.shared.use(signal, async (connection) => {
      const answer = await this.run(connection, RENEW, group, [String(held.token)])
      return Number(answer) === 1
    })
  }

  watch(group: string, watcher: Watcher, signal: AbortSignal): void {
    keepWatching(watcher, signal, async (report, connected) => {
      const lost = new AbortController()
      const connection = await this.connect(() => lost.abort())
      try {
        const read = async (): Promise<void> =>
          report(await this.read(group, AbortSignal.timeout(5000)))
        await connection.subscribe(this.key(group), () => void read().catch(() => lost.abort()))
        await read()
        connected()
        await aborted(AbortSignal.any([signal, lost.signal]))
      } finally {
        destroy(connection)
      }
    })
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    checkSeed(this.name, above)
    return this.shared.use(signal, async (connection) => {
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
    const fields = ['token', 'holder', 'metadata', 'beat']
    const values = await connection.sendCommand(['HMGET', this.key(group), ...fields])
    const [token, holder, metadata, beat] = values as (string | null)[]
    if (token === null) return EMPTY
    return {
      ...EMPTY,
      token: tokenOf(this.name, token),
      holder: holder ?? '',
      metadata: JSON.parse(metadata ?? 'null') as Json,
      beat: Number(beat ?? 0),
    }
  }

  private async run(connection: Connection, script: string, group: string, values: string[]) {
    return connection.sendCommand(['EVAL', script, '1', this.key(group), ...values])
  }

  private async replicated(connection: Connection): Promise<void> {
    const { replicas = 0 } = this.options
    if (replicas === 0) return
    const reached = await connection.sendCommand(['WAIT', String(replicas), String(REPLICATION_MS)])
    if (Number(reached) >= replicas) return
    throw new EngineError(`redis: ${String(reached)} of ${replicas} replicas have the token`)
  }

  private async connect(lost: (connection: Connection) => void): Promise<Connection> {
    const { createClient } = await loadRedis()
    const connection = createClient({
      url: this.options.url,
      disableOfflineQueue: true,
      // A cut connection reports nothing: it is ended when a ping is not answered.
      pingInterval: CONNECT_MS / 3,
      socket: { connectTimeout: CONNECT_MS, socketTimeout: CONNECT_MS, reconnectStrategy: false },
    }) as unknown as Connection
    connection.on('error', () => {
      lost(connection)
      destroy(connection)
    })
    connection.on('end', () => lost(connection))
    // The client's own limit covers the dial only, not a server that accepts and does not answer.
    const limit = setTimeout(() => destroy(connection), CONNECT_MS)
    try {
      await connection.connect()
      await refuseEviction(connection)
    } catch (error) {
      destroy(connection)
      throw error
    } finally {
      clearTimeout(limit)
    }
    return connection
  }
}

async function loadRedis() {
  return loadClient('redis', '@redis/client', async () => import('@redis/client'))
}

/** A register that is evicted is lost, and its tokens would be issued again. A server may forbid to ask. */
async function refuseEviction(connection: Connection): Promise<void> {
  const memory = await connection.sendCommand(['INFO', 'memory']).catch(() => '')
  const text = String(memory)
  if (!text.includes('maxmemory_policy:allkeys') || text.includes('\nmaxmemory:0\r')) return
  throw new EngineError(
    'redis: the server evicts keys when its memory is full (maxmemory-policy allkeys-…), and the tokens with them: ' +
      'set maxmemory-policy to noeviction or to a policy volatile-…',
  )
}

const CONNECT_MS = 3000
/** How long replicas have to confirm a token. */
const REPLICATION_MS = 250

function destroy(connection: Connection): void {
  try {
    connection.destroy()
  } catch {
    // It is closed already.
  }
}

const OPTIONS = ['url', 'replicas', 'prefix'] as const

/** Needs the package `@redis/client`. */
export function redis(options: RedisOptions | string): Engine {
  return new Redis(engineOptions('redis', options, OPTIONS))
}
