/**
 * Everything between me and one peer: at most one dial of mine, usually one connection, a bounded queue.
 * It dials only when there is something to send or somebody asks.
 *
 * **Two connections.** Both members may dial at the same moment. A dial that has not yet said hello
 * gives way to a connection that arrives. If both have, both know it (the welcome says `crossed`), and
 * the connection that the member with the smaller id dialled stays: ids are compared by code unit, and the
 * larger is more often the one that leads and speaks, while a dialled socket is cheaper to listen to. The
 * other one, if frames went over it, is ended first, and what comes after waits until the peer has read
 * it to its end: no frame is lost, and none overtakes another. A second connection that did *not* cross
 * with mine means that the peer has given up the first: it takes its place.
 *
 * **Two lives.** A higher incarnation ends the connections of the earlier life, a lower one is refused,
 * and so is another process that claims the same id and incarnation while the first is connected.
 */
import type { Json } from '../../core/schema.ts'
import type { Address } from '../address.ts'
import type { Connection } from './connection.ts'
import { refuse, type Context } from './endpoint-context.ts'
import { Dial } from './dial.ts'
import type { Introduction, Rejection } from '../handshake.ts'
import { RateLimit } from './rate-limit.ts'
import { Redial } from './redial-backoff.ts'
import type { LinkLoss } from '../transport.ts'

export class Link {
  private readonly context: Context
  private readonly peer: string
  private readonly address: Address
  private readonly outranks: boolean
  private readonly rate: RateLimit
  private readonly redial: Redial
  private redialTimer: NodeJS.Timeout | undefined
  private redialled = false

  private readonly established = new Set<Connection>()
  private dial: Dial | undefined
  /** Where frames go: an established connection, or that of a committed dial. */
  private sender: Connection | undefined
  /** Mine, ended because a better one exists; frames wait until the peer has read it to its end. */
  private retiring: Connection | undefined
  private readonly queue: Buffer[] = []

  /** Whether the owner believes us connected. */
  private up = false
  private incarnation = -1
  private life = ''
  /** Until when a second connection is one that crossed with mine. */
  private crossingUntilMs = 0

  constructor(context: Context, peer: string, address: Address) {
    this.context = context
    this.peer = peer
    this.address = address
    this.outranks = context.identity.id < peer
    const { framesPerSecond, burstFrames, redialMs, redialMaxMs } = context.limits
    this.rate = new RateLimit(framesPerSecond, burstFrames)
    this.redial = new Redial(redialMs, redialMaxMs)
  }

  send(body: Buffer): void {
    const { sender } = this
    const direct = this.queue.length === 0 && this.retiring === undefined
    if (direct && sender?.ready === true) return sender.send(body)
    this.queue.push(body)
    if (this.queue.length > this.context.limits.queueFrames) {
      this.queue.shift()
      this.context.counters.queueDropped += 1
    }
    if (sender === undefined) this.reach()
  }

  probe(): void {
    if (this.sender === undefined) this.reach()
  }

  /** Ends whatever there is, quietly: the owner asked for it. */
  release(): void {
    this.dial?.cancel()
    this.dial = undefined
    clearTimeout(this.redialTimer)
    this.redialTimer = undefined
    this.crossingUntilMs = 0
    this.dropConnections((connection) => connection.close())
    this.up = false
    this.discardQueue()
  }

  /** Why a peer that introduces itself so is not wanted. */
  objection(theirs: Introduction): Rejection | undefined {
    if (theirs.incarnation < this.incarnation) {
      const detail = `incarnation ${theirs.incarnation} is over: ${this.incarnation} has been seen`
      return { field: 'incarnation', detail }
    }
    const other = theirs.incarnation === this.incarnation && theirs.life !== this.life
    if (other && this.established.size > 0) {
      const detail = 'another process with this id and incarnation is connected'
      return { field: 'id', detail }
    }
    return undefined
  }

  /** A peer that is nobody's forgery was refused: the owner should know why it cannot be reached. */
  turnedAway({ field, detail }: Rejection): void {
    if (this.up || this.dial !== undefined) return
    this.context.events.lost(this.peer, { kind: 'rejected', field, detail })
  }

