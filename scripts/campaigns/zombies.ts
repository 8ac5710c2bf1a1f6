/**
 * `npm run zombies`: pauses leaders before their write until a successor has written, resumes them, and counts the stale
 * writes that each fence refuses. SIGSTOP comes inside `lead`; the process that resumes, the zombie, writes with its old
 * token, and every fence must refuse it, every time. One pause stops all groups that the process leads, each with an
 * engine and a ledger of its own.
 */
import { createClient } from '@redis/client'
import { fork, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { freePorts } from '../../src/testing/local-cluster.ts'
import { fence, Guard, StaleFenceError } from '../../src/fence/index.ts'
import { openResource, type HttpResource } from '../support/http-resource.ts'
import { aborted } from '../../src/engines/connections.ts'
import { installed, RealServer, SERVER_NAMES, type ServerName } from '../support/servers.ts'
import { until } from '../../src/testing/wait.ts'
import { commandLine, count, oneOf } from '../support/command-line.ts'

export interface ZombieSetting {
  readonly id: string
  readonly groups: readonly {
    readonly group: string
    readonly engine: string
    readonly members: Readonly<Record<string, string>>
    readonly state: string
  }[]
  readonly postgres: string
  readonly redis: string
  readonly http: string
  readonly detectionMs: number
}

/** The handler of a term waits before its write, or its term is over. */
interface TermEvent {
  readonly kind: 'ready' | 'over'
  readonly group: string
  readonly fence: number
}

interface WriteEvent extends Omit<TermEvent, 'kind'> {
  readonly kind: 'wrote'
  /** Whether the member did not know yet that its term was over. */
  readonly unaware: boolean
  readonly outcomes: Readonly<Record<string, string>>
}

export type MemberEvent = TermEvent | WriteEvent

export interface ZombieOrder {
  readonly write: readonly string[]
  /** Handlers that end without a write. */
  readonly drop?: readonly string[]
  readonly end?: boolean
}

export interface ZombieReport {
  readonly zombies: number
  /** Zombies that every checker refused. */
  readonly rejected: number
  /** Zombies that did not know yet that their term was over. */
  readonly unaware: number
  readonly stops: number
  readonly checkers: Readonly<Record<string, { rejected: number; other: number }>>
  /** Entries of the ledgers that are out of order, and writes of successors that were refused. */
  readonly violations: readonly string[]
  readonly seconds: number
}

export interface ZombieOptions {
  readonly times: number
  readonly groups: number
  /** Which engine issues the tokens; by default the groups take turns. */
  readonly engine?: ServerName | 'all'
  readonly detectionMs?: number
  readonly progress?: (text: string) => void
  /** Ends the run, and what it started, before its time. */
  readonly signal?: AbortSignal
}

/** The last term of a process in a group, and whether its handler waits before its write. */
interface Standing {
  readonly fence: number
  readonly standing: boolean
}

const PROGRAM = fileURLToPath(new URL('./zombie-member.ts', import.meta.url))
const LIMIT_MS = 60_000
/** The later name is the stronger member: it leads whenever it runs. */
const [SUCCESSOR, LEADER] = ['a', 'b']

export async function zombies(options: ZombieOptions): Promise<ZombieReport> {
  const started = performance.now()
  const stopped = options.signal ?? new AbortController().signal
  const servers = new Map<ServerName, RealServer>()
  const folder = mkdtempSync(join(tmpdir(), 'bellwether-zombies-'))
  const accepted: string[] = []
  const resource = await openLedgers(accepted)
  const members: Member[] = []
  try {
    for (const name of installed()) servers.set(name, await RealServer.open(name))
    await makeLedger(servers.get('postgres')!)
    const settings = await settingsOf(options, servers, folder, resource.url)
    for (const setting of settings) members.push(new Member(setting))
    const [successor, leader] = members
    const groups = settings[0].groups.map(({ group }) => group)
    const run = new Run(leader, successor, groups)
    for (let known = 0; run.zombies < options.times && !stopped.aborted;) {
      await Promise.race([run.round(), aborted(stopped)])
      const news = run.violations.slice(known).map((violation) => `  ${violation}\n`)
      known = run.violations.length
      options.progress?.(
        `${run.zombies} zombies, ${run.rejected} rejected by all\n${news.join('')}`,
      )
    }
    const violations = [...run.violations, ...accepted, ...(await ledgerViolations(servers))]
    const seconds = Math.round((performance.now() - started) / 100) / 10
    const { zombies, rejected, unaware, stops, checkers } = run
    return { zombies, rejected, unaware, stops, checkers, violations, seconds }
  } finally {
    await Promise.all(members.map(async (member) => member.close()))
    await resource.close()
    await Promise.all([...servers.values()].map(async (server) => server.close()))
    rmSync(folder, { recursive: true, force: true })
  }
}

class Run {
  zombies = 0
  rejected = 0
  unaware = 0
  stops = 0
  readonly checkers: Record<string, { rejected: number; other: number }> = {}
  readonly violations: string[] = []
  private readonly leader: Member
  private readonly successor: Member
  private readonly groups: readonly string[]

  constructor(leader: Member, successor: Member, groups: readonly string[]) {
    this.leader = leader
    this.successor = successor
    this.groups = groups
  }

  async round(): Promise<void> {
    const { leader, successor, groups } = this
    await this.all((group) => leader.stands(group), 'the leader')
    leader.child.kill('SIGSTOP')
    this.stops += 1
    const old = leader.expect(groups)
    const above = (group: string): boolean =>
      successor.stands(group) && successor.standings.get(group)!.fence > old.get(group)!
    await this.all(above, 'the successor')
    const next = successor.expect(groups)
    await this.write(successor, next, (event) => {
      const bad = Object.entries(event.outcomes).filter(([, outcome]) => outcome !== 'accepted')
      for (const [checker, outcome] of bad) {
        this.violations.push(`${event.group}: the successor's write: ${checker} ${outcome}`)
      }
    })
    // The order waits in the pipe until the zombie resumes.
    const writes = this.write(leader, old, (event) => this.judge(event))
    leader.child.kill('SIGCONT')
    await writes
  }

  /** Waits until something holds in all groups. */
  private async all(holds: (group: string) => boolean, what: string): Promise<void> {
    const missing = (): string[] => this.groups.filter((group) => !holds(group))
    const described = (): string => `${what} in ${missing().join(', ')}`
    await until(() => missing().length === 0, described, LIMIT_MS)
  }

  private async write(
    member: Member,
    fences: ReadonlyMap<string, number>,
    judge: (event: WriteEvent) => void,
  ): Promise<void> {
    member.wrote.length = 0
    const write = [...fences].map(([group, fence]) => `${group} ${fence}`)
    member.order({ write })
    await until(() => member.wrote.length === write.length, 'the writes', LIMIT_MS)
    for (const event of member.wrote) judge(event)
  }

  private judge({ group, outcomes, unaware }: WriteEvent): void {
    this.zombies += 1
    if (unaware) this.unaware += 1
    for (const [checker, outcome] of Object.entries(outcomes)) {
      const count = (this.checkers[checker] ??= { rejected: 0, other: 0 })
      if (outcome === 'rejected') count.rejected += 1
      else {
        count.other += 1
        this.violations.push(`${group}: a zombie's write: ${checker} ${outcome}`)
      }
    }
    if (Object.values(outcomes).every((outcome) => outcome === 'rejected')) this.rejected += 1
  }
}

class Member {
  readonly child: ChildProcess
  readonly standings = new Map<string, Standing>()
  readonly wrote: WriteEvent[] = []
  private expected = new Set<string>()

  constructor(setting: ZombieSetting) {
    this.child = fork(PROGRAM, [JSON.stringify(setting)], {
      execArgv: ['--conditions=bellwether-source', '--import', 'tsx'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.child.on('message', (event: MemberEvent) => this.record(event))
  }

  stands(group: string): boolean {
    return this.standings.get(group)?.standing === true
  }

  /** The fences of the handlers that wait now; these handlers write, whatever happens. */
  expect(groups: readonly string[]): Map<string, number> {
    const fences = new Map(groups.map((group) => [group, this.standings.get(group)!.fence]))
    this.expected = new Set([...fences].map(([group, fence]) => `${group} ${fence}`))
    return fences
  }

  order(order: ZombieOrder): void {
    this.child.send(order)
  }

  async close(): Promise<void> {
    const { child } = this
    child.kill('SIGCONT')
    if (child.connected) this.order({ write: [], end: true })
    const over = (): boolean => child.exitCode !== null || child.signalCode !== null
    await until(over, 'a member to end', 5000).catch(() => child.kill('SIGKILL'))
    await until(over, 'a member to end')
  }

  private record(event: MemberEvent): void {
    const { kind, group, fence } = event
    const key = `${group} ${fence}`
    if (kind === 'wrote') this.wrote.push(event)
    if (kind === 'over' && !this.expected.has(key)) this.order({ write: [], drop: [key] })
    const standing = kind === 'ready'
    if (standing || this.standings.get(group)?.fence === fence) {
      this.standings.set(group, { fence, standing })
    }
  }
}

async function settingsOf(
  { groups, engine = 'all', detectionMs = 400 }: ZombieOptions,
  servers: ReadonlyMap<ServerName, RealServer>,
  folder: string,
  http: string,
): Promise<ZombieSetting[]> {
  const ports = await freePorts(2 * groups)
  const all = engine === 'all' ? [...servers.values()] : [servers.get(engine)!]
  return [SUCCESSOR, LEADER].map((id) => ({
    id,
    http,
    detectionMs,
    postgres: servers.get('postgres')!.url(),
    redis: servers.get('redis')!.url(),
    groups: Array.from({ length: groups }, (_, i) => ({
      group: `z${i}`,
      engine: all[i % all.length].flag(),
      state: join(folder, id),
      members: {
        [SUCCESSOR]: `127.0.0.1:${ports[2 * i]}`,
        [LEADER]: `127.0.0.1:${ports[2 * i + 1]}`,
      },
    })),
  }))
}

/** Checks writes by the middleware and by a Guard, for each group; logs those that it accepts out of order. */
async function openLedgers(violations: string[]): Promise<HttpResource> {
  const guards = new Map<string, Guard>()
  const checks = new Map<string, ReturnType<typeof fence.http>>()
  const largest = new Map<string, number>()
  return openResource((request, response) => {
    const [, kind, group] = (request.url ?? '').split('/')
    const given = Number(request.headers['bellwether-fence'])
    const accept = (): void => {
      const ledger = `${kind} ${group}`
      const before = largest.get(ledger) ?? 0
      if (given <= before) violations.push(`${ledger}: ${given} after ${before}`)
      largest.set(ledger, given)
      response.end()
    }
    if (kind === 'http') {
      if (!checks.has(group)) checks.set(group, fence.http({ authorize: 'upstream' }))
      return checks.get(group)!(request, response, accept)
    }
    if (!guards.has(group)) guards.set(group, new Guard())
    try {
      guards.get(group)!.admit(given)
      accept()
    } catch (error) {
      response.writeHead(error instanceof StaleFenceError ? 409 : 500).end()
    }
  })
}

async function makeLedger(server: RealServer): Promise<void> {
  await withPool(server, async (pool) => {
    await pool.query(fence.postgres.schema())
    await pool.query('CREATE TABLE ledger (ledger text, fence bigint, id serial)')
  })
}

/** Judges the ledgers in the databases: every fence is above the one before it. */
async function ledgerViolations(servers: ReadonlyMap<ServerName, RealServer>): Promise<string[]> {
  const found: string[] = []
  const judge = (ledger: string, fences: readonly number[]): void => {
    fences.forEach((fence, i) => {
      if (i > 0 && fence <= fences[i - 1]) found.push(`${ledger}: ${fence} after ${fences[i - 1]}`)
    })
  }
  await withPool(servers.get('postgres')!, async (pool) => {
    const { rows } = await pool.query<{ ledger: string; fence: string }>(
      'SELECT ledger, fence FROM ledger ORDER BY id',
    )
    for (const group of new Set(rows.map(({ ledger }) => ledger))) {
      const own = rows.filter(({ ledger }) => ledger === group).map(({ fence }) => Number(fence))
      judge(`postgres ${group}`, own)
    }
  })
  const client = await createClient({ url: servers.get('redis')!.url() }).connect()
  for (const key of await client.keys('ledger:*')) {
    const entries = await client.lRange(key, 0, -1)
    const fences = entries.map((entry) => Number(entry.split(' ')[1]))
    judge(`redis ${key}`, fences)
  }
  client.destroy()
  return found
}

async function withPool(server: RealServer, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  const pool = new pg.Pool({ connectionString: server.url() })
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}

async function main(): Promise<void> {
  const { flags } = commandLine({
    run: 'npm run zombies',
    does:
      'Pauses leaders before they write and resumes them when their successors have written. Prints JSON; exit\n' +
      'code 1 if any old token was accepted.',
    flags: {
      times: count(1000, 'how many zombies'),
      groups: count(20, 'how many groups one process leads'),
      engine: oneOf([...SERVER_NAMES, 'all'], 'all', 'which engine issues the tokens'),
      detection: count(400, 'how many milliseconds a silent peer counts as up'),
    },
  })
  const { detection: detectionMs, ...rest } = flags
  const end = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => end.abort())
  const report = await zombies({
    ...rest,
    detectionMs,
    signal: end.signal,
    progress: (text) => process.stderr.write(text),
  })
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  const sound = report.rejected === report.zombies && report.violations.length === 0
  if (!sound) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
