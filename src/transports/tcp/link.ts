/**
 * Keeps the link to one peer: dials it, queues frames within bounds, limits the rate of received ones, and chooses
 * between two connections. It dials when there is a frame to send or the owner probes; where silence is measured, it
 * closes a silent connection and dials until the peer is connected again.
 *
 * **Two connections.** Both members may dial at the same moment. A dial that has not sent `hello` yet gives way to a
 * connection that arrives. If both have sent it, both know (the welcome says `crossed`), and the connection that the
 * member with the smaller id dialled stays. (Ids are compared by code unit. The larger id leads and sends more often,
 * and receiving is cheaper on a dialled socket.) The other connection, if frames went over it, is ended first, and
 * later frames wait until the peer has read it to its end: no frame is lost, and none overtakes another. A second
 * connection that did *not* cross means that the peer has given up the first: it replaces it.
 *
 * **Two incarnations.** A higher incarnation ends the connections of the earlier one, a lower one is rejected
 * (../seen-incarnation.ts), and so is another process with the same id and incarnation while the first is connected.
 */
import { clearTimeout, setTimeout } from '../../clock/native-timers.ts'
import type { Json } from '../../core/schema.ts'
import type { Address } from '../address.ts'
import type { Connection } from './connection.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { Dial } from './dial.ts'
import { compareSeats, isRecord, type Introduction, type Rejection } from '../handshake.ts'
import { RateLimit } from './rate-limit.ts'
import { RedialBackoff } from './redial-backoff.ts'
import { SeenIncarnation } from '../seen-incarnation.ts'
import { Silence } from './silence.ts'
import type { LinkLoss } from '../transport.ts'

/** Asks a peer for an answer; the link answers by itself. */
const PING: Json = { ping: 1 }
const PONG: Json = { pong: 1 }
/** The group moved the peer, or the DNS did, and the process that connected last was somewhere else. */
const ELSEWHERE = 'refuses the connection; its last process was at another address'

/** The bytes that cost as much as the frame itself. */
const SHORT_FRAME = 512

export class Link {
  private readonly context: EndpointContext
  private readonly peer: string
  private address: Address
  /** 0: not known. */
  private readonly seat: number
  private readonly hasSmallerId: boolean
  private readonly rate: RateLimit
  private readonly redial: RedialBackoff
  private redialTimer: NodeJS.Timeout | undefined
  private hasRetried = false
  private readonly silence = new Silence()
  /** Whether the peer is dialled until it is connected. */
  private isKept = false

  private readonly established = new Set<Connection>()
  private dial: Dial | undefined
  /** Where frames go: an established connection, or that of a committed dial. */
  private sender: Connection | undefined
  /** A connection that gives way to another; frames wait until the peer has read it to its end. */
  private retiring: Connection | undefined
  private readonly queue: Buffer[] = []

  private isConnected = false
  private readonly seen = new SeenIncarnation()
  private life = ''
  /** Where this process was connected. A refusal elsewhere says nothing about it. */
  private readonly places = new Set<string>()
  /** The peer has another address since that process connected, which may still listen at the old one. */
  private hasMoved = false
  private protocol = 0
  /** Until when a second connection counts as crossed. */
  private crossingUntilMs = 0

  constructor(context: EndpointContext, peer: string, address: Address, seat = 0) {
    this.context = context
    this.peer = peer
    this.address = address
    this.seat = seat
    this.hasSmallerId = context.identity.id < peer
    const { redialMs, redialMaxMs } = context.limits
    this.rate = new RateLimit(() => {
      const { framesPerSecond: perSecond, burstFrames: burst } = context.limits
      return { perSecond, burst }
    })
    this.redial = new RedialBackoff(redialMs, redialMaxMs)
  }

  send(body: Buffer): void {
    const { sender } = this
    this.keep()
    this.silence.sent()
    const direct = this.queue.length === 0 && this.retiring === undefined
    if (direct && sender?.isWritable === true) return sender.send(body)
    this.queue.push(body)
    if (this.queue.length > this.context.limits.queueFrames) {
      this.queue.shift()
      this.context.counters.queueDropped += 1
    }
    if (sender === undefined) this.dialSoon()
  }

  probe(): void {
    this.keep()
    if (this.sender === undefined) this.dialSoon()
  }

  /** Called several times in the longest silence. */
  tick(): void {
    if (this.established.size === 0) return
    const action = this.silence.tick()
    if (action === 'ask') this.sendDirectly(PING)
    if (action !== 'close') return
    this.dropConnections((connection) => connection.destroy())
    this.context.counters.silent += 1
    this.setLost({ kind: 'closed' })
  }

  /** Ends dial and connections without an event: the owner asked for it. Where silence is measured, a new dial follows. */
  release(): void {
    this.close(this.isKept)
    if (this.isKept) this.dialSoon()
  }

