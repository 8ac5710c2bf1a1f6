/** Tests that a job runs once for each tick on the leader, and what happens to ticks that were missed. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { Cluster } from '../../test/support/members.ts'
import { ConfigurationError, type Election, type FencedTerm } from '../index.ts'
import { fakeTerm } from '../testing/fake-term.ts'
import { until } from '../testing/wait.ts'
import { jobRecord, schedule } from './index.ts'

const EVERY_SECOND = '* * * * * *'

interface Run {
  readonly id: string
  readonly tick: number
}

function fileRecord() {
  return jobRecord.file(join(mkdtempSync(join(tmpdir(), 'bellwether-jobs-')), 'jobs.json'))
}

test('a job runs once for each tick, on the leader only, also when leadership passes on', async () => {
  const cluster = new Cluster(['a', 'b', 'c'], { timing: {} })
  const record = fileRecord()
  const runs: Run[] = []
  for (const election of await cluster.startAll()) {
    void schedule(election, { cron: EVERY_SECOND, missed: 'run-once', record }, (_term, tick) => {
      runs.push({ id: election.id, tick: tick.getTime() })
    })
  }
  const first = await cluster.agreed()
  await until(() => runs.length >= 2)
  await cluster.leader.stepDown()
  await until(() => runs.some(({ id }) => id !== first) && runs.length >= 4)
  const ticks = runs.map(({ tick }) => tick)
  expect(ticks).toEqual([...new Set(ticks)].toSorted((a, b) => a - b))
  for (const tick of ticks) expect(tick % 1000).toBe(0)
  // None was lost on the way.
  expect(ticks.at(-1)! - ticks[0]).toBe(1000 * (ticks.length - 1))
})

describe('ticks that were missed', () => {
  const yearly = '0 0 1 1 *'
  const lastYear = new Date(new Date().getFullYear() - 1, 5)

  test.each([
    ['run-once', [new Date(new Date().getFullYear(), 0).getTime()]],
    ['skip', []],
  ] as const)('%s: the next leader runs the last of them, or none', async (missed, expected) => {
    const only = await new Cluster(['a'], { timing: {} }).start('a')
    const record = fileRecord()
    await record.begin(fakeTerm({ group: 'test' }).term, 'report', lastYear)
    const ticks: number[] = []
    const options = { cron: yearly, name: 'report', missed, record }
    void schedule(only, options, (_term, tick) => ticks.push(tick.getTime()))
    await only.whenLeading()
    await sleep(200)
    expect(ticks).toEqual(expected)
    await only.stepDown({ coolOff: 1 })
    await only.whenLeading()
    await sleep(200)
    expect(ticks).toEqual(expected) // not again in the next term
  })

  test('run-once: a job that has never run does not begin with the past', async () => {
    const only = await new Cluster(['a'], { timing: {} }).start('a')
    const record = fileRecord()
    const ticks: Date[] = []
    const options = { cron: yearly, missed: 'run-once', record } as const
    void schedule(only, options, (_term, tick) => ticks.push(tick))
    const term = await only.whenLeading()
    await sleep(200)
    const baseline = await record.last(term, yearly)
    expect(Math.abs(Date.now() - (baseline?.getTime() ?? 0))).toBeLessThan(60_000)
    expect(ticks).toEqual([])
  })
})

test('runs do not overlap: ticks that pass during a run are not made up for with skip', async () => {
  const only = await new Cluster(['a'], { timing: {} }).start('a')
  const ticks: number[] = []
  let running = 0
  void schedule(only, { cron: EVERY_SECOND }, async (_term, tick) => {
    running += 1
    expect(running).toBe(1)
    ticks.push(tick.getTime())
    await sleep(1500)
    running -= 1
  })
  await until(() => ticks.length === 2)
  expect(ticks[1] - ticks[0]).toBe(2000)
})

test('a job that throws is reported, and the member steps down', async () => {
  const only = await new Cluster(['a'], { timing: {} }).start('a')
  const errors: Error[] = []
  only.on('error', (error) => errors.push(error))
  const lost: string[] = []
  only.on('lost', ({ reason }) => lost.push(reason))
  void schedule(only, { cron: EVERY_SECOND }, () => {
    throw new Error('no paper')
  })
  await until(() => errors.length > 0)
  expect(errors[0]).toMatchObject({ code: 'work-failed', cause: { message: 'no paper' } })
  await until(() => lost.length > 0)
})

test.each([
  [{ cron: 'every day' }, 'cron'],
  [{ cron: EVERY_SECOND, timezone: 'Mars/Olympus' }, 'timezone'],
  [{ cron: EVERY_SECOND, missed: 'run-once' }, 'missed'],
  [{ cron: EVERY_SECOND, missed: 'never' }, 'missed'],
])('%j is refused, naming %s', async (options, field) => {
  const only = await new Cluster(['a'], { timing: {} }).start('a')
  const scheduled = schedule(only, options as never, () => undefined)
  await expect(scheduled).rejects.toBeInstanceOf(ConfigurationError)
  await expect(scheduled).rejects.toMatchObject({ field })
})

test('a time zone decides when a day begins', async () => {
  const record = fileRecord()
  const only = await new Cluster(['a'], { timing: {} }).start('a')
  const start = new Date('2026-07-01T12:00:00Z')
  await record.begin(fakeTerm({ group: 'test' }).term, 'job', start)
  const ticks: Date[] = []
  const options = { cron: '0 0 2 7 *', timezone: 'Asia/Tokyo', name: 'job' }
  void schedule(only, { ...options, missed: 'run-once', record }, (_term, tick) => ticks.push(tick))
  const [tick] = await until(() => ticks.length > 0 && ticks)
  expect(tick?.toISOString()).toMatch(/-07-01T15:00:00\.000Z$/u)
})

test('the work gets the type of the term', () => {
  const use = (election: Election<'quorum'>): void => {
    void schedule(election, { cron: EVERY_SECOND }, (term) => {
      expectTypeOf(term).toEqualTypeOf<FencedTerm>()
    })
  }
  expect(use).toBeTypeOf('function')
})
