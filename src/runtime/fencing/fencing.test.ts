/** `safety: fenced(engine)`, with an engine of this process: what a member does with its token. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { Cluster, deliver, leaderOf, QUICK } from '../../../test/support/members.ts'
import { until } from '../../testing/wait.ts'
import { MemoryEngine, MemoryRegisters } from '../../engines/memory.ts'
import type { Claim, Register } from '../../engines/engine.ts'
import type { Election } from '../handle.ts'
import type { JoinOptions } from '../options/option-table.ts'
import { EngineResetError } from '../errors.ts'
import { fenced, type Fenced, type Vouch } from './fenced.ts'
import type { Fence, LostReason } from '../term.ts'

const THREE = ['a', 'b', 'c']
const FIVE = ['a', 'b', 'c', 'd', 'e']
const GROUP = 'test'
/** On a machine that is busy the process itself may stand still for as long. */
const UNRENEWED = /engine-lost|paused/u
/** Where a stall of a busy machine must not be taken for the end of a lease. */
const CALM = { period: 150, detection: 500, lease: 1000 }
const soon = (): AbortSignal => AbortSignal.timeout(1000)

interface Diary {
  readonly elected: number[]
  readonly lost: { readonly term: number; readonly reason: LostReason }[]
  readonly errors: Error[]
}

class FencedCluster {
  readonly server = new MemoryRegisters()
  readonly engines = new Map<string, MemoryEngine>()
  readonly diaries = new Map<string, Diary>()
  /** Who was elected with which token, in the order in which it happened. */
  readonly history: { readonly id: string; readonly token: number }[] = []
  readonly cluster: Cluster
  private readonly names: readonly string[]
  private readonly vouch: Vouch

  constructor(names: readonly string[], vouch: Vouch = 'nobody', timing = QUICK) {
    this.cluster = new Cluster(names, { timing })
    this.names = names
    this.vouch = vouch
  }

  async start(
    id: string,
    engine = new MemoryEngine(this.server),
    more: Partial<JoinOptions<Fenced>> = {},
  ): Promise<Election<Fenced>> {
    this.engines.set(id, engine)
    const safety = fenced(engine, { vouch: this.vouch })
    const election = await this.cluster.start<Fenced>(id, { safety, ...more })
    const diary: Diary = { elected: [], lost: [], errors: [] }
    this.diaries.set(id, diary)
    election.on('elected', ({ term }) => {
      diary.elected.push(term)
      this.history.push({ id, token: term })
    })
    election.on('lost', (event) => diary.lost.push(event))
    election.on('error', (error) => diary.errors.push(error))
    return election
  }

  async startAll(): Promise<Election<Fenced>[]> {
    return Promise.all(this.names.map(async (name) => this.start(name)))
  }

  get leader(): Election<Fenced> {
    return this.cluster.leader
  }

  get register(): Register {
    return this.server.registers.get(GROUP)!
  }

  /** As `kill -9`: neither its peers nor the engine hear from it again. */
  kill(id: string): void {
    this.cluster.kill(id)
    this.engines.get(id)!.cut = true
  }

  /** Both ways, all links between the two sides. */
  split(one: readonly string[], other: readonly string[]): void {
    for (const a of one) for (const b of other) this.cluster.net.cut(a, b)
  }

  get tokens(): number[] {
    return this.history.map(({ token }) => token)
  }
}

/** The same numbers as they would be if each were above the one before it. */
function rising(tokens: readonly number[]): number[] {
  return [...new Set(tokens)].toSorted((a, b) => a - b)
}

test('a member leaves even if its engine fails to close', async () => {
  const fleet = new FencedCluster(['a'])
  class Stuck extends MemoryEngine {
    override async close(): Promise<void> {
      await super.close()
      throw new Error('the connection is gone')
    }
  }
  const one = await fleet.start('a', new Stuck(fleet.server))
  await until(() => one.current !== null)
  await one.close()
  expect(fleet.diaries.get('a')).toMatchObject({ lost: [{ reason: 'closed' }] })
  expect(fleet.diaries.get('a')!.errors.map(({ message }) => message)).toEqual([
    'the connection is gone',
  ])
  expect(one.status().status).toBe('off')
})

