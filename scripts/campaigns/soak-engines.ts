/**
 * `npm run soak:engines`: injects random faults into members and the engine that fences them, and checks the protected
 * resource's log: tokens rise, and each has one writer. Members are killed, paused, stopped, cut off from each other and
 * from the engine; the engine is killed and paused.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { namesOf } from '../../src/cli/commands/up.ts'
import { Random } from '../../src/core/random.ts'
import { fence, Guard } from '../../src/fence/index.ts'
import type { EventRecord } from '../../src/index.ts'
import { FaultProxy } from '../../src/testing/index.ts'
import { until } from '../../src/testing/wait.ts'
import { amount, commandLine, count, oneOf } from '../support/command-line.ts'
import { openResource, type HttpResource } from '../support/http-resource.ts'
import { RealServer, SERVER_NAMES, type ServerName } from '../support/servers.ts'
import { TestCluster } from '../support/test-cluster.ts'

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
  await using fenced = await FencedCluster.open(options)
  await fenced.agreement()
  const started = performance.now()
  const faults = await injectFaults(fenced, options)
  const quietAt = performance.now()
  await fenced.heal()
  await fenced.agreement()
  const agreedAfterMs = Math.round(performance.now() - quietAt)
  const { writes } = fenced
  const wrote = writes.length
  await until(() => writes.length > wrote, 'a write after the last fault', LIMIT_MS)
  const elected = fenced.cluster.of('elected')
  return {
    engine: options.engine,
    seconds: Math.round((quietAt - started) / 1000),
    faults,
    terms: elected.length,
    writers: new Set(writes.map(({ token }) => token)).size,
    accepted: writes.length,
    refused: fenced.refused,
    agreedAfterMs,
    violations: [...violationsOf(writes), ...sharedTokens(elected)],
  }
}

/** What must not be in the log of the resource. */
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

async function injectFaults(fenced: FencedCluster, options: EngineSoakOptions) {
  const { cluster, server, writes } = fenced
  const { names, processes } = cluster
  const random = new Random(options.seed)
  const end = performance.now() + 1000 * options.seconds
  const counts: Record<string, number> = {}
  for (let i = 0; performance.now() < end; i++) {
    const kind = KINDS[random.below(KINDS.length)]
    const some = (): string => names[random.below(names.length)]
    const name = (random.chance(0.5) ? cluster.leader() : undefined) ?? some()
    counts[kind] = (counts[kind] ?? 0) + 1
    const lastMs = 50 + random.below(kind.startsWith('engine') ? 2500 : 900)
    if (kind === 'cut') processes.cut(name, some())
    else if (kind === 'engine killed') await server.kill()
    else if (kind === 'engine paused') server.pause()
    else if (kind === 'engine cut off') fenced.cutOff(name)
    else processes[kind](name)
    await sleep(lastMs)
    server.resume()
    if (kind === 'engine killed') await server.start()
    if (kind === 'pause' && random.chance(0.9)) processes.resume(name)
    if (random.chance(0.6)) fenced.healLinks()
    if (random.chance(0.1)) for (const one of names) processes.resume(one)
    if (i % 20 === 0) options.progress?.(`${i} faults, ${writes.length} writes\n`)
  }
  return counts
}

/** A cluster, its engine behind a proxy for each member, and the resource that checks the members' tokens. */
class FencedCluster implements AsyncDisposable {
  readonly server: RealServer
  readonly writes: Write[] = []
  refused = 0
  cluster!: TestCluster
  private resource!: HttpResource
  private readonly proxies = new Map<string, FaultProxy>()

  private constructor(server: RealServer) {
    this.server = server
  }

  static async open({ engine, members }: EngineSoakOptions): Promise<FencedCluster> {
    const fenced = new FencedCluster(await RealServer.open(engine))
    const { server, proxies } = fenced
    fenced.resource = await fenced.openResource()
    for (const name of namesOf(members)) {
      proxies.set(name, await FaultProxy.open(server.address, { framed: false }))
    }
    const engines = [...proxies].map(([name, { address }]) => `${name}=${server.flag(address)}`)
    const flags = ['--engines', engines.join(','), '--resource', fenced.resource.url]
    const timing = ['--detection', '600ms', '--lease', '800ms']
    fenced.cluster = await TestCluster.open({
      members,
      program: PROGRAM,
      flags: [...flags, ...timing],
      restart: true,
    })
    return fenced
  }

  async agreement(): Promise<void> {
    await this.cluster.agreed(() => this.cluster.names, undefined, LIMIT_MS)
  }

  /** Cuts the link between this member and the engine. */
  cutOff(name: string): void {
    const proxy = this.proxies.get(name)!
    proxy.there.set({ cut: true })
    proxy.back.set({ cut: true })
  }

  healLinks(): void {
    this.cluster.processes.heal()
    for (const proxy of this.proxies.values()) proxy.heal()
  }

  async heal(): Promise<void> {
    await this.server.start()
    this.server.resume()
    for (const name of this.cluster.names) this.cluster.processes.resume(name)
    this.healLinks()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster.close()
    await Promise.all([...this.proxies.values()].map(async (proxy) => proxy.close()))
    await this.server.close()
    await this.resource.close()
  }

  private openResource(): Promise<HttpResource> {
    const check = fence.http({ guard: new Guard(), authorize: 'upstream' })
    return openResource((request, response) => {
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
}

async function main(): Promise<void> {
  const { flags } = commandLine({
    run: 'npm run soak:engines',
    does:
      'Injects random faults into members and the engine that fences them. Prints JSON; exit code 1 if a token\n' +
      'did not rise, or had two writers.',
    flags: {
      minutes: amount(10, 'how long'),
      engine: oneOf(SERVER_NAMES, 'etcd', 'which engine'),
      members: count(5, 'how many members'),
      seed: count(1, 'the random seed of the faults'),
    },
  })
  const { minutes, ...more } = flags
  const progress = (text: string): void => void process.stderr.write(text)
  const report = await soakEngine({ ...more, seconds: 60 * minutes, progress })
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  if (report.violations.length > 0) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
