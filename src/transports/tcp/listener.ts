/**
 * The side that is dialled: accepts connections, gives each one a few seconds to introduce itself, and
 * hands those that pass to their peer's link. Whoever has not passed costs one descriptor and at most
 * one frame of memory, and there are never more than a few of them.
 */
import type { Socket } from 'node:net'
import type { Json } from '../../core/schema.ts'
import { Connection } from './connection.ts'
import { partFrame, refuse, type Context, type Credentials } from './endpoint-context.ts'
import {
  compare,
  introduce,
  partOf,
  readIntroduction,
  readRejection,
  show,
  type Introduction,
  type Rejection,
} from '../handshake.ts'
import type { Link } from './link.ts'
import { newNonce, transcriptOf } from './pre-shared-key.ts'

export class Listener {
  /** Oldest first. */
  private readonly pending = new Set<Pending>()
  private readonly passed = new Set<Socket>()
  private readonly context: Context
  private readonly links: ReadonlyMap<string, Link>
  private readonly cap: number
  private readonly mostPending: number

  constructor(context: Context, links: ReadonlyMap<string, Link>) {
    this.context = context
    this.links = links
    const { connections, pendingHandshakes } = context.limits
    this.cap = connections === 0 ? 4 * (links.size + 1) + 16 : connections
    // All members may come at one moment: they start together.
    this.mostPending = Math.max(pendingHandshakes, links.size)
  }

  /** The newest is let in: whoever means it well needs a moment only, and idlers cannot shut it out. */
  accept(raw: Socket): void {
    const { context, pending, passed, cap } = this
    context.counters.accepted += 1
    for (const oldest of pending) {
      const full = pending.size + passed.size >= cap
      if (!full && pending.size < this.mostPending) break
      oldest.end('evicted', 'a handshake made room for newer ones')
    }
    if (passed.size >= cap) {
      raw.destroy()
      return refuse(context, 'overCap', `more than ${cap} connections`)
    }
    const handshake = new Pending(context, raw, this.links, (hasPassed) => {
      pending.delete(handshake)
      if (!hasPassed || raw.destroyed) return
      passed.add(raw)
      raw.once('close', () => passed.delete(raw))
    })
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
  private readonly done: (hasPassed: boolean) => void
  private connection: Connection | undefined
  /** The member that the certificate names. */
  private certified: string | undefined
  private theirs: Introduction | undefined
  private transcript: Buffer | undefined
  private over = false

  constructor(
    context: Context,
    raw: Socket,
    links: ReadonlyMap<string, Link>,
    done: (hasPassed: boolean) => void,
  ) {
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
      (socket, credentials) => this.begin(socket, credentials),
      (reason) => this.end('tlsErrors', `TLS: ${reason}`),
    )
  }

  private begin(socket: Socket, { member, problem }: Credentials): void {
    if (this.over) return
    this.certified = member
    this.connection = new Connection(this.context, socket)
    if (problem !== undefined) {
      return this.turnAway({ field: 'certificate', detail: problem }, undefined)
    }
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
    this.done(false)
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
    this.done(false)
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
    this.done(true)
    const mine = this.introduction(theirs.id)
    // The welcome leaves together with the answers to the frames that came with the hello.
    connection.cork()
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
