/**
 * The listener's side of the handshake on one accepted connection. A dialler that has not proved itself learns nothing:
 * its connection ends. One that has is told the field that differs.
 */
import type { Socket } from 'node:net'
import { clearTimeout, setImmediate, setTimeout } from '../../clock/native-timers.ts'
import type { Json } from '../../core/schema.ts'
import { Connection } from './connection.ts'
import {
  handshakeFrame,
  introductionTo,
  refuse,
  type CounterName,
  type Credentials,
  type EndpointContext,
} from './endpoint-context.ts'
import {
  compare,
  compareVisit,
  contentOf,
  readIntroduction,
  readRejection,
  readVisit,
  quote,
  type Introduction,
  type Rejection,
  type Visit,
} from '../handshake.ts'
import type { HandshakeSlot } from './handshake-slots.ts'
import type { Link } from './link.ts'
import { NoiseHandshake } from './security/noise.ts'
import { HANDSHAKE_VERSION, PROLOGUE } from './security/pre-shared-key.ts'

interface Place extends Pick<HandshakeSlot, 'source' | 'isPeerAddress'> {
  /** The handshake is over. */
  readonly done: (hasPassed: boolean) => void
}

export class AcceptedHandshake implements HandshakeSlot {
  readonly source: string
  readonly isPeerAddress: boolean
  private readonly context: EndpointContext
  private readonly raw: Socket
  private readonly links: ReadonlyMap<string, Link>
  private readonly deadline: NodeJS.Timeout
  private readonly done: (hasPassed: boolean) => void
  private connection: Connection | undefined
  /** The member that the certificate names; empty: an operator. */
  private certified: string | undefined
  /** The name in the certificate. */
  private visitor = ''
  /** Whose introduction was encrypted with the key: not yet proof that it is no recording. */
  private introduced: Introduction | Visit | undefined
  private isOver = false

  constructor(
    context: EndpointContext,
    raw: Socket,
    links: ReadonlyMap<string, Link>,
    { source, isPeerAddress, done }: Place,
  ) {
    this.context = context
    this.raw = raw
    this.links = links
    this.source = source
    this.isPeerAddress = isPeerAddress
    this.done = done
    const { handshakeMs } = context.limits
    const late = `a handshake took longer than ${handshakeMs} ms`
    // After the sockets were read: what the dialler sent may wait there.
    const expire = (): void => {
      if (!this.isOver) this.abort('expired', late)
    }
    this.deadline = setTimeout(() => setImmediate(expire), handshakeMs)
    raw.on('error', () => raw.destroy())
    raw.on('close', () => this.peerClosed())
    context.security.accept(raw, {
      ready: (socket, credentials) => this.begin(socket, credentials),
      failed: (reason) => this.abort('tlsErrors', `TLS: ${reason}`),
    })
  }

  hasSpoken(): boolean {
    return this.raw.bytesRead > 0
  }

  hasProved(): boolean {
    return this.certified !== undefined || this.introduced !== undefined
  }

  evict(): void {
    this.abort('evicted', 'a handshake made room for another one')
  }

  destroy(): void {
    this.finish(false)
    this.connection?.destroy()
    this.raw.destroy()
  }

  private begin(socket: Socket, { member, operator = '', problem }: Credentials): void {
    if (this.isOver) return
    this.connection = new Connection(this.context, socket)
    if (problem !== undefined) return this.abort('rejected', `certificate: ${problem}`)
    this.certified = member
    this.visitor = member || operator
    this.connection.onClosed = () => this.peerClosed()
    if (this.context.security.keys === undefined) this.connection.onFrame = (it) => this.hello(it)
    else this.connection.onBytes = (body) => this.keyedHello(body)
  }

  private abort(counter: CounterName, reason: string): void {
    if (!this.isOver) refuse(this.context, counter, `${reason} (from ${this.source})`)
    this.destroy()
  }

  private finish(hasPassed?: boolean): void {
    this.isOver = true
    clearTimeout(this.deadline)
    if (hasPassed !== undefined) this.done(hasPassed)
  }

  private peerClosed(): void {
    if (this.isOver) return this.finish(false) // a link has the connection, and hears of its end
    this.context.counters.abandoned += 1
    this.destroy()
  }

  // Without a key: the first frame is the hello, and the listener decides on it.

  private hello(json: Json): void {
    const theirs = readIntroduction(contentOf(json, 'hello'))
    if (theirs !== undefined) return this.decide(theirs)
    const visit = readVisit(contentOf(json, 'visit'))
    if (visit !== undefined) return this.admit(visit, contentOf(json, 'ask'))
    this.reject({ field: 'hello', detail: 'the first frame is not a hello of this protocol' })
  }

  // Under a key: see pre-shared-key.ts.

