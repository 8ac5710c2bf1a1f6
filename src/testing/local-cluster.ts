/**
 * Runs a cluster of `bellwether node` processes on this machine, reports their events, and applies faults: kill, stop,
 * pause, cut, heal, restart.
 */
import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { EventRecord } from '../index.ts'
import { moment } from '../runtime/log/event-log.ts'
import { newSharedKey } from '../transports/tcp/security/local-key.ts'
import type { Namespaces } from './namespaces.ts'
import { Processes, type Launch, type ProcessCondition } from './processes.ts'

/** What the cluster sends to a member that it controls. */
export type CutOrder = { readonly cut: readonly string[] }

export interface LocalClusterOptions {
  readonly names: readonly string[]
  readonly program: string
  readonly state: string
  /** Flags of every member, such as --lease. */
  readonly flags: readonly string[]
  readonly restart: boolean
  /** A network for each member, in which cuts are real; else all members share the loopback interface. */
  readonly network?: Pick<Namespaces, 'hostOf' | 'enter' | 'cut' | 'heal'>
  /** For some members: a command that runs what follows it under the same process id, options of Node, another program. */
  readonly launch?: (
    name: string,
    state: string,
  ) => { under?: string[]; node?: string[]; program?: string }
  readonly priorities?: Readonly<Record<string, number>>
  readonly flagsOf?: (name: string) => readonly string[]
  /** For some members: flags by which they find the others, instead of the list of all. */
  readonly joinOf?: (
    name: string,
    addresses: ReadonlyMap<string, string>,
  ) => readonly string[] | undefined
  /** Members that are not started at once. */
  readonly late?: readonly string[]
  /** Flags for keys or certificates; without them the members share a random key in the state folder. */
  readonly protection?: readonly string[]
}

/** The port of every member that has a network of its own. */
const PORT = 7400
const RESTART_MS = 2000
/** The exit code of a member that was removed from its group. */
const REMOVED = 5
/** How much of standard error is kept to explain an exit. */
const KEPT_CHARACTERS = 2000

type Report = (record: EventRecord) => void

interface Slot {
  /** Peers that it cannot reach. */
  readonly cut: Set<string>
  restartTimer: NodeJS.Timeout | undefined
  last: EventRecord | undefined
}

function newSlot(): Slot {
  return { cut: new Set(), restartTimer: undefined, last: undefined }
}

export class LocalCluster {
  private readonly known: Map<string, string>
  private readonly options: LocalClusterOptions
  private readonly slots: Map<string, Slot>
  private readonly processes: Processes
  private readonly report: Report
  private closing = false

  private constructor(options: LocalClusterOptions, addresses: [string, string][], report: Report) {
    this.options = options
    this.known = new Map(addresses)
    this.report = report
    this.processes = new Processes(
      (name) => this.launchOf(name),
      (name, child) => this.observe(name, child),
    )
    this.slots = new Map(options.names.map((name) => [name, newSlot()]))
  }

  static async open(options: LocalClusterOptions, report: Report): Promise<LocalCluster> {
    const { names, network } = options
    const ports = network === undefined ? await freePorts(names.length) : []
    const addresses = names.map((name, i): [string, string] => [
      name,
      network === undefined ? `127.0.0.1:${ports[i]}` : `${network.hostOf(name)}:${PORT}`,
    ])
    if (options.protection === undefined) makeKey(options.state)
    const cluster = new LocalCluster(options, addresses, report)
    for (const name of names) if (options.late?.includes(name) !== true) cluster.start(name)
    return cluster
  }

  get addresses(): ReadonlyMap<string, string> {
    return this.known
  }

  get names(): readonly string[] {
    return [...this.known.keys()]
  }

  /** Starts a process for a member that the group has added. It joins by the addresses of the others. */
  add(name: string, address: string): void {
    if (this.known.has(name)) return
    this.known.set(name, address)
    this.slots.set(name, newSlot())
    this.start(name)
  }

  conditionOf(name: string): ProcessCondition {
    return this.processes.conditionOf(name)
  }

  pidOf(name: string): number | undefined {
    return this.processes.childOf(name)?.pid
  }

  cutsOf(name: string): ReadonlySet<string> {
    return this.slot(name).cut
  }

  start(name: string): void {
    const slot = this.slot(name)
    if (this.processes.isRunning(name) || this.closing) return
    clearTimeout(slot.restartTimer)
    this.processes.spawn(name)
    if (slot.cut.size > 0) this.sendCuts(name)
  }

  kill(name: string): void {
    this.processes.childOf(name)?.kill('SIGKILL')
  }

  /** As an operator stops it: the member drains, resigns and leaves. */
  stop(name: string): void {
    this.processes.childOf(name)?.kill('SIGTERM')
  }

