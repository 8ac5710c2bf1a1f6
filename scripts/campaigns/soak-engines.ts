/**
 * Random faults on members and on their engine: `npm run soak:engines -- --minutes 10 --engine etcd`. Members are killed,
 * stopped, told to stop, cut off from each other and from the engine; the engine is killed and paused. What
 * counts is the log of the resource: tokens rise, and each has one writer.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LocalCluster } from '../../src/testing/local-cluster.ts'
import { namesOf } from '../../src/cli/commands/up.ts'
import { Random } from '../../src/core/random.ts'
import { fence, Guard } from '../../src/fence/index.ts'
import type { EventRecord } from '../../src/index.ts'
import { FaultProxy } from '../../src/testing/index.ts'
import { RealServer, SERVER_NAMES, type ServerName } from '../support/servers.ts'
import { until } from '../../src/testing/wait.ts'
import { amount, commandLine, count, oneOf } from '../support/command-line.ts'

export interface EngineSoakOptions {
  readonly engine: ServerName
  readonly seconds: number
  readonly members: number
  readonly seed: number
  readonly progress?: (text: string) => void
}

export interface Write {
  readonly token: number
  readonly writer: string
}

export interface EngineSoakReport {
  readonly engine: ServerName
  readonly seconds: number
  readonly faults: Readonly<Record<string, number>>
  /** Tokens that were taken, and those that wrote. */
  readonly terms: number
  readonly writers: number
  readonly accepted: number
  readonly refused: number
  readonly agreedAfterMs: number
  readonly violations: readonly string[]
}

const PROGRAM = fileURLToPath(new URL('./soak-engine-member.js', import.meta.url))
const LIMIT_MS = 60_000

export async function soakEngine(options: EngineSoakOptions): Promise<EngineSoakReport> {
  const names = namesOf(options.members)
  const ring = await Ring.open(options.engine, names)
  try {
    await ring.agreement()
    const started = performance.now()
    const faults = await hurt(ring, options)
    const quietAt = performance.now()
    await ring.heal()
    await ring.agreement()
    const agreedAfterMs = Math.round(performance.now() - quietAt)
    const wrote = ring.resource.writes.length
    await until(() => ring.resource.writes.length > wrote, 'a write after all that', LIMIT_MS)
    const { writes, refused } = ring.resource
    const elected = ring.entries.filter(({ event }) => event === 'elected')
    return {
      engine: options.engine,
      seconds: Math.round((quietAt - started) / 1000),
      faults,
      terms: elected.length,
      writers: new Set(writes.map(({ token }) => token)).size,
      accepted: writes.length,
      refused,
      agreedAfterMs,
      violations: [...violationsOf(writes), ...sharedTokens(elected)],
    }
  } finally {
    await ring.close()
  }
}

/** What the resource's own log must show. */
export function violationsOf(writes: readonly Write[]): string[] {
  const writerOf = new Map<number, string>()
  let largest = 0
  return writes.flatMap(({ token, writer }) => {
    const found: string[] = []
    if (token < largest) found.push(`a stale write was accepted: token ${token} after ${largest}`)
    largest = Math.max(largest, token)
    const first = writerOf.get(token) ?? writer
    writerOf.set(token, first)
    if (first !== writer) found.push(`${first} and ${writer} both wrote with token ${token}`)
    return found
  })
}

/** No two terms share a token. */
function sharedTokens(elected: readonly EventRecord[]): string[] {
  const seen = new Map<number, string>()
  return elected.flatMap(({ term, node }) => {
    const other = seen.get(term)
    seen.set(term, node)
    return other === undefined ? [] : [`${other} and ${node} were both elected with token ${term}`]
  })
}

const KINDS = [
  'kill',
  'kill',
  'pause',
  'pause',
  'stop',
  'isolate',
  'cut',
  'engine killed',
  'engine paused',
  'engine cut off',
  'engine cut off',
] as const

async function hurt(ring: Ring, options: EngineSoakOptions): Promise<Record<string, number>> {
  const random = new Random(options.seed)
  const end = performance.now() + 1000 * options.seconds
  const counts: Record<string, number> = {}
  for (let i = 0; performance.now() < end; i++) {
    const kind = KINDS[random.below(KINDS.length)]
    const some = (): string => ring.names[random.below(ring.names.length)]
    const name = (random.chance(0.5) ? ring.leader() : undefined) ?? some()
    counts[kind] = (counts[kind] ?? 0) + 1
    const lastMs = 50 + random.below(kind.startsWith('engine') ? 2500 : 900)
    if (kind === 'cut') ring.cluster.cut(name, some())
    else if (kind === 'engine killed') await ring.server.kill()
    else if (kind === 'engine paused') ring.server.pause()
    else if (kind === 'engine cut off') ring.cutOff(name)
    else ring.cluster[kind](name)
    await sleep(lastMs)
    ring.server.resume()
    if (kind === 'engine killed') await ring.server.start()
    if (kind === 'pause' && random.chance(0.9)) ring.cluster.resume(name)
    if (random.chance(0.6)) ring.healLinks()
    if (random.chance(0.1)) for (const one of ring.names) ring.cluster.resume(one)
    if (i % 20 === 0) {
      options.progress?.(`${i} faults, ${ring.resource.writes.length} writes\n`)
    }
  }
  return counts
}