describe('a fenced leader', () => {
  test('holds the token before `elected`, and it is the number and the fence of its term', async () => {
    const fleet = new FencedCluster(THREE)
    const all = await fleet.startAll()
    const heldThen: string[] = []
    for (const one of all) one.on('elected', () => heldThen.push(fleet.register.holder))
    await fleet.cluster.agreed()
    const { leader } = fleet
    const term = leader.current!
    expect(heldThen).toEqual([leader.id])
    expect(term.fence).toBe(fleet.register.token)
    expect(term.number).toBe(fleet.register.token)
    expect(term.remainingMs()).toBeGreaterThan(0)
    for (const { view } of all) expect(view).toMatchObject({ leader: 'c', term: term.fence })
  })

  test('renews, and goes on for longer than a lease', async () => {
    const fleet = new FencedCluster(THREE, 'nobody', CALM)
    await fleet.startAll()
    await fleet.cluster.agreed()
    const { leader } = fleet
    const { beat } = fleet.register
    await sleep(2 * CALM.lease)
    expect(fleet.register.beat).toBeGreaterThan(beat)
    expect(fleet.diaries.get(leader.id)!.lost).toEqual([])
  })

  test('is succeeded at once by a member with the next token, without waiting for a lease', async () => {
    const slow = { period: 500, detection: 1500, lease: 10_000 }
    const fleet = new FencedCluster(THREE, 'nobody', slow)
    await fleet.startAll()
    const first = await fleet.cluster.agreed()
    const before = fleet.register.token
    const started = performance.now()
    fleet.kill(first)
    const second = await fleet.cluster.agreed(first)
    expect(performance.now() - started).toBeLessThan(1000)
    expect(fleet.register).toMatchObject({ holder: second, token: before + 1 })
    expect(fleet.tokens).toEqual(rising(fleet.tokens))
  })

  test('that steps down hands over; tokens rise through handovers and restarts', async () => {
    const fleet = new FencedCluster(THREE)
    await fleet.startAll()
    for (let i = 0; i < 4; i++) {
      const id = await fleet.cluster.agreed()
      await fleet.leader.close()
      fleet.cluster.members.delete(id)
      await fleet.cluster.agreed(id)
      await fleet.start(id)
      await until(() => fleet.cluster.members.get(id)!.view.kind === 'leader')
    }
    expect(fleet.history.length).toBeGreaterThan(4)
    expect(fleet.tokens).toEqual(rising(fleet.tokens))
  })

  test('that another holder deposed in the engine loses its term, and does not renew', async () => {
    const fleet = new FencedCluster(['a'])
    const [only] = await fleet.startAll()
    const term = await until(() => only.current)
    const claim: Claim = { holder: 'a', metadata: null }
    const thief = new MemoryEngine(fleet.server)
    await thief.take(GROUP, fleet.register, claim, soon())
    await until(() => term.signal.aborted)
    expect(fleet.diaries.get('a')!.lost).toMatchObject([{ reason: 'deposed', term: term.fence }])
    expect(() => term.assert()).toThrow(/deposed/u)
    await until(() => only.current)
    expect(fleet.tokens).toEqual(rising(fleet.tokens))
  })

  test('takes the next token when the answer to its attempt was lost', async () => {
    const fleet = new FencedCluster(['a'])
    const deaf = new MemoryEngine(fleet.server)
    const take = deaf.take.bind(deaf)
    let lost = 0
    deaf.take = async (...args) => {
      const taken = await take(...args)
      if (lost++ === 0) throw new Error('the answer was lost')
      return taken
    }
    const only = await fleet.start('a', deaf)
    const term = await until(() => only.current)
    expect(lost).toBe(2)
    expect(term.fence).toBe(2)
  })
})