  /** The peer has another address: a dial to the old one is given up, an open connection stays. */
  moveTo(address: Address): void {
    if (address.host === this.address.host && address.port === this.address.port) return
    this.address = address
    this.hasMoved = true
    if (this.dial === undefined || this.dial.isCommitted) return
    this.dial.cancel()
    this.dial = undefined
    this.dialSoon()
  }

  /** Whether it is the link to the member in this seat. */
  hasSeat(seat: number): boolean {
    return this.seat === seat || this.seat === 0 || seat === 0
  }

  /** The limits of the endpoint have changed. */
  limitRedial(): void {
    this.redial.maxMs = this.context.limits.redialMaxMs
  }

  close(isKept = false): void {
    this.isKept = isKept
    this.dial?.cancel()
    this.dial = undefined
    clearTimeout(this.redialTimer)
    this.redialTimer = undefined
    this.crossingUntilMs = 0
    this.dropConnections((connection) => connection.close())
    this.isConnected = false
    this.discardQueue()
  }

  /** Why a peer with this introduction is rejected, if it is. */
  rejectionOf(theirs: Introduction): Rejection | undefined {
    const { incarnation, life } = theirs
    const wrongSeat = compareSeats(this.seat, theirs)
    if (wrongSeat !== undefined) return wrongSeat
    const isConnected = this.established.size > 0
    const { incarnationMs } = this.context.limits
    const over = this.seen.rejectionOf(incarnation, isConnected, incarnationMs, performance.now())
    if (over !== undefined) return over
    const other = incarnation === this.seen.latest && life !== this.life
    if (!other || !isConnected) return undefined
    return { field: 'id', detail: 'another process with this id and incarnation is connected' }
  }

  /** An authenticated peer was rejected: reports why it cannot be reached. */
  reportRejection({ field, detail }: Rejection): void {
    if (this.isConnected || this.dial !== undefined) return
    this.context.events.lost(this.peer, { kind: 'rejected', field, detail })
  }

  /** Takes over a connection that the peer dialled and whose handshake passed. */
  adopt(connection: Connection, theirs: Introduction, welcome: (crossed: boolean) => void): void {
    this.noteProcess(theirs)
    const committed = this.dial?.isCommitted === true ? this.dial.connection : undefined
    welcome(committed !== undefined)
    const crossed = this.established.size > 0 && performance.now() < this.crossingUntilMs
    this.crossingUntilMs = 0
    if (committed === undefined) {
      this.dial?.cancel()
      this.dial = undefined
    }
    if (committed === undefined && !crossed) this.dropConnections((old) => old.destroy())
    this.attach(connection)
    if (this.sender === undefined) this.sender = connection
    else if (!this.hasSmallerId) this.switchTo(connection)
    this.setConnected()
  }

  private keep(): void {
    this.isKept = this.context.limits.silenceMs > 0
  }

  private sendDirectly(payload: Json): void {
    if (this.sender?.isWritable === true) this.sender.send(this.context.codec.encode(payload))
  }

  private dialSoon(): void {
    if (this.dial !== undefined || this.redialTimer !== undefined) return
    const waitMs = this.redial.waitMs(performance.now())
    if (waitMs === 0) return this.startDial()
    this.redialTimer = setTimeout(() => {
      this.redialTimer = undefined
      if (this.sender === undefined && this.dial === undefined) this.startDial()
    }, waitMs)
  }

  private startDial(): void {
    this.dial = new Dial(this.context, this.peer, this.address, {
      committed: (connection) => {
        connection.onDrain = () => this.flush()
        this.sender ??= connection
        this.flush()
      },
      welcomed: (connection, theirs, crossed) => {
        const objection = this.rejectionOf(theirs)
        if (objection !== undefined) return objection
        this.noteProcess(theirs)
        this.hasMoved = false
        this.dial = undefined
        this.attach(connection)
        this.sender ??= connection
        if (crossed) this.crossingUntilMs = performance.now() + this.context.limits.handshakeMs
        this.setConnected()
        return undefined
      },
      failed: (loss, dropped, refusedBy) => {
        if (loss.kind !== 'refused' || this.wasAt(refusedBy)) this.dialFailed(loss, dropped)
        else this.dialFailed({ kind: 'unreachable', cause: ELSEWHERE }, dropped)
      },
    })
  }

  private dialFailed(loss: LinkLoss, dropped: boolean): void {
    if (this.sender === this.dial?.connection) this.sender = undefined
    this.dial = undefined
    if (this.established.size > 0) return this.fallBack()
    if (this.isConnected) return this.setLost({ kind: 'closed' })
    // A process that ends may close its listener after its connections: dial once more before reporting.
    if (dropped && !this.hasRetried) {
      this.hasRetried = true
      return this.startDial()
    }
    this.hasRetried = false
    const { refusedMs } = this.context.limits
    this.redial.failed(performance.now(), loss.kind === 'refused' ? refusedMs : 0)
    this.context.counters[loss.kind === 'refused' ? 'dialsRefused' : 'dialsFailed'] += 1
    const { silence } = this.context.security
    const isSilent = dropped && loss.kind === 'unreachable' && silence !== undefined
    this.setLost(isSilent ? { ...loss, suspicion: silence } : loss)
  }