/** A cluster, its engine behind a proxy for each member, and the resource. */
class Ring {
  readonly names: readonly string[]
  readonly server: RealServer
  readonly resource: Resource
  readonly entries: EventRecord[] = []
  cluster!: LocalCluster
  private readonly proxies: ReadonlyMap<string, FaultProxy>
  private readonly state = mkdtempSync(join(tmpdir(), 'bellwether-soak-'))

  private constructor(
    names: readonly string[],
    server: RealServer,
    resource: Resource,
    proxies: ReadonlyMap<string, FaultProxy>,
  ) {
    this.names = names
    this.server = server
    this.resource = resource
    this.proxies = proxies
  }

  static async open(engine: ServerName, names: readonly string[]): Promise<Ring> {
    const server = await RealServer.open(engine)
    const resource = await Resource.open()
    const proxies = new Map<string, FaultProxy>()
    for (const name of names) {
      proxies.set(name, await FaultProxy.open(server.address, { framed: false }))
    }
    const ring = new Ring(names, server, resource, proxies)
    const engines = names.map((name) => `${name}=${server.flag(proxies.get(name)!.address)}`)
    const flags = ['--engines', engines.join(','), '--resource', resource.url]
    const timing = ['--detection', '600ms', '--lease', '800ms']
    ring.cluster = await LocalCluster.open(
      { names, program: PROGRAM, state: ring.state, flags: [...flags, ...timing], restart: true },
      (entry) => ring.entries.push(entry),
    )
    return ring
  }

  leader(): string | undefined {
    const last = this.entries.findLast(({ event }) => event === 'elected' || event === 'lost')
    return last?.event === 'elected' ? last.node : undefined
  }

  /** Silence between this member and the engine. */
  cutOff(name: string): void {
    const proxy = this.proxies.get(name)!
    proxy.there.set({ cut: true })
    proxy.back.set({ cut: true })
  }

  healLinks(): void {
    this.cluster.heal()
    for (const proxy of this.proxies.values()) proxy.heal()
  }

  async heal(): Promise<void> {
    await this.server.start()
    this.server.resume()
    for (const name of this.names) this.cluster.resume(name)
    this.healLinks()
  }

  async agreement(): Promise<void> {
    await until(
      () => this.agreed(),
      () => `agreement: ${this.latest()}`,
      LIMIT_MS,
    )
  }

  /** The last words of each member. */
  private latest(): string {
    const last = this.names.map((name) =>
      this.entries.filter(({ node }) => node === name).slice(-3),
    )
    return JSON.stringify(last, ['node', 'event', 'leader', 'term', 'reason', 'peer'], 1)
  }

  private agreed(): boolean {
    const leaders = this.names.map((name) => {
      const own = this.entries.findLast(
        ({ node, event }) => node === name && (event === 'leader' || event === 'exited'),
      )
      return own?.event === 'leader' ? own.leader : null
    })
    const running = this.names.every((name) => this.cluster.conditionOf(name) === 'running')
    return running && leaders[0] !== null && leaders.every((leader) => leader === leaders[0])
  }

  async close(): Promise<void> {
    await this.cluster.close()
    await Promise.all([...this.proxies.values()].map(async (proxy) => proxy.close()))
    await this.server.close()
    await this.resource.close()
    rmSync(this.state, { recursive: true, force: true })
  }
}

/** Checks as any resource does, and writes down what it let through. */
class Resource {
  readonly writes: Write[] = []
  refused = 0
  private readonly server: Server

  private constructor() {
    const check = fence.http({ guard: new Guard() })
    this.server = createServer((request, response) => {
      request.resume()
      response.on('finish', () => {
        if (response.statusCode === 409) this.refused += 1
      })
      check(request, response, () => {
        const token = Number(request.headers['bellwether-fence'])
        this.writes.push({ token, writer: String(request.headers['writer']) })
        response.end()
      })
    })
  }

  static async open(): Promise<Resource> {
    const resource = new Resource()
    await new Promise<void>((resolve) => {
      resource.server.listen(0, '127.0.0.1', resolve)
    })
    return resource
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve())
    })
  }
}

async function main(): Promise<void> {
  const { flags } = commandLine({
    run: 'npm run soak:engines',
    does:
      'Random faults on members and on the engine that fences them. Prints JSON; exit code 1 if a token\n' +
      'did not rise, or had two writers.',
    flags: {
      minutes: amount(10, 'how long'),
      engine: oneOf(SERVER_NAMES, 'etcd', 'which engine'),
      members: count(5, 'how many members'),
      seed: count(1, 'of the faults'),
    },
  })
  const report = await soakEngine({
    engine: flags.engine,
    seconds: 60 * flags.minutes,
    members: flags.members,
    seed: flags.seed,
    progress: (text) => process.stderr.write(text),
  })
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  if (report.violations.length > 0) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
