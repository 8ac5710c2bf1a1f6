/**
 * Real hosts in groups that share real ports, in virtual time over a network of this file: pauses, cuts, delays, drops,
 * connections that one side alone sees end, clocks of different speed, crashes, and members that wake, resign, leave and
 * join again. Judges whether two members of a group hold a lease at one moment.
 */
import type { Clock, Timer } from '../../src/clock/monotonic.ts'
import { bullyFdQuorum } from '../../src/algorithms/bully-fd-quorum.ts'
import type { Algorithm } from '../../src/core/algorithm.ts'
import { Group } from '../../src/core/group.ts'
import { NONE, type NodeId } from '../../src/core/node-id.ts'
import { Random } from '../../src/core/random.ts'
import type { Json } from '../../src/core/schema.ts'
import { link } from '../../src/detectors/link.ts'
import { Host } from '../../src/runtime/host/host.ts'
import type { Stored } from '../../src/stores/store.ts'
import { SharedPort } from '../../src/transports/shared/shared-port.ts'
import type { Endpoint, LinkEvents, Transport } from '../../src/transports/transport.ts'
import { SILENT_HOST_EVENTS } from './silent-host-events.ts'

const MEMBERS = 3
const NAMES = ['', 'a', 'b', 'c']
const SEATS = [1, 2, 3] as const
const GROUPS = ['one', 'two']
const PERIOD = 100
const TIMING = { messageMs: 20, processingMs: 1, detectionMs: 300, watchMs: 300, periodMs: PERIOD }

interface Event {
  at: number
  readonly serial: number
  readonly process: ProcessWorld | null
  readonly run: () => void
}

/** A host of one group in one process. */
class Seat {
  readonly group: string
  readonly store = new MemoryDisk()
  host: Host | null = null

  constructor(group: string) {
    this.group = group
  }
}

class MemoryDisk {
  stored: Stored | null = null
  read(): Stored | null {
    return this.stored
  }
  write(stored: Stored): void {
    this.stored = stored
  }
  close(): void {}
}

class ProcessWorld {
  readonly me: NodeId
  readonly seats = GROUPS.map((group) => new Seat(group))
  /** How fast its clock runs. */
  readonly rate: number
  life = 0
  isUp = false
  pausedUntil = 0
  /** Time that its clock did not count. */
  leaptMs = 0
  port: SharedPort | null = null
  endpoint: VirtualEndpoint | null = null

  constructor(me: NodeId, rate: number) {
    this.me = me
    this.rate = rate
  }
}

interface Connection {
  readonly ends: readonly [VirtualEndpoint, VirtualEndpoint]
  isOpen: boolean
  /** When the last frame of each end arrives: none overtakes another. */
  readonly lastAt: Map<VirtualEndpoint, number>
}

class VirtualEndpoint implements Endpoint {
  readonly address: string
  readonly counters = {}
  readonly world: RestWorld
  readonly process: ProcessWorld
  readonly events: LinkEvents
  readonly life: number
  readonly incarnation: number
  readonly connections = new Map<string, Connection>()
  readonly believed = new Set<string>()
  private readonly dialling = new Set<string>()

  constructor(world: RestWorld, process: ProcessWorld, incarnation: number, events: LinkEvents) {
    this.world = world
    this.process = process
    this.incarnation = incarnation
    this.life = process.life
    this.events = events
    this.address = `${NAMES[process.me]}:1`
  }

  get name(): string {
    return NAMES[this.process.me]
  }

  get isLive(): boolean {
    return this.process.isUp && this.process.life === this.life
  }

  /** An event of this process, which waits while it is paused. */
  private soon(ms: number, action: () => void): void {
    this.world.schedule(this.world.now + ms, this.process, () => this.isLive && action())
  }

  send(peer: string, payload: Json): void {
    const connection = this.connections.get(peer)
    if (connection === undefined) return this.probe(peer)
    const { world } = this
    if (world.random.below(1000) < world.dropsPerMille) return
    const [one, other] = connection.ends
    const to = one === this ? other : one
    const delay = world.delay(this.process.me, to.process.me)
    const at = Math.max(connection.lastAt.get(this) ?? 0, world.now + delay)
    connection.lastAt.set(this, at)
    const frame = JSON.stringify(payload)
    world.schedule(at, to.process, () => {
      const isCurrent = to.isLive && to.connections.get(this.name) === connection
      if (isCurrent) to.events.frame(this.name, JSON.parse(frame) as Json)
    })
  }

