/** Tests what reaches a logger: a sentence for each event, why a peer is down, and the reason of a step-down. */
import { describe, expect, test, vi } from 'vitest'
import { join, type LogEntry, type LoggerObject } from '../../index.ts'
import { MemoryStore } from '../../stores/memory.ts'
import { until } from '../../testing/wait.ts'
import { MemoryHub } from '../../transports/memory.ts'
import { ConfigurationError } from '../errors.ts'
import type { EventRecord } from './event-log.ts'
import { levelOf, sentenceFor } from './event-sentence.ts'

const members = { a: 'a:1', b: 'b:1', c: 'c:1' }
const options = { group: 'g', members, timing: { detection: 150 }, founding: 'majority' } as const

function entries(): { readonly logger: (entry: LogEntry) => void; readonly all: LogEntry[] } {
  const all: LogEntry[] = []
  return { all, logger: (entry) => void all.push(entry) }
}

describe('a logger', () => {
  test('gets a sentence, a level and a record with the time for each event', async () => {
    const transport = new MemoryHub()
    const { all, logger } = entries()
    const said = (sentence: string) => all.find(({ message }) => message === sentence)
    await using a = await join({ ...options, id: 'a', transport, state: new MemoryStore(), logger })
    const b = await join({ ...options, id: 'b', transport, state: new MemoryStore() })
    await until(() =>
      all.some(({ message }) => /^a (?:leads|follows b), term \d+·[ab]$/u.test(message)),
    )
    expect(said('a has joined')).toMatchObject({ level: 'info' })
    const refused = 'a cannot reach c: c:1 refuses the connection: no process listens there'
    expect(said(refused)).toMatchObject({ level: 'warn', record: { event: 'unreachable' } })
    const [{ record }] = all
    expect(Math.abs(Date.parse(record.time) - Date.now())).toBeLessThan(60_000)
    if (a.current === null) await b.stepDown({ to: 'a' })
    await a.whenLeading()
    await a.stepDown({ reason: 'deploy' })
    await until(() => said('a no longer leads: stepped-down (deploy)'))
    await b.close()
  })

  test('may be an object with info, warn and error, such as the console', async () => {
    const logger = {
      info: vi.fn<LoggerObject['info']>(),
      warn: vi.fn<LoggerObject['info']>(),
      error: vi.fn<LoggerObject['info']>(),
    }
    const own = { group: 'g', id: 'a', members: { a: 'a:1' }, timing: options.timing }
    const transport = new MemoryHub()
    await using only = await join({ ...own, transport, state: new MemoryStore(), logger })
    void only.lead(() => {
      throw new Error('broken')
    })
    await until(() => logger.error.mock.calls.length > 0)
    expect(logger.error).toHaveBeenCalledWith(
      expect.stringMatching(/^a reports an error: the work of term \d+·a failed: broken$/u),
      expect.objectContaining({ stack: expect.stringContaining('logger.test.ts') }),
    )
    expect(logger.info).toHaveBeenCalledWith('a has joined', expect.anything())
    expect(logger.warn).toHaveBeenCalledWith(
      'a no longer leads: stepped-down (the work failed: broken)',
      expect.anything(),
    )
  })

  test('that throws or rejects becomes a warning, and the member can be closed and joined again', async () => {
    const seen: string[] = []
    const note = ({ message }: Error): void => void seen.push(message)
    process.on('warning', note)
    const own = { group: 'g', id: 'a', members: { a: 'a:1' }, timing: options.timing }
    const failures: (() => unknown)[] = [
      () => {
        throw new Error('stream closed')
      },
      async () => Promise.reject(new Error('no room')),
    ]
    for (const logger of failures) {
      const transport = new MemoryHub()
      const one = await join({ ...own, transport, state: new MemoryStore(), logger })
      await one.whenLeading()
      await one.close()
    }
    await until(() => seen.some((text) => text.includes('no room')))
    process.off('warning', note)
    const sentence = 'a: the logger fails, and the member goes on: '
    expect(seen.filter((text) => text.startsWith(sentence))).toEqual([
      `${sentence}stream closed`,
      `${sentence}no room`,
    ])
  })

  test('that is neither is refused', async () => {
    const given = { ...options, id: 'a', logger: { info: () => undefined } }
    await expect(join(given as never)).rejects.toThrow(ConfigurationError)
  })
})

describe('members whose options differ', () => {
  test('name each one with its value at both, and the same sentence on both sides', async () => {
    const transport = new MemoryHub()
    const own = { ...options, transport }
    const [one, other] = [entries(), entries()]
    const slow = { detection: 150, lease: '3s' }
    const common = { state: new MemoryStore(), logger: one.logger }
    await using a = await join({ ...own, ...common, id: 'a' })
    await using b = await join({
      ...own,
      id: 'b',
      timing: slow,
      trustRefusals: true,
      state: new MemoryStore(),
      logger: other.logger,
    })
    const find = ({ all }: typeof one) => all.find(({ record }) => record.event === 'refused')
    const [first, second] = await until(() => {
      const found = [find(one), find(other)]
      return found.every((entry) => entry !== undefined) && found
    })
    const reason =
      'timing.lease is "200 ms" at a and "3000 ms" at b; trustRefusals is "false" at a and "true" at b'
    expect(first?.record).toMatchObject({ node: 'a', peer: 'b', reason })
    expect(second?.record).toMatchObject({ node: 'b', peer: 'a', reason })
    const troubles = [a, b].map((one) => one.status().peers.map(({ trouble }) => trouble))
    expect(troubles.map((list) => list.includes(reason))).toEqual([true, true])
  })
})

describe('a sentence', () => {
  const record: EventRecord = {
    at: '1',
    time: '2026-01-01T00:00:00.000Z',
    node: 'a',
    pid: 1,
    event: 'down',
    leader: null,
    term: 1,
    termText: '1·a',
    reason: null,
    peer: 'b',
  }

  test.each([
    [{ event: 'down', reason: 'b:1: no answer' }, 'a considers b down: b:1: no answer', 'warn'],
    [{ event: 'up' }, 'a considers b up', 'info'],
    [{ event: 'lost', reason: 'quorum-lost' }, 'a no longer leads: quorum-lost', 'warn'],
    [{ event: 'lost', reason: 'closed' }, 'a no longer leads: closed', 'info'],
    [{ event: 'leader', leader: 'a' }, '', 'info'],
    [{ event: 'leader' }, 'a has no leader', 'info'],
  ] as const)('of %j is "%s"', (more, sentence, level) => {
    expect(sentenceFor({ ...record, ...more })).toBe(sentence)
    expect(levelOf({ ...record, ...more })).toBe(level)
  })
})
