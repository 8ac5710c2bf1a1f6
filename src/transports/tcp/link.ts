/**
 * Keeps the link to one peer: dials it, queues frames within bounds, limits the rate of received ones, and chooses
 * between two connections. It dials only when there is a frame to send or the owner probes.
 *
 * **Two connections.** Both members may dial at the same moment. A dial that has not sent `hello` yet gives way to a
 * connection that arrives. If both have sent it, both know (the welcome says `crossed`), and the connection that the
 * member with the smaller id dialled stays. (Ids are compared by code unit. The larger id leads and sends more often,
 * and receiving is cheaper on a dialled socket.) The other connection, if frames went over it, is ended first, and
 * later frames wait until the peer has read it to its end: no frame is lost, and none overtakes another. A second
 * connection that did *not* cross means that the peer has given up the first: it replaces it.
 *
 * **Two incarnations.** A higher incarnation ends the connections of the earlier one, a lower one is rejected, and so
 * is another process with the same id and incarnation while the first is connected.
 */
import type { Json } from '../../core/schema.ts'
import type { Address } from '../address.ts'
import type { Connection } from './connection.ts'
import { refuse, type EndpointContext } from './endpoint-context.ts'
import { Dial } from './dial.ts'
import type { Introduction, Rejection } from '../handshake.ts'
import { RateLimit } from './rate-limit.ts'
import { RedialBackoff } from './redial-backoff.ts'
import type { LinkLoss } from '../transport.ts'

export class Link {
  private readonly context: EndpointContext
  private readonly peer: string
  private readonly address: Address
  private readonly hasSmallerId: boolean
  private readonly rate: RateLimit
  private readonly redial: RedialBackoff
  private redialTimer: NodeJS.Timeout | undefined
  private hasRetried = false

  private readonly established = new Set<Connection>()
  private dial: Dial | undefined
  /** Where frames go: an established connection, or that of a committed dial. */
  private sender: Connection | undefined
  /** A connection that gives way to another; frames wait until the peer has read it to its end. */
  private retiring: Connection | undefined
  private readonly queue: Buffer[] = []

  /** As last reported to the owner. */
  private isConnected = false
  private incarnation = -1
  private life = ''
  /** Until when a second connection counts as crossed. */
  private crossingUntilMs = 0

  constructor(context: EndpointContext, peer: string, address: Address) {
    this.context = context
    this.peer = peer
    this.address = address
    this.hasSmallerId = context.identity.id < peer
    const { framesPerSecond, burstFrames, redialMs, redialMaxMs } = context.limits
    this.rate = new RateLimit(framesPerSecond, burstFrames)
    this.redial = new RedialBackoff(redialMs, redialMaxMs)
  }

  send(body: Buffer): void {
    const { sender } = this
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
    if (this.sender === undefined) this.dialSoon()
  }

  /** Ends dial and connections without an event: the owner asked for it. */
  release(): void {
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
    if (theirs.incarnation < this.incarnation) {
      const detail = `incarnation ${theirs.incarnation} is over: ${this.incarnation} has been seen`
      return { field: 'incarnation', detail }
    }
    const other = theirs.incarnation === this.incarnation && theirs.life !== this.life
    if (!other || this.established.size === 0) return undefined
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
        this.dial = undefined
        this.attach(connection)
        this.sender ??= connection
        if (crossed) this.crossingUntilMs = performance.now() + this.context.limits.handshakeMs
        this.setConnected()
        return undefined
      },
      failed: (loss, dropped) => this.dialFailed(loss, dropped),
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
    this.redial.failed(performance.now())
    this.context.counters[loss.kind === 'refused' ? 'dialsRefused' : 'dialsFailed'] += 1
    this.setLost(loss)
  }

  /** Records the peer's process. A new one proves that the earlier one has ended. */
  private noteProcess({ incarnation, life }: Introduction): void {
    const renewed = incarnation !== this.incarnation || life !== this.life
    this.incarnation = incarnation
    this.life = life
    if (!renewed) return
    this.dropConnections((connection) => connection.destroy())
    if (this.isConnected) this.setLost({ kind: 'closed' })
  }

  private dropConnections(end: (connection: Connection) => void): void {
    for (const connection of this.established) end(connection)
    this.established.clear()
    this.retiring?.destroy()
    this.retiring = undefined
    this.sender = this.dial?.isCommitted === true ? this.dial.connection : undefined
  }

  private attach(connection: Connection): void {
    this.established.add(connection)
    connection.completeHandshake()
    connection.onFrame = (payload) => this.receive(connection, payload)
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
    const isLost = this.established.size === 0 && this.dial?.isCommitted !== true
    if (isLost) this.setLost({ kind: 'closed' })
    else this.fallBack()
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
    this.flush()
    if (this.isConnected) return
    this.isConnected = true
    this.context.counters.connected += 1
    this.context.events.connected(this.peer, this.incarnation)
  }

  private setLost(loss: LinkLoss): void {
    this.isConnected = false
    this.discardQueue()
    if (loss.kind === 'closed') this.context.counters.closed += 1
    this.context.events.lost(this.peer, loss)
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

  private receive(connection: Connection, payload: Json): void {
    if (!this.rate.allows(performance.now())) {
      connection.pauseReading()
      return refuse(this.context, 'rateLimited', `${this.peer} sends too many frames`)
    }
    this.context.counters.framesReceived += 1
    this.context.events.frame(this.peer, payload)
  }
}