  pause(name: string): void {
    if (this.conditionOf(name) === 'running') this.processes.pause(name)
  }

  resume(name: string): void {
    if (this.conditionOf(name) === 'paused') this.processes.resume(name)
  }

  /** Sends a message to the program of a member. */
  send(name: string, message: object): void {
    const child = this.processes.childOf(name)
    if (child?.connected === true) child.send(message, () => undefined)
  }

  cut(a: string, b: string): void {
    if (a === b) return
    this.slot(a).cut.add(b)
    this.slot(b).cut.add(a)
    this.options.network?.cut(a, b)
    this.sendCuts(a)
    this.sendCuts(b)
  }

  isolate(name: string): void {
    for (const other of this.names) this.cut(name, other)
  }

  heal(): void {
    this.options.network?.heal()
    for (const [name, slot] of this.slots) {
      slot.cut.clear()
      this.sendCuts(name)
    }
  }

  /** Ends all members. Leaves no process. */
  async close(): Promise<void> {
    this.closing = true
    for (const { restartTimer } of this.slots.values()) clearTimeout(restartTimer)
    await this.processes.close()
  }

  private slot(name: string): Slot {
    const slot = this.slots.get(name)
    if (slot === undefined) throw new Error(`there is no member ${name}`)
    return slot
  }

  private launchOf(name: string): Launch {
    const { state, flags, network, launch, flagsOf, joinOf } = this.options
    const { protection = ['--shared-key', keyFileIn(state)] } = this.options
    const own = launch?.(name, state) ?? {}
    const { under = [], node = [], program = this.options.program } = own
    const given = { id: name, state, http: '127.0.0.1:0' }
    const [command, ...args] = [
      ...(network?.enter(name) ?? []),
      ...under,
      process.execPath,
      ...node,
      program,
      'node',
      '--json',
      '--controlled',
      ...Object.entries(given).flatMap(([flag, value]) => [`--${flag}`, value]),
      ...(joinOf?.(name, this.addresses) ?? this.placeOf(name)),
      ...protection,
      ...flags,
      ...(flagsOf?.(name) ?? []),
    ]
    // A process group of its own: Ctrl-C reaches this process only, which ends the members in order.
    return { command, args, controlled: true }
  }

  /** How a member finds the others: the first ones by a list, the others by addresses. */
  private placeOf(name: string): string[] {
    const { names, priorities = {} } = this.options
    if (!names.includes(name)) return ['--join', [...this.addresses.values()].join(',')]
    const members = names.map((id) => {
      return `${id}=${this.addresses.get(id)}${id in priorities ? `@${priorities[id]}` : ''}`
    })
    return ['--members', members.join(',')]
  }

  private sendCuts(name: string): void {
    const child = this.processes.childOf(name)
    if (this.options.network !== undefined || child?.connected !== true) return
    child.send({ cut: [...this.slot(name).cut] } satisfies CutOrder, () => undefined)
  }

  private observe(name: string, child: ChildProcess): void {
    const slot = this.slot(name)
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const record = parseRecord(line)
      if (record === undefined) return
      slot.last = record
      this.report(record)
    })
    let errors = ''
    child.stderr!.on('data', (chunk) => {
      errors = `${errors}${String(chunk)}`.slice(-KEPT_CHARACTERS)
    })
    child.on('exit', (code, signal) => {
      this.report({
        ...moment(),
        node: name,
        pid: child.pid ?? 0,
        event: 'exited',
        leader: null,
        term: slot.last?.term ?? 0,
        termText: slot.last?.termText ?? '0',
        reason: signal ?? (code === 0 ? null : errors.trim() || `exit code ${code}`),
      })
      if (this.closing || !this.options.restart || code === REMOVED) return
      slot.restartTimer = setTimeout(() => this.start(name), RESTART_MS)
    })
  }
}

function parseRecord(line: string): EventRecord | undefined {
  try {
    return JSON.parse(line) as EventRecord
  } catch {
    return undefined
  }
}

/** Below the ports that systems give to outgoing connections, so that none takes the port of a member that restarts. */
const [FIRST_PORT, LAST_PORT] = [12_000, 32_000]

/** Ports of the loopback interface that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    if (!ports.has(port) && (await isFree(port))) ports.add(port)
  }
  return [...ports]
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

function keyFileIn(state: string): string {
  return join(state, 'cluster.key')
}

function makeKey(state: string): void {
  if (existsSync(keyFileIn(state))) return
  mkdirSync(state, { recursive: true, mode: 0o700 })
  writeFileSync(keyFileIn(state), newSharedKey(), { mode: 0o600, flag: 'wx' })
}
