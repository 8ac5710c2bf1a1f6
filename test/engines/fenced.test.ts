/** Tests `fenced` over real engines: each member reaches its engine through a proxy that can be cut. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { fenced, join, type Election, type Fenced } from '../../src/index.ts'
import { FaultProxy } from '../../src/testing/index.ts'
import { has, RealServer, SERVER_NAMES } from '../../scripts/support/servers.ts'
import { until } from '../../src/testing/wait.ts'

const IDS = ['a', 'b', 'c']
const TIMING = { detection: 500, lease: 1000 }
/** On a machine that is busy the process itself may stand still for as long. */
const UNRENEWED = /engine-lost|paused/u
let serial = 0

interface Held {
  readonly id: string
  readonly term: number
}

for (const name of SERVER_NAMES) {
  describe.skipIf(!has(name))(`fenced by ${name}`, () => {
    let server: RealServer
    const ends: (() => Promise<void> | void)[] = []
    beforeAll(async () => void (server = await RealServer.open(name)))
    afterAll(async () => server.close())
    afterEach(async () => {
      server.resume()
      await server.start()
      for (const end of ends.splice(0).toReversed()) await end()
    })

    async function cluster() {
      const state = mkdtempSync(path(tmpdir(), 'bellwether-fenced-'))
      ends.push(() => rmSync(state, { recursive: true, force: true }))
      const ports = await freePorts(IDS.length)
      const members = Object.fromEntries(IDS.map((id, i) => [id, `127.0.0.1:${ports[i]}`]))
      const group = `real ${(serial += 1)}`
      const elected: Held[] = []
      const lost: (Held & { readonly reason: string })[] = []
      const errors: Error[] = []
      const proxies = new Map<string, FaultProxy>()
      const all: Election<Fenced>[] = []
      for (const id of IDS) {
        const proxy = await FaultProxy.open(server.address, { framed: false })
        proxies.set(id, proxy)
        ends.push(async () => proxy.close())
        const safety = fenced(server.engine(proxy.address))
        const election = await join({ group, id, members, state, safety, timing: TIMING })
        ends.push(async () => election.close({ drain: 0 }))
        election.on('elected', ({ term }) => elected.push({ id, term }))
        election.on('lost', ({ term, reason }) => lost.push({ id, term, reason }))
        election.on('error', (error) => errors.push(error))
        all.push(election)
      }
      const leader = async (): Promise<Election<Fenced>> =>
        until(() => {
          const views = all.map(({ view }) => (view.kind === 'leader' ? view.leader : undefined))
          const same = views[0] !== undefined && views.every((view) => view === views[0])
          return same && all.find(({ id, current }) => id === views[0] && current !== null)
        }, 'a leader')
      const cut = (id: string, cut: boolean): void => {
        proxies.get(id)!.there.set({ cut })
        proxies.get(id)!.back.set({ cut })
        if (!cut) proxies.get(id)!.sever() // bytes are missing: nobody can go on with that stream
      }
      return { group, all, elected, lost, errors, leader, cut }
    }

    test('all are cut off from it: the leader stops by its own clock, no other leads, and it resumes', async () => {
      const { elected, lost, leader, cut } = await cluster()
      const first = await leader()
      expect(first.id).toBe('c')
      const before = elected.length
      for (const id of IDS) cut(id, true)
      await until(
        () => lost.some(({ id, reason }) => id === 'c' && UNRENEWED.test(reason)),
        'the loss',
      )
      await sleep(2 * TIMING.lease)
      expect(elected).toHaveLength(before)
      for (const id of IDS) cut(id, false)
      expect((await leader()).id).toBe('c')
      rises(elected)
    })

    test('the leader alone is cut off from it: another leads until it is back', async () => {
      const { elected, leader, cut } = await cluster()
      await leader()
      const before = elected.length
      cut('c', true)
      await until(() => elected.slice(before).some(({ id }) => id === 'b'), 'the next')
      cut('c', false)
      await until(() => elected.at(-1)!.id === 'c', 'the strongest again')
      await leader()
      rises(elected)
    })

    test('paused for longer than a lease: the term ends; running again: it is won again', async () => {
      const { elected, lost, leader } = await cluster()
      await leader()
      const before = elected.length
      server.pause()
      await until(() => lost.some(({ reason }) => UNRENEWED.test(reason)), 'the loss')
      server.resume()
      await until(() => elected.length > before, 'the next term')
      await leader()
      rises(elected)
    })

    test('killed while a leader leaves: there is no leader until it is back with its state', async () => {
      const { all, elected, leader } = await cluster()
      const first = await leader()
      await server.kill()
      await first.close({ drain: 0 })
      all.splice(all.indexOf(first), 1)
      const before = elected.length
      await sleep(2 * TIMING.lease)
      expect(elected).toHaveLength(before)
      await server.start()
      const second = await leader()
      expect(second.id).not.toBe(first.id)
      rises(elected)
    })

    test('restarted empty: EngineReset, until it is reseeded', async () => {
      const { group, elected, errors, leader } = await cluster()
      await leader()
      const seen = elected.at(-1)!.term
      await server.restart('empty')
      await until(
        () => errors.some((error) => error.name === 'EngineResetError'),
        'EngineResetError',
      )
      const before = elected.length
      await sleep(TIMING.lease)
      expect(elected).toHaveLength(before)
      const operator = server.engine()
      await operator.reseed(group, seen, AbortSignal.timeout(5000))
      await operator.close()
      await leader()
      expect(elected.length).toBeGreaterThan(before)
      rises(elected)
    })
  })
}

function rises(elected: readonly Held[]): void {
  elected.forEach(({ term }, i) => {
    if (i > 0 && term <= elected[i - 1].term) throw new Error(JSON.stringify(elected))
  })
}