  private keyedHello(body: Buffer): void {
    const opened = this.openHello(body)
    if (opened === undefined) return this.abort('forged', 'key: a dialler did not prove the key')
    const { handshake, said } = opened
    if (!this.context.firstUse(body)) return this.abort('forged', 'key: a recorded handshake')
    const theirs = readIntroduction(said)
    const visit = readVisit(contentOf(said, 'visit'))
    this.introduced = theirs ?? visit
    const { connection, context } = this
    if (this.introduced === undefined || connection === undefined)
      return this.abort('malformed', 'key: a hello of another protocol')
    const mine = introductionTo(context, theirs?.id ?? '')
    connection.write(handshake.write(context.codec.encode({ ...mine })))
    connection.protect(handshake.split())
    connection.onFrame = (json) => {
      if (theirs !== undefined) this.confirm(theirs, json)
      else if (visit !== undefined) this.admit(visit, contentOf(json, 'ask'))
    }
  }

  private openHello(body: Buffer) {
    const { keys } = this.context.security
    if (keys === undefined || body[0] !== HANDSHAKE_VERSION) return undefined
    for (const key of keys.current()) {
      const handshake = new NoiseHandshake('listener', key, PROLOGUE)
      const payload = handshake.tryRead(body.subarray(1))
      if (payload === undefined) continue
      return { handshake, said: this.context.codec.decode(payload) }
    }
    return undefined
  }

  /** This frame decrypts, so the dialler holds the key, and this is no recording. */
  private confirm(theirs: Introduction, json: Json): void {
    const rejection = readRejection(contentOf(json, 'rejected'))
    if (rejection !== undefined) this.reject(rejection, this.links.get(theirs.id))
    else if (contentOf(json, 'confirm') === undefined) this.abort('malformed', 'no confirmation')
    else this.decide(theirs)
  }

  private decide(theirs: Introduction): void {
    const link = this.links.get(theirs.id)
    const rejection = this.judge(theirs, link)
    if (rejection !== undefined) return this.reject(rejection, link)
    const { connection } = this
    if (connection === undefined || link === undefined) return
    this.finish(true)
    const mine = introductionTo(this.context, theirs.id)
    // The welcome leaves together with the answers to the frames that followed the hello.
    connection.cork()
    link.adopt(connection, theirs, (crossed) => {
      connection.write(handshakeFrame(this.context, 'welcome', { ...mine, crossed }))
    })
  }

  private judge(theirs: Introduction, link: Link | undefined): Rejection | undefined {
    const { certified } = this
    if (certified !== undefined && certified !== theirs.id) {
      const whose = certified === '' ? `of an operator` : `${quote(certified)}'s`
      const detail = `the certificate is ${whose}, not ${quote(theirs.id)}'s`
      return { field: 'certificate', detail }
    }
    const difference = compare(introductionTo(this.context, theirs.id), theirs)
    if (difference !== undefined) return difference
    if (link === undefined)
      return { field: 'id', detail: `${quote(theirs.id)} is not a member here` }
    return link.rejectionOf(theirs)
  }

  /** This visitor has proved itself, and its question is no recording: a certificate and a frame under fresh keys do both. */
  private admit(visit: Visit, question: Json | undefined): void {
    const { connection, context } = this
    const { asked } = context.events
    if (connection === undefined) return
    const mine = introductionTo(context, '')
    const rejection = compareVisit(mine, visit) ?? this.judgeVisit(question)
    if (rejection !== undefined || asked === undefined || question === undefined)
      return this.reject(rejection ?? { field: 'ask', detail: 'this member answers no visitors' })
    this.finish(true)
    connection.onFrame = () => connection.destroy()
    void asked(this.visitor, question).then((answer) => this.answer(connection, answer))
  }

  private answer(connection: Connection, answer: Json): void {
    connection.write(handshakeFrame(this.context, 'answer', answer))
    connection.close()
  }

  private judgeVisit(question: Json | undefined): Rejection | undefined {
    if (this.context.security.name === 'plain') {
      const detail = 'members in plaintext answer no visitors: every process could be one'
      return { field: 'security', detail }
    }
    return question === undefined ? { field: 'ask', detail: 'no question' } : undefined
  }

  /**
   * A peer that proved itself is told the reason, and reported by its name. Without protection nothing is proved: the
   * dialler learns the field only. The handshake counts as pending until the answer is sent.
   */
  private reject(rejection: Rejection, link?: Link): void {
    const { connection, context } = this
    const isKnown = this.hasProved()
    this.finish()
    const { field } = rejection
    const told = isKnown ? rejection : { field, detail: `the ${field} differs` }
    connection?.write(handshakeFrame(context, 'rejected', { ...told }))
    connection?.close()
    refuse(context, 'rejected', `${rejection.field}: ${rejection.detail}`)
    if (isKnown) link?.reportRejection(rejection)
  }
}