describe('the handle', () => {
  test('a token that arrives while the election closes begins no term', async () => {
    const fleet = new FencedCluster(['a'])
    const slow = new MemoryEngine(fleet.server)
    const take = slow.take.bind(slow)
    slow.take = async (...args) => {
      await sleep(50)
      return take(...args)
    }
    const only = await fleet.start('a', slow)
    await sleep(20)
    await only.close()
    expect(fleet.history).toEqual([])
  })

  test("a peer's word about a token only makes a member ask the engine: no lie is kept or deposes", async () => {
    const fleet = new FencedCluster(THREE, 'nobody', CALM)
    const all = await fleet.startAll()
    expect(await fleet.cluster.agreed()).toBe('c')
    const { token } = fleet.register
    let reads = 0
    for (const engine of fleet.engines.values()) {
      const read = engine.read.bind(engine)
      engine.read = async (...args) => {
        reads += 1
        return read(...args)
      }
    }
    const lies = [token + 1, 2 ** 40, Number.MAX_SAFE_INTEGER]
    for (const one of all) {
      for (let i = 0; i < 300; i++) {
        const message = { type: 'fence', token: lies[i % lies.length] }
        deliver(one, one.id === 'a' ? 'b' : 'a', { p: 'h', m: message })
      }
    }
    await until(() => reads >= all.length, 'the engine to be asked')
    await sleep(2 * CALM.period)
    expect(reads).toBeLessThan(100)
    for (const one of all) {
      expect(one.status().engine).toMatchObject({ token, holder: 'c', trouble: null })
      expect(one.view).toMatchObject({ kind: 'leader', leader: 'c', term: token })
    }
    expect(fleet.diaries.get('c')).toMatchObject({ lost: [], errors: [] })
    // Nothing was stored: elections go on.
    fleet.kill('c')
    await fleet.cluster.agreed('c')
    expect(fleet.register.token).toBe(token + 1)
  })

  test('can be sticky: a stronger member that comes later follows, with an algorithm that is sticky', async () => {
    const fleet = new FencedCluster(THREE, 'nobody', CALM)
    const sticky = { preemption: 'sticky' } as const
    const start = async (id: string) => fleet.start(id, new MemoryEngine(fleet.server), sticky)
    await Promise.all(['a', 'b'].map(start))
    const first = await fleet.cluster.agreed()
    const { token } = fleet.register
    const late = await start('c')
    await until(() => leaderOf(late.view) === first, 'c to follow')
    await sleep(2 * CALM.lease)
    expect(fleet.register).toMatchObject({ token, holder: first })
    expect(late.status().algorithm).toBe('bully-fd-quorum')
  })

  test('the term of a member does not decrease when it restarts', async () => {
    const fleet = new FencedCluster(THREE)
    await fleet.startAll()
    await fleet.cluster.agreed()
    const a = fleet.cluster.members.get('a')!
    const { term } = a
    await a.close()
    fleet.server.down = true
    const again = await fleet.start('a')
    expect(term).toBe(fleet.register.token)
    expect(again.term).toBe(term)
    expect(again.status()).toMatchObject({ safety: 'fenced', term, engine: { token: term } })
  })

  test('any algorithm can elect the member that asks the engine', async () => {
    for (const algorithm of ['bully-fd-quorum', 'bully', 'roulette-majority']) {
      const server = new MemoryRegisters()
      const cluster = new Cluster(THREE, { algorithm })
      for (const id of THREE) {
        await cluster.start<Fenced>(id, { safety: fenced(new MemoryEngine(server)) })
      }
      const leader = await cluster.agreed()
      expect(server.registers.get(GROUP)).toMatchObject({ holder: leader })
      expect(cluster.leader.current!.fence).toBe(server.registers.get(GROUP)!.token)
    }
  })
})

