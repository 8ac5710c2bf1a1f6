/** The contract of the handle, line by line: (a) to (j). */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { Cluster, deliver, leaderOf, QUICK, registry } from '../../test/support/members.ts'
import { until } from '../testing/wait.ts'
import type { Json } from '../core/schema.ts'
import type { Transport } from '../transports/transport.ts'
import type { View } from './election-events.ts'
import type { Election } from './handle.ts'
import { ConfigurationError, StepDownError, TermOverError } from './errors.ts'
import { resolveOptions } from './options/resolve-options.ts'
import type { Fence, FencedTerm, LostReason, Term } from './term.ts'

const FIVE = ['a', 'b', 'c', 'd', 'e']
const THREE = ['a', 'b', 'c']
const SAFETIES = ['advisory', 'quorum'] as const

interface Diary {
  readonly elected: number[]
  readonly lost: { readonly term: number; readonly reason: LostReason }[]
}

function diaryOf(election: Election): Diary {
  const diary: Diary = { elected: [], lost: [] }
  election.on('elected', ({ term }) => diary.elected.push(term))
  election.on('lost', (event) => diary.lost.push(event))
  return diary
}

/** Holds the loop as a long computation does. */
function hang(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe.each(SAFETIES)('with safety %s', (safety) => {
  test('the members of a group agree on the strongest', async () => {
    const cluster = new Cluster(FIVE, { safety })
    await cluster.startAll()
    expect(await cluster.agreed()).toBe('e')
  })

  test('(a) each `elected` is followed by exactly one `lost`, however the term ends', async () => {
    const cluster = new Cluster(THREE, { safety })
    const all = await cluster.startAll()
    const diaries = all.map(diaryOf)
    await cluster.agreed()
    await cluster.leader.stepDown({ coolOff: 1 })
    await until(() => all.some((one) => one.current !== null))
    cluster.net.cut('a', 'c')
    cluster.net.cut('b', 'c')
    await sleep(600)
    cluster.net.heal()
    await cluster.agreed()
    await Promise.all(all.map(async (one) => one.close()))
    for (const { elected, lost } of diaries) {
      expect(lost.map(({ term }) => term)).toEqual(elected)
    }
    expect(diaries.flatMap(({ elected }) => elected).length).toBeGreaterThan(1)
  })

  test('(c) leadership is released only after the work has stopped', async () => {
    const cluster = new Cluster(THREE, { safety })
    const all = await cluster.startAll()
    await cluster.agreed()
    const { leader } = cluster
    let stopped = false
    void leader.lead(async (term) => {
      await aborted(term.signal)
      await sleep(150)
      stopped = true
    })
    await sleep(20)
    const others = all.filter((one) => one !== leader)
    const stoppedBefore: boolean[] = []
    for (const one of others) one.on('elected', () => stoppedBefore.push(stopped))
    await leader.stepDown({ coolOff: 1000 })
    await until(() => stoppedBefore.length > 0)
    expect(stoppedBefore[0]).toBe(true)
  })

  test('(c) … or after its drain has passed', async () => {
    const cluster = new Cluster(THREE, { safety })
    await cluster.startAll()
    await cluster.agreed()
    const { leader } = cluster
    void leader.lead(async () => sleep(60_000), { drain: 50 })
    await sleep(20)
    const started = performance.now()
    await leader.stepDown({ coolOff: 10_000 })
    expect(performance.now() - started).toBeLessThan(10_000)
    await until(() => [...cluster.members.values()].some((one) => one !== leader && one.current))
  })

  test('(c) … and work that has not stopped by then is reported', async () => {
    const cluster = new Cluster(THREE, { safety, drain: 20 })
    const all = await cluster.startAll()
    const errors: Error[] = []
    for (const one of all) {
      one.on('error', (error) => errors.push(error))
      void one.lead(async () => new Promise(() => {}))
    }
    await cluster.agreed()
    const { text } = cluster.leader.current!
    await sleep(1) // the work has begun
    await cluster.leader.stepDown()
    const [{ message }] = await until(() => errors.length > 0 && errors)
    expect(message).toMatch(`the work of term ${text} has not stopped within its drain of 20 ms`)
  })

  test('(d) terms strictly rise, across members and restarts', async () => {
    const cluster = new Cluster(THREE, { safety })
    const terms: number[] = []
    const follow = (one: Election): void => void one.on('elected', ({ term }) => terms.push(term))
    ;(await cluster.startAll()).forEach(follow)
    for (let i = 0; i < 4; i++) {
      await cluster.agreed()
      const { id } = cluster.leader
      await cluster.members.get(id)!.close()
      cluster.members.delete(id)
      await cluster.agreed()
      follow(await cluster.start(id))
      await until(() => cluster.members.get(id)!.view.kind === 'leader')
    }
    expect(terms.length).toBeGreaterThanOrEqual(5)
    expect(terms).toEqual([...new Set(terms)].sort((a, b) => a - b))
  })

  test('(e) a member whose work throws steps down and waits before it leads again', async () => {
    const cluster = new Cluster(THREE, { safety })
    await cluster.startAll()
    await cluster.agreed()
    const { leader } = cluster
    const diary = diaryOf(leader)
    let entered = 0
    void leader.lead(() => {
      entered += 1
      throw new Error('broken')
    })
    await until(() => diary.lost.length > 0)
    expect(diary.lost[0].reason).toBe('stepped-down')
    await until(() => [...cluster.members.values()].some((one) => one !== leader && one.current))
    expect(entered).toBe(1)
  })

  test('(e) … so that work that fails on every member is not run again and again', async () => {
    const cluster = new Cluster(THREE, { safety })
    const all = await cluster.startAll()
    const runs = new Map(THREE.map((name) => [name, [] as number[]]))
    for (const one of all) {
      void one.lead(() => {
        runs.get(one.id)!.push(performance.now())
        throw new Error('out of order')
      })
    }
    await until(() => [...runs.values()].some((times) => times.length > 4))
    for (const times of runs.values()) {
      for (let i = 2; i < times.length; i++) {
        const shortest = 1.5 * QUICK.detection * Math.min(1, 2 ** (i - 5))
        expect(times[i] - times[i - 1]).toBeGreaterThanOrEqual(shortest)
      }
    }
  })

  test('(e) … and close() does not wait for that', async () => {
    const cluster = new Cluster(['a', 'b'], { safety, timing: { detection: 10_000 } })
    const all = await cluster.startAll()
    let runs = 0
    for (const one of all) {
      void one.lead(() => {
        runs += 1
        throw new Error('out of order')
      })
    }
    await until(() => runs > (safety === 'quorum' ? 2 : 0))
    await Promise.all(all.map(async (one) => one.close()))
    expect(all.map((one) => one.status().status)).toEqual(['off', 'off'])
  })

  test("(e) … and with onError 'throw', lead() rejects", async () => {
    const cluster = new Cluster(['a'], { safety })
    const [only] = await cluster.startAll()
    const work = only.lead(() => Promise.reject(new Error('broken')), { onError: 'throw' })
    await expect(work).rejects.toThrow('broken')
  })

  test('(f) a member stands again after each loss: the work runs for each term that it wins', async () => {
    const cluster = new Cluster(['a'], { safety })
    const [only] = await cluster.startAll()
    const terms: number[] = []
    void only.lead(async (term) => {
      terms.push(term.number)
      await aborted(term.signal)
    })
    for (let i = 1; i <= 3; i++) {
      await until(() => terms.length === i)
      await only.stepDown({ coolOff: 1 })
    }
    await until(() => terms.length === 4)
    expect(terms).toEqual([...terms].sort((a, b) => a - b))
  })

  test('(g) a watcher that does not read blocks no other, and then gets the latest view', async () => {
    const cluster = new Cluster(THREE, { safety })
    const all = await cluster.startAll()
    const idle = all[0].watch()
    const first = await idle.next()
    await cluster.agreed()
    cluster.kill('c')
    await cluster.agreed('c')
    const second = await idle.next()
    expect(first.value?.kind).toMatch(/none|unknown/u)
    expect(leaderOf(second.value as View)).toBe('b')
  })

  test('(g) a watch gives the current value first, to any number of watchers, and ends with close', async () => {
    const cluster = new Cluster(['a'], { safety })
    const [only] = await cluster.startAll()
    await until(() => only.current !== null)
    const watchers = [only.watch(), only.watch()]
    for (const watcher of watchers) {
      expect((await watcher.next()).value).toMatchObject({ kind: 'leader', leader: 'a', me: true })
    }
    await only.close()
    for (const watcher of watchers) {
      const kinds: string[] = []
      for await (const view of watcher) kinds.push(view.kind)
      expect(kinds.at(-1)).toBe('unknown')
    }
  })

  test('(j) close drains, resigns and leaves: the next leader waits for no detector', async () => {
    const cluster = new Cluster(THREE, { safety, timing: {} })
    await cluster.startAll()
    await cluster.agreed()
    const { leader } = cluster
    const steps: string[] = []
    void leader.lead(async (term) => {
      await aborted(term.signal)
      await sleep(30)
      steps.push('drained')
    })
    leader.on('lost', ({ reason }) => steps.push(reason))
    await sleep(30)
    cluster.members.delete(leader.id)
    const started = performance.now()
    await leader.close()
    await cluster.agreed(leader.id)
    // Detection takes 1.5 s with this timing.
    expect(performance.now() - started).toBeLessThan(1200)
    expect(steps).toEqual(['closed', 'drained'])
  })

  test('a leader whose event loop stalled for longer than its lease loses its term before its own code runs', async () => {
    const cluster = new Cluster(['a'], { safety })
    const [only] = await cluster.startAll()
    const term = await until(() => only.current)
    const diary = diaryOf(only)
    const seen: boolean[] = []
    only.on('leader', () => seen.push(term.signal.aborted))
    hang(QUICK.lease * 2)
    await until(() => seen.length > 0)
    expect(seen[0]).toBe(true)
    expect(diary.lost).toMatchObject([{ reason: 'paused' }])
    expect(() => term.assert()).toThrow(TermOverError)
    await until(() => only.current)
  })

  test('lead() of a closed election resolves, and runs no work', async () => {
    const cluster = new Cluster(THREE, { safety })
    const one = await cluster.start('a')
    await one.close()
    let entered = false
    await one.lead(() => (entered = true))
    expect(entered).toBe(false)
  })

  test('an error without a listener becomes a warning of the process, once', async () => {
    const cluster = new Cluster(['a'], { safety })
    const warnings: Error[] = []
    const hear = (warning: Error): void => void warnings.push(warning)
    process.on('warning', hear)
    try {
      const one = await cluster.start('a')
      cluster.disks.get('a')!.full = true
      await until(() => warnings.length > 0)
      const { steps } = one.counters
      await until(() => one.counters['steps'] > steps + 3)
    } finally {
      process.off('warning', hear)
    }
    expect(warnings.map(({ message }) => message)).toEqual(['no space left on the disk'])
  })

  test('leader metadata reaches the followers', async () => {
    const cluster = new Cluster(THREE, { safety })
    for (const id of THREE) await cluster.start(id, { metadata: { url: `http://${id}/` } })
    const leader = await cluster.agreed()
    await until(() =>
      [...cluster.members.values()].every(
        ({ view }) =>
          view.kind === 'leader' &&
          JSON.stringify(view.metadata) === JSON.stringify({ url: `http://${leader}/` }),
      ),
    )
  })

  test('a member that cannot write its store does not lead', async () => {
    const cluster = new Cluster(THREE, { safety })
    const all = await cluster.startAll()
    await cluster.agreed()
    const errors: Error[] = []
    const c = all[2]
    c.on('error', (error) => errors.push(error))
    cluster.disks.get('c')!.full = true
    const wrote = cluster.disks.get('c')!.writes
    await c.stepDown({ coolOff: 1 })
    await until(() => errors.length > 0)
    const elected = diaryOf(c).elected
    await sleep(400)
    expect(elected).toEqual([])
    expect(cluster.disks.get('c')!.writes).toBe(wrote)
    await until(() => [...cluster.members.values()].some((one) => one !== c && one.current))
  })

  test('a malformed frame is counted and has no other effect', async () => {
    const cluster = new Cluster(['a', 'b'], { safety })
    const all = await cluster.startAll()
    await cluster.agreed()
    const deep = JSON.parse(`${'['.repeat(4500)}${']'.repeat(4500)}`) as Json
    const broken = [null, 3, [], {}, { p: 'x' }, { p: 'e' }, { p: 'e', m: { type: 'halt' } }]
    const hostile = [...broken, { p: 'a', m: deep }]
    for (const payload of hostile) deliver(all[0], 'b', payload)
    deliver(all[0], 'nobody', {})
    expect(all[0].counters['malformed']).toBe(hostile.length)
    expect(await cluster.agreed()).toBe('b')
  })
})

describe('with a lease', () => {
  test('(b) the signal aborts by the local monotonic deadline, and assert() fails after it', async () => {
    const cluster = new Cluster(THREE, { safety: 'quorum' })
    await cluster.startAll()
    await cluster.agreed()
    const { leader } = cluster
    const term = leader.current!
    const diary = diaryOf(leader)
    expect(term.remainingMs()).toBeGreaterThan(0)
    expect(term.remainingMs()).toBeLessThanOrEqual(QUICK.lease)
    for (const id of THREE) if (id !== leader.id) cluster.net.cut(leader.id, id)
    const end = performance.now() + term.remainingMs()
    await aborted(term.signal)
    expect(performance.now()).toBeLessThan(end + 1000)
    expect(term.remainingMs()).toBe(0)
    expect(() => term.assert()).toThrow(TermOverError)
    expect(diary.lost).toMatchObject([{ reason: 'quorum-lost' }])
  })

  test('(b) assert() fails in code that ran on past the deadline, before anything else runs', async () => {
    const cluster = new Cluster(THREE, { safety: 'quorum' })
    await cluster.startAll()
    await cluster.agreed()
    const term = cluster.leader.current!
    term.assert()
    hang(QUICK.lease + 50)
    expect(() => term.assert()).toThrow(/paused/u)
    expect(term.signal.aborted).toBe(true)
  })

  test('a minority has no leader', async () => {
    const cluster = new Cluster(FIVE, { safety: 'quorum' })
    await cluster.start('a')
    await cluster.start('b')
    await sleep(600)
    for (const { view } of cluster.members.values()) expect(view.kind).toBe('none')
    await cluster.start('c')
    expect(await cluster.agreed()).toMatch(/[abc]/u)
  })

  test('a message with a term near the largest number is rejected, and elections go on', async () => {
    const cluster = new Cluster(THREE)
    const all = await cluster.startAll()
    await cluster.agreed()
    const term = Number.MAX_SAFE_INTEGER - 1024
    for (const type of ['ldr', 'rej']) deliver(all[0], 'b', { p: 'e', m: { type, term } })
    deliver(all[0], 'b', { p: 'e', m: { type: 'halt', term, round: 0 } })
    expect(all[0].counters['malformed']).toBe(3)
    await cluster.leader.stepDown()
    await cluster.agreed('c')
    for (const one of all) expect(one.term).toBeLessThan(1e6)
  })

  test('a member that names ever larger terms to one other member ends no election, also after restarts', async () => {
    const cluster = new Cluster(THREE, { safety: 'quorum' })
    const all = await cluster.startAll()
    await cluster.agreed()
    const [a] = all
    const drive = (term: number): void => {
      const m = { type: 'norm?', term, round: 1, incarnation: 1 }
      deliver(a, 'c', { p: 'e', m })
    }
    for (let i = 0; i < 3; i++) drive(a.term + 2 ** 42 - 1024)
    for (let power = 52; power > 30; power--) drive(2 ** power)
    expect(a.term).toBeGreaterThanOrEqual(2 ** 31)
    cluster.kill('c')
    await until(() => ['a', 'b'].includes(cluster.leader?.id ?? ''))
    for (const id of ['a', 'b']) {
      await cluster.members.get(id)!.close()
      await cluster.start(id, { safety: 'quorum' })
    }
    await until(() => ['a', 'b'].includes(cluster.leader?.id ?? ''))
  })

  test('whatever a member names, no other member writes a term that it cannot read back', async () => {
    const cluster = new Cluster(THREE, { safety: 'quorum' })
    const [a] = await cluster.startAll()
    await cluster.agreed()
    for (let i = 0; i < 2100; i++) {
      const m = { type: 'norm?', term: a.term + 2 ** 42 - 1024, round: i, incarnation: 1 }
      deliver(a, 'c', { p: 'e', m })
      deliver(a, 'b', { p: 'e', m: { type: 'rej', term: Number.MAX_SAFE_INTEGER } })
    }
    cluster.kill('c')
    await cluster.agreed('c')
    for (const disk of cluster.disks.values()) {
      for (const field of ['term', 'vote']) {
        expect(disk.read()!.state[field]).toBeLessThan(2 ** 52)
      }
    }
  })

  test('no successor leads before the lease of the old leader has run out', async () => {
    const cluster = new Cluster(THREE, { safety: 'quorum' })
    const all = await cluster.startAll()
    await cluster.agreed()
    const { leader } = cluster
    const term = leader.current!
    const early: number[] = []
    for (const one of all) {
      if (one !== leader) one.on('elected', () => early.push(term.remainingMs()))
    }
    for (const id of THREE) if (id !== leader.id) cluster.net.cut(leader.id, id)
    await until(() => early.length > 0)
    expect(early[0]).toBe(0)
  })

  test('with trustRefusals, a refused dial ends the lease of the crashed leader at once', async () => {
    const timing = { lease: '6s', detection: '1.5s' }
    const cluster = new Cluster(THREE, { safety: 'quorum', trustRefusals: true, timing })
    await cluster.startAll()
    const leader = await cluster.agreed()
    await sleep(20)
    const started = performance.now()
    cluster.kill(leader)
    await cluster.agreed(leader)
    expect(performance.now() - started).toBeLessThan(1400)
  })

  test('with sticky preemption, a stronger member that recovers follows', async () => {
    const cluster = new Cluster(THREE, { safety: 'quorum', trustRefusals: true })
    await cluster.startAll()
    expect(await cluster.agreed()).toBe('c')
    cluster.kill('c')
    expect(await cluster.agreed('c')).toBe('b')
    await cluster.start('c')
    await sleep(600)
    expect(await cluster.agreed()).toBe('b')
  })

  test('preemption with a delay: a member of higher priority asks, and the leader hands over', async () => {
    const members = { a: 'a:1', b: 'b:1', c: { address: 'c:1', priority: 5 } }
    const preemption = { after: 200, stableFor: 100, maxPerHour: 1 }
    const options = { safety: 'quorum', trustRefusals: true, members, preemption } as const
    const cluster = new Cluster(THREE, options)
    await cluster.startAll()
    expect(await cluster.agreed()).toBe('c')
    cluster.kill('c')
    expect(await cluster.agreed('c')).toBe('b')
    const b = cluster.members.get('b')!
    const diary = diaryOf(b)
    await cluster.start('c')
    await until(() => cluster.members.get('c')!.current !== null, 'c takes over')
    expect(diary.lost).toMatchObject([{ reason: 'stepped-down' }])
  })
})

test('preemption with a delay: members of equal priority never ask', async () => {
  const members = { a: 'a:1', b: 'b:1', c: 'c:1' }
  const preemption = { after: 20, stableFor: 0, maxPerHour: 100 }
  const cluster = new Cluster(THREE, { safety: 'quorum', trustRefusals: true, members, preemption })
  await cluster.startAll()
  expect(await cluster.agreed()).toBe('c')
  cluster.kill('c')
  expect(await cluster.agreed('c')).toBe('b')
  const diary = diaryOf(cluster.members.get('b')!)
  const late = await cluster.start('c')
  await cluster.agreed()
  const { steps } = late.counters
  await until(() => late.counters['steps'] > steps + 20) // periods that it could have asked in
  expect(diary.lost).toEqual([])
})

test('preemption with a delay: the leader declines a member of lower priority', async () => {
  const members = { a: 'a:1', b: 'b:1', c: { address: 'c:1', priority: 5 } }
  const preemption = { after: '60s', maxPerHour: 100 }
  const cluster = new Cluster(THREE, { safety: 'quorum', members, preemption })
  await cluster.startAll()
  expect(await cluster.agreed()).toBe('c')
  deliver(cluster.leader, 'a', { p: 'h', m: { type: 'takeover', strength: 99 } })
  await sleep(1)
  expect(cluster.leader.id).toBe('c')
})

test.each(SAFETIES)('with safety %s, an idle follower sends to its leader only', async (safety) => {
  const cluster = new Cluster(FIVE, { safety })
  const said = new Set<string>()
  const overheard: Transport = {
    async listen(identity, ...rest) {
      const endpoint = await cluster.net.listen(identity, ...rest)
      const send = endpoint.send.bind(endpoint)
      return Object.assign(endpoint, {
        send(peer: string, payload: Json) {
          said.add(`${identity.id} ${peer}`)
          send(peer, payload)
        },
      })
    },
  }
  const all = await Promise.all(
    FIVE.map(async (name) => cluster.start(name, { transport: overheard })),
  )
  expect(await cluster.agreed()).toBe('e')
  const rest = async (): Promise<unknown> => {
    const heard = (): number => all.reduce((sum, { counters }) => sum + counters['frames'], 0)
    const before = heard()
    return until(() => heard() > before + 40)
  }
  await rest() // what the election left to say
  said.clear()
  await rest()
  expect([...said].filter((pair) => !pair.includes('e'))).toEqual([])
  expect(said.size).toBeGreaterThanOrEqual(4)
})

describe('a lease', () => {
  test('that ran out during a write of the store is never shown', async () => {
    const cluster = new Cluster(['a', 'b', 'c'], { safety: 'quorum' })
    const disk = cluster.disks.get('c')!
    const write = disk.write.bind(disk)
    let slow = 0
    disk.write = (stored) => {
      write(stored)
      const term = stored.state['term'] as number
      if (slow > 0 || term % 1024 !== 3) return
      slow = term
      hang(3 * QUICK.lease)
    }
    const elected: number[] = []
    const strongest = await cluster.start('c')
    strongest.on('elected', ({ term }) => elected.push(term))
    await Promise.all([cluster.start('a'), cluster.start('b')])
    await until(() => slow > 0)
    await cluster.agreed()
    expect(elected).not.toContain(slow)
  })
})

describe('stepDown', () => {
  test('names its successor, who leads next', async () => {
    const cluster = new Cluster(FIVE, { safety: 'quorum' })
    await cluster.startAll()
    expect(await cluster.agreed()).toBe('e')
    await sleep(200)
    await cluster.leader.stepDown({ to: 'b', reason: 'deploy' })
    expect(await cluster.agreed('e')).toBe('b')
  })

  test.each([
    ['x', 'it is not a member'],
    ['c', 'it leads already'],
    ['b', 'nothing was received from it lately'],
  ])('refuses %s: %s', async (to, why) => {
    const cluster = new Cluster(THREE, { safety: 'quorum' })
    await cluster.start('a')
    await cluster.start('c')
    await until(() => leaderOf(cluster.members.get('a')!.view) === 'c')
    await expect(cluster.leader.stepDown({ to })).rejects.toThrow(why)
    expect(cluster.leader.id).toBe('c')
  })

  test('refuses a junior where the algorithm elects the strongest', async () => {
    const cluster = new Cluster(THREE, { safety: 'advisory' })
    await cluster.startAll()
    await cluster.agreed()
    await sleep(100)
    await expect(cluster.leader.stepDown({ to: 'a' })).rejects.toThrow('elects the strongest, b')
  })

  test('with an invalid drain is refused, and the member leads on', async () => {
    const cluster = new Cluster(THREE)
    await cluster.startAll()
    await cluster.agreed()
    const { leader } = cluster
    await expect(leader.stepDown({ drain: 'soon' })).rejects.toThrow(ConfigurationError)
    expect(leader.current).not.toBeNull()
    await expect(leader.close({ drain: 'soon' })).rejects.toThrow(ConfigurationError)
    expect(leader.current).not.toBeNull()
    await leader.close()
    expect(leader.current).toBeNull()
  })

  test('is refused to a member that does not lead', async () => {
    const cluster = new Cluster(THREE, { safety: 'quorum' })
    const all = await cluster.startAll()
    await cluster.agreed()
    const follower = all.find((one) => one.current === null)!
    await expect(follower.stepDown()).rejects.toThrow(StepDownError)
  })
})

describe('(h) types', () => {
  const write = (_fence: Fence): void => undefined

  test('an advisory term cannot be passed where a fence is required', () => {
    expectTypeOf<FencedTerm['fence']>().toExtend<Fence>()
    expectTypeOf<Term['fence']>().not.toExtend<Fence>()
    const use = (advisory: Election<'advisory'>, quorum: Election<'quorum'>): void => {
      void quorum.lead((term) => write(term.fence))
      // @ts-expect-error An advisory term has no fence.
      void advisory.lead((term) => write(term.fence))
      // @ts-expect-error A plain number is no fence either.
      void quorum.lead((term) => write(term.number))
    }
    expect(use).toBeTypeOf('function')
  })

  test('an advisory term has no fence at run time either; the fence of a quorum term is its number', async () => {
    const advisory = await new Cluster(['a'], { safety: 'advisory' }).start('a')
    expect((await until(() => advisory.current)).fence).toBeUndefined()
    const quorum = await new Cluster(['a'], { safety: 'quorum' }).start('a')
    const term = await until(() => quorum.current)
    expect(term.fence).toBe(term.number)
  })
})

describe('(i) timing and other options', () => {
  const good = { group: 'g', id: 'a', members: { a: 'h:1', b: 'h:2' } }

  test.each([
    [{ ...good, group: '' }, 'group'],
    [{ ...good, id: 'z' }, 'id'],
    [{ ...good, members: {} }, 'members'],
    [{ ...good, members: { a: 'nowhere' } }, 'members.a.address'],
    [{ ...good, members: { a: { address: 'h:1', priority: NaN } } }, 'members.a.priority'],
    [{ ...good, safety: 'sure' }, 'safety'],
    [{ ...good, algorithm: 'bully', safety: 'quorum' }, 'algorithm'],
    [{ ...good, algorithm: 'bullie', safety: 'advisory' }, 'algorithm'],
    [{ ...good, algorithm: 'bully-as-printed', safety: 'advisory' }, 'algorithm'],
    [{ ...good, detector: 'oracle' }, 'detector'],
    [{ ...good, preemption: 'sticky', safety: 'advisory' }, 'preemption'],
    [{ ...good, preemption: { after: 'soon' } }, 'preemption.after'],
    [{ ...good, trustRefusals: 1 }, 'trustRefusals'],
    [{ ...good, drain: 'long' }, 'drain'],
    [{ ...good, listen: 'x' }, 'listen'],
    [{ ...good, timing: { period: '2s' } }, 'timing.detection'],
    [{ ...good, timing: { lease: '600ms' } }, 'timing.lease'],
    [{ ...good, timing: { message: '400ms' } }, 'timing.period'],
    [{ ...good, timing: { period: 0 } }, 'timing.period'],
    [undefined, 'options'],
    [{ ...good, saftey: 'advisory' }, 'saftey'],
    [{ ...good, timing: 'fast' }, 'timing'],
    [{ ...good, timing: { detect: 100 } }, 'timing.detect'],
    [{ ...good, preemption: { after: '1s', most: 4 } }, 'preemption.most'],
    [{ ...good, members: { a: { address: 'h:1', weight: 2 } } }, 'members.a.weight'],
    [{ ...good, members: { a: 'h:1', b: 'h:1' } }, 'members.b.address'],
    [{ ...good, state: 5 }, 'state'],
    [{ ...good, transport: {} }, 'transport'],
    [{ ...good, signal: 'now' }, 'signal'],
    [{ ...good, metadata: 'x'.repeat(8200) }, 'metadata'],
  ])('%j is refused, naming %s', (given, field) => {
    const attempt = (): unknown => resolveOptions(given as never, registry)
    expect(attempt).toThrow(ConfigurationError)
    expect(attempt).toThrow(new RegExp(`^${field.replaceAll('.', String.raw`\.`)}: `, 'u'))
  })

  test('metadata that is not JSON is refused; JSON is copied', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`)
    expect(() => resolveOptions({ ...good, metadata: deep as never }, registry)).toThrow(
      /^metadata: /u,
    )
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    for (const metadata of [cyclic, 10n, () => 1, Symbol('x')]) {
      const attempt = (): unknown =>
        resolveOptions({ ...good, metadata: metadata as never }, registry)
      expect(attempt).toThrow(/^metadata: must be JSON/u)
    }
    const metadata = { url: 'http://a/' }
    const settings = resolveOptions({ ...good, metadata }, registry)
    metadata.url = 'http://b/'
    expect(settings.metadata).toEqual({ url: 'http://a/' })
  })

  test('durations are texts or milliseconds; all timing scales with detection', () => {
    const { group, leaseMs, drainMs } = resolveOptions(
      { ...good, timing: { detection: '150ms' }, drain: 20 },
      registry,
    )
    expect(group.timing).toMatchObject({ detectionMs: 150, periodMs: 50 })
    expect([leaseMs, drainMs]).toEqual([200, 20])
  })

  test('members must agree on timing, ranks and algorithm, but not on addresses', () => {
    const hash = (more: object): string => resolveOptions({ ...good, ...more }, registry).hash
    expect(hash({ members: { a: '[::1]:5', b: 'x:2' } })).toBe(hash({}))
    expect(hash({ id: 'b' })).toBe(hash({}))
    for (const other of [
      { timing: { lease: '3s' } },
      { members: { a: { address: 'h:1', priority: 1 }, b: 'h:2' } },
      { safety: 'advisory' },
      { trustRefusals: true },
      { preemption: 'always' },
    ]) {
      expect(hash(other)).not.toBe(hash({}))
    }
  })
})

async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
}