  probe(peer: string): void {
    if (this.connections.has(peer) || this.dialling.has(peer)) return
    this.dialling.add(peer)
    this.soon(1 + this.world.random.below(30), () => {
      this.dialling.delete(peer)
      if (!this.connections.has(peer)) this.dial(peer)
    })
  }

  private dial(peer: string): void {
    const { world } = this
    const seat = NAMES.indexOf(peer)
    const other = world.processes[seat - 1].endpoint
    if (world.isCut(this.process.me, seat)) {
      return this.events.lost(peer, { kind: 'unreachable', cause: 'cut' })
    }
    if (other === null || !other.isLive) return this.events.lost(peer, { kind: 'refused' })
    // The kernel of a paused process takes the connection; its handshake waits.
    world.schedule(world.now + 1, other.process, () => {
      if (!other.isLive || !this.isLive) return
      const connection: Connection = { ends: [this, other], isOpen: true, lastAt: new Map() }
      other.take(this, connection)
      this.soon(world.random.below(5), () => this.take(other, connection))
    })
  }

  /** A connection that replaces one whose end this side did not see is no event. */
  private take(other: VirtualEndpoint, connection: Connection): void {
    if (!connection.isOpen) return
    const old = this.connections.get(other.name)
    if (old === connection) return
    if (old !== undefined) old.isOpen = false
    this.connections.set(other.name, connection)
    if (this.believed.has(other.name) && other.incarnation === this.seen.get(other.name)) return
    if (this.believed.has(other.name)) this.events.lost(other.name, { kind: 'closed' })
    this.believed.add(other.name)
    this.seen.set(other.name, other.incarnation)
    this.events.connected(other.name, other.incarnation, 1)
  }
  private readonly seen = new Map<string, number>()

  /** The connection ends; the side that does not see it goes on until it hears from a new one, or notices the silence. */
  drop(peer: string): void {
    const connection = this.connections.get(peer)
    if (connection === undefined) return
    connection.isOpen = false
    this.connections.delete(peer)
    this.believed.delete(peer)
    this.events.lost(peer, { kind: 'closed' })
  }

  release(peer: string): void {
    const connection = this.connections.get(peer)
    if (connection === undefined) return
    connection.isOpen = false
    this.connections.delete(peer)
    this.believed.delete(peer)
    this.notice(connection)
  }

  /** The other side sees the end of a connection after a while. */
  notice(connection: Connection): void {
    const other = connection.ends.find((end) => end !== this)!
    const ms = this.world.random.below(400)
    this.world.schedule(this.world.now + ms, other.process, () => {
      if (other.isLive && other.connections.get(this.name) === connection) other.drop(this.name)
    })
  }

  setPeer(): void {}
  removePeer(): void {}
  setTiming(): void {}
  close(): Promise<void> {
    return Promise.resolve()
  }
}

export interface RestRun {
  readonly overlaps: readonly string[]
  readonly rests: number
  readonly reigns: number
}

export class RestWorld {
  readonly random: Random
  now = 0
  readonly processes: ProcessWorld[]
  dropsPerMille = 0
  readonly overlaps: string[] = []
  rests = 0
  reigns = 0
  private readonly slow = new Map<string, number>()
  private readonly cuts = new Map<string, number>()
  private readonly events: Event[] = []
  private serial = 0
  private readonly algorithm: Algorithm
  /** The lease that each member last showed, in the time of the world. */
  private readonly shown = new Map<string, number>()
  private readonly checked = new WeakMap<Host, number>()

  constructor(seed: number, algorithm: Algorithm = bullyFdQuorum) {
    this.random = new Random(seed)
    this.algorithm = algorithm
    this.dropsPerMille = this.random.below(4) === 0 ? this.random.below(20) : 0
    this.processes = SEATS.map((me) => new ProcessWorld(me, 1 + this.random.below(90) / 1000))
  }

  schedule(at: number, process: ProcessWorld | null, run: () => void): Event {
    const event = { at, serial: (this.serial += 1), process, run }
    this.insert(event)
    return event
  }

  private insert(event: Event): void {
    const { events } = this
    let place = events.length
    while (place > 0 && isBefore(event, events[place - 1])) place -= 1
    events.splice(place, 0, event)
  }

  delay(from: NodeId, to: NodeId): number {
    const slowUntil = this.slow.get(`${from}>${to}`) ?? 0
    const cutUntil = this.cutUntil(from, to)
    const most = Math.max(slowUntil, cutUntil) - this.now
    return 1 + this.random.below(10) + (most > 0 ? this.random.below(Math.ceil(most) + 1) : 0)
  }

  isCut(a: NodeId, b: NodeId): boolean {
    return this.cutUntil(a, b) > this.now
  }