describe('an engine out of reach', () => {
  test('for less than a lease is no loss', async () => {
    const fleet = new FencedCluster(THREE, 'nobody', { ...CALM, lease: 4000 })
    await fleet.startAll()
    await fleet.cluster.agreed()
    fleet.server.down = true
    await sleep(300)
    fleet.server.down = false
    await sleep(300)
    for (const { lost } of fleet.diaries.values()) expect(lost).toEqual([])
    expect(fleet.diaries.get('c')!.errors).toHaveLength(1)
    expect(fleet.leader.status().engine).toMatchObject({ name: 'memory', trouble: null })
  })

  test.each(['down', 'paused'] as const)(
    '(%s) for longer ends the term by its own clock; no other is elected; back, it resumes',
    async (how) => {
      const fleet = new FencedCluster(THREE)
      await fleet.startAll()
      const leader = await fleet.cluster.agreed()
      fleet.server[how] = true
      await until(() => fleet.diaries.get(leader)!.lost.length > 0)
      expect(fleet.diaries.get(leader)!.lost[0].reason).toMatch(UNRENEWED)
      await sleep(3 * QUICK.lease)
      expect(fleet.history).toHaveLength(1)
      for (const { view } of fleet.cluster.members.values()) expect(view.kind).toBe('none')
      fleet.server[how] = false
      expect(await fleet.cluster.agreed()).toBe(leader)
      expect(fleet.tokens).toEqual(rising(fleet.tokens))
    },
  )

  test('for the leader only: it stands aside for a peer that reaches it, and rejoins when it does', async () => {
    const fleet = new FencedCluster(THREE)
    await fleet.startAll()
    await fleet.cluster.agreed()
    const [a, c] = ['a', 'c'].map((id) => fleet.cluster.members.get(id)!)
    fleet.engines.get('c')!.cut = true
    await until(() => leaderOf(a.view) === 'b', 'the next that reaches it')
    expect(fleet.register.holder).toBe('b')
    expect(fleet.diaries.get('c')!.lost[0].reason).toMatch(UNRENEWED)
    expect(c.view.kind).toBe('unknown')
    fleet.engines.get('c')!.cut = false
    expect(await fleet.cluster.agreed('b')).toBe('c')
    expect(fleet.tokens).toEqual(rising(fleet.tokens))
  })

  test('during a failover: there is no leader until the engine is back', async () => {
    const fleet = new FencedCluster(THREE)
    await fleet.startAll()
    const first = await fleet.cluster.agreed()
    fleet.server.down = true
    fleet.kill(first)
    await sleep(2 * QUICK.lease)
    expect(fleet.history).toHaveLength(1)
    fleet.server.down = false
    const back = performance.now()
    await fleet.cluster.agreed(first)
    expect(performance.now() - back).toBeLessThan(2000)
    expect(fleet.tokens).toEqual(rising(fleet.tokens))
  })
})

describe('vouching', () => {
  test.each(['majority', 'all'] as const)(
    'a leader goes on without the engine while its peers vouch (%s), and no longer',
    async (vouch) => {
      const fleet = new FencedCluster(THREE, vouch, CALM)
      await fleet.startAll()
      const leader = await fleet.cluster.agreed()
      fleet.server.down = true
      await sleep(2 * CALM.lease)
      expect(fleet.diaries.get(leader)!.lost).toEqual([])
      fleet.split(['c'], ['a', 'b'])
      await until(() => fleet.diaries.get(leader)!.lost.length > 0)
      expect(fleet.diaries.get(leader)!.lost[0].reason).toMatch(UNRENEWED)
      expect(fleet.history).toHaveLength(1)
    },
  )

  test('by all: one silent member is enough to end it', async () => {
    const fleet = new FencedCluster(THREE, 'all', CALM)
    await fleet.startAll()
    await fleet.cluster.agreed()
    fleet.server.down = true
    await sleep(2 * CALM.lease)
    expect(fleet.diaries.get('c')!.lost).toEqual([])
    fleet.kill('a')
    await until(() => fleet.diaries.get('c')!.lost.length > 0)
  })
})

