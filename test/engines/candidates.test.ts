/** Candidates without a mesh over real engines: real processes that are killed, stopped and asked to leave. */
import { fork, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fence, Guard } from '../../src/fence/index.ts'
import { fenced, join, type Election, type Fenced } from '../../src/index.ts'
import { until } from '../../src/testing/wait.ts'
import type { CandidateEvent, CandidateSetting } from './candidate-member.ts'
import { openResource, type HttpResource } from '../../scripts/support/http-resource.ts'
import { has, RealServer, SERVER_NAMES } from '../../scripts/support/servers.ts'

const PROGRAM = fileURLToPath(new URL('./candidate-member.ts', import.meta.url))
const LEASE_MS = 1500
/** No test waits for so long: who takes over did not wait for it. */
const LONG_LEASE_MS = 300_000
const LIMIT_MS = 40_000
let serial = 0

class Process {
  readonly id: string
  readonly child: ChildProcess
  readonly events: CandidateEvent[] = []
  private readonly all: Process[]

  constructor(setting: CandidateSetting, all: Process[]) {
    this.id = setting.id
    this.all = all
    this.child = fork(PROGRAM, [JSON.stringify(setting)], {
      execArgv: ['--conditions=bellwether-source', '--import', 'tsx'],
    })
    this.child.on('message', (event: CandidateEvent) => this.events.push(event))
  }

  /** The token of its last term; 0: it has had none. */
  get token(): number {
    return this.events.findLast(({ kind }) => kind === 'elected')?.token ?? 0
  }

  /** Resolves with the answer of the resource. */
  async write(): Promise<number> {
    const before = this.events.length
    this.order()
    const wrote = await until(() => this.wroteSince(before), `${this.id} to write`, LIMIT_MS)
    return wrote.status
  }

  /** The order waits in the pipe while the process is stopped. */
  order(): void {
    this.child.send('write')
  }

  wroteSince(before: number) {
    return this.events.slice(before).find((event) => event.kind === 'wrote')
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this
    child.kill(signal)
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
    await until(isOver, `${this.id} to end`, LIMIT_MS)
    this.all.splice(this.all.indexOf(this), 1)
  }
}

for (const name of SERVER_NAMES) {
  describe.skipIf(!has(name))(`candidates of ${name}`, () => {
    let server: RealServer
    let resource: HttpResource
    let folder: string
    const running: Process[] = []
    const joined: Election<Fenced>[] = []
    beforeAll(async () => {
      folder = mkdtempSync(path(tmpdir(), 'bellwether-candidates-'))
      server = await RealServer.open(name)
      const guards = new Map<string, ReturnType<typeof fence.http>>()
      resource = await openResource((request, response) => {
        const { url = '' } = request
        if (!guards.has(url)) {
          guards.set(url, fence.http({ guard: new Guard(), authorize: 'upstream' }))
        }
        guards.get(url)!(request, response, () => response.end())
      })
    })
    afterEach(async () => {
      await Promise.all([...running].map(async (one) => one.end('SIGKILL')))
      await server.start()
      await Promise.all(joined.splice(0).map(async (one) => one.close({ drain: 0 })))
    })
    afterAll(async () => {
      await resource.close()
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    })

    function start(group: string, leaseMs: number): Process {
      const id = `pod-${(serial += 1)}`
      const one = new Process(
        {
          id,
          group,
          leaseMs,
          engine: server.flag(),
          state: path(folder, id),
          resource: `${resource.url}/${encodeURIComponent(group)}`,
        },
        running,
      )
      running.push(one)
      return one
    }

    /** The process that was elected with a token above this one. */
    async function elected(above = 0): Promise<Process> {
      return until(() => running.find(({ token }) => token > above), 'a leader', LIMIT_MS)
    }

    test('killed, a leader is succeeded; stopped before its write, it is refused when it resumes', async () => {
      const group = `stopped ${(serial += 1)}`
      for (let i = 0; i < 3; i++) start(group, LEASE_MS)
      const first = await elected()
      expect(await first.write()).toBe(200)
      await first.end('SIGKILL')
      const second = await elected(first.token)
      expect(await second.write()).toBe(200)
      const old = second.token
      second.child.kill('SIGSTOP')
      second.order()
      const before = second.events.length
      const third = await until(
        () => running.find((one) => one !== second && one.token > old),
        'the next leader',
        LIMIT_MS,
      )
      expect(await third.write()).toBe(200)
      second.child.kill('SIGCONT')
      const stale = await until(() => second.wroteSince(before), 'the stale write', LIMIT_MS)
      expect(stale).toMatchObject({ token: old, status: 409 })
      await until(
        () => second.events.some(({ kind, token }) => kind === 'lost' && token === old),
        'the loss',
        LIMIT_MS,
      )
      expect(await third.write()).toBe(200)
    })

    test('asked to stop, a leader hands over: nobody waits for its lease', async () => {
      const group = `asked ${(serial += 1)}`
      for (let i = 0; i < 3; i++) start(group, LONG_LEASE_MS)
      const first = await elected()
      await first.end('SIGTERM')
      const second = await elected(first.token)
      await second.end('SIGTERM')
      const third = await elected(second.token)
      expect(await third.write()).toBe(200)
    })

    test('killed and started again, it has no leader in between; started empty, none until it is reseeded', async () => {
      const group = `server ${(serial += 1)}`
      const tokens: number[] = []
      const errors: string[] = []
      const timing = { lease: LEASE_MS, period: LEASE_MS / 5, detection: LEASE_MS }
      for (const id of ['a', 'b']) {
        const state = path(folder, `${group} ${id}`)
        const election = await join({ group, id, state, safety: fenced(server.engine()), timing })
        joined.push(election)
        election.on('elected', ({ term }) => tokens.push(term))
        election.on('error', (error) => errors.push(error.name))
      }
      const leads = (): boolean => joined.some(({ current }) => current !== null)
      // Who has never seen a token cannot notice that the engine lost it.
      const known = (): boolean => leads() && joined.every(({ view }) => view.kind === 'leader')
      await until(known, 'a leader', LIMIT_MS)
      await server.kill()
      await until(() => !leads(), 'the loss', LIMIT_MS)
      const before = tokens.length
      await sleep(2 * LEASE_MS)
      expect(tokens).toHaveLength(before)
      await server.start()
      await until(known, 'a leader again', LIMIT_MS)
      const seen = tokens.at(-1)!
      await server.restart('empty')
      await until(() => errors.includes('EngineResetError'), 'EngineResetError', LIMIT_MS)
      await until(() => !leads(), 'the loss', LIMIT_MS)
      const then = tokens.length
      await sleep(2 * LEASE_MS)
      expect(tokens).toHaveLength(then)
      const operator = server.engine()
      await operator.reseed(group, seen, AbortSignal.timeout(5000))
      await operator.close()
      await until(leads, 'a leader after the reseed', LIMIT_MS)
      expect(tokens).toEqual([...new Set(tokens)].toSorted((x, y) => x - y))
    })
  })
}
