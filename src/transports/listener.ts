/**
 * The side that is dialled: accepts connections, gives each one a few seconds to introduce itself, and
 * hands those that pass to their peer's link. Whoever has not passed costs one descriptor and at most
 * one frame of memory, and there are never more than a few of them.
 */
import type { Socket } from 'node:net'
import type { Json } from '../core/schema.ts'
import { Connection } from './connection.ts'
import { partFrame, refuse, type Context } from './context.ts'
import {
  compare,
  introduce,
  partOf,
  readIntroduction,
  readRejection,
  show,
  type Introduction,
  type Rejection,
} from './hello.ts'
import type { Link } from './link.ts'
import { newNonce, transcriptOf } from './psk.ts'

export class Listener {
  /** Oldest first. */
  private readonly pending = new Set<Pending>()
  private readonly context: Context
  private readonly links: ReadonlyMap<string, Link>

  constructor(context: Context, links: ReadonlyMap<string, Link>) {
    this.context = context
    this.links = links
  }

  accept(raw: Socket): void {
    const { context, pending } = this
    context.counters.accepted += 1
    for (const oldest of pending) {
      if (pending.size < context.limits.pendingHandshakes) break
      oldest.end('evicted', 'a handshake made room for newer ones')
    }
    const handshake = new Pending(context, raw, this.links, () => pending.delete(handshake))
    pending.add(handshake)
  }

  close(): void {
    for (const handshake of this.pending) handshake.abandon()
  }
}

class Pending {
  private readonly context: Context
  private readonly raw: Socket
  private readonly links: ReadonlyMap<string, Link>
  private readonly deadline: NodeJS.Timeout
  private readonly done: () => void
  private connection: Connection | undefined
  /** The member that the certificate names. */
  private certified: string | undefined
  private theirs: Introduction | undefined
  private transcript: Buffer | undefined
  private over = false

  constructor(context: Context, raw: Socket, links: ReadonlyMap<string, Link>, done: () => void) {
    this.context = context
    this.raw = raw
    this.links = links
    this.done = done
    const { handshakeMs } = context.limits
    this.deadline = setTimeout(
      () => this.end('expired', `a handshake took longer than ${handshakeMs} ms`),
      handshakeMs,
    )
    raw.on('error', () => raw.destroy())
    raw.on('close', () => this.left())
    context.security.accept(
      raw,
      (socket, certified) => this.begin(socket, certified),
      (reason) => this.end('tlsErrors', `TLS: ${reason}`),
    )
  }

  private begin(socket: Socket, certified: string | undefined): void {
    if (this.over) return
    this.certified = certified
    this.connection = new Connection(this.context, socket)
    this.connection.onFrame = (json, body) => this.read(json, body)
    this.connection.onClosed = () => this.left()
  }

  /** We lost patience, or trust. */
  end(counter: 'evicted' | 'expired' | 'tlsErrors', reason: string): void {
    if (!this.over) refuse(this.context, counter, reason)
    this.abandon()
  }

  abandon(): void {
    this.finish()
    this.done()
    this.connection?.destroy()
    this.raw.destroy()
  }

  private finish(): void {
    this.over = true
    clearTimeout(this.deadline)
  }

  private left(): void {
    if (!this.over) this.context.counters.abandoned += 1
    this.finish()
    this.done()
  }

  private read(json: Json, body: Buffer): void {
    const rejection = readRejection(partOf(json, 'rejected'))
    if (rejection !== undefined) this.turnAway(rejection, undefined)
    else if (this.theirs === undefined) this.meet(json, body)
    else this.checkProof(this.theirs, json)
  }

  private meet(json: Json, body: Buffer): void {
    const theirs = readIntroduction(partOf(json, 'hello'))
    if (theirs === undefined) {
      const detail = 'the first frame is no hello of this protocol'
      return this.turnAway({ field: 'hello', detail }, undefined)
    }
    this.theirs = theirs
    const { key } = this.context.security
    if (key === undefined || theirs.security !== 'psk') return this.decide(theirs)
    const mine = { ...this.introduction(theirs.id), nonce: newNonce() }
    const challenge = partFrame(this.context, 'challenge', mine)
    this.transcript = transcriptOf(body, challenge)
    this.connection?.write(challenge)
    const proof = key.prove('listener', this.transcript)
    this.connection?.write(partFrame(this.context, 'proof', proof))
  }

  private checkProof(theirs: Introduction, json: Json): void {
    const { key } = this.context.security
    const { transcript, connection } = this
    if (key === undefined || transcript === undefined || connection === undefined) return
    if (!key.proves('dialler', transcript, partOf(json, 'proof'))) {
      const detail = 'the proof does not fit: another key, or a handshake that was recorded earlier'
      return this.turnAway({ field: 'key', detail }, undefined)
    }
    connection.protect(key.sealOf('listener', transcript), key.sealOf('dialler', transcript))
    this.decide(theirs)
  }

  private decide(theirs: Introduction): void {
    const link = this.links.get(theirs.id)
    const rejection = this.judge(theirs, link)
    if (rejection !== undefined) return this.turnAway(rejection, link)
    const { connection } = this
    if (connection === undefined || link === undefined) return
    this.finish()
    this.done()
    const mine = this.introduction(theirs.id)
    link.adopt(connection, theirs, (crossed) => {
      connection.write(partFrame(this.context, 'welcome', { ...mine, crossed }))
    })
  }

  private judge(theirs: Introduction, link: Link | undefined): Rejection | undefined {
    const { certified } = this
    if (certified !== undefined && certified !== theirs.id) {
      const whose = certified === '' ? 'names no member' : `is ${show(certified)}'s`
      const detail = `the certificate ${whose}, not ${show(theirs.id)}'s`
      return { field: 'certificate', detail }
    }
    const difference = compare(this.introduction(theirs.id), theirs)
    if (difference !== undefined) return difference
    if (link === undefined) return { field: 'id', detail: `${show(theirs.id)} is no member here` }
    return link.objection(theirs)
  }

  private introduction(to: string): Introduction {
    const { identity, security, life } = this.context
    return introduce(identity, { security: security.name, life, to })
  }

  /**
   * Tells the dialler which field is wrong, and the owner which peer was turned away. While the answer
   * is on its way this one still counts as pending, and may have to make room.
   */
  private turnAway(rejection: Rejection, link: Link | undefined): void {
    const { connection, context } = this
    this.finish()
    connection?.write(partFrame(context, 'rejected', { ...rejection }))
    connection?.close()
    refuse(context, 'rejected', `${rejection.field}: ${rejection.detail}`)
    link?.turnedAway(rejection)
  }
}
