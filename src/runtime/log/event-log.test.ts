/** Tests that the event log has one record for each change of leader, and none twice. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Cluster, deliver } from '../../../test/support/members.ts'
import type { View } from '../election-events.ts'
import { logEvents, type EventRecord } from './event-log.ts'

const THREE = ['a', 'b', 'c']

test('a vote for a higher term without a leader changes neither the view nor the event log', async () => {
  const cluster = new Cluster(THREE)
  const records: EventRecord[] = []
  const views = new Map<string, View['kind'][]>()
  for (const name of THREE) {
    const kinds: View['kind'][] = []
    const member = await cluster.start(name)
    member.on('leader', ({ kind }) => kinds.push(kind))
    logEvents(member, (record) => records.push(record))
    views.set(name, kinds)
  }
  await cluster.agreed()
  await cluster.leader.stepDown()
  await cluster.agreed('c')
  for (const [name, kinds] of views) {
    expect(repeated(kinds, 'none')).toBe(false)
    expect(repeated(leadersOf(records, name), null)).toBe(false)
  }
  expect(leadersOf(records, 'a').length).toBeGreaterThan(2)
})

test("the leader's metadata changes the view, and adds no record to the event log", async () => {
  const cluster = new Cluster(THREE)
  const records: EventRecord[] = []
  const first = await cluster.start('a')
  logEvents(first, (record) => records.push(record))
  await cluster.start('b')
  await cluster.start('c')
  await cluster.agreed()
  deliver(first, 'c', { p: 'a', m: { url: 'http://c/' } })
  expect(first.view).toMatchObject({ leader: 'c', metadata: { url: 'http://c/' } })
  await sleep(1)
  expect(leadersOf(records, 'a').filter((leader) => leader === 'c')).toHaveLength(1)
})

function repeated<T>(list: readonly T[], value: T): boolean {
  return list.some((one, i) => i > 0 && one === value && list[i - 1] === value)
}

/** Whom the member followed, one after the other. */
function leadersOf(records: readonly EventRecord[], node: string): (string | null)[] {
  return records
    .filter((record) => record.node === node && /^(?:started|leader)$/u.test(record.event))
    .map(({ leader }) => leader)
}
