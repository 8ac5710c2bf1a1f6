/** Tests what the handle owes its user beside the contract of election.test.ts: events, signals, waiting, errors. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { errorMonitor, once, type EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { Cluster } from '../../test/support/members.ts'
import { etcd, memory, postgres, redis } from '../engines/index.ts'
import { BellwetherError, fenced, join, onlyLeader, tcp } from '../index.ts'
import { MemoryStore } from '../stores/memory.ts'
import { MemoryHub } from '../transports/memory.ts'
import { until } from '../testing/wait.ts'
import type { ElectionEvents } from './election-events.ts'
import { ConfigurationError, ElectionClosedError, WorkFailedError } from './errors.ts'
import { logTo } from './log/logger.ts'
import type { Election } from './handle.ts'
import type { ChannelMessage } from './listeners.ts'
import type { FencedTerm, Term } from './term.ts'

async function aloneLeader(): Promise<Election> {
  const only = await new Cluster(['a']).start('a')
  await only.whenLeading()
  return only
}

function warnings(): { readonly seen: Error[] } & Disposable {
  const seen: Error[] = []
  const note = (warning: Error): void => void seen.push(warning)
  process.on('warning', note)
  return { seen, [Symbol.dispose]: () => process.off('warning', note) }
}

describe('events', () => {
  test('once() of node:events waits for an event', async () => {
    const only = await new Cluster(['a']).start('a')
    const [elected] = (await once(only, 'elected')) as [ElectionEvents['elected']]
    expect(elected.term).toBe(only.current?.number)
  })

  test('an event that does not exist is a type error, and so is emitting one', () => {
    const use = (election: Election): void => {
      // @ts-expect-error There is no such event.
      election.on('electd', () => undefined)
      // @ts-expect-error There is no such event.
      election.addListener('electd', () => undefined)
      // @ts-expect-error Only the election emits.
      election.emit('elected', { term: 1 })
    }
    expect(use).toBeTypeOf('function')
    type Hidden = Extract<keyof Election, 'open' | 'options' | 'startedAt' | 'report' | 'handles'>
    expectTypeOf<Hidden>().toBeNever()
  })

  test('an event that does not exist is refused, with the closest name', async () => {
    const only = await aloneLeader()
    const [untyped, listener] = [only as EventEmitter, () => undefined]
    expect(() => untyped.on('leaders', listener)).toThrow(
      new ConfigurationError('leaders', 'no such event (did you mean leader?)'),
    )
    expect(() => untyped.once('electd', listener)).toThrow(ConfigurationError)
    await expect(once(untyped, 'nothing')).rejects.toThrow('nothing: no such event')
    untyped.on('newListener', listener).on(errorMonitor, listener)
  })

  test('a listener that is taken off gets nothing more; once() gets one event', async () => {
    const only = await aloneLeader()
    const terms: number[] = []
    const every = ({ term }: ElectionEvents['lost']): void => void terms.push(term)
    only.on('lost', every)
    only.once('lost', ({ term }) => terms.push(-term))
    const first = only.current!.number
    await only.stepDown({ coolOff: 1 })
    const second = (await only.whenLeading()).number
    only.off('lost', every)
    await only.stepDown({ coolOff: 1 })
    await only.whenLeading()
    expect(terms).toEqual([first, -first])
    expect(second).toBeGreaterThan(first)
  })

  test('subscribers of a diagnostics channel get the event, its group and its member', async () => {
    const messages: unknown[] = []
    const note = (message: unknown): void => void messages.push(message)
    subscribe('bellwether:lost', note)
    try {
      const only = await aloneLeader()
      const { number: term } = only.current!
      await only.stepDown({ reason: 'deploy' })
      await until(() => messages.length > 0)
      const event = expect.objectContaining({ term, reason: 'stepped-down', detail: 'deploy' })
      expect(messages).toEqual([{ group: 'test', id: 'a', event }])
      expectTypeOf<ChannelMessage<'lost'>['event']>().toEqualTypeOf<ElectionEvents['lost']>()
    } finally {
      unsubscribe('bellwether:lost', note)
    }
  })
})

describe('work that throws', () => {
  test('is reported each time, with its stack, as a warning where nobody listens', async () => {
    using printed = warnings()
    const only = await new Cluster(['a']).start('a')
    void only.lead(() => {
      throw new Error('out of order')
    })
    const [first, second] = await until(() => printed.seen.length >= 2 && printed.seen)
    for (const warning of [first, second]) {
      expect(warning).toMatchObject({ name: 'WorkFailedError', code: 'work-failed' })
      expect(warning?.message).toMatch(/^the work of term \d+·a failed: out of order$/u)
      expect((warning as WorkFailedError).detail).toContain('handle.test.ts')
      expect(warning?.cause).toMatchObject({ message: 'out of order' })
    }
  })

  test('is an event for a listener, and no warning then', async () => {
    using printed = warnings()
    const only = await new Cluster(['a']).start('a')
    const errors: Error[] = []
    only.on('error', (error) => errors.push(error))
    void only.lead(() => Promise.reject(new Error('out of order')))
    await until(() => errors.length >= 2)
    expect(errors.every((error) => error instanceof WorkFailedError)).toBe(true)
    await sleep(1)
    expect(printed.seen).toEqual([])
  })

  test("with onError 'throw' it runs no more, and lead can be called again", async () => {
    const only = await aloneLeader()
    only.on('error', () => undefined)
    let runs = 0
    const failing = only.lead(
      () => {
        runs += 1
        throw new Error('broken')
      },
      { onError: 'throw' },
    )
    await expect(failing).rejects.toThrow('broken')
    const { number } = await until(() => only.current)
    const terms: number[] = []
    void only.lead((term) => terms.push(term.number))
    await until(() => terms.length > 0)
    expect(terms).toEqual([number])
    expect(runs).toBe(1)
  })
})

test('work that returns is done for its term; the member leads on', async () => {
  const only = await new Cluster(['a']).start('a')
  const terms: number[] = []
  void only.lead((term) => terms.push(term.number))
  await until(() => terms.length === 1)
  await sleep(300)
  expect(only.current?.number).toBe(terms[0])
  expect(terms).toHaveLength(1)
  await only.stepDown({ coolOff: 1 })
  await until(() => terms.length === 2)
})

test('several calls of lead run side by side, and leadership waits for all of them', async () => {
  const only = await aloneLeader()
  const stopped: string[] = []
  for (const [name, ms] of [
    ['quick', 1],
    ['slow', 60],
  ] as const) {
    void only.lead(async (term) => {
      await once(term.signal, 'abort')
      await sleep(ms)
      stopped.push(name)
    })
  }
  await sleep(1)
  await only.stepDown()
  expect(stopped).toEqual(['quick', 'slow'])
})

describe('signals', () => {
  const options = { group: 'g', id: 'a', members: { a: 'a:1' }, timing: { detection: 150 } }
  const inMemory = () => ({ ...options, transport: new MemoryHub(), state: new MemoryStore() })

  test('join rejects with the reason of a signal that is aborted before or meanwhile', async () => {
    const reason = new Error('too late')
    await expect(join({ ...inMemory(), signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const during = new AbortController()
    const given = inMemory()
    const joining = join({ ...given, signal: during.signal })
    during.abort(reason)
    await expect(joining).rejects.toBe(reason)
    // Its address is free again.
    await using next = await join({ ...given, state: new MemoryStore() })
    expect(next.address).toBe('a:1')
  })

  test('an aborted lead ends the term, waits for the work, and rejects with the reason', async () => {
    const only = await aloneLeader()
    const { signal, abort } = controller()
    let stopped = false
    const leading = only.lead(
      async (term) => {
        await once(term.signal, 'abort')
        await sleep(20)
        stopped = true
      },
      { signal },
    )
    await sleep(1)
    const lost = once(only, 'lost')
    const reason = abort()
    await expect(leading).rejects.toBe(reason)
    expect(stopped).toBe(true)
    expect((await lost)[0]).toMatchObject({ reason: 'stepped-down' })
    await expect(only.lead(() => undefined, { signal })).rejects.toBe(reason)
  })

  test('stepDown with an aborted signal does nothing; one that is aborted later ends the waiting', async () => {
    const only = await aloneLeader()
    const first = controller()
    const reason = first.abort()
    await expect(only.stepDown({ signal: first.signal })).rejects.toBe(reason)
    expect(only.current).not.toBeNull()
    void only.lead(async () => sleep(100))
    await sleep(1)
    const second = controller()
    const stepping = only.stepDown({ signal: second.signal })
    const late = second.abort()
    await expect(stepping).rejects.toBe(late)
    expect(only.current).toBeNull()
  })

  function controller() {
    const own = new AbortController()
    const abort = (): Error => {
      const reason = new Error('enough')
      own.abort(reason)
      return reason
    }
    return { signal: own.signal, abort }
  }
})

describe('waiting', () => {
  test('ready gives the view with the leader, whenLeading the term', async () => {
    const cluster = new Cluster(['a', 'b'])
    const [a, b] = await cluster.startAll()
    const views = await Promise.all([a.ready(), b.ready()])
    expect(new Set(views.map(({ leader }) => leader)).size).toBe(1)
    const term = await cluster.leader.whenLeading()
    expect(term).toBe(cluster.leader.current)
  })

  test('both reject with the reason of a signal, and when the election is closed', async () => {
    const cluster = new Cluster(['a', 'b', 'c'])
    const alone = await cluster.start('a')
    const signal = AbortSignal.timeout(20)
    await expect(alone.ready({ signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    await expect(alone.whenLeading({ signal })).rejects.toBe(signal.reason)
    const waiting = [alone.ready(), alone.whenLeading()]
    const outcome = Promise.allSettled(waiting)
    await alone.close()
    for (const { reason } of (await outcome) as PromiseRejectedResult[]) {
      expect(reason).toBeInstanceOf(ElectionClosedError)
      expect(reason).toMatchObject({ code: 'closed' })
    }
  })
})

test('each error that a user can act on has a code', () => {
  const error: BellwetherError = new ElectionClosedError('a')
  expect(error).toBeInstanceOf(BellwetherError)
  expect(error.code).toBe('closed')
})

test('types: metadata of the leader, and the term of onlyLeader', () => {
  const use = (election: Election<'quorum', { url: string }>): void => {
    const { view } = election
    if (view.kind === 'leader') expectTypeOf(view.metadata).toEqualTypeOf<{ url: string } | null>()
    const quorum = onlyLeader(election, (term, _n: number) => term.fence)
    expectTypeOf(quorum).returns.toEqualTypeOf<FencedTerm['fence'] | undefined>()
    const advisory = {} as Election<'advisory'>
    onlyLeader(advisory, (term) => expectTypeOf(term).toEqualTypeOf<Term>())
  }
  expect(use).toBeTypeOf('function')
  expectTypeOf(join<'quorum', { url: string }>).returns.resolves.toExtend<
    Election<'quorum', { url: string }>
  >()
})

describe('a wrong call', () => {
  const refused = async (call: () => unknown, field: string): Promise<void> => {
    const error: unknown = await Promise.resolve()
      .then(call)
      .then(
        () => 'nothing',
        (reason: unknown) => reason,
      )
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error).toMatchObject({ code: 'configuration', field })
  }

  test('is refused, and names what is wrong', async () => {
    const only = await aloneLeader()
    const any = only as unknown as Record<string, (...given: unknown[]) => unknown>
    const work = (): void => undefined
    const calls: [call: () => unknown, field: string][] = [
      [() => any['ready'](AbortSignal.timeout(500)), 'options'],
      [() => any['ready']({ signal: 5 }), 'signal'],
      [() => any['whenLeading']({ sginal: undefined }), 'sginal'],
      [() => any['lead'](work, { onError: 'crash' }), 'onError'],
      [() => any['lead'](work, { onerror: 'throw' }), 'onerror'],
      [() => any['lead']('x'), 'work'],
      [() => any['stepDown']({ To: 'b' }), 'To'],
      [() => any['close']({ drian: 1 }), 'drian'],
      [() => any['configure']({ timings: {} }), 'timings'],
      [() => any['configure']({ group: 'x' }), 'group'],
      [() => any['configure']('timing.lease=3s'), 'options'],
      [() => any['configure'](null), 'options'],
      [() => any['configure']({}), 'options'],
      [() => any['configure']({ timing: {} }), 'timing'],
      [() => any['configure']({ members: { a: {} } }), 'members.a'],
      [() => any['configure']({ members: { a: { prio: 3 } } }), 'members.a.prio'],
      [() => any['change'](), 'change'],
      [() => any['change']({ kind: 'frob' }), 'change'],
      [() => any['change']({ add: { id: 'b' } }), 'add'],
      [() => any['change']({ remove: 'a', with: 'b' }), 'with'],
      [() => any['add'](), 'member.address'],
      [() => any['add']('b', { address: 'b:1', prio: 3 }), 'member.prio'],
      [() => any['promote']('b', { witness: true }), 'witness'],
      [() => fenced(undefined as never), 'safety.engine'],
      [() => fenced({} as never), 'safety.engine'],
      [() => fenced('postgres://x/y' as never), 'safety.engine'],
      [() => fenced(memory(), { vouchs: 'all' } as never), 'safety.vouchs'],
      [() => tcp({ tlss: {} } as never), 'tcp.tlss'],
      [() => postgres(undefined as never), 'postgres'],
      [() => postgres({ host: 'x' } as never), 'postgres.host'],
      [() => etcd({ endpoint: 'x' } as never), 'etcd.endpoint'],
      [() => redis({} as never), 'redis.url'],
    ]
    for (const [call, field] of calls) await refused(call, field)
    await expect(only.remove('a')).rejects.toMatchObject({ code: 'change-refused' })
  })

  test('of join names the options of the transport as such', async () => {
    const given = { group: 'g', id: 'a', members: { a: '127.0.0.1:0' }, tls: {} }
    await expect(join(given as never)).rejects.toThrow(
      'tls: no such option of join: give transport: tcp({ tls })',
    )
  })

  test('after close() is answered by ElectionClosedError', async () => {
    const only = await aloneLeader()
    await only.close()
    for (const call of [() => only.stepDown(), () => only.add('b', 'b:1'), () => only.ready()]) {
      await expect(call()).rejects.toThrow(ElectionClosedError)
    }
  })

  test.each([
    [{ f: () => 1 }, 'f'],
    [{ at: new Date() }, 'at'],
    [{ list: [1, undefined] }, 'list[1]'],
    [{ deep: { n: NaN } }, 'deep.n'],
    [{ all: new Map() }, 'all'],
  ])('metadata that JSON would change is refused: %j', async (metadata, where) => {
    const given = { group: 'g', id: 'a', members: { a: 'a:1' }, transport: new MemoryHub() }
    const made = join({ ...given, state: new MemoryStore(), metadata: metadata as never })
    await expect(made).rejects.toThrow(`metadata: must be JSON (${where})`)
  })
})

test('a log ends with the loss of leadership, and a change says which time differs', async () => {
  const only = await aloneLeader()
  const lines: string[] = []
  logTo(only, ({ message }) => void lines.push(message))
  await only.configure({ timing: { detection: 300 } })
  await until(() => lines.some((line) => line.includes('timing.detection: 150 ms → 300 ms')))
  expect(lines.join('\n')).toContain('timing.lease: 200 ms → 400 ms')
  await only.close()
  expect(lines.at(-1)).toMatch(/^a (?:no longer leads: closed|has no leader)$/u)
  expect(lines.filter((line) => line === 'a has no leader').length).toBeLessThan(2)
})

test('a member that waits for the founding of its group says so where nobody listens', async () => {
  const warned: string[] = []
  const listener = ({ message }: Error) => warned.push(message)
  process.on('warning', listener)
  const members = { a: 'a:1', b: 'b:1' }
  const [transport, state] = [new MemoryHub(), new MemoryStore()]
  const election = await join({ group: 'founding', id: 'a', members, transport, state })
  expect(election.status().waitsFor).toEqual(['b'])
  await until(() => warned.length > 0, 'the warning', 10_000)
  process.off('warning', listener)
  await election.close()
  expect(warned).toEqual([
    'a waits for b: a group that has never run is founded when all of its members are up ' +
      "(or with founding: 'majority')",
  ])
})
