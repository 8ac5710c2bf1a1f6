/**
 * The program of the two processes of `npm run zombies`: leads some groups and writes to each resource when the campaign
 * orders it, without looking at the signal of its term or at assert().
 */
import { createClient } from '@redis/client'
import pg from 'pg'
import { engineFrom } from '../../src/cli/options/engine-url.ts'
import { fence, StaleFenceError } from '../../src/fence/index.ts'
import { fenced, join, type FencedTerm } from '../../src/index.ts'
import type { MemberEvent, ZombieOrder, ZombieSetting } from './zombies.ts'

const setting = JSON.parse(process.argv[2]) as ZombieSetting
const { id, groups, postgres, redis, http } = setting
const pool = new pg.Pool({ connectionString: postgres, max: 8 })
pool.on('error', () => undefined)
const client = await createClient({ url: redis }).connect()
client.on('error', () => undefined)

function report(event: MemberEvent): void {
  process.send!(event)
}

/** Writes to each resource; the outcome by checker. */
async function write(term: FencedTerm, group: string): Promise<Record<string, string>> {
  const entry = `${id} ${term.fence}`
  const insert = { text: 'INSERT INTO ledger VALUES ($1, $2)', values: [group, term.fence] }
  const attempts: Record<string, () => Promise<unknown>> = {
    postgres: async () => fence.postgres(term, pool, insert, { resource: group }),
    redis: async () =>
      fence.redis(term, client, [['RPUSH', `ledger:${group}`, entry]], { key: `fence:${group}` }),
    http: async () => post(`${http}/http/${group}`, term),
    // The guard runs in the process that owns the resource: the parent.
    guard: async () => post(`${http}/guard/${group}`, term),
  }
  const outcomes = Object.entries(attempts).map(async ([name, attempt]) => {
    try {
      await attempt()
      return [name, 'accepted']
    } catch (error) {
      return [name, error instanceof StaleFenceError ? 'rejected' : String(error)]
    }
  })
  return Object.fromEntries(await Promise.all(outcomes)) as Record<string, string>
}

async function post(url: string, term: FencedTerm): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers: fence.http.headers(term) })
  if (answer.status === 409) throw new StaleFenceError(term.fence, url)
  if (!answer.ok) throw new Error(`${answer.status}`)
}

/** Handlers that wait before their write. */
const waiting = new Map<string, (write: boolean) => void>()

const elections = await Promise.all(
  groups.map(async ({ group, engine, members, state }) => {
    const safety = fenced(engineFrom(engine))
    const timing = { detection: setting.detectionMs, lease: 4 * setting.detectionMs }
    const election = await join({ group, id, members, state, safety, timing })
    void election.lead(async (term) => {
      const key = `${group} ${term.fence}`
      const ordered = new Promise<boolean>((resolve) => {
        waiting.set(key, resolve)
      })
      report({ kind: 'ready', group, fence: term.fence })
      term.signal.addEventListener('abort', () =>
        report({ kind: 'over', group, fence: term.fence }),
      )
      if (!(await ordered)) return
      const unaware = !term.signal.aborted
      const outcomes = await write(term, group)
      report({ kind: 'wrote', group, fence: term.fence, unaware, outcomes })
    })
    return election
  }),
)

process.on('message', (order: ZombieOrder) => {
  for (const key of order.write) release(key, true)
  for (const key of order.drop ?? []) release(key, false)
  if (order.end) void end()
})
function release(key: string, write: boolean): void {
  waiting.get(key)?.(write)
  waiting.delete(key)
}
process.on('disconnect', () => process.exit(0))

async function end(): Promise<void> {
  for (const key of waiting.keys()) release(key, false)
  await Promise.all(elections.map(async (election) => election.close({ drain: 500 })))
  await pool.end()
  client.destroy()
  process.disconnect()
}