  private cutUntil(a: NodeId, b: NodeId): number {
    return this.cuts.get(`${Math.min(a, b)}|${Math.max(a, b)}`) ?? 0
  }

  async run(ms: number): Promise<RestRun> {
    const { random } = Math
    Math.random = () => this.random.bits() / 2 ** 32
    try {
      await this.play(ms)
    } finally {
      Math.random = random
    }
    return { overlaps: this.overlaps, rests: this.rests, reigns: this.reigns }
  }

  private async play(ms: number): Promise<void> {
    for (const process of this.processes) await this.boot(process)
    let nextFault = 300
    while (this.now < ms && this.overlaps.length === 0) {
      const event = this.events[0]
      if (event === undefined || event.at > nextFault) {
        this.now = Math.max(this.now, nextFault)
        nextFault += 1 + this.random.below(this.random.below(3) === 0 ? 600 : 60)
        await this.fault()
        this.judge()
        continue
      }
      this.events.shift()
      const { process } = event
      if (process !== null && process.pausedUntil > event.at) {
        // What arrived meanwhile is read before timers are served, as they were due.
        event.at = process.pausedUntil
        this.insert(event)
        continue
      }
      this.now = Math.max(this.now, event.at)
      event.run()
      this.judge()
    }
  }

  private async fault(): Promise<void> {
    const { random } = this
    const process = this.processes[random.below(MEMBERS)]
    const peer = SEATS[random.below(MEMBERS)]
    const seat = process.seats[random.below(GROUPS.length)]
    const ms = random.below(random.below(2) === 0 ? 250 : 1500)
    const runs = process.isUp && process.pausedUntil <= this.now
    const kind = random.below(24)
    if (kind < 4) process.pausedUntil = Math.max(process.pausedUntil, this.now + ms)
    else if (kind < 6) this.slow.set(`${process.me}>${peer}`, this.now + ms)
    else if (kind < 8)
      this.cuts.set(`${Math.min(process.me, peer)}|${Math.max(process.me, peer)}`, this.now + ms)
    else if (!runs) {
      if (!process.isUp && kind < 16) await this.boot(process)
    } else if (kind < 10) {
      const connection = process.endpoint!.connections.get(NAMES[peer])
      process.endpoint!.drop(NAMES[peer])
      if (connection !== undefined) process.endpoint!.notice(connection)
    } else if (kind < 13 && peer !== process.me) {
      void seat.host?.inquire(peer)
    } else if (kind === 13) seat.host?.resign(random.below(2) === 0 ? NONE : peer, 200)
    else if (kind === 14) seat.host?.restart(ms)
    else if (kind === 15) await this.leaveOrJoin(process, seat)
    else if (kind === 16 && random.below(2) === 0) this.crash(process)
    else if (kind === 17) {
      // The machine is suspended: its clock stops, and says so afterwards.
      process.pausedUntil = this.now + ms
      process.leaptMs += ms
    } else for (const { host } of process.seats) host?.check()
  }

  private async boot(process: ProcessWorld): Promise<void> {
    process.life += 1
    process.isUp = true
    const { me, life } = process
    const incarnation = life
    const transport: Transport = {
      listen: (_identity, _address, _peers, events) => {
        process.endpoint = new VirtualEndpoint(this, process, incarnation, events)
        return Promise.resolve(process.endpoint)
      },
    }
    const others = SEATS.filter((seat) => seat !== me)
    process.port = await SharedPort.open({
      id: NAMES[me],
      name: 'rest',
      incarnation,
      transport,
      listen: `${NAMES[me]}:1`,
      peers: others.map((seat) => ({ id: NAMES[seat], address: `${NAMES[seat]}:1` })),
      answerMs: TIMING.detectionMs,
      shareHeartbeats: true,
      clock: this.clockOf(process),
      leaps: this.leapsOf(process),
    })
    for (const seat of process.seats) await this.join(process, seat)
  }

