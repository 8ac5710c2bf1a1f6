/**
 * Checks a fence in PostgreSQL: runs writes in a transaction with a guard row that refuses stale tokens, reports
 * success only where the server said COMMIT, and creates the table of guard rows where it is missing.
 */
import { BellwetherError } from '../core/errors/bellwether-error.ts'
import { checkNames, ConfigurationError } from '../core/errors/configuration-error.ts'
import type { FencedTerm } from '../runtime/term.ts'
import { checkTerm, StaleFenceError } from './guard.ts'

/** The part of a client of `pg` that is used; others need a wrapper of one line. */
export interface SqlClient {
  /** `command` is what the server says it did: COMMIT answers ROLLBACK where the transaction has failed. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; command: string }>
  on?(event: 'error', listener: () => void): unknown
  off?(event: 'error', listener: () => void): unknown
}
type PooledClient = SqlClient & { release(destroy?: boolean): void }
export interface SqlPool {
  connect(): Promise<PooledClient>
  on?(event: 'error', listener: () => void): unknown
}

export interface PostgresFenceOptions {
  /** The resource; each has a guard row. By default the name of the term's group. */
  readonly resource?: string
  /** The table of guard rows, created where it is missing; `fence.postgres.schema` is the statement for a migration. */
  readonly table?: string
  /** Ends the transaction of a writer that stops in the middle, which would lock out its successor. */
  readonly idleMs?: number
  /** Ends a statement that runs or waits for longer. Where the server can (17), the whole transaction too. */
  readonly statementMs?: number
}
type Limits = Required<PostgresFenceOptions>

type Work<T> =
  ((client: SqlClient) => Promise<T>) | { readonly text: string; readonly values?: unknown[] }

/** The server did not commit, although no statement failed for the caller. */
export class NotCommittedError extends BellwetherError {
  override readonly name = 'NotCommittedError'
  readonly code = 'not-committed'
}

const TABLE = 'bellwether_fence'
const UNDEFINED_TABLE = '42P01'
/** Two transactions that create the same table at the same moment: IF NOT EXISTS does not cover that. */
const CREATED_MEANWHILE = new Set(['23505', '42P07', 'XX000'])

/**
 * Runs `work` in a transaction whose first statement checks the term's fence against the guard row, and raises
 * it. Throws StaleFenceError, and nothing was written, if a larger fence was there before; NotCommittedError if the
 * server rolled back.
 */
async function guarded<T>(
  term: FencedTerm,
  sql: SqlPool,
  work: Work<T>,
  options: PostgresFenceOptions = {},
): Promise<T> {
  checkTerm(term)
  if (typeof (sql as Partial<SqlPool> | undefined)?.connect !== 'function') {
    throw new ConfigurationError('pool', 'must be a pool of pg')
  }
  if (
    typeof work !== 'function' &&
    typeof (work as { text?: unknown } | undefined)?.text !== 'string'
  ) {
    throw new ConfigurationError('work', 'must be a function, or { text, values }')
  }
  checkNames(options, ['resource', 'table', 'idleMs', 'statementMs'], 'fence.postgres')
  surviveLostConnections(sql)
  const limits = { resource: term.group, table: TABLE, idleMs: 5000, statementMs: 5000, ...options }
  const client = await sql.connect()
  let healthy = false
  // Without a listener, a connection that the server ends would end the process; the next query fails anyway.
  client.on?.('error', ignore)
  try {
    await client.query('BEGIN')
    const id = await raise(client, term.fence, limits).catch(async (error: unknown) => {
      if (codeOf(error) !== UNDEFINED_TABLE) throw error
      await client.query('ROLLBACK')
      await createTable(client, limits.table)
      await client.query('BEGIN')
      return raise(client, term.fence, limits)
    })
    const result =
      typeof work === 'function'
        ? await work(client)
        : ((await client.query(work.text, work.values)).rows as T)
    await commit(client, id)
    healthy = true
    return result
  } catch (error) {
    healthy = await rollBack(client)
    throw error
  } finally {
    client.off?.('error', ignore)
    client.release(!healthy)
  }
}

/** Throws unless the server commits the transaction with this id. */
async function commit(client: SqlClient, id: unknown): Promise<void> {
  // Fails where a statement has failed and the work went on all the same.
  const { rows } = await client.query('SELECT txid_current_if_assigned() AS id')
  if ((rows[0] as { id: unknown }).id !== id) {
    throw new NotCommittedError(
      'the work ended the transaction of the fence itself: leave BEGIN, COMMIT and ROLLBACK to fence.postgres',
    )
  }
  const { command } = await client.query('COMMIT')
  if (command === 'COMMIT') return
  throw new NotCommittedError(`PostgreSQL answered ${command} to COMMIT: nothing was written`)
}

/** Raises the guard row and sets the limits of what follows. Returns the id of the transaction. */
async function raise(client: SqlClient, fence: number, limits: Limits): Promise<unknown> {
  const { resource, table, idleMs, statementMs } = limits
  // A stale writer gives the row up within these times: a successor waits for it a little longer.
  const waitMs = Math.round(idleMs + statementMs + 1000)
  await client.query(
    `SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $1, true),
       set_config('idle_in_transaction_session_timeout', $2, true),
       CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL
         THEN set_config('transaction_timeout', $3, true) END`,
    [String(waitMs), String(Math.round(idleMs)), String(2 * waitMs)],
  )
  const { rows } = await client.query(
    `INSERT INTO ${nameOf(table)} AS guard (resource, fence) VALUES ($1, $2)
     ON CONFLICT (resource) DO UPDATE SET fence = excluded.fence WHERE guard.fence <= excluded.fence
     RETURNING txid_current() AS id, set_config('statement_timeout', $3, true),
       set_config('lock_timeout', $3, true)`,
    [resource, fence, String(Math.round(statementMs))],
  )
  if (rows.length === 0) throw new StaleFenceError(fence, resource)
  return (rows[0] as { id: unknown }).id
}

/** Returns whether the connection can be used again. */
async function rollBack(client: SqlClient): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  )
}

const heard = new WeakSet<object>()

/** A pool reports an idle connection that the server ends as `error`, which ends a process without a listener. */
function surviveLostConnections(pool: SqlPool): void {
  if (heard.has(pool)) return
  heard.add(pool)
  pool.on?.('error', ignore)
}

async function createTable(client: SqlClient, table: string): Promise<void> {
  try {
    await client.query(schema(table))
  } catch (cause) {
    if (CREATED_MEANWHILE.has(codeOf(cause) ?? '')) return
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigurationError(
      'table',
      `the table ${table} is missing and cannot be created (${why}): run "${schema(table)}" in a migration`,
      { cause },
    )
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}

function ignore(): void {}

function nameOf(table: string): string {
  if (/^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/u.test(table)) return table
  throw new ConfigurationError('table', `${table} is not a plain table name`)
}

/** The statement that creates the table of guard rows, for a migration. */
function schema(table = TABLE): string {
  return `CREATE TABLE IF NOT EXISTS ${nameOf(table)} (resource text PRIMARY KEY, fence bigint NOT NULL)`
}

export const postgres = Object.assign(guarded, { schema })