  /** Takes over a connection that the peer dialled and that passed. */
  adopt(connection: Connection, theirs: Introduction, welcome: (crossed: boolean) => void): void {
    this.meet(theirs)
    const committed = this.dial?.committed === true ? this.dial.connection : undefined
    welcome(committed !== undefined)
    const crossed = this.established.size > 0 && performance.now() < this.crossingUntilMs
    this.crossingUntilMs = 0
    if (committed === undefined) {
      this.dial?.cancel()
      this.dial = undefined
    }
    if (committed === undefined && !crossed) this.dropConnections((old) => old.destroy())
    this.own(connection)
    if (this.sender === undefined) this.sender = connection
    else if (!this.outranks) this.switchTo(connection)
    this.comeUp()
  }

  private reach(): void {
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
        const objection = this.objection(theirs)
        if (objection !== undefined) return objection
        this.meet(theirs)
        this.dial = undefined
        this.own(connection)
        this.sender ??= connection
        if (crossed) {
          this.crossingUntilMs = performance.now() + this.context.limits.handshakeMs
        }
        this.comeUp()
        return undefined
      },
      failed: (loss, dropped) => this.dialFailed(loss, dropped),
    })
  }

  private dialFailed(loss: LinkLoss, dropped: boolean): void {
    if (this.sender === this.dial?.connection) this.sender = undefined
    this.dial = undefined
    if (this.established.size > 0) return this.fallBack()
    if (this.up) return this.goDown({ kind: 'closed' })
    // A dying process may close its listener after its connections: ask once more before judging.
    if (dropped && !this.redialled) {
      this.redialled = true
      return this.startDial()
    }
    this.redialled = false
    this.redial.failed(performance.now())
    this.context.counters[loss.kind === 'refused' ? 'dialsRefused' : 'dialsFailed'] += 1
    this.goDown(loss)
  }

  /** Remembers who is there now. A new life proves the old one over. */
  private meet({ incarnation, life }: Introduction): void {
    const renewed = incarnation !== this.incarnation || life !== this.life
    this.incarnation = incarnation
    this.life = life
    if (!renewed) return
    this.dropConnections((connection) => connection.destroy())
    if (this.up) this.goDown({ kind: 'closed' })
  }

  private dropConnections(end: (connection: Connection) => void): void {
    for (const connection of this.established) end(connection)
    this.established.clear()
    this.retiring?.destroy()
    this.retiring = undefined
    // A dial that is committed is its own owner.
    this.sender = this.dial?.committed === true ? this.dial.connection : undefined
  }

  private own(connection: Connection): void {
    this.established.add(connection)
    connection.settle()
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
      this.own(old)
      // All that can still come is the answer to my hello: who outranks me sends on its own dial.
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
    if (this.established.size === 0 && this.dial?.committed !== true) {
      this.goDown({ kind: 'closed' })
    } else {
      this.fallBack()
    }
  }

  /** The connection in use is gone and another one is left. */
  private fallBack(): void {
    this.sender ??= [...this.established].find((connection) => connection !== this.retiring)
    this.sender ??= this.dial?.committed === true ? this.dial.connection : undefined
    this.flush()
  }

  private comeUp(): void {
    this.redial.succeeded()
    this.redialled = false
    this.flush()
    if (this.up) return
    this.up = true
    this.context.counters.connected += 1
    this.context.events.connected(this.peer, this.incarnation)
  }

  private goDown(loss: LinkLoss): void {
    this.up = false
    this.discardQueue()
    if (loss.kind === 'closed') this.context.counters.closed += 1
    this.context.events.lost(this.peer, loss)
  }

  private flush(): void {
    while (this.queue.length > 0 && this.retiring === undefined && this.sender?.ready === true) {
      this.sender.send(this.queue.shift()!)
    }
  }

  private discardQueue(): void {
    this.context.counters.undelivered += this.queue.length
    this.queue.length = 0
  }

  private receive(connection: Connection, payload: Json): void {
    if (!this.rate.allows(performance.now())) {
      connection.rest()
      return refuse(this.context, 'rateLimited', `${this.peer} sends too many frames`)
    }
    this.context.counters.framesReceived += 1
    this.context.events.frame(this.peer, payload)
  }
}