  private async join(process: ProcessWorld, seat: Seat): Promise<void> {
    const { me } = process
    const life = process.life
    const others = SEATS.filter((other) => other !== me)
    const key = `${seat.group} ${me}`
    const { port } = process
    const host: Host = new Host(
      {
        algorithm: this.algorithm,
        options: { ...optionsOf(this.algorithm), founding: 'given' },
        detector: link,
        group: new Group(MEMBERS, TIMING),
        me,
        names: NAMES,
        roles: new Map(SEATS.map((one) => [one, 'voter'] as const)),
        identity: { id: NAMES[me], cluster: seat.group, configuration: 'same' },
        listen: `${NAMES[me]}:1`,
        peers: others.map((other) => ({ id: NAMES[other], address: `${NAMES[other]}:1` })),
        transport: port!.transport,
        store: seat.store,
        fixedMembers: true,
        trustRefusals: true,
        longestStallMs: 1e9,
        clock: this.clockOf(process),
        answer: () => Promise.resolve(null),
        key: '',
        adopt: () => false,
        accepts: () => true,
        longestBondMs: Infinity,
        leaps: this.leapsOf(process),
      },
      {
        ...SILENT_HOST_EVENTS,
        failed: (error) => {
          this.overlaps.push(`a step failed: ${error.stack}`)
        },
      },
    )
    seat.host = host
    await host.open()
    if (process.life !== life) seat.host = null
    this.shown.delete(key)
  }

  private async leaveOrJoin(process: ProcessWorld, seat: Seat): Promise<void> {
    const { host } = seat
    if (host === null) return this.join(process, seat)
    seat.host = null
    await host.close()
  }

  private crash(process: ProcessWorld): void {
    process.isUp = false
    process.life += 1
    for (const seat of process.seats) seat.host = null
    for (const connection of process.endpoint!.connections.values()) {
      connection.isOpen = false
      process.endpoint!.notice(connection)
    }
    process.endpoint!.connections.clear()
  }

  private localNow(process: ProcessWorld): number {
    return (this.now - process.leaptMs) * process.rate
  }

  private leapsOf(process: ProcessWorld): { take: () => number } {
    let taken = process.leaptMs
    return {
      take: () => {
        const ms = process.leaptMs - taken
        taken = process.leaptMs
        return ms * process.rate
      },
    }
  }

  private clockOf(process: ProcessWorld): Clock {
    const { life } = process
    const timerOf = (action: () => void): Timer => {
      let armed = 0
      const timer: Timer = {
        due: Infinity,
        set: (due) => {
          timer.due = due
          armed += 1
          const mine = armed
          const at = due / process.rate + process.leaptMs
          // A little later: what is rounded must not fire early.
          this.schedule(Math.max(this.now, at) + 1e-3, process, () => fire(mine))
        },
        stop: () => {
          timer.due = Infinity
        },
      }
      const fire = (mine: number): void => {
        if (mine !== armed || process.life !== life || timer.due === Infinity) return
        // A clock that stopped for a while is not there yet.
        if (timer.due > this.localNow(process)) return timer.set(timer.due)
        action()
      }
      return timer
    }
    return {
      now: () => this.localNow(process),
      timer: timerOf,
      after: (ms, action) => {
        const timer = timerOf(action)
        timer.set(this.localNow(process) + ms)
        return () => timer.stop()
      },
    }
  }

  /** Who holds a lease, as its host says to code that asks it now, or as it said last. */
  private judge(): void {
    for (const [place, group] of GROUPS.entries()) {
      const holders: string[] = []
      for (const process of this.processes) {
        const key = `${group} ${process.me}`
        const { host } = process.seats[place]
        if (host === null || !process.isUp) {
          this.shown.delete(key)
          continue
        }
        const runs = process.pausedUntil <= this.now
        if (runs) this.note(process, host, key)
        // Code that asked before a pause may still act by what it was told: until then.
        if ((this.shown.get(key) ?? 0) > this.now) {
          holders.push(
            `${NAMES[process.me]} (term ${host.state.term}) until ${this.shown.get(key)}`,
          )
        }
      }
      if (holders.length > 1) this.overlaps.push(`${group} at ${this.now}: ${holders.join(', ')}`)
    }
  }

  private note(process: ProcessWorld, host: Host, key: string): void {
    const led = this.shown.has(key)
    // Code of the user runs after a check, which counts the time that the clock did not.
    if (this.random.below(16) === 0 || this.checked.get(host) !== process.leaptMs) host.check()
    this.checked.set(host, process.leaptMs)
    if (host.state.leader !== process.me || host.deadline === Infinity) {
      this.shown.delete(key)
      return
    }
    if (!led) this.reigns += 1
    const left = (host.deadline - this.localNow(process)) / process.rate
    this.shown.set(key, this.now + left)
    if (isResting(host)) this.rests += 1
  }
}

function isResting(host: Host): boolean {
  return (host as unknown as { member: { rest: { isOn: boolean } } }).member.rest.isOn
}

function optionsOf({ options }: Algorithm): Record<string, string | number> {
  return Object.fromEntries(Object.entries(options).map(([name, option]) => [name, option.default]))
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.serial < b.serial)
}
