/** The conformance suite of engines, over real servers that are killed, paused and restarted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  EngineError,
  memory,
  MemoryRegisters,
  type Engine,
  type Register,
} from '../../src/engines/index.ts'
import { has, RealServer, SERVER_NAMES } from '../../scripts/support/servers.ts'
import { KUBERNETES, KubernetesServer } from '../support/kubernetes/api-server.ts'
import { until } from '../../src/testing/wait.ts'

interface Bench {
  engine(): Engine
  kill(): Promise<void> | void
  start(): Promise<void> | void
  pause(): void
  resume(): void
  restart(kept: 'kept' | 'empty'): Promise<void> | void
  close(): Promise<void> | void
}

function memoryBench(): Bench {
  const server = new MemoryRegisters()
  return {
    engine: () => memory(server),
    kill: () => void (server.down = true),
    start: () => void (server.down = false),
    pause: () => void (server.paused = true),
    resume: () => void (server.paused = false),
    restart: (kept) => void (kept === 'empty' && server.empty()),
    close: () => undefined,
  }
}

const kinds = [
  { name: 'memory', open: memoryBench, there: true },
  ...SERVER_NAMES.map((name) => ({
    name,
    open: async (): Promise<Bench> => RealServer.open(name),
    there: has(name),
  })),
  // No package of Debian or npm has an API server: its tests exist where a real one is named, and count as nothing else.
  ...(KUBERNETES === null
    ? []
    : [{ name: 'kubernetes', open: async () => KubernetesServer.open(KUBERNETES!), there: true }]),
]

const soon = (ms = 5000): AbortSignal => AbortSignal.timeout(ms)
let serial = 0
const claimOf = (holder: string) => ({
  holder,
  metadata: null,
})

for (const { name, open, there } of kinds) {
  describe.skipIf(!there)(`the engine ${name}`, () => {
    let server: Bench
    const engines: Engine[] = []
    const ends: AbortController[] = []

    function engine(): Engine {
      const made = server.engine()
      engines.push(made)
      return made
    }

    /** What a watcher was told. */
    function watch(one: Engine, group: string): Register[] {
      const seen: Register[] = []
      const end = new AbortController()
      ends.push(end)
      one.watch(group, { changed: (register) => seen.push(register) }, end.signal)
      return seen
    }

    beforeAll(async () => void (server = await open()))
    afterAll(async () => server.close())
    afterEach(async () => {
      for (const end of ends.splice(0)) end.abort()
      await Promise.all(engines.splice(0).map(async (one) => one.close()))
    })

    /** A group of its own for each test. */
    const fresh = (): string => `grüße/${(serial += 1)} *.>`

    test('a register that was never taken has no token and no holder', async () => {
      expect(await engine().read(fresh(), soon())).toMatchObject({ token: 0, holder: '' })
    })

    test('the member that takes it is its holder, and all can read its metadata', async () => {
      const group = fresh()
      const [a, b] = [engine(), engine()]
      const claim = { holder: 'a', metadata: { url: 'http://a/ü', list: [1, null] } }
      const taken = await a.take(group, await a.read(group, soon()), claim, soon())
      expect(taken).toMatchObject(claim)
      expect(taken!.token).toBeGreaterThan(0)
      expect(await b.read(group, soon())).toMatchObject({ ...claim, token: taken!.token })
    })

    test('tokens strictly rise, whichever member takes', async () => {
      const group = fresh()
      const both = [engine(), engine()]
      const tokens: number[] = []
      let register = await both[0].read(group, soon())
      for (let i = 0; i < 6; i++) {
        register = (await both[i % 2].take(group, register, claimOf(`m${i % 2}`), soon()))!
        tokens.push(register.token)
      }
      expect(tokens).toEqual([...new Set(tokens)].toSorted((x, y) => x - y))
    })

    test('of many members that take from the same token one succeeds', async () => {
      const group = fresh()
      const many = Array.from({ length: 5 }, () => engine())
      for (let round = 0; round < 5; round++) {
        const from = await many[0].read(group, soon())
        const answers = await Promise.all(
          many.map(async (one, i) => one.take(group, from, claimOf(`m${i}`), soon())),
        )
        const won = answers.filter((answer) => answer !== null)
        expect(won).toHaveLength(1)
        const now = await many[1].read(group, soon())
        expect(now).toMatchObject({ token: won[0].token, holder: won[0].holder })
      }
    })

    test('the holder renews, and its beat moves while its token stays', async () => {
      const group = fresh()
      const a = engine()
      const held = (await a.take(group, await a.read(group, soon()), claimOf('a'), soon()))!
      const before = await a.read(group, soon())
      expect(await a.renew(group, held, soon())).toBe(true)
      const after = await a.read(group, soon())
      expect(after).toMatchObject({ token: held.token, holder: 'a' })
      expect(after.beat).not.toBe(before.beat)
    })

    test('a deposed holder cannot renew, nor take from its old token', async () => {
      const group = fresh()
      const [a, b] = [engine(), engine()]
      const held = (await a.take(group, await a.read(group, soon()), claimOf('a'), soon()))!
      const next = (await b.take(group, held, claimOf('b'), soon()))!
      expect(await a.renew(group, held, soon())).toBe(false)
      expect(await a.take(group, held, claimOf('a'), soon())).toBeNull()
      expect(await a.read(group, soon())).toMatchObject({ token: next.token, holder: 'b' })
      expect((await a.read(group, soon())).beat).toBe((await b.read(group, soon())).beat)
    })

    test('groups do not disturb each other', async () => {
      const [one, other] = [fresh(), fresh()]
      const a = engine()
      const held = (await a.take(one, await a.read(one, soon()), claimOf('a'), soon()))!
      await a.take(other, await a.read(other, soon()), claimOf('b'), soon())
      expect(await a.renew(one, held, soon())).toBe(true)
      expect(await a.read(one, soon())).toMatchObject({ holder: 'a', token: held.token })
    })

    test('a watcher gets the register, then each change, and no beat', async () => {
      const group = fresh()
      const [a, b] = [engine(), engine()]
      const first = (await a.take(group, await a.read(group, soon()), claimOf('a'), soon()))!
      const seen = watch(b, group)
      await until(() => seen.at(-1)?.token === first.token, 'the current register')
      await a.renew(group, first, soon())
      const second = (await a.take(group, first, claimOf('c'), soon()))!
      await until(() => seen.at(-1)?.token === second.token, 'the change')
      expect(seen.map(({ token }) => token)).toEqual([first.token, second.token])
    })

    test('killed, it cannot be reached; restarted with its state, calls succeed again', async () => {
      const group = fresh()
      const [a, b] = [engine(), engine()]
      const seen = watch(b, group)
      const held = (await a.take(group, await a.read(group, soon()), claimOf('a'), soon()))!
      await until(() => seen.at(-1)?.token === held.token, 'the watch')
      await server.kill()
      await expect(a.read(group, soon(2000))).rejects.toThrow(EngineError)
      await expect(a.take(group, held, claimOf('a'), soon(2000))).rejects.toThrow(EngineError)
      await expect(a.renew(group, held, soon(2000))).rejects.toThrow(EngineError)
      await server.start()
      const again = await eventually(async () => a.read(group, soon(1000)))
      expect(again).toMatchObject({ token: held.token, holder: 'a' })
      expect(await a.renew(group, held, soon())).toBe(true)
      const next = (await a.take(group, held, claimOf('a'), soon()))!
      expect(next.token).toBeGreaterThan(held.token)
      await until(() => name === 'memory' || seen.at(-1)?.token === next.token, 'the watch again')
    })

    test('paused, calls reject when their signal is aborted; resumed, calls succeed again', async () => {
      const group = fresh()
      const a = engine()
      const held = (await a.take(group, await a.read(group, soon()), claimOf('a'), soon()))!
      server.pause()
      const started = performance.now()
      await expect(a.renew(group, held, soon(300))).rejects.toThrow(EngineError)
      await expect(a.read(group, soon(300))).rejects.toThrow(EngineError)
      expect(performance.now() - started).toBeLessThan(5000)
      server.resume()
      const again = await eventually(async () => a.read(group, soon(1000)))
      expect(again).toMatchObject({ token: held.token, holder: 'a' })
    })

    test('restarted empty, its token is below the one before; a reseed lets tokens rise again', async () => {
      const group = fresh()
      const a = engine()
      let held = await a.read(group, soon())
      for (let i = 0; i < 3; i++) held = (await a.take(group, held, claimOf('a'), soon()))!
      await server.restart('empty')
      const now = await eventually(async () => a.read(group, soon(1000)))
      expect(now.token).toBeLessThan(held.token)
      expect(await a.take(group, held, claimOf('a'), soon())).toBeNull()
      expect(await a.renew(group, held, soon())).toBe(false)
      const seeded = await a.reseed(group, held.token + 1000, soon())
      expect(seeded.token).toBeGreaterThan(held.token + 1000)
      expect(await a.read(group, soon())).toMatchObject({ token: seeded.token, holder: '' })
      const next = (await a.take(group, seeded, claimOf('b'), soon()))!
      expect(next.token).toBeGreaterThan(seeded.token)
      expect((await a.reseed(group, 1, soon())).token).toBeGreaterThan(next.token)
    })

    test('a reseed near the largest number is refused before it writes anything', async () => {
      const group = fresh()
      const a = engine()
      const held = (await a.take(group, await a.read(group, soon()), claimOf('a'), soon()))!
      for (const above of [2 ** 53 - 1, 2 ** 53 - 2, 2 ** 52 + 1, 2 ** 53, -1, 1.5, NaN]) {
        await expect(a.reseed(group, above, soon())).rejects.toThrow(EngineError)
      }
      expect(await a.renew(group, held, soon())).toBe(true)
      const seeded = await a.reseed(group, 2 ** 52, soon())
      const next = (await a.take(group, seeded, claimOf('b'), soon()))!
      expect(next.token).toBeGreaterThan(2 ** 52)
      expect(await a.renew(group, next, soon())).toBe(true)
    })
  })
}

async function eventually<T>(get: () => Promise<T>): Promise<T> {
  for (let i = 0; ; i++) {
    try {
      return await get()
    } catch (error) {
      if (i > 50) throw error
      await sleep(100)
    }
  }
}
