/**
 * Visits a member: connects as one that is no member, proves the key or shows a certificate of the group, asks one
 * question, and returns the answer. The member answers nobody else.
 */
import { clearTimeout, setTimeout } from '../../clock/native-timers.ts'
import type { Json } from '../../core/schema.ts'
import { parseAddress, type Address } from '../address.ts'
import { TransportError } from '../errors.ts'
import { jsonCodec } from '../frame.ts'
import { contentOf, isRecord, newProcessToken, readRejection, visitOf } from '../handshake.ts'
import { printable, printableJson } from '../printable.ts'
import { Connection } from './connection.ts'
import { DEFAULT_LIMITS, newCounters, type EndpointContext } from './endpoint-context.ts'
import { NoiseHandshake } from './security/noise.ts'
import { HANDSHAKE_VERSION, PROLOGUE } from './security/pre-shared-key.ts'
import { securityOf, type Protection } from './security/security-of.ts'

export interface Visited {
  readonly cluster: string
  readonly address: string
  /** The member that must answer; empty: whichever has the address. */
  readonly member: string
}

/** The reason where the connection is refused. */
export const NOBODY_LISTENS = 'no process listens there'

/** The status of a thousand members fits into it. */
const LONGEST_ANSWER = 1024 * 1024

/** Rejects with a TransportError that says why there is no answer within the time. */
export async function visit(
  protection: Protection,
  visited: Visited,
  question: Json,
  timeoutMs: number,
): Promise<Json> {
  const address = parseAddress(visited.address)
  const { cluster } = visited
  const security = securityOf(protection, { cluster }, [address], () => undefined)
  const context: EndpointContext = {
    identity: { id: '', cluster, configuration: '', incarnation: 0 },
    processToken: newProcessToken(),
    security,
    codec: jsonCodec,
    limits: DEFAULT_LIMITS,
    lookup: undefined,
    counters: newCounters(),
    firstUse: () => true,
    connections: new Set(),
    events: {
      connected: () => undefined,
      frame: () => undefined,
      lost: () => undefined,
      refused: () => undefined,
    },
  }
  try {
    return await new Visit(context, visited.member, question).at(address, timeoutMs)
  } finally {
    security.close?.()
  }
}

class Visit {
  private readonly context: EndpointContext
  private readonly member: string
  private readonly question: Json
  private resolve: (answer: Json) => void = () => undefined
  private fail: (reason: string) => void = () => undefined

  constructor(context: EndpointContext, member: string, question: Json) {
    this.context = context
    this.member = member
    this.question = question
  }

  async at(address: Address, timeoutMs: number): Promise<Json> {
    const { context, member } = this
    const { socket, readyEvent, incoming } = context.security.connect(address, member, undefined)
    let deadline: NodeJS.Timeout | undefined
    try {
      return await new Promise<Json>((resolve, reject) => {
        this.resolve = resolve
        this.fail = (reason) => reject(new TransportError(reason))
        deadline = setTimeout(() => this.fail(`no answer in ${timeoutMs} ms`), timeoutMs)
        socket.on('error', (error) => this.fail(reasonOf(error)))
        socket.once(readyEvent, () => this.begin(new Connection(context, socket, incoming)))
      })
    } finally {
      clearTimeout(deadline)
      socket.destroy()
    }
  }

  private begin(connection: Connection): void {
    const { codec, security, identity } = this.context
    connection.expectLong(LONGEST_ANSWER)
    connection.onClosed = (error) =>
      this.fail(error === undefined ? this.silence() : reasonOf(error))
    connection.onFrame = (json) => this.answered(json)
    const visit = visitOf(identity.cluster, security.name, this.member)
    const [key] = security.keys?.current() ?? []
    if (key === undefined) {
      return connection.write(codec.encode({ visit: { ...visit }, ask: this.question }))
    }
    const handshake = new NoiseHandshake('dialler', key, PROLOGUE)
    const hello = handshake.write(codec.encode({ visit: { ...visit } }))
    connection.write(Buffer.concat([Buffer.from([HANDSHAKE_VERSION]), hello]))
    connection.onBytes = (body) => {
      handshake.read(body) // throws where the listener does not hold the key
      connection.protect(handshake.split())
      connection.write(codec.encode({ ask: this.question }))
    }
  }

  private answered(json: Json): void {
    const rejection = readRejection(contentOf(json, 'rejected'))
    if (rejection !== undefined) return this.fail(printable(rejection.detail))
    const answer = contentOf(json, 'answer')
    if (answer === undefined || !isRecord(answer)) return this.fail('the answer is malformed')
    this.resolve(printableJson(answer))
  }

  private silence(): string {
    const { silence } = this.context.security
    return silence?.detail ?? 'it ends the connection without an answer'
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ECONNREFUSED') return NOBODY_LISTENS
  return error.message === '' ? (error.code ?? 'unknown') : error.message
}
