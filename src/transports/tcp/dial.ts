/**
 * Dials a peer once: connects, runs the dialler's side of the handshake within one deadline, and reports the
 * connection or why it failed.
 *
 * A dial is *committed* once it has sent the message on which the listener decides. From then on frames may follow,
 * and for a moment only one of the two sides may regard the link as established (see link.ts).
 */
import { isIP } from 'node:net'
import type { Json } from '../../core/schema.ts'
import { isLoopback, type Address } from '../address.ts'
import { Connection } from './connection.ts'
import { handshakeFrame, introductionTo, type EndpointContext } from './endpoint-context.ts'
import {
  compare,
  isRecord,
  contentOf,
  readIntroduction,
  readRejection,
  quote,
  type Introduction,
  type Rejection,
} from '../handshake.ts'
import { newNonce, transcriptOf } from './pre-shared-key.ts'
import type { LinkLoss } from '../transport.ts'

export interface DialEvents {
  committed(connection: Connection): void
  /** Returns why the link rejects this peer, if it does. `crossed`: the peer dials this member as well. */
  welcomed(connection: Connection, theirs: Introduction, crossed: boolean): Rejection | undefined
  /** `dropped`: the peer accepted the connection and ended it without an answer. */
  failed(loss: LinkLoss, dropped: boolean): void
}

export class Dial {
  connection: Connection | undefined
  isCommitted = false

  private readonly context: EndpointContext
  private readonly peer: string
  private readonly events: DialEvents
  private readonly deadline: NodeJS.Timeout
  private readonly abandon: () => void
  private readonly mine: Introduction
  private hello: Buffer = Buffer.alloc(0)
  private challenge: Buffer | undefined
  private isOver = false

  constructor(context: EndpointContext, peer: string, address: Address, events: DialEvents) {
    this.context = context
    this.peer = peer
    this.events = events
    const { security, lookup } = context
    const { handshakeMs } = context.limits
    this.mine = introductionTo(context, peer)
    context.counters.dials += 1
    const { socket, readyEvent, incoming } = security.connect(address, peer, lookup)
    this.abandon = () => socket.destroy()
    const expire = (): void => this.fail(unreachable(`no answer in ${handshakeMs} ms`))
    this.deadline = setTimeout(expire, handshakeMs)
    socket.on('error', (error) => {
      if (this.connection === undefined) this.fail(lossOf(error))
    })
    socket.once(readyEvent, () => {
      if (this.isOver) return
      const remote = this.mustStayLocal(address) ? (socket.remoteAddress ?? '') : '::1'
      if (isLoopback(remote)) return this.begin(new Connection(context, socket, incoming))
      this.fail(unreachable(`${address.host} led to ${remote}, which is not this machine`))
    })
  }

  /** Ends the dial without an event. */
  cancel(): void {
    this.detach()
    this.connection?.destroy()
    this.abandon()
  }

  /** Leaves the connection to another owner. */
  detach(): void {
    this.isOver = true
    clearTimeout(this.deadline)
  }

  /** Whether plaintext to a loopback name must be checked: the resolver may lead it elsewhere. */
  private mustStayLocal({ host }: Address): boolean {
    return this.context.security.name === 'plain' && isIP(host) === 0 && isLoopback(host)
  }

  private begin(connection: Connection): void {
    const { context } = this
    this.connection = connection
    connection.onClosed = (error) => {
      if (error === undefined) this.fail(unreachable('ended during the handshake'), true)
      else this.fail(lossOf(error), lossOf(error).kind === 'unreachable')
    }
    connection.onFrame = (json, body) => this.answer(connection, json, body)
    const nonce = context.security.key === undefined ? {} : { nonce: newNonce() }
    this.hello = handshakeFrame(context, 'hello', { ...this.mine, ...nonce })
    // The hello leaves together with the frames that waited for it.
    connection.cork()
    connection.write(this.hello)
    if (context.security.key === undefined) this.commit(connection)
    connection.uncork()
  }

  private commit(connection: Connection): void {
    this.isCommitted = true
    this.events.committed(connection)
  }

  private answer(connection: Connection, json: Json, body: Buffer): void {
    const rejection = readRejection(contentOf(json, 'rejected'))
    if (rejection !== undefined) return this.reject(rejection)
    if (!this.isCommitted) return this.prove(connection, json, body)
    const welcome = contentOf(json, 'welcome')
    const theirs = readIntroduction(welcome)
    if (theirs === undefined) return this.fail(unreachable('the answer is not a welcome'))
    const wrong = this.judge(theirs)
    if (wrong !== undefined) return this.reject(wrong)
    const crossed = isRecord(welcome) && welcome['crossed'] === true
    const unwanted = this.events.welcomed(connection, theirs, crossed)
    if (unwanted === undefined) this.detach()
    else this.reject(unwanted)
  }

  private judge(theirs: Introduction): Rejection | undefined {
    const difference = compare(this.mine, theirs)
    if (difference !== undefined || theirs.id === this.peer) return difference
    const detail = `${quote(theirs.id)} answered at the address of ${quote(this.peer)}`
    return { field: 'id', detail }
  }

  /** Under a pre-shared key: stores the challenge, then checks the listener's proof and sends its own. */
  private prove(connection: Connection, json: Json, body: Buffer): void {
    const { key } = this.context.security
    if (key === undefined) return
    if (this.challenge === undefined) {
      if (contentOf(json, 'challenge') === undefined)
        return this.fail(unreachable('the answer is not a challenge'))
      this.challenge = Buffer.from(body)
      return
    }
    const transcript = transcriptOf(this.hello, this.challenge)
    if (!key.proves('listener', transcript, contentOf(json, 'proof'))) {
      const wrong = { field: 'key', detail: 'the pre-shared keys differ' }
      connection.write(handshakeFrame(this.context, 'rejected', wrong))
      return this.reject(wrong)
    }
    const proof = key.prove('dialler', transcript)
    connection.cork()
    connection.write(handshakeFrame(this.context, 'proof', proof))
    connection.protect(key.sealOf('dialler', transcript), key.sealOf('listener', transcript))
    this.commit(connection)
  }

  private reject({ field, detail }: Rejection): void {
    this.context.counters.rejected += 1
    this.fail({ kind: 'rejected', field, detail })
  }

  private fail(loss: LinkLoss, dropped = false): void {
    if (this.isOver) return
    this.detach()
    // The last frame may carry the reason.
    if (this.connection?.isOpen) this.connection.close()
    else this.abandon()
    this.events.failed(loss, dropped)
  }
}

function unreachable(cause: string): LinkLoss {
  return { kind: 'unreachable', cause }
}

/** A name may have several addresses: the dial is refused only if all of them refuse. */
function lossOf(error: Error): LinkLoss {
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : [error]
  const codes = parts.map((part) => (part as NodeJS.ErrnoException).code ?? '')
  if (codes.every((code) => code === 'ECONNREFUSED')) return { kind: 'refused' }
  if (codes.some(isTls)) return { kind: 'rejected', field: 'certificate', detail: error.message }
  return unreachable(error.message === '' ? codes.join(', ') : error.message)
}

/** Alerts and verification errors of OpenSSL and of Node, and BELLWETHER_MEMBER for a certificate of another member. */
function isTls(code: string): boolean {
  return /^ERR_(?:SSL|TLS|OSSL)_|CERT|^UNABLE_TO_|SIGNATURE|^BELLWETHER_MEMBER$/.test(code)
}
