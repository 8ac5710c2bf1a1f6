/**
 * The engine PostgreSQL: keeps registers as rows with a counter that only rises, and watches them by NOTIFY.
 *
 * All calls share one connection. A call that is not answered in time ends it, since no other query can run on it;
 * the next call opens another.
 */
import { checkNames, ConfigurationError } from '../core/errors/configuration-error.ts'
import {
  checkSeed,
  checkTable,
  EMPTY,
  EngineError,
  loadClient,
  missingTable,
  tokenOf,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'
import { aborted, keepWatching, SharedConnection } from './connections.ts'

/** The part of a `Client` of `pg` that is used. */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown
  on(event: 'notification', listener: (message: { channel: string }) => void): unknown
  removeAllListeners(event?: string): unknown
}
/** The part of a `Pool` of `pg` that is used. */
export interface PgPool {
  readonly options?: { readonly max?: number }
  connect(): Promise<PgClient & { release(destroy?: boolean): void }>
  on?(event: 'error', listener: () => void): unknown
}

export interface PostgresOptions {
  readonly connectionString: string
  /** The table of registers, created where it is missing. */
  readonly table?: string
}

interface Row extends Claim {
  readonly token: string
  readonly beat: string
}

interface Session {
  readonly client: PgClient
  /** Aborted when the connection is lost. */
  readonly ended: AbortSignal
  discard(): void
  /** The last query: the next one waits for it. */
  last: Promise<unknown>
}

class Postgres implements Engine {
  readonly name = 'postgres'
  private readonly source: PgPool | string
  private readonly table: string
  private readonly channel: string
  private readonly shared = new SharedConnection<Session>('postgres', {
    open: async (signal) => this.open(signal),
    end: (session) => session.discard(),
    isBroken: (error) => isConnectionError(error),
  })

  constructor(source: PgPool | string, table = 'bellwether_register') {
    checkTable(this.name, table)
    this.source = source
    this.table = table
    this.channel = table.replaceAll('.', '_')
  }

  async load(): Promise<void> {
    if (typeof this.source === 'string') await client()
  }

  async read(group: string, signal: AbortSignal): Promise<Register> {
    return this.use(signal, async (client) => this.readOn(client, group))
  }

  async take(group: string, from: Register, claim: Claim, signal: AbortSignal) {
    const values = [group, claim.holder, JSON.stringify(claim.metadata), from.token]
    const update = `UPDATE ${this.table} SET token = token + 1, holder = $2,
      metadata = $3::jsonb, beat = 0 WHERE name = $1 AND token = $4 RETURNING token`
    const insert = `INSERT INTO ${this.table} (name, token, holder, metadata)
      SELECT $1, 1, $2, $3::jsonb WHERE $4::bigint = 0 ON CONFLICT (name) DO NOTHING
      RETURNING token`
    const token = await this.change(from.token === 0 ? insert : update, values, signal)
    return token === null ? null : { ...EMPTY, ...claim, token }
  }

  async renew(group: string, held: Register, signal: AbortSignal): Promise<boolean> {
    const text = `UPDATE ${this.table} SET beat = beat + 1 WHERE name = $1 AND token = $2
      RETURNING token`
    const values = [group, held.token]
    const { rows } = await this.use(signal, async (client) => client.query(text, values))
    return rows.length === 1
  }

  watch(group: string, watcher: Watcher, signal: AbortSignal): void {
    keepWatching(watcher, signal, async (report, connected) => {
      const session = await this.shared.get()
      const read = async (): Promise<void> =>
        report(await inTurn(session, async () => this.readOn(session.client, group)))
      session.client.on('notification', ({ channel }) => {
        if (channel === this.channel && !signal.aborted) read().catch(() => session.discard())
      })
      await inTurn(session, async () => session.client.query(`LISTEN ${this.channel}`))
      await read()
      connected()
      await aborted(AbortSignal.any([signal, session.ended]))
    })
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    checkSeed(this.name, above)
    const text = `INSERT INTO ${this.table} (name, token) VALUES ($1, $2::bigint + 1)
      ON CONFLICT (name) DO UPDATE SET token = greatest(${this.table}.token, $2::bigint) + 1,
      holder = '', metadata = 'null', beat = 0 RETURNING token`
    const token = await this.change(text, [group, above], signal)
    return { ...EMPTY, token: token! }
  }

  async close(): Promise<void> {
    const session = await this.shared.close()
    session?.discard()
  }

  private async readOn(client: PgClient, group: string): Promise<Register> {
    const text = `SELECT token, holder, metadata, beat FROM ${this.table} WHERE name = $1`
    const { rows } = await client.query(text, [group])
    if (rows.length === 0) return EMPTY
    const { token, holder, metadata, beat } = rows[0] as Row
    return { ...EMPTY, token: tokenOf(this.name, token), holder, metadata, beat: Number(beat) }
  }

