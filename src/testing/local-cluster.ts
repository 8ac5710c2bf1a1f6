/** Members as processes of this machine: started, watched, hurt on purpose, started again. */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { EventRecord } from '../index.ts'
import { timestamp } from '../clock/monotonic.ts'
import { sleep } from '../clock/sleep.ts'

/** What `up` asks of its members. */
export type Order = { readonly cut: readonly string[] }

export interface LocalClusterOptions {
  readonly names: readonly string[]
  /** Where the command line's program is. */
  readonly program: string
  readonly state: string
  /** Flags of every member, such as --lease. */
  readonly flags: readonly string[]
  readonly restart: boolean
  /** Networks of their own, in which cuts are real; else all share the loopback interface. */
  readonly network?: MemberNetworks
  /** What precedes Node's own command line, for some members. */
  readonly launch?: (name: string, state: string) => Launch
  readonly priorities?: Readonly<Record<string, number>>
  /** Flags of some members. */
  readonly flagsOf?: (name: string) => readonly string[]
}

export interface MemberNetworks {
  hostOf(name: string): string
  /** The command that runs what follows it in a member's network. */
  enter(name: string): readonly string[]
  cut(a: string, b: string): void
  heal(): void
}

interface Launch {
  /** A command that runs what follows it under the same process id. */
  readonly under?: readonly string[]
  /** Options of Node. */
  readonly node?: readonly string[]
}

/** The port of every member that has a network of its own. */
const PORT = 7400

export type ProcessCondition = 'running' | 'paused' | 'dead'

interface Slot {
  readonly name: string
  child: ChildProcess | null
  condition: ProcessCondition
  /** Peers that it cannot reach. */
  cut: Set<string>
  restartTimer: NodeJS.Timeout | null
  lastTerm: number
}

/** A dead member comes back after this. */
const RESTART_MS = 2000
/** A member that is told to stop has this long. */
const STOP_MS = 3000

export class LocalCluster {
  readonly addresses: ReadonlyMap<string, string>
  private readonly options: LocalClusterOptions
  private readonly slots: ReadonlyMap<string, Slot>
  private readonly tell: (entry: EventRecord) => void
  private stopping = false

  private constructor(
    options: LocalClusterOptions,
    addresses: ReadonlyMap<string, string>,
    tell: (entry: EventRecord) => void,
  ) {
    this.options = options
    this.addresses = addresses
    this.tell = tell
    this.slots = new Map(
      options.names.map((name) => [
        name,
        {
          name,
          child: null,
          condition: 'dead',
          cut: new Set<string>(),
          restartTimer: null,
          lastTerm: 0,
        },
      ]),
    )
  }

  /** Starts all members. */
  static async open(
    options: LocalClusterOptions,
    tell: (entry: EventRecord) => void,
  ): Promise<LocalCluster> {
    const { names, network } = options
    const ports = network === undefined ? await freePorts(names.length) : []
    const addresses = new Map(
      names.map((name, i) => [
        name,
        network === undefined ? `127.0.0.1:${ports[i]}` : `${network.hostOf(name)}:${PORT}`,
      ]),
    )
    const cluster = new LocalCluster(options, addresses, tell)
    for (const name of options.names) cluster.start(name)
    return cluster
  }

  conditionOf(name: string): ProcessCondition {
    return this.slot(name).condition
  }

  pidOf(name: string): number | undefined {
    return this.slot(name).child?.pid
  }

  cutsOf(name: string): ReadonlySet<string> {
    return this.slot(name).cut
  }

