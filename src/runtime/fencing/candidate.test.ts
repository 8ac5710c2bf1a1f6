/** `safety: fenced(engine)` without members: candidates that know each other by the record of an engine alone. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { leaderOf, MemoryDisk, QUICK } from '../../../test/support/members.ts'
import { aborted } from '../../engines/connections.ts'
import { MemoryEngine, MemoryRegisters } from '../../engines/memory.ts'
import type { Register } from '../../engines/engine.ts'
import { join } from '../../index.ts'
import { until } from '../../testing/wait.ts'
import type { Election } from '../handle.ts'
import type { JoinOptions } from '../options/option-table.ts'
import { fenced, type Fenced } from './fenced.ts'

const GROUP = 'test'
/** Where a stall of a busy machine must not be taken for the end of a lease. */
const CALM = { period: 150, detection: 500, lease: 1000 }
const UNRENEWED = /engine-lost|paused/u

const opened: Election[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (one) => one.close({ drain: 0 })))
})

class Candidates {
  readonly server = new MemoryRegisters()
  readonly engines = new Map<string, MemoryEngine>()
  /** Who was elected with which token, in the order in which it happened. */
  readonly history: { readonly id: string; readonly token: number }[] = []
  readonly lost: { readonly id: string; readonly reason: string }[] = []
  readonly errors: Error[] = []
  readonly all: Election<Fenced>[] = []

  async start(
    id: string,
    more: Partial<JoinOptions<Fenced>> = {},
    engine = new MemoryEngine(this.server),
  ): Promise<Election<Fenced>> {
    this.engines.set(id, engine)
    const usual = { group: GROUP, id, state: new MemoryDisk(), timing: CALM }
    const election = await join<Fenced>({ ...usual, safety: fenced(engine), ...more })
    opened.push(election)
    this.all.push(election)
    election.on('elected', ({ term }) => this.history.push({ id, token: term }))
    election.on('lost', ({ reason }) => this.lost.push({ id, reason }))
    election.on('error', (error) => this.errors.push(error))
    return election
  }

  get register(): Register {
    return this.server.registers.get(GROUP)!
  }

  /** Waits until all follow one leader, other than `except`. */
  async agreed(except?: string): Promise<Election<Fenced>> {
    return until(() => {
      const leaders = this.all.map(({ view }) => leaderOf(view))
      const same = leaders.every((one) => one === leaders[0]) && leaders[0] !== except
      return same
        ? this.all.find(({ id, current }) => id === leaders[0] && current !== null)
        : undefined
    })
  }

  /** As `kill -9`: the engine hears nothing from it any more. */
  kill({ id }: Election): void {
    this.engines.get(id)!.cut = true
    this.all.splice(
      this.all.findIndex((one) => one.id === id),
      1,
    )
  }

  /** Whether each token is above the one before it. */
  get rises(): boolean {
    return this.history.every(({ token }, i) => i === 0 || token > this.history[i - 1].token)
  }
}

