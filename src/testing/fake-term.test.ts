/** Tests the fake term against what a real one promises, and members under mock timers of a user's test. */
import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { ConfigurationError, join, TermOverError, tcp } from '../index.ts'
import { MemoryStore } from '../stores/memory.ts'
import { MemoryHub } from '../transports/memory.ts'
import { fakeTerm } from './fake-term.ts'
import { freePorts } from './local-cluster.ts'

afterEach(() => void vi.useRealTimers())

test('a fake term is valid until the test ends it, with the reason', () => {
  const { term, end } = fakeTerm({ group: 'g', number: 7 })
  expect([term.group, term.number, term.fence, term.text]).toEqual(['g', 7, 7, '7'])
  term.assert()
  end('quorum-lost')
  end('closed')
  expect(term.signal.reason).toBeInstanceOf(TermOverError)
  expect(term.signal.reason).toMatchObject({ reason: 'quorum-lost', code: 'term-over' })
  expect(() => term.assert()).toThrow('term 7 is over (quorum-lost)')
})

test('a fake term ends when its time has passed', () => {
  const { term, pass } = fakeTerm({ lastsMs: 2000 })
  pass(1500)
  expect(term.remainingMs()).toBe(500)
  term.assert()
  pass(500)
  expect(term.signal.aborted).toBe(true)
  expect(() => term.assert()).toThrow('expired')
})

test.each([
  ['last', { last: 3 }],
  ['number', { number: '3' }],
  ['lastsMs', { lastsMs: -1 }],
])('wrong input is refused, naming %s', (field, options) => {
  expect(() => fakeTerm(options as never)).toThrow(ConfigurationError)
  expect(() => fakeTerm(options as never)).toThrow(new RegExp(`^${field}: `, 'u'))
})

test.each(['memory', 'tcp'])(
  'over %s, a member leads on and closes under mock timers',
  async (how) => {
    const [port] = await freePorts(1)
    const election = await join({
      group: 'mock',
      id: 'a',
      members: { a: `127.0.0.1:${port}` },
      timing: { detection: 150 },
      state: new MemoryStore(),
      transport: how === 'memory' ? new MemoryHub() : tcp(),
    })
    await election.whenLeading()
    vi.useFakeTimers()
    const { number } = election.current!
    let stopped = false
    await new Promise<void>((begun) => {
      void election.lead(async ({ signal }) => {
        begun()
        await once(signal, 'abort')
        stopped = true
      })
    })
    await election.stepDown({ coolOff: 1 })
    expect(stopped).toBe(true)
    expect((await election.whenLeading()).number).toBeGreaterThan(number)
    await election.close()
    expect(election.view.kind).toBe('unknown')
  },
)
