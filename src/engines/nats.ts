/**
 * The engine NATS JetStream: keeps registers in a key-value bucket, in which the token is the revision of a group's
 * key. The time to live of a key is not used: servers before 2.11 accept and ignore it.
 *
 * Reads ask the leader of the stream, not the nearest replica: a stale replica could tell a deposed holder that it
 * still holds the token.
 */
import {
  engineOptions,
  EMPTY,
  EngineError,
  loadClient,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'
import { aborted, keepWatching, SharedConnection } from './connections.ts'
import {
  parseBody,
  registerAt,
  reseedAbove,
  revisionOf,
  type RegisterBody,
} from './revision-register.ts'

export interface NatsOptions {
  /** `nats://127.0.0.1:4222`, or several of one cluster. */
  readonly servers: string | readonly string[]
  readonly user?: string
  readonly pass?: string
  readonly token?: string
  /** The bucket, created where it is missing. */
  readonly bucket?: string
  /** How many servers store a bucket that is created. */
  readonly replicas?: number
}

/** The part of the packages of NATS that is used. */
interface Bucket {
  put(key: string, data: string): Promise<number>
  create(key: string, data: string): Promise<number>
  update(key: string, data: string, version: number): Promise<number>
  watch(options: { key: string }): Promise<AsyncIterable<unknown> & { stop(): void }>
}
interface Message {
  readonly seq: number
  string(): string
}
interface Session {
  readonly bucket: Bucket
  /** The value of a key at the stream's leader. */
  last(key: string): Promise<Message | null>
  /** Resolves when the connection is lost for good. */
  readonly closed: Promise<unknown>
  close(): Promise<void>
}

/** The error codes of JetStream for an update whose revision is not the latest. */
const WRONG_REVISION = new Set([10_071, 10_164])

class Nats implements Engine {
  readonly name = 'nats'
  private readonly options: NatsOptions
  private readonly shared = new SharedConnection<Session>('nats', { open: async () => this.open() })

  constructor(options: NatsOptions) {
    this.options = options
  }

  async load(): Promise<void> {
    await clients()
  }

  async read(group: string, signal: AbortSignal): Promise<Register> {
    return this.shared.use(signal, async (session) => this.readOn(session, group))
  }

  async take(group: string, from: Register, claim: Claim, signal: AbortSignal) {
    const body = { ...claim, offset: from.offset }
    return this.shared.use(signal, async (session) => this.write(session, group, from, body))
  }

  async renew(group: string, held: Register, signal: AbortSignal): Promise<boolean> {
    return this.shared.use(signal, async (session) => {
      const { token } = await this.readOn(session, group)
      if (token !== held.token) return false
      // It carries the token: a beat of an earlier holder does not count.
      await session.bucket.put(`${keyOf(group)}.beat`, String(held.token))
      return true
    })
  }

  watch(group: string, watcher: Watcher, signal: AbortSignal): void {
    keepWatching(watcher, signal, async (report, connected) => {
      const session = await this.shared.get()
      const changes = await session.bucket.watch({ key: keyOf(group) })
      const stop = (): void => changes.stop()
      signal.addEventListener('abort', stop, { once: true })
      void session.closed.then(stop)
      try {
        report(await this.readOn(session, group))
        connected()
        for await (const _ of changes) report(await this.readOn(session, group))
      } finally {
        signal.removeEventListener('abort', stop)
        stop()
      }
      if (!signal.aborted) await Promise.race([session.closed, aborted(signal)])
    })
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    return this.shared.use(signal, async (session) =>
      reseedAbove(
        this.name,
        above,
        async () => this.readOn(session, group),
        async (from, body) => this.write(session, group, from, body),
      ),
    )
  }

  async close(): Promise<void> {
    const session = await this.shared.close()
    await session?.close()
  }

  private async readOn(session: Session, group: string): Promise<Register> {
    const key = keyOf(group)
    const [register, beat] = await Promise.all([session.last(key), session.last(`${key}.beat`)])
    if (register === null) return EMPTY
    const found = registerAt(this.name, parseBody(this.name, key, register.string()), register.seq)
    const isCurrent = beat !== null && Number(beat.string()) === found.token
    return { ...found, beat: isCurrent ? beat.seq : 0 }
  }

  private async write({ bucket }: Session, group: string, from: Register, body: RegisterBody) {
    const [key, data] = [keyOf(group), JSON.stringify(body)]
    try {
      const revision = await (from.token === 0
        ? bucket.create(key, data)
        : bucket.update(key, data, revisionOf(from)))
      return registerAt(this.name, body, revision)
    } catch (error) {
      if (WRONG_REVISION.has((error as { code?: number }).code ?? 0)) return null
      throw error
    }
  }

  private async open(): Promise<Session> {
    const { connect, jetstream, jetstreamManager, Kvm } = await clients()
    const { servers, bucket = 'bellwether', replicas = 1, ...login } = this.options
    const connection = await connect({
      servers: [servers].flat(),
      ...login,
      timeout: CONNECT_MS,
      // The next call connects anew: what waited for a connection must not be sent late.
      reconnect: false,
      pingInterval: 2000,
      maxPingOut: 2,
    })
    const closed = connection.closed()
    try {
      const timeout = CONNECT_MS
      const manager = await jetstreamManager(connection, { timeout })
      const kvm = new Kvm(jetstream(connection, { timeout }))
      const made = await kvm.create(bucket, { history: 1, replicas })
      const session: Session = {
        bucket: made,
        closed,
        last: async (key) =>
          manager.streams.getMessage(`KV_${bucket}`, { last_by_subj: `$KV.${bucket}.${key}` }),
        close: async () => connection.close(),
      }
      if (connection.isClosed()) throw new EngineError('nats: the connection was lost')
      void closed.then(() => this.shared.forget(session))
      return session
    } catch (error) {
      await connection.close()
      throw error
    }
  }
}

async function clients() {
  const { connect } = await loadClient(
    'nats',
    '@nats-io/transport-node',
    async () => import('@nats-io/transport-node'),
  )
  const { jetstream, jetstreamManager } = await loadClient(
    'nats',
    '@nats-io/jetstream',
    async () => import('@nats-io/jetstream'),
  )
  const { Kvm } = await loadClient('nats', '@nats-io/kv', async () => import('@nats-io/kv'))
  return { connect, jetstream, jetstreamManager, Kvm }
}

const CONNECT_MS = 3000

/** Keys of NATS allow few characters. */
function keyOf(group: string): string {
  return Buffer.from(group).toString('base64url')
}

const OPTIONS = ['servers', 'user', 'pass', 'token', 'bucket', 'replicas'] as const

/** Needs the packages `@nats-io/transport-node`, `@nats-io/jetstream` and `@nats-io/kv`. */
export function nats(options: NatsOptions | string): Engine {
  return new Nats(engineOptions('nats', options, OPTIONS))
}