describe('an engine that lost its state', () => {
  test('causes EngineReset: there is no leader until it is reseeded, and then tokens rise', async () => {
    const fleet = new FencedCluster(THREE)
    await fleet.startAll()
    for (let i = 0; i < 3; i++) {
      await fleet.cluster.agreed()
      await fleet.leader.stepDown({ coolOff: 1 })
    }
    await fleet.cluster.agreed()
    const seen = fleet.register.token
    fleet.server.empty()
    const errors = (): Error[] => [...fleet.diaries.values()].flatMap(({ errors }) => errors)
    const error = await until(() => errors().find((one) => one instanceof EngineResetError))
    expect(error).toMatchObject({ name: 'EngineResetError', token: 0, seen })
    const reasons = [...fleet.diaries.values()].flatMap(({ lost }) => lost.at(-1)?.reason ?? [])
    expect(reasons.join(' ')).toMatch(UNRENEWED)
    expect(error.message).toContain('bellwether engine reseed')
    const count = fleet.history.length
    await sleep(3 * QUICK.lease)
    expect(fleet.history).toHaveLength(count)
    await new MemoryEngine(fleet.server).reseed(GROUP, seen, soon())
    await fleet.cluster.agreed()
    expect(fleet.register.token).toBeGreaterThan(seen)
    expect(fleet.tokens).toEqual(rising(fleet.tokens))
  })

  test('or was restored from an old copy names no holder: after a restart nobody shows a leader', async () => {
    const fleet = new FencedCluster(THREE)
    const all = await fleet.startAll()
    await fleet.cluster.agreed()
    const old = fleet.register
    await fleet.leader.stepDown({ coolOff: 1 })
    await until(() => fleet.register.token > old.token, 'a larger token')
    await fleet.cluster.agreed()
    const { token } = fleet.register
    const stored = (id: string): unknown =>
      fleet.cluster.disks.get(id)!.read()!.state['engine.token']
    await until(() => THREE.every((id) => stored(id) === token), 'the token on every disk')
    await Promise.all(all.map(async (one) => one.close()))
    fleet.cluster.members.clear()
    fleet.server.registers.set(GROUP, old)
    const again = await fleet.startAll()
    await until(() =>
      fleet.diaries.get('c')!.errors.some(({ name }) => name === 'EngineResetError'),
    )
    await sleep(3 * QUICK.lease)
    expect(again.map(({ view }) => view.kind)).toEqual(['none', 'none', 'none'])
    expect(again.map((one) => one.status().leader)).toEqual([null, null, null])
  })

  test('is noticed even if all members have restarted, since the largest token is durable', async () => {
    const fleet = new FencedCluster(THREE)
    const all = await fleet.startAll()
    await fleet.cluster.agreed()
    const seen = fleet.register.token
    await until(() => fleet.cluster.disks.get('a')!.read()!.state['engine.token'] === seen)
    await Promise.all(all.map(async (one) => one.close()))
    fleet.cluster.members.clear()
    fleet.server.empty()
    await fleet.startAll()
    await until(() =>
      fleet.diaries.get('c')!.errors.some(({ name }) => name === 'EngineResetError'),
    )
    await sleep(2 * QUICK.lease)
    expect(fleet.history).toHaveLength(1)
  })
})

describe('a cut of which both sides reach the engine', () => {
  test('ends with one holder, without alternation; and with the strongest once it heals', async () => {
    const fleet = new FencedCluster(FIVE, 'nobody', CALM)
    await fleet.startAll()
    expect(await fleet.cluster.agreed()).toBe('e')
    fleet.split(['d', 'e'], ['a', 'b', 'c'])
    await until(() => fleet.history.length > 1)
    await sleep(4 * CALM.lease)
    // The other side took over once; the deposed one saw it renew and held back.
    expect(fleet.history.length).toBeLessThanOrEqual(3)
    expect(fleet.diaries.get('e')!.lost[0].reason).toBe('deposed')
    const holders = [...fleet.cluster.members.values()].filter(({ current }) => current !== null)
    expect(holders.map(({ id }) => id)).toEqual([fleet.register.holder])
    fleet.cluster.net.heal()
    expect(await fleet.cluster.agreed()).toBe('e')
    expect(fleet.tokens).toEqual(rising(fleet.tokens))
  })

  test('a deposed member takes over when no member receives from the holder any more', async () => {
    const fleet = new FencedCluster(THREE)
    await fleet.startAll()
    await fleet.cluster.agreed()
    fleet.split(['c'], ['a', 'b'])
    await until(() => fleet.register.holder === 'b')
    fleet.kill('b')
    fleet.kill('a')
    await until(() => fleet.register.holder === 'c')
    await until(() => fleet.leader?.id === 'c')
    expect(fleet.tokens).toEqual(rising(fleet.tokens))
  })
})

describe('types', () => {
  test('a fenced term has a fence', () => {
    const use = (election: Election<Fenced>, write: (fence: Fence) => void): void =>
      void election.lead((term) => write(term.fence))
    expect(use).toBeTypeOf('function')
    expectTypeOf<NonNullable<Election<Fenced>['current']>['fence']>().toEqualTypeOf<Fence>()
  })
})
