/**
 * Records which tick of a job was begun, where all replicas can read it: in PostgreSQL, in Redis, or in a file for
 * replicas of one machine. A tick is begun once, and by no leader older than the last.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import type { RedisClient } from '../fence/redis.ts'
import type { Term } from '../runtime/term.ts'

export interface JobRecord {
  /** The last tick that was begun; null: none. */
  last(term: Term, job: string): Promise<Date | null> | Date | null
  /** Notes that the tick begins. False: this tick, or a later one, was begun already, or by a later leader. */
  begin(term: Term, job: string, tick: Date): Promise<boolean> | boolean
}

/** The part of a pool of `pg` that is used. */
export interface JobSqlPool {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

const TABLE = 'bellwether_jobs'
const SCHEMA = `CREATE TABLE IF NOT EXISTS ${TABLE} (job text PRIMARY KEY, tick bigint NOT NULL, term bigint NOT NULL)`
const UNDEFINED_TABLE = '42P01'

function keyOf({ group }: Term, job: string): string {
  return `${group}/${job}`
}

/** In a table `bellwether_jobs`, which is created where it is missing. */
function postgres(pool: JobSqlPool): JobRecord {
  const query = async (text: string, values: unknown[]) => {
    try {
      return await pool.query(text, values)
    } catch (error) {
      if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error
      await pool.query(SCHEMA)
      return pool.query(text, values)
    }
  }
  return {
    async last(term, job) {
      const { rows } = await query(`SELECT tick FROM ${TABLE} WHERE job = $1`, [keyOf(term, job)])
      const [row] = rows as { tick: string }[]
      return row === undefined ? null : new Date(Number(row.tick))
    },
    async begin(term, job, tick) {
      const { rows } = await query(
        `INSERT INTO ${TABLE} VALUES ($1, $2, $3) ON CONFLICT (job) DO UPDATE SET tick = $2, term = $3
          WHERE ${TABLE}.tick < $2 AND ${TABLE}.term <= $3 RETURNING job`,
        [keyOf(term, job), tick.getTime(), term.number],
      )
      return rows.length > 0
    },
  }
}

const SCRIPT = `
local tick, term = unpack(redis.call('HMGET', KEYS[1], 'tick', 'term'))
if tick and (tonumber(tick) >= tonumber(ARGV[1]) or tonumber(term) > tonumber(ARGV[2])) then return 0 end
redis.call('HSET', KEYS[1], 'tick', ARGV[1], 'term', ARGV[2])
return 1`

/** In a hash for each job. A server that may evict keys may forget it. */
function redis(client: RedisClient): JobRecord {
  const key = (term: Term, job: string): string => `bellwether:job:{${keyOf(term, job)}}`
  return {
    async last(term, job) {
      const tick = await client.sendCommand(['HGET', key(term, job), 'tick'])
      return tick === null || tick === undefined ? null : new Date(Number(tick))
    },
    async begin(term, job, tick) {
      const values = [String(tick.getTime()), String(term.number)]
      const command = ['EVAL', SCRIPT, '1', key(term, job), ...values]
      return Number(await client.sendCommand(command)) === 1
    },
  }
}

type Entries = Record<string, { readonly tick: number; readonly term: number }>

/** In one file, for replicas that all run on one machine. */
function file(path: string): JobRecord {
  const read = (): Entries => {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as Entries
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
  }
  return {
    last(term, job) {
      const entry = read()[keyOf(term, job)]
      return entry === undefined ? null : new Date(entry.tick)
    },
    begin(term, job, tick) {
      const entries = read()
      const entry = entries[keyOf(term, job)]
      const isOver = entry !== undefined && entry.tick >= tick.getTime()
      if (isOver || (entry?.term ?? 0) > term.number) return false
      entries[keyOf(term, job)] = { tick: tick.getTime(), term: term.number }
      replace(path, `${JSON.stringify(entries)}\n`)
      return true
    },
  }
}

/** Synchronous: the jobs of one process do not change the file in between. */
function replace(path: string, content: string): void {
  const draft = `${path}.new`
  const file = openSync(draft, 'w', 0o600)
  try {
    writeSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
}

export const jobRecord = { postgres, redis, file, schema: SCHEMA }
