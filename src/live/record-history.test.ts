/** Tests the bounds of the record history. */
import { expect, test } from 'vitest'
import { RecordHistory } from './record-history.ts'
import type { SampleRecord } from './live-record.ts'

const sample = (at: number, peers = 0): SampleRecord => ({
  kind: 'sample',
  at,
  node: 'a',
  pid: 1,
  status: 'Norm',
  leader: 'a',
  term: 1,
  lagMs: 0,
  peers: Array.from({ length: peers }, (_, i) => [`p${i}`, 'up', 1, 1] as const),
})

test('one sample a second of each member and every event are kept', () => {
  const history = new RecordHistory()
  for (let at = 0; at < 3000; at += 250) history.add(sample(at))
  history.add({ kind: 'condition', at: 3000, node: 'a', condition: 'paused' })
  const kept = history.since(0).map(({ record }) => record.at)
  expect(kept).toEqual([0, 1000, 2000, 3000])
})

test('a page that reconnects gets only later records', () => {
  const history = new RecordHistory()
  history.add({ kind: 'cuts', at: 1, pairs: [] })
  const { seq } = history.add({ kind: 'cuts', at: 2, pairs: [] })
  history.add({ kind: 'cuts', at: 3, pairs: [] })
  expect(history.since(seq).map(({ record }) => record.at)).toEqual([3])
})

test('an hour of samples of a large group stays within bounds', () => {
  const history = new RecordHistory()
  for (let at = 0; at < 20_000_000; at += 1000) history.add(sample(at, 49))
  const kept = history.since(0)
  expect(kept.length).toBeLessThan(1000)
  expect(kept.at(-1)?.record.at).toBe(19_999_000)
})
