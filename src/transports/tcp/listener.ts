/**
 * Accepts connections, limits their number, and runs the listener's side of the handshake. A connection has a few
 * seconds to pass; then the link of its peer takes it over. Until then it costs one descriptor and at most one frame
 * of memory, and the number of such connections is limited.
 */
import type { Socket } from 'node:net'
import type { Json } from '../../core/schema.ts'
import { Connection } from './connection.ts'
import {
  handshakeFrame,
  introductionTo,
  refuse,
  type EndpointContext,
  type Credentials,
} from './endpoint-context.ts'
import {
  compare,
  contentOf,
  readIntroduction,
  readRejection,
  quote,
  type Introduction,
  type Rejection,
} from '../handshake.ts'
import type { Link } from './link.ts'
import { newNonce, transcriptOf } from './pre-shared-key.ts'

export class Listener {
  /** Oldest first. */
  private readonly pending = new Set<PendingHandshake>()
  private readonly passed = new Set<Socket>()
  private readonly context: EndpointContext
  private readonly links: ReadonlyMap<string, Link>
  private readonly cap: number
  private readonly mostPending: number

  constructor(context: EndpointContext, links: ReadonlyMap<string, Link>) {
    this.context = context
    this.links = links
    const { connections, pendingHandshakes } = context.limits
    this.cap = connections === 0 ? 4 * (links.size + 1) + 16 : connections
    // All members may dial at once when they start together.
    this.mostPending = Math.max(pendingHandshakes, links.size)
  }

  /** The oldest handshake gives way to the newest: an honest peer needs a moment only, and idle ones cannot block it. */
  accept(raw: Socket): void {
    const { context, pending, passed, cap } = this
    context.counters.accepted += 1
    for (const oldest of pending) {
      const full = pending.size + passed.size >= cap
      if (!full && pending.size < this.mostPending) break
      oldest.abort('evicted', 'a handshake made room for newer ones')
    }
    if (passed.size >= cap) {
      raw.destroy()
      return refuse(context, 'overCap', `more than ${cap} connections`)
    }
    const handshake = new PendingHandshake(context, raw, this.links, (hasPassed) => {
      pending.delete(handshake)
      if (!hasPassed || raw.destroyed) return
      passed.add(raw)
      raw.once('close', () => passed.delete(raw))
    })
    pending.add(handshake)
  }

  close(): void {
    for (const handshake of this.pending) handshake.destroy()
  }
}

class PendingHandshake {
  private readonly context: EndpointContext
  private readonly raw: Socket
  private readonly links: ReadonlyMap<string, Link>
  private readonly deadline: NodeJS.Timeout
  private readonly done: (hasPassed: boolean) => void
  private connection: Connection | undefined
  private certifiedMember: string | undefined
  private theirs: Introduction | undefined
  private transcript: Buffer | undefined
  private isOver = false

  constructor(
    context: EndpointContext,
    raw: Socket,
    links: ReadonlyMap<string, Link>,
    done: (hasPassed: boolean) => void,
  ) {
    this.context = context
    this.raw = raw
    this.links = links
    this.done = done
    const { handshakeMs } = context.limits
    const late = `a handshake took longer than ${handshakeMs} ms`
    this.deadline = setTimeout(() => this.abort('expired', late), handshakeMs)
    raw.on('error', () => raw.destroy())
    raw.on('close', () => this.peerClosed())
    context.security.accept(
      raw,
      (socket, credentials) => this.begin(socket, credentials),
      (reason) => this.abort('tlsErrors', `TLS: ${reason}`),
    )
  }

  private begin(socket: Socket, { member, problem }: Credentials): void {
    if (this.isOver) return
    this.certifiedMember = member
    this.connection = new Connection(this.context, socket)
    if (problem !== undefined) {
      return this.reject({ field: 'certificate', detail: problem })
    }
    this.connection.onFrame = (json, body) => this.read(json, body)
    this.connection.onClosed = () => this.peerClosed()
  }

  abort(counter: 'evicted' | 'expired' | 'tlsErrors', reason: string): void {
    if (!this.isOver) refuse(this.context, counter, reason)
    this.destroy()
  }

  destroy(): void {
    this.finish(false)
    this.connection?.destroy()
    this.raw.destroy()
  }

  private finish(hasPassed?: boolean): void {
    this.isOver = true
    clearTimeout(this.deadline)
    if (hasPassed !== undefined) this.done(hasPassed)
  }

  private peerClosed(): void {
    if (!this.isOver) this.context.counters.abandoned += 1
    this.finish(false)
  }

  private read(json: Json, body: Buffer): void {
    const rejection = readRejection(contentOf(json, 'rejected'))
    if (rejection !== undefined) this.reject(rejection)
    else if (this.theirs === undefined) this.readHello(json, body)
    else this.checkProof(this.theirs, json)
  }

  private readHello(json: Json, body: Buffer): void {
    const theirs = readIntroduction(contentOf(json, 'hello'))
    if (theirs === undefined) {
      const detail = 'the first frame is not a hello of this protocol'
      return this.reject({ field: 'hello', detail })
    }
    this.theirs = theirs
    const { key } = this.context.security
    if (key === undefined || theirs.security !== 'psk') return this.decide(theirs)
    const mine = { ...introductionTo(this.context, theirs.id), nonce: newNonce() }
    const challenge = handshakeFrame(this.context, 'challenge', mine)
    this.transcript = transcriptOf(body, challenge)
    this.connection?.write(challenge)
    const proof = key.prove('listener', this.transcript)
    this.connection?.write(handshakeFrame(this.context, 'proof', proof))
  }

  private checkProof(theirs: Introduction, json: Json): void {
    const { key } = this.context.security
    const { transcript, connection } = this
    if (key === undefined || transcript === undefined || connection === undefined) return
    if (!key.proves('dialler', transcript, contentOf(json, 'proof'))) {
      const detail = 'the proof is wrong: another key, or a recorded handshake'
      return this.reject({ field: 'key', detail })
    }
    connection.protect(key.sealOf('listener', transcript), key.sealOf('dialler', transcript))
    this.decide(theirs)
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
    const { certifiedMember } = this
    if (certifiedMember !== undefined && certifiedMember !== theirs.id) {
      const whose = certifiedMember === '' ? 'names no member' : `is ${quote(certifiedMember)}'s`
      const detail = `the certificate ${whose}, not ${quote(theirs.id)}'s`
      return { field: 'certificate', detail }
    }
    const difference = compare(introductionTo(this.context, theirs.id), theirs)
    if (difference !== undefined) return difference
    if (link === undefined)
      return { field: 'id', detail: `${quote(theirs.id)} is not a member here` }
    return link.rejectionOf(theirs)
  }

  /** Sends the dialler the field that differs, and reports the peer. The handshake counts as pending until it is sent. */
  private reject(rejection: Rejection, link?: Link): void {
    const { connection, context } = this
    this.finish()
    connection?.write(handshakeFrame(context, 'rejected', { ...rejection }))
    connection?.close()
    refuse(context, 'rejected', `${rejection.field}: ${rejection.detail}`)
    link?.reportRejection(rejection)
  }
}