  /** Changes the row and notifies watches in one statement: both happen, or neither. */
  private async change(text: string, values: unknown[], signal: AbortSignal) {
    const whole = `WITH changed AS (${text})
      SELECT token, pg_notify('${this.channel}', '') FROM changed`
    const { rows } = await this.use(signal, async (client) => client.query(whole, values))
    return rows.length === 0 ? null : tokenOf(this.name, (rows[0] as Row).token)
  }

  private async use<T>(signal: AbortSignal, work: (client: PgClient) => Promise<T>): Promise<T> {
    return this.shared.use(signal, async (session) =>
      inTurn(session, async () => work(session.client)),
    )
  }

  private async open(signal: AbortSignal): Promise<Session> {
    const { client, end } = await this.connect()
    const ended = new AbortController()
    const discard = (): void => {
      if (ended.signal.aborted) return
      ended.abort()
      this.shared.forget(session)
      end()
    }
    const session = { client, ended: ended.signal, discard, last: Promise.resolve() }
    // Without a listener a lost connection would end the process.
    client.on('error', discard)
    client.on('end', discard)
    signal.addEventListener('abort', discard)
    try {
      await this.createTable(client)
    } catch (error) {
      discard()
      throw error
    } finally {
      signal.removeEventListener('abort', discard)
    }
    return session
  }

  private async connect(): Promise<{ client: PgClient; end: () => void }> {
    if (typeof this.source !== 'string') {
      const client = await this.source.connect()
      return {
        client,
        end: () => {
          client.removeAllListeners('notification')
          client.release(true)
        },
      }
    }
    const pg = await client()
    const made = new pg.Client({
      connectionString: this.source,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    })
    await made.connect()
    // `end` would wait for a server that does not answer.
    const { connection } = made as unknown as { connection: { stream: { destroy(): void } } }
    return { client: made, end: () => connection.stream.destroy() }
  }

  private async createTable(client: PgClient): Promise<void> {
    const text = schema(this.table)
    // Where it exists, no right to create tables is needed.
    const found = await client.query('SELECT to_regclass($1) AS it', [this.table])
    if ((found.rows[0] as { it: unknown }).it !== null) return
    try {
      await client.query(text)
    } catch (error) {
      // Two members that create it at the same moment: IF NOT EXISTS does not cover that.
      const { code = '' } = error as { code?: string }
      if (['23505', '42P07', 'XX000'].includes(code)) return
      throw isConnectionError(error) ? error : missingTable(this.name, this.table, error, text)
    }
  }
}

/** Errors of the server have a code of five letters; class 57 and all others are the connection's. */
function isConnectionError(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === undefined || !/^[0-9A-Z]{5}$/u.test(code) || code.startsWith('57')
}

/** Runs one query at a time on a connection. */
async function inTurn<T>(session: Session, work: () => Promise<T>): Promise<T> {
  const done = session.last.then(work)
  session.last = done.catch(() => undefined)
  return done
}

async function client() {
  const { default: pg } = await loadClient('postgres', 'pg', async () => import('pg'))
  return pg
}

const CONNECT_MS = 3000

/** The statement that creates the table of registers. */
function schema(table = 'bellwether_register'): string {
  return (
    `CREATE TABLE IF NOT EXISTS ${table} (name text PRIMARY KEY, token bigint NOT NULL, ` +
    "holder text NOT NULL DEFAULT '', metadata jsonb NOT NULL DEFAULT 'null', beat bigint NOT NULL DEFAULT 0)"
  )
}

const heard = new WeakSet<object>()

/**
 * A pool reports a connection that the server ends while nobody uses it as `error`, which ends a process without a
 * listener. The engine's own calls report what is wrong.
 */
function surviveLostConnections(pool: PgPool): void {
  if (heard.has(pool)) return
  heard.add(pool)
  pool.on?.('error', () => undefined)
}

/**
 * With a pool of the user, or with a connection string and the package `pg`. The engine keeps one connection of a
 * pool, so a pool of one would have none for anything else, and the first `fence.postgres` would wait for ever.
 */
function engine(given: PgPool | PostgresOptions | string): Engine {
  const isPool = typeof (given as Partial<PgPool> | undefined)?.connect === 'function'
  if (!isPool && typeof given !== 'string') {
    const { connectionString } = checkNames(given, ['connectionString', 'table'], 'postgres')
    if (typeof connectionString !== 'string') {
      throw new ConfigurationError(
        'postgres',
        'must be a pool of pg, a connection string, or { connectionString, table }',
      )
    }
  }
  if (isPool) surviveLostConnections(given as PgPool)
  if (typeof given === 'object' && 'options' in given && given.options?.max === 1) {
    throw new EngineError(
      'postgres: the pool has one connection (max: 1), which the engine would keep: give it two or more, or give ' +
        'the engine a connection string of its own',
    )
  }
  if (typeof given === 'string' || !('connectionString' in given)) return new Postgres(given)
  return new Postgres(given.connectionString, given.table)
}

export const postgres = Object.assign(engine, { schema })
