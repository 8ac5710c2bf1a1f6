/** Tests what `run` and `node` print for an event: one line with its time, and the stack of work that threw below it. */
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { EventRecord } from '../../index.ts'
import { EventPrinter } from './event-printer.ts'

const RECORD: EventRecord = {
  at: '1',
  time: '2026-01-01T00:00:00.000Z',
  node: 'a',
  pid: 1,
  event: 'elected',
  leader: 'a',
  term: 1025,
  termText: '1·a',
  reason: null,
}

function printed(record: EventRecord, json = false): string {
  const stream = new PassThrough()
  const printer = new EventPrinter(stream, json)
  printer.print(record)
  printer.flush()
  return String(stream.read())
}

test('an event is one line that begins with its time, and names the term by round and member', () => {
  expect(printed(RECORD)).toMatch(/^2026-01-01T00:00:00\.000Z a .*1·a.*\n$/u)
  expect(printed(RECORD)).not.toContain('1025')
})

test('the stack of work that threw follows its line, indented', () => {
  const stack = 'Error: full\n    at work (job.js:3:1)'
  const lines = printed({ ...RECORD, event: 'error', reason: 'full', stack }).split('\n')
  expect(lines[0]).toMatch(/^2026-01-01T00:00:00\.000Z /u)
  expect(lines.slice(1)).toEqual(['    Error: full', '        at work (job.js:3:1)', ''])
})

test('with JSON the line is the record', () => {
  expect(JSON.parse(printed(RECORD, true))).toEqual(RECORD)
})
