/**
 * NATS JetStream: a key-value bucket in which the token is the revision of a group's key. The time to live of a
 * key is not used: servers before 2.11 accept and ignore it.
 *
 * Reads ask the leader of the stream, not whichever replica is near: a deposed holder must not be told by a
 * stale one that it still holds.
 */
import type { Json } from '../core/schema.ts'
import {
  bounded,
  client as load,
  EMPTY,
  EngineError,
  isSame,
  tokenOf,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'
import { Shared } from './shared-connection.ts'
import { aborted, keepWatching } from './resilient-watch.ts'

export interface NatsOptions {
  /** `nats://127.0.0.1:4222`, or several of one cluster. */
  readonly servers: string | readonly string[]
  readonly user?: string
  readonly pass?: string
  readonly token?: string
  /** The bucket, made where it is missing. */
  readonly bucket?: string
  /** How many servers keep a bucket that is made. */
  readonly replicas?: number
}

interface Body {
  readonly holder: string
  readonly metadata: Json
  readonly offset: number
}

/** What we use of the packages of NATS. */
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
  /** What a key holds now, as the stream's leader has it. */
  last(key: string): Promise<Message | null>
  /** Resolves when the connection is lost for good. */
  readonly closed: Promise<unknown>
  close(): Promise<void>
}

/** What JetStream answers to an update whose revision is not the latest. */
const WRONG_REVISION = new Set([10_071, 10_164])

class Nats implements Engine {
  readonly name = 'nats'
  private readonly options: NatsOptions
  private readonly shared = new Shared<Session>('nats', async () => this.open())

  constructor(options: NatsOptions) {
    this.options = options
  }

  async load(): Promise<void> {
    await clients()
  }

  async read(group: string, signal: AbortSignal): Promise<Register> {
    return this.use(signal, async (session) => this.readOn(session, group))
  }

  async take(
    group: string,
    from: Register,
    { holder, metadata }: Claim,
    signal: AbortSignal,
  ): Promise<Register | null> {
    const body: Body = { holder, metadata, offset: from.offset }
    return this.use(signal, async (session) => this.write(session, group, from, body))
  }

  async renew(group: string, held: Register, signal: AbortSignal): Promise<boolean> {
    return this.use(signal, async (session) => {
      const { token } = await this.readOn(session, group)
      if (token !== held.token) return false
      // A beat counts only with the token that it carries.
      await session.bucket.put(`${keyOf(group)}.beat`, String(held.token))
      return true
    })
  }

  watch(group: string, watcher: Watcher, signal: AbortSignal): void {
    let last: Register | null = null
    keepWatching(signal, async (live) => {
      const session = await this.shared.get()
      const changes = await session.bucket.watch({ key: keyOf(group) })
      const stop = (): void => changes.stop()
      signal.addEventListener('abort', stop, { once: true })
      void session.closed.then(stop)
      const tell = async (): Promise<void> => {
        const register = await this.readOn(session, group)
        if (signal.aborted || isSame(last, register)) return
        last = register
        watcher.changed(register)
      }
      try {
        await tell()
        live()
        for await (const _ of changes) await tell()
      } finally {
        signal.removeEventListener('abort', stop)
        stop()
      }
      if (!signal.aborted) await Promise.race([session.closed, aborted(signal)])
    })
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    return this.use(signal, async (session) => {
      for (;;) {
        const now = await this.readOn(session, group)
        const offset = Math.max(now.offset, above)
        const body: Body = { holder: '', metadata: null, offset }
        const register = await this.write(session, group, now, body)
        if (register !== null) return register
      }
    })
  }

  async close(): Promise<void> {
    const session = await this.shared.close()
    await session?.close()
  }

  private async readOn(session: Session, group: string): Promise<Register> {
    const key = keyOf(group)
    const [register, beat] = await Promise.all([session.last(key), session.last(`${key}.beat`)])
    if (register === null) return EMPTY
    let body: Body
    try {
      body = JSON.parse(register.string()) as Body
    } catch (cause) {
      throw new EngineError(`nats: ${key} holds something else`, { cause })
    }
    const token = tokenOf(this.name, register.seq, body.offset)
    const live = beat !== null && Number(beat.string()) === token
    return { ...body, token, beat: live ? beat.seq : 0 }
  }

  private async write(
    { bucket }: Session,
    group: string,
    { token, offset }: Register,
    body: Body,
  ): Promise<Register | null> {
    const [key, data] = [keyOf(group), JSON.stringify(body)]
    try {
      const revision = await (token === 0
        ? bucket.create(key, data)
        : bucket.update(key, data, token - offset))
      return { ...body, beat: 0, token: tokenOf(this.name, revision, body.offset) }
    } catch (error) {
      if (WRONG_REVISION.has(codeOf(error) ?? 0)) return null
      throw error
    }
  }

  // Connections.

  private async use<T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    return bounded(this.name, signal, async () => work(await this.shared.get()))
  }

  private async open(): Promise<Session> {
    const { connect, jetstream, jetstreamManager, Kvm } = await clients()
    const { servers, bucket = 'bellwether', replicas = 1, ...login } = this.options
    const connection = await connect({
      servers: [servers].flat(),
      ...login,
      timeout: CONNECT_MS,
      // Made anew by the next call instead: what waited for a connection must not be sent late.
      reconnect: false,
      pingInterval: 2000,
      maxPingOut: 2,
    })
    const closed = connection.closed()
    void closed.then(() => this.shared.forget())
    try {
      const timeout = CONNECT_MS
      const manager = await jetstreamManager(connection, { timeout })
      const kvm = new Kvm(jetstream(connection, { timeout }))
      const made = await kvm.create(bucket, { history: 1, replicas })
      return {
        bucket: made as unknown as Bucket,
        closed,
        last: async (key) =>
          manager.streams.getMessage(`KV_${bucket}`, { last_by_subj: `$KV.${bucket}.${key}` }),
        close: async () => connection.close(),
      }
    } catch (error) {
      await connection.close()
      throw error
    }
  }
}

async function clients() {
  const { connect } = await load(
    'nats',
    '@nats-io/transport-node',
    async () => import('@nats-io/transport-node'),
  )
  const { jetstream, jetstreamManager } = await load(
    'nats',
    '@nats-io/jetstream',
    async () => import('@nats-io/jetstream'),
  )
  const { Kvm } = await load('nats', '@nats-io/kv', async () => import('@nats-io/kv'))
  return { connect, jetstream, jetstreamManager, Kvm }
}

const CONNECT_MS = 3000

/** A key of NATS holds few characters. */
function keyOf(group: string): string {
  return Buffer.from(group).toString('base64url')
}

function codeOf(error: unknown): number | undefined {
  return (error as { code?: number }).code
}

/** Needs the packages `@nats-io/transport-node`, `@nats-io/jetstream` and `@nats-io/kv`. */
export function nats(options: NatsOptions | string): Engine {
  return new Nats(typeof options === 'string' ? { servers: options } : options)
}