  start(name: string): void {
    const slot = this.slot(name)
    if (slot.child !== null || this.stopping) return
    if (slot.restartTimer !== null) clearTimeout(slot.restartTimer)
    slot.restartTimer = null
    const { program, state, flags, network, launch, flagsOf } = this.options
    const { under = [], node = [] } = launch?.(name, state) ?? {}
    const members = [...this.addresses].map(([id, address]) => {
      const priority = this.options.priorities?.[id]
      return `${id}=${address}${priority === undefined ? '' : `@${priority}`}`
    })
    const own = [
      '--id',
      name,
      '--members',
      members.join(','),
      '--state',
      state,
      '--http',
      '127.0.0.1:0',
    ]
    const [command, ...words] = [
      ...(network?.enter(name) ?? []),
      ...under,
      process.execPath,
      ...node,
      program,
      'node',
      '--json',
      ...own,
      ...(network === undefined ? [] : ['--insecure-plaintext']),
      ...flags,
      ...(flagsOf?.(name) ?? []),
    ]
    // A group of its own: Ctrl-C reaches us only, and we end it in order.
    const child = spawn(command, words, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    })
    slot.child = child
    slot.condition = 'running'
    this.listen(slot, child)
    if (slot.cut.size > 0) this.order(slot)
  }

  kill(name: string): void {
    this.slot(name).child?.kill('SIGKILL')
  }

  /** As an operator stops it: it drains, resigns and leaves. */
  stop(name: string): void {
    this.slot(name).child?.kill('SIGTERM')
  }

  pause(name: string): void {
    const slot = this.slot(name)
    if (slot.condition !== 'running') return
    slot.child!.kill('SIGSTOP')
    slot.condition = 'paused'
  }

  resume(name: string): void {
    const slot = this.slot(name)
    if (slot.condition !== 'paused') return
    slot.child!.kill('SIGCONT')
    slot.condition = 'running'
  }

  /** Silence between the two, both ways. */
  cut(a: string, b: string): void {
    if (a === b) return
    this.slot(a).cut.add(b)
    this.slot(b).cut.add(a)
    if (this.options.network !== undefined) return this.options.network.cut(a, b)
    this.order(this.slot(a))
    this.order(this.slot(b))
  }

  /** From everybody else. */
  isolate(name: string): void {
    for (const other of this.options.names) this.cut(name, other)
  }

  heal(): void {
    this.options.network?.heal()
    for (const slot of this.slots.values()) {
      slot.cut.clear()
      this.order(slot)
    }
  }

  /** Ends all members: asks first, then insists. Leaves no process. */
  async close(): Promise<void> {
    this.stopping = true
    const ends = [...this.slots.values()].map(async (slot) => this.end(slot))
    await Promise.all(ends)
  }

  private async end(slot: Slot): Promise<void> {
    if (slot.restartTimer !== null) clearTimeout(slot.restartTimer)
    const { child } = slot
    if (child === null) return
    const gone = new AbortController()
    child.once('exit', () => gone.abort())
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    await sleep(STOP_MS, gone.signal)
    if (gone.signal.aborted) return
    child.kill('SIGKILL')
    await sleep(STOP_MS, gone.signal)
  }

  private slot(name: string): Slot {
    const slot = this.slots.get(name)
    if (slot === undefined) throw new Error(`there is no member ${name}`)
    return slot
  }

  private order(slot: Slot): void {
    if (this.options.network !== undefined) return
    const order: Order = { cut: [...slot.cut] }
    if (slot.child?.connected === true) slot.child.send(order, () => undefined)
  }

  private listen(slot: Slot, child: ChildProcess): void {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const entry = parseEntry(line)
      if (entry === undefined) return
      slot.lastTerm = entry.term
      this.tell(entry)
    })
    let complaint = ''
    child.stderr!.on('data', (chunk) => (complaint = `${complaint}${String(chunk)}`.slice(-2000)))
    child.on('error', () => undefined)
    child.on('exit', (code, signal) => {
      slot.child = null
      slot.condition = 'dead'
      const reason = signal ?? (code === 0 ? null : complaint.trim() || `exit code ${code}`)
      this.tell({
        at: timestamp(),
        node: slot.name,
        pid: child.pid ?? 0,
        event: 'exited',
        leader: null,
        term: slot.lastTerm,
        reason,
      })
      if (this.stopping || !this.options.restart) return
      slot.restartTimer = setTimeout(() => this.start(slot.name), RESTART_MS)
    })
  }
}

function parseEntry(line: string): EventRecord | undefined {
  try {
    return JSON.parse(line) as EventRecord
  } catch {
    return undefined
  }
}

/** Below those that systems give to whoever dials: a member that is not up yet loses its port to nobody. */
const [FIRST_PORT, LAST_PORT] = [12_000, 32_000]

/** Ports of the loopback interface that nobody uses now. */
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
