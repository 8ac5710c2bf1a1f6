/**
 * Dials a peer once: connects, runs the dialler's side of the handshake within one deadline, and reports the
 * connection or why it failed.
 *
 * A dial is *committed* once it has sent the message on which the listener decides. From then on frames may follow,
 * and for a moment only one of the two sides may regard the link as established (see link.ts).
 */
import { isIP } from 'node:net'
import { clearTimeout, setImmediate, setTimeout } from '../../clock/native-timers.ts'
import type { Json } from '../../core/schema.ts'
import type { Address } from '../address.ts'
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
import { NoiseHandshake } from './security/noise.ts'
import { HANDSHAKE_VERSION, PROLOGUE } from './security/pre-shared-key.ts'
import type { LinkLoss } from '../transport.ts'

export interface DialEvents {
  committed(connection: Connection): void
  /** Returns why the link rejects this peer, if it does. `crossed`: the peer dials this member as well. */
  welcomed(connection: Connection, theirs: Introduction, crossed: boolean): Rejection | undefined
  /**
   * `dropped`: the peer accepted the connection and ended it without an answer. `refusedBy`: the addresses that refused
   * the dial.
   */
  failed(loss: LinkLoss, dropped: boolean, refusedBy: readonly string[]): void
}

export class Dial {
  connection: Connection | undefined
  isCommitted = false

  private readonly context: EndpointContext
  private readonly peer: string
  private readonly events: DialEvents
  private deadline: NodeJS.Timeout | undefined
  private readonly abandon: () => void
  private readonly mine: Introduction
  private isOver = false

  constructor(context: EndpointContext, peer: string, address: Address, events: DialEvents) {
    this.context = context
    this.peer = peer
    this.events = events
    const { security, lookup } = context
    const { handshakeMs, connectMs } = context.limits
    this.mine = introductionTo(context, peer)
    context.counters.dials += 1
    const { socket, readyEvent, incoming } = security.connect(address, peer, lookup)
    this.abandon = () => socket.destroy()
    const expireIn = (ms: number): void => {
      clearTimeout(this.deadline)
      const deadline = setTimeout(() => {
        // After the sockets were read: this process may have been held up while the peer answered.
        setImmediate(() => {
          if (this.deadline === deadline) this.fail(unreachable(`no answer in ${ms} ms`))
        })
      }, ms)
      this.deadline = deadline
    }
    expireIn(handshakeMs)
    const awaitConnection = (): void => expireIn(Math.min(connectMs, handshakeMs))
    if (isIP(address.host) === 0) socket.once('lookup', awaitConnection)
    else awaitConnection()
    socket.once('connect', () => {
      if (!this.isOver) expireIn(handshakeMs)
    })
    socket.on('error', (error) => {
      if (this.connection === undefined) this.fail(lossOf(error), false, addressesIn(error))
    })
    socket.once(readyEvent, () => {
      if (!this.isOver) this.begin(new Connection(context, socket, incoming))
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

  private begin(connection: Connection): void {
    const { context } = this
    this.connection = connection
    connection.onClosed = (error) => {
      if (error === undefined) this.fail(unreachable('ended during the handshake'), true)
      else this.fail(lossOf(error), lossOf(error).kind === 'unreachable')
    }
    connection.onFrame = (json) => this.answer(connection, json)
    const [key] = context.security.keys?.current() ?? []
    if (key !== undefined) return this.beginWithKey(connection, key)
    // The hello leaves together with the frames that waited for it.
    connection.cork()
    connection.write(handshakeFrame(context, 'hello', { ...this.mine }))
    this.commit(connection)
    connection.uncork()
  }

  /** Sends the first message, and checks the answer, which only a holder of the key can give (pre-shared-key.ts). */
  private beginWithKey(connection: Connection, key: Buffer): void {
    const { codec } = this.context
    const handshake = new NoiseHandshake('dialler', key, PROLOGUE)
    const hello = handshake.write(codec.encode({ ...this.mine }))
    connection.write(Buffer.concat([Buffer.from([HANDSHAKE_VERSION]), hello]))
    connection.onBytes = (body) => {
      const theirs = readIntroduction(codec.decode(handshake.read(body)))
      if (theirs === undefined) return this.fail(unreachable('the answer is no introduction'))
      connection.protect(handshake.split())
      const wrong = this.judge(theirs)
      connection.cork()
      if (wrong === undefined) {
        connection.write(handshakeFrame(this.context, 'confirm', true))
        return this.commit(connection)
      }
      connection.write(handshakeFrame(this.context, 'rejected', { ...wrong }))
      this.reject(wrong)
    }
  }

  private commit(connection: Connection): void {
    this.isCommitted = true
    this.events.committed(connection)
  }

  private answer(connection: Connection, json: Json): void {
    const rejection = readRejection(contentOf(json, 'rejected'))
    if (rejection !== undefined) return this.reject(rejection, rejection.seen)
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

  /** `seen`: the peer rejects this member, and says which incarnation of it has been there. */
  private reject({ field, detail }: Rejection, seen?: number): void {
    this.context.counters.rejected += 1
    this.fail({ kind: 'rejected', field, detail, ...(seen !== undefined && { seen }) })
  }

  private fail(loss: LinkLoss, dropped = false, refusedBy: readonly string[] = []): void {
    if (this.isOver) return
    this.detach()
    // The last frame may carry the reason.
    if (this.connection?.isOpen) this.connection.close()
    else this.abandon()
    this.events.failed(loss, dropped, refusedBy)
  }
}

function unreachable(cause: string): LinkLoss {
  return { kind: 'unreachable', cause }
}

type SocketError = NodeJS.ErrnoException & { readonly address?: string }

function partsOf(error: Error): readonly SocketError[] {
  return error instanceof AggregateError ? (error.errors as SocketError[]) : [error]
}

function addressesIn(error: Error): string[] {
  return partsOf(error).flatMap(({ address }) => address ?? [])
}

/** A name may have several addresses: the dial is refused only if all of them refuse. */
function lossOf(error: Error): LinkLoss {
  const codes = partsOf(error).map(({ code }) => code ?? '')
  if (codes.every((code) => code === 'ECONNREFUSED')) return { kind: 'refused' }
  if (codes.some(isTls)) return { kind: 'rejected', field: 'certificate', detail: error.message }
  const known = codes.map((code) => CAUSES[code]).find((cause) => cause !== undefined)
  return unreachable(known ?? (error.message === '' ? codes.join(', ') : error.message))
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name is not found',
  EAI_AGAIN: 'the name server does not answer',
  EHOSTUNREACH: 'there is no route to this host',
  ENETUNREACH: 'there is no route to this network',
  ETIMEDOUT: 'no answer',
}

/** Alerts and verification errors of OpenSSL and of Node, and BELLWETHER_MEMBER for a certificate of another member. */
function isTls(code: string): boolean {
  return /^ERR_(?:SSL|TLS|OSSL)_|CERT|^UNABLE_TO_|SIGNATURE|^BELLWETHER_MEMBER$/.test(code)
}
