/**
 * Checks a fence in PostgreSQL: runs writes in a transaction with a guard row that refuses stale tokens, and writes
 * the statement that creates its table.
 */
import type { FencedTerm } from '../runtime/term.ts'
import { StaleFenceError } from './guard.ts'

/** The part of a client of `pg` that is used; others need a wrapper of one line. */
export interface SqlClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  on?(event: 'error', listener: () => void): unknown
  off?(event: 'error', listener: () => void): unknown
}
export interface SqlPool {
  connect(): Promise<SqlClient & { release(destroy?: boolean): void }>
}

export interface PostgresFenceOptions {
  /** The resource; each has a guard row. */
  readonly resource?: string
  /** The table of guard rows: `fence.postgres.schema` returns the statement that creates it. */
  readonly table?: string
  /** Ends the transaction of a writer that stops in the middle, which would lock out its successor. */
  readonly idleMs?: number
}

const TABLE = 'bellwether_fence'

/**
 * Runs `work` in a transaction whose first statement checks the term's fence against the guard row, and raises
 * it. Throws StaleFenceError, and nothing was written, if a larger fence was there before.
 */
async function guarded<T>(
  term: FencedTerm,
  sql: SqlPool,
  work:
    ((client: SqlClient) => Promise<T>) | { readonly text: string; readonly values?: unknown[] },
  options: PostgresFenceOptions = {},
): Promise<T> {
  const { resource = 'default', table = TABLE, idleMs = 5000 } = options
  const client = await sql.connect()
  let healthy = false
  // Without a listener, a connection that the server ends would end the process; the next query fails anyway.
  client.on?.('error', ignore)
  try {
    await client.query('BEGIN')
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${Math.round(idleMs)}`)
    const { rows } = await client.query(
      `INSERT INTO ${nameOf(table)} AS guard (resource, fence) VALUES ($1, $2)
       ON CONFLICT (resource) DO UPDATE SET fence = excluded.fence WHERE guard.fence <= excluded.fence
       RETURNING fence`,
      [resource, term.fence],
    )
    if (rows.length === 0) {
      await client.query('ROLLBACK')
      healthy = true
      throw new StaleFenceError(term.fence, resource)
    }
    const result =
      typeof work === 'function'
        ? await work(client)
        : ((await client.query(work.text, work.values)).rows as T)
    await client.query('COMMIT')
    healthy = true
    return result
  } catch (error) {
    if (!healthy) await client.query('ROLLBACK').then(() => (healthy = true), ignore)
    throw error
  } finally {
    client.off?.('error', ignore)
    client.release(!healthy)
  }
}

function ignore(): void {}

function nameOf(table: string): string {
  if (/^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/u.test(table)) return table
  throw new RangeError(`${table} is not a plain table name`)
}

/** The statement that creates the table of guard rows, for a migration. */
function schema(table = TABLE): string {
  return `CREATE TABLE IF NOT EXISTS ${nameOf(table)} (resource text PRIMARY KEY, fence bigint NOT NULL)`
}

export const postgres = Object.assign(guarded, { schema })
