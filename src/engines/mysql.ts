/**
 * The engine MySQL and MariaDB: keeps registers as rows with a counter that only rises, which statements change by
 * compare-and-set, and watches them by reading them again and again, since these servers notify nobody.
 *
 * All calls share one connection. A call that is not answered in time ends it; the next call opens another.
 */
import { sleep } from '../clock/sleep.ts'
import type { Json } from '../core/schema.ts'
import { keepWatching, SharedConnection } from './connections.ts'
import {
  engineOptions,
  checkSeed,
  checkTable,
  EMPTY,
  loadClient,
  missingTable,
  tokenOf,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'

export interface MysqlOptions {
  /** `mysql://user:password@host:3306/database`. */
  readonly uri: string
  /** PEM texts for TLS: the authority of the server, and this client's own certificate. */
  readonly ssl?: {
    readonly ca?: string | Buffer
    readonly cert?: string | Buffer
    readonly key?: string | Buffer
  }
  /** The table of registers, created where it is missing. */
  readonly table?: string
  /** The time between two readings of a watch. */
  readonly pollMs?: number
}

interface Row {
  readonly token: string
  readonly holder: string
  readonly metadata: string
  readonly beat: string
}

type Value = string | Buffer
/** The part of a connection of `mysql2` that is used. */
interface Connection {
  execute(text: string, values?: Value[]): Promise<[unknown, unknown]>
  on(event: 'error' | 'end', listener: () => void): unknown
  destroy(): void
}

const CONNECT_MS = 3000
const POLL_MS = 200
const NO_SUCH_TABLE = 1146
const DUPLICATE = 1062
/** What a server says of a table that this user may not see, whether it exists or not. */
const DENIED_ON_TABLE = 1142

class Mysql implements Engine {
  readonly name = 'mysql'
  private readonly options: MysqlOptions
  private readonly table: string
  private readonly shared = new SharedConnection<Connection>('mysql', {
    open: async (signal) => this.open(signal),
    end: (connection) => {
      this.shared.forget(connection)
      connection.destroy()
    },
    // Errors of the server have a number; all others are the connection's.
    isBroken: (error) => {
      const { errno, fatal } = error as { errno?: number; fatal?: boolean }
      return errno === undefined || fatal === true
    },
  })

  constructor(options: MysqlOptions) {
    const { table = 'bellwether_register' } = options
    checkTable(this.name, table)
    this.options = options
    this.table = table
  }

  async load(): Promise<void> {
    await loadMysql()
  }

  async read(group: string, signal: AbortSignal): Promise<Register> {
    return this.shared.use(signal, async (connection) => this.readOn(connection, group))
  }

  async take(group: string, from: Register, claim: Claim, signal: AbortSignal) {
    const next = { ...EMPTY, ...claim, token: from.token + 1 }
    return this.shared.use(signal, async (connection) => this.write(connection, group, from, next))
  }

  async renew(group: string, held: Register, signal: AbortSignal): Promise<boolean> {
    const text = `UPDATE ${this.table} SET beat = beat + 1 WHERE name = ? AND token = ?`
    const values = [Buffer.from(group), String(held.token)]
    return this.shared.use(signal, async (connection) => changes(connection, text, values))
  }

  watch(group: string, watcher: Watcher, signal: AbortSignal): void {
    const { pollMs = POLL_MS } = this.options
    keepWatching(watcher, signal, async (report, connected) => {
      while (!signal.aborted) {
        report(await this.read(group, AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)])))
        connected()
        await sleep(pollMs, signal)
      }
    })
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    checkSeed(this.name, above)
    return this.shared.use(signal, async (connection) => {
      for (;;) {
        const from = await this.readOn(connection, group)
        const next = { ...EMPTY, token: Math.max(from.token, above) + 1 }
        if ((await this.write(connection, group, from, next)) !== null) return next
      }
    })
  }

  async close(): Promise<void> {
    const connection = await this.shared.close()
    connection?.destroy()
  }

  private async readOn(connection: Connection, group: string): Promise<Register> {
    const text = `SELECT token, holder, metadata, beat FROM ${this.table} WHERE name = ?`
    const [rows] = await connection.execute(text, [Buffer.from(group)])
    if ((rows as Row[]).length === 0) return EMPTY
    const { token, holder, metadata, beat } = (rows as Row[])[0]
    return {
      ...EMPTY,
      token: tokenOf(this.name, token),
      holder,
      metadata: JSON.parse(metadata) as Json,
      beat: Number(beat),
    }
  }

  /** Replaces the register if it still has the token that was read; null if it has another one. */
  private async write(connection: Connection, group: string, from: Register, next: Register) {
    const token = String(tokenOf(this.name, next.token))
    const values = [token, next.holder, JSON.stringify(next.metadata), Buffer.from(group)]
    const set = 'token = ?, holder = ?, metadata = ?, beat = 0'
    try {
      const changed = await (from.token === 0
        ? changes(connection, `INSERT INTO ${this.table} SET ${set}, name = ?`, values)
        : changes(connection, `UPDATE ${this.table} SET ${set} WHERE name = ? AND token = ?`, [
            ...values,
            String(from.token),
          ]))
      return changed ? next : null
    } catch (error) {
      if ((error as { errno?: number }).errno === DUPLICATE) return null
      throw error
    }
  }

  private async open(signal: AbortSignal): Promise<Connection> {
    const { createConnection } = await loadMysql()
    const { uri, ssl } = this.options
    const connection = (await createConnection({
      uri,
      ...(ssl && { ssl }),
      connectTimeout: CONNECT_MS,
      enableKeepAlive: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      jsonStrings: true,
    })) as unknown as Connection
    const lost = (): void => this.shared.forget(connection)
    // Without a listener a lost connection would end the process.
    connection.on('error', lost)
    connection.on('end', lost)
    const giveUp = (): void => connection.destroy()
    signal.addEventListener('abort', giveUp)
    try {
      // A server may be configured otherwise; and a row that stays locked must not hold a call up for long.
      await connection.execute('SET SESSION autocommit = 1, SESSION innodb_lock_wait_timeout = 5')
      await this.createTable(connection)
    } catch (error) {
      connection.destroy()
      throw error
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
    return connection
  }

  /** Names are bytes: the collations of text ignore spaces at the end, and often more. */
  private async createTable(connection: Connection): Promise<void> {
    try {
      // Where it exists, no right to create tables is needed.
      await connection.execute(`SELECT 1 FROM ${this.table} LIMIT 0`)
    } catch (error) {
      if (![NO_SUCH_TABLE, DENIED_ON_TABLE].includes(errnoOf(error) ?? 0)) throw error
      const text = schema(this.table)
      await connection.execute(text).catch((cause: unknown) => {
        throw errnoOf(cause) === undefined
          ? cause
          : missingTable(this.name, this.table, cause, text)
      })
    }
  }
}

/** The statement that creates the table of registers. */
function schema(table: string): string {
  return (
    `CREATE TABLE IF NOT EXISTS ${table} (name varbinary(1024) PRIMARY KEY, token bigint NOT NULL, ` +
    'holder text CHARACTER SET utf8mb4 NOT NULL, metadata mediumtext CHARACTER SET utf8mb4 NOT NULL, ' +
    'beat bigint NOT NULL) ENGINE = InnoDB'
  )
}

/** Of an error of the server. */
function errnoOf(error: unknown): number | undefined {
  return (error as { errno?: number }).errno
}

async function changes(connection: Connection, text: string, values: Value[]): Promise<boolean> {
  const [{ affectedRows }] = (await connection.execute(text, values)) as [
    { affectedRows: number },
    unknown,
  ]
  return affectedRows === 1
}

async function loadMysql() {
  return loadClient('mysql', 'mysql2', async () => import('mysql2/promise'))
}

const OPTIONS = ['uri', 'ssl', 'table', 'pollMs'] as const

/** For MySQL and MariaDB. Needs the package `mysql2`. */
export function mysql(options: MysqlOptions | string): Engine {
  return new Mysql(engineOptions('mysql', options, OPTIONS))
}