describe('candidates', () => {
  test('elect one of them, and all know it, its token and its metadata', async () => {
    const them = new Candidates()
    for (const id of ['web-x7', 'web-q2', 'web-k9']) await them.start(id, { metadata: { url: id } })
    const leader = await them.agreed()
    const { token, holder } = them.register
    expect(holder).toBe(leader.id)
    expect(leader.current!.fence).toBe(token)
    for (const one of them.all) {
      expect(one.view).toMatchObject({ term: token, me: one === leader, address: '' })
      expect(one.view).toMatchObject({ leader: leader.id, metadata: { url: leader.id } })
      expect(one.status()).toMatchObject({
        status: one === leader ? 'leader' : 'candidate',
        algorithm: 'engine',
        safety: 'fenced',
        peers: [],
        engine: { holder: leader.id, token, trouble: null },
      })
    }
    expect(them.history).toHaveLength(1)
  })

  test('let a leader that renews lead on', async () => {
    const them = new Candidates()
    for (const id of ['a', 'b']) await them.start(id)
    const leader = await them.agreed()
    await sleep(3 * CALM.lease)
    expect(them.lost).toEqual([])
    expect((await them.agreed()).id).toBe(leader.id)
  })

  test('take over when the leader has stopped renewing, and never before its term is over', async () => {
    const them = new Candidates()
    for (const id of ['a', 'b', 'c']) await them.start(id)
    const first = await them.agreed()
    const term = first.current!
    them.kill(first)
    const second = await until(() => them.all.find(({ current }) => current !== null))
    expect(() => term.assert()).toThrow(UNRENEWED)
    expect(second.current!.fence).toBeGreaterThan(term.fence)
    await until(() => UNRENEWED.test(them.lost[0]?.reason ?? ''))
    expect(them.rises).toBe(true)
  })

  test('wait for as long as the lease of the holder is, which may be another than their own', async () => {
    const them = new Candidates()
    const slow = await them.start('slow', { timing: { ...CALM, lease: 3000 } })
    const { fence } = await slow.whenLeading()
    await them.start('quick', { timing: QUICK })
    await until(() => them.all[1].view.kind === 'leader')
    them.kill(slow)
    await sleep(10 * QUICK.lease)
    expect(them.register.token).toBe(fence)
    await until(() => them.history.length === 2)
    expect(them.rises).toBe(true)
  })

  test('take over at once when the leader closes, and when it steps down', async () => {
    const slow = { period: 2000, detection: 6000, lease: 60_000 }
    const them = new Candidates()
    for (const id of ['a', 'b', 'c']) await them.start(id, { timing: slow })
    const first = await them.agreed()
    them.all.splice(them.all.indexOf(first), 1)
    await first.close()
    const second = await them.agreed(first.id)
    await second.stepDown({ reason: 'maintenance' })
    await them.agreed(second.id)
    expect(them.lost.map(({ reason }) => reason)).toEqual(['closed', 'stepped-down'])
    expect(them.rises).toBe(true)
  })

  test('do not take over while the work of a leader that steps down still stops', async () => {
    const them = new Candidates()
    const first = await them.start('a')
    let isOver = false
    void first.lead(async ({ signal }) => {
      await aborted(signal)
      await sleep(2 * CALM.lease)
      isOver = true
    })
    await first.whenLeading()
    const second = await them.start('b')
    second.on('elected', () => expect(isOver).toBe(true))
    const stepping = first.stepDown({ drain: '10s' })
    await until(() => first.current === null)
    expect(first.leadsUntil).toBeGreaterThan(0)
    await stepping
    await second.whenLeading()
    expect(first.leadsUntil).toBe(0)
    expect(isOver).toBe(true)
  })

  test('take the record of a process that had their name only when its lease is over', async () => {
    const them = new Candidates()
    const first = await them.start('a')
    const { fence } = await first.whenLeading()
    them.kill(first)
    const again = await them.start('a')
    await sleep(CALM.lease / 2)
    expect(them.register.token).toBe(fence)
    expect((await again.whenLeading()).fence).toBeGreaterThan(fence)
  })

  test('take the next token when the answer to an attempt was lost', async () => {
    const slow = { period: 500, detection: 1500, lease: 60_000 }
    const them = new Candidates()
    const deaf = new MemoryEngine(them.server)
    const take = deaf.take.bind(deaf)
    let lost = 0
    deaf.take = async (...args) => {
      const taken = await take(...args)
      if (lost++ === 0) throw new Error('the answer was lost')
      return taken
    }
    const only = await them.start('a', { timing: slow }, deaf)
    expect((await only.whenLeading()).fence).toBe(2)
  })
})

describe('when the engine', () => {
  test('is out of reach, the leader stops by its own clock, and nobody leads until it is back', async () => {
    const them = new Candidates()
    for (const id of ['a', 'b']) await them.start(id)
    await them.agreed()
    const before = them.history.length
    them.server.down = true
    await until(() => them.lost.some(({ reason }) => UNRENEWED.test(reason)))
    await until(() => them.all.every(({ view }) => view.kind === 'unknown'))
    await sleep(2 * CALM.lease)
    expect(them.history).toHaveLength(before)
    them.server.down = false
    await them.agreed()
    expect(them.rises).toBe(true)
  })

  test('has lost its state, nobody leads until it is reseeded', async () => {
    const them = new Candidates()
    for (const id of ['a', 'b']) await them.start(id)
    const leader = await them.agreed()
    await leader.stepDown({ coolOff: 0 })
    await until(() => them.history.length > 1)
    await them.agreed()
    const { token } = them.register
    const before = them.history.length
    them.server.empty()
    await until(() => them.errors.some(({ name }) => name === 'EngineResetError'))
    await sleep(2 * CALM.lease)
    expect(them.history).toHaveLength(before)
    await new MemoryEngine(them.server).reseed(GROUP, token, AbortSignal.timeout(1000))
    await them.agreed()
    expect(them.rises).toBe(true)
  })

  test('is out of reach while the leader closes, it closes all the same', async () => {
    const them = new Candidates()
    const only = await them.start('a')
    await only.whenLeading()
    them.server.paused = true
    await only.close()
    expect(only.status().status).toBe('off')
  })
})

describe('the options of a candidate', () => {
  const engine = new MemoryEngine()
  const given = { group: GROUP, id: 'a', state: new MemoryDisk() }

  test.each([
    [{ algorithm: 'bully-fd' }, /^algorithm: goes with members/u],
    [{ preemption: 'always' as const }, /^preemption: goes with members/u],
    [{ listen: '127.0.0.1:0' }, /^listen: goes with members/u],
    [{ safety: fenced(engine, { vouch: 'all' }) }, /^safety.vouch: goes with members/u],
  ])('do not include what means nothing without members', async (more, refusal) => {
    await expect(join({ ...given, safety: fenced(engine), ...more })).rejects.toThrow(refusal)
  })

  test('must name an engine', async () => {
    await expect(join(given)).rejects.toThrow(/^members: is missing: .* fenced\(engine\)/u)
  })

  test('nobody can be named as successor', async () => {
    const them = new Candidates()
    const only = await them.start('a')
    await only.whenLeading()
    await expect(only.stepDown({ to: 'b' })).rejects.toMatchObject({ code: 'unfit' })
  })
})
