/** Tests the records of jobs, and the recipe for BullMQ, on real servers. */
import { createClient } from '@redis/client'
import { Queue } from 'bullmq'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workOnLeader } from '../../examples/bullmq.ts'
import { has, RealServer } from '../../scripts/support/servers.ts'
import { jobRecord, type JobRecord } from '../../src/cron/index.ts'
import { fakeTerm } from '../../src/testing/fake-term.ts'
import { until } from '../../src/testing/wait.ts'
import { Cluster } from '../support/members.ts'

/** A tick is begun once, by no leader older than the last. */
async function expectOneBegin(record: JobRecord): Promise<void> {
  const [old, young] = [5, 6].map((number) => fakeTerm({ group: 'g', number }).term)
  const [first, second, third] = [1, 2, 3].map(
    (minute) => new Date(Date.UTC(2026, 0, 1, 0, minute)),
  )
  expect(await record.last(old, 'report')).toBeNull()
  const racing = await Promise.all([1, 2, 3].map(async () => record.begin(old, 'report', first)))
  expect(racing.filter(Boolean)).toHaveLength(1)
  expect(await record.begin(young, 'report', second)).toBe(true)
  expect(await record.begin(young, 'report', first)).toBe(false)
  expect(await record.begin(old, 'report', third)).toBe(false)
  expect(await record.last(old, 'report')).toEqual(second)
  expect(await record.last(fakeTerm({ group: 'other' }).term, 'report')).toBeNull()
  expect(await record.begin(old, 'other', first)).toBe(true)
}

describe.runIf(has('postgres'))('in PostgreSQL', () => {
  let server: RealServer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await RealServer.open('postgres')
    pool = new pg.Pool({ connectionString: server.url() })
  })
  afterAll(async () => {
    await pool.end()
    await server.close()
  })

  test('a tick is begun once, and the table is made when it is first needed', async () => {
    await expectOneBegin(jobRecord.postgres(pool))
    const { rows } = await pool.query('SELECT job FROM bellwether_jobs ORDER BY job')
    expect(rows).toEqual([{ job: 'g/other' }, { job: 'g/report' }])
  })
})

describe.runIf(has('redis'))('in Redis', () => {
  let server: RealServer
  beforeAll(async () => {
    server = await RealServer.open('redis')
  })
  afterAll(async () => server.close())

  test('a tick is begun once', async () => {
    const client = createClient({ url: server.url() })
    await client.connect()
    await expectOneBegin(jobRecord.redis(client))
    expect(await client.exists('bellwether:job:{g/report}')).toBe(1)
    client.destroy()
  })

  test('BullMQ: one replica works on the queue; each job is done once, also when leadership passes on', async () => {
    const connection = createClient({ url: server.url() })
    connection.on('error', () => undefined)
    await connection.connect()
    const cluster = new Cluster(['a', 'b'], { timing: {} })
    const done: { readonly id: string; readonly job: string }[] = []
    for (const election of await cluster.startAll()) {
      void workOnLeader(election, 'invoices', connection, async ({ name }) => {
        done.push({ id: election.id, job: name })
        await sleep(10)
      })
    }
    const first = await cluster.agreed()
    const queue = new Queue('invoices', { connection })
    const names = Array.from({ length: 40 }, (_, i) => `invoice ${i}`)
    await queue.addBulk(names.map((name) => ({ name, data: {} })))
    await until(() => done.length >= 10)
    expect(new Set(done.map(({ id }) => id))).toEqual(new Set([first]))
    await cluster.leader.stepDown()
    await until(() => done.length >= names.length)
    expect(done.map(({ job }) => job)).toEqual(names)
    expect(new Set(done.map(({ id }) => id)).size).toBe(2)
    await Promise.all([...cluster.members.values()].map(async (one) => one.close()))
    await queue.close()
    connection.destroy()
  })
})