  /** Whether the last process of the peer, if there was one, was connected at one of these addresses. */
  private wasAt(addresses: readonly string[]): boolean {
    if (this.seen.latest < 0) return true
    return !this.hasMoved && addresses.some((address) => this.places.has(plain(address)))
  }

  /** Records the peer's process. A new one proves that the earlier one has ended. */
  private noteProcess({ incarnation, life, protocol }: Introduction): void {
    const renewed = incarnation !== this.seen.latest || life !== this.life
    this.protocol = protocol
    this.seen.note(incarnation, performance.now())
    this.life = life
    if (!renewed) return
    this.places.clear()
    this.hasMoved = false
    this.dropConnections((connection) => connection.destroy())
    if (this.isConnected) this.setLost({ kind: 'closed' })
  }

  private dropConnections(end: (connection: Connection) => void): void {
    if (this.established.size > 0) this.seen.disconnected(performance.now())
    for (const connection of this.established) end(connection)
    this.established.clear()
    this.retiring?.destroy()
    this.retiring = undefined
    this.sender = this.dial?.isCommitted === true ? this.dial.connection : undefined
  }

  private attach(connection: Connection): void {
    this.established.add(connection)
    this.places.add(plain(connection.remoteAddress))
    connection.completeHandshake()
    connection.admits = (bytes) => this.admits(connection, bytes)
    connection.onFrame = (payload) => this.receive(payload)
    connection.onDrain = () => this.flush()
    connection.onClosed = () => this.connectionClosed(connection)
  }

  private switchTo(connection: Connection): void {
    const old = this.sender
    this.sender = connection
    if (old === undefined || old === connection) return
    if (this.dial?.connection === old) {
      this.dial.detach()
      this.dial = undefined
      this.attach(old)
      // Only the answer to the hello can still arrive: the peer sends on its own dial.
      old.onFrame = () => {}
    }
    if (old.sent === 0) {
      this.established.delete(old)
      old.destroy()
      return
    }
    this.retiring = old
    old.retire()
  }

  private connectionClosed(connection: Connection): void {
    this.established.delete(connection)
    if (connection === this.retiring) this.retiring = undefined
    if (connection === this.sender) this.sender = undefined
    if (this.established.size === 0) this.seen.disconnected(performance.now())
    const isLost = this.established.size === 0 && this.dial?.isCommitted !== true
    if (isLost) return this.setLost({ kind: 'closed' })
    connection.destroy() // the peer may wait for the end of this one
    this.fallBack()
  }

  /** The connection in use is closed: uses one that is left. */
  private fallBack(): void {
    this.sender ??= [...this.established].find((connection) => connection !== this.retiring)
    this.sender ??= this.dial?.isCommitted === true ? this.dial.connection : undefined
    this.flush()
  }

  private setConnected(): void {
    this.redial.succeeded()
    this.hasRetried = false
    this.silence.received()
    this.flush()
    if (this.isConnected) return
    this.isConnected = true
    this.context.counters.connected += 1
    this.context.events.connected(this.peer, this.seen.latest, this.protocol)
  }

  private setLost(loss: LinkLoss): void {
    this.isConnected = false
    this.discardQueue()
    if (loss.kind === 'closed') this.context.counters.closed += 1
    this.context.events.lost(this.peer, loss)
    const isFinal = !this.isKept || loss.kind === 'rejected'
    if (!isFinal && this.sender === undefined) this.dialSoon()
  }

  private flush(): void {
    const { queue } = this
    while (queue.length > 0 && this.retiring === undefined && this.sender?.isWritable === true) {
      this.sender.send(queue.shift()!)
    }
  }

  private discardQueue(): void {
    this.context.counters.undelivered += this.queue.length
    this.queue.length = 0
  }

  /** Long frames cost more: to decode one takes as long as several short ones. */
  private admits(connection: Connection, bytes: number): boolean {
    if (this.rate.allows(performance.now(), 1 + bytes / SHORT_FRAME)) return true
    this.context.counters.rateLimited += 1
    if (connection.isReadingPaused) return false
    connection.pauseReading()
    this.context.events.refused(`${this.peer} sends too many frames`)
    return false
  }

  private receive(payload: Json): void {
    this.context.counters.framesReceived += 1
    this.silence.received()
    if (isRecord(payload) && payload['p'] === undefined) {
      if ('ping' in payload) return this.sendDirectly(PONG)
      if ('pong' in payload) return
    }
    this.context.events.frame(this.peer, payload)
  }
}

/** A socket for both families shows an address of the fourth version of IP as one of the sixth. */
function plain(address: string): string {
  return address.replace(/^::ffff:/, '')
}
