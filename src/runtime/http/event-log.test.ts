/** What programs and people are told of a member: each change of what it believes, and nothing twice. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Cluster } from '../../../test/support/members.ts'
import type { View } from '../election-events.ts'
import { logEvents, type EventRecord } from './event-log.ts'

const THREE = ['a', 'b', 'c']

test('a member that promises a higher term without a leader tells it to nobody: views and journal stay', async () => {
  const cluster = new Cluster(THREE)
  const entries: EventRecord[] = []
  const views = new Map<string, View['kind'][]>()
  for (const name of THREE) {
    const kinds: View['kind'][] = []
    const member = await cluster.start(name)
    member.on('leader', ({ kind }) => kinds.push(kind))
    logEvents(member, (entry) => entries.push(entry))
    views.set(name, kinds)
  }
  await cluster.agreed()
  await cluster.leader.stepDown()
  await cluster.agreed('c')
  for (const [name, kinds] of views) {
    expect(repeated(kinds, 'none')).toBe(false)
    expect(repeated(beliefs(entries, name), null)).toBe(false)
  }
  expect(beliefs(entries, 'a').length).toBeGreaterThan(2)
})

test("what comes to light of the leader's metadata is a new view, and no new belief", async () => {
  const cluster = new Cluster(THREE)
  const entries: EventRecord[] = []
  const first = await cluster.start('a')
  logEvents(first, (entry) => entries.push(entry))
  await cluster.start('b')
  await cluster.start('c')
  await cluster.agreed()
  first.about(3, { url: 'http://c/' })
  expect(first.view).toMatchObject({ leader: 'c', metadata: { url: 'http://c/' } })
  await sleep(1)
  expect(beliefs(entries, 'a').filter((leader) => leader === 'c')).toHaveLength(1)
})

function repeated<T>(list: readonly T[], value: T): boolean {
  return list.some((one, i) => i > 0 && one === value && list[i - 1] === value)
}

/** Whom the member followed, one after the other. */
function beliefs(entries: readonly EventRecord[], node: string): (string | null)[] {
  return entries
    .filter((entry) => entry.node === node && /^(?:started|leader)$/u.test(entry.event))
    .map(({ leader }) => leader)
}
