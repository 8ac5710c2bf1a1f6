/**
 * The engine Kubernetes: keeps the register of a group in a `Lease` of coordination.k8s.io/v1, over HTTPS with the token of
 * a service account, without a client package. Never run against a real API server by this project: experimental.
 *
 * Every write names the resourceVersion that was read, so the API server compares and sets. The token is a counter in an
 * annotation: resourceVersion is not to be compared by order, and leaseTransitions has 31 bits. A Lease that was deleted is
 * a register without a token, as in every engine that lost its state. The fields of the spec are for people and tools.
 */
import { checkNames } from '../core/errors/configuration-error.ts'
import { createHash } from 'node:crypto'
import type { Json } from '../core/schema.ts'
import {
  bounded,
  checkSeed,
  EMPTY,
  EngineError,
  tokenOf,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'
import { keepWatching } from './connections.ts'
import { KubernetesApi, type KubernetesApiOptions } from './kubernetes-api.ts'

export interface KubernetesOptions extends KubernetesApiOptions {
  /** The name of the Lease; by default it is made of the group's. */
  readonly name?: string
}

interface Lease {
  readonly metadata: {
    readonly name: string
    readonly resourceVersion?: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly [more: string]: unknown
  }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly [more: string]: unknown
}
interface LeaseList {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: readonly Lease[]
}
interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: Lease & { readonly code?: number; readonly message?: string }
}

const TOKEN = 'bellwether-token'
const BEAT = 'bellwether-beat'
const METADATA = 'bellwether-metadata'

/** Another write came between, or another process created the Lease. */
const CONFLICT = 409
const MISSING = 404
/** The server ends a watch after this; the engine then watches again. */
const WATCH_SECONDS = 300

class Kubernetes implements Engine {
  readonly name = 'kubernetes'
  private readonly api: KubernetesApi
  private readonly leaseName: string | undefined

  constructor({ name, ...options }: KubernetesOptions) {
    this.leaseName = name
    this.api = new KubernetesApi(options)
  }

  async load(): Promise<void> {}

  async read(group: string, signal: AbortSignal): Promise<Register> {
    return this.registerOf(await this.get(group, signal))
  }

  async take(group: string, from: Register, claim: Claim, signal: AbortSignal) {
    return this.change(group, signal, ({ token }) =>
      token === from.token ? { ...EMPTY, ...claim, token: token + 1 } : null,
    )
  }

  async renew(group: string, held: Register, signal: AbortSignal): Promise<boolean> {
    const renewed = await this.change(group, signal, (now) =>
      now.token === held.token ? { ...now, beat: now.beat + 1 } : null,
    )
    return renewed !== null
  }

  async reseed(group: string, above: number, signal: AbortSignal): Promise<Register> {
    checkSeed(this.name, above)
    const seeded = await this.change(group, signal, ({ token }) => ({
      ...EMPTY,
      token: Math.max(token, above) + 1,
    }))
    return seeded!
  }

  watch(group: string, watcher: Watcher, signal: AbortSignal): void {
    const limited = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(5000)])
    const only = `fieldSelector=${encodeURIComponent(`metadata.name=${this.nameOf(group)}`)}`
    keepWatching(watcher, signal, async (report, connected) => {
      const list = await this.call<LeaseList>('GET', `?${only}`, limited())
      report(this.registerOf(list.items[0] ?? null))
      connected()
      const from = `resourceVersion=${encodeURIComponent(list.metadata.resourceVersion)}`
      const query = `?${only}&watch=1&${from}&timeoutSeconds=${WATCH_SECONDS}`
      // A connection that was dropped in silence ends too.
      const longest = AbortSignal.timeout(2000 * WATCH_SECONDS)
      const session = AbortSignal.any([signal, longest])
      for await (const line of this.api.lines(this.path(query), session)) {
        const { type, object } = JSON.parse(line) as WatchEvent
        // 410: the server has forgotten that version; the next session begins with a list.
        if (type === 'ERROR') throw new EngineError(`kubernetes: ${object.code} ${object.message}`)
        if (type === 'DELETED') report(EMPTY)
        else if (type !== 'BOOKMARK') report(this.registerOf(object))
      }
    })
  }

  async close(): Promise<void> {
    this.api.close()
    return Promise.resolve()
  }

  /** Writes what `next` makes of the register, until no other write comes in between; null: it makes nothing of it. */
  private async change(
    group: string,
    signal: AbortSignal,
    next: (now: Register) => Register | null,
  ): Promise<Register | null> {
    for (;;) {
      const lease = await this.get(group, signal)
      const register = next(this.registerOf(lease))
      if (register === null) return null
      if (await this.put(group, lease, register, signal)) return register
    }
  }

  /** False: the Lease is not the one that was read. */
  private async put(group: string, read: Lease | null, register: Register, signal: AbortSignal) {
    const name = this.nameOf(group)
    const lease = leaseOf(name, read, register)
    const [method, path] = read === null ? ['POST', ''] : ['PUT', `/${encodeURIComponent(name)}`]
    try {
      await this.call(method, path, signal, lease)
      return true
    } catch (error) {
      // Deleted in between: the next look finds no Lease.
      const { status } = error as { status?: number }
      if (status === CONFLICT || (status === MISSING && read !== null)) return false
      throw error
    }
  }

  private async get(group: string, signal: AbortSignal): Promise<Lease | null> {
    try {
      return await this.call<Lease>('GET', `/${encodeURIComponent(this.nameOf(group))}`, signal)
    } catch (error) {
      if ((error as { status?: number }).status === MISSING) return null
      throw error
    }
  }

  private async call<T>(method: string, path: string, signal: AbortSignal, body?: object) {
    return bounded(this.name, signal, async () =>
      this.api.call<T>(method, this.path(path), signal, body),
    )
  }

  private path(rest: string): string {
    const namespace = encodeURIComponent(this.api.namespace)
    return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${rest}`
  }

  private nameOf(group: string): string {
    return this.leaseName ?? leaseNameOf(group)
  }

  private registerOf(lease: Lease | null): Register {
    const annotations = lease?.metadata.annotations
    if (lease === null || annotations?.[TOKEN] === undefined) return EMPTY
    const { holderIdentity } = lease.spec ?? {}
    return {
      token: tokenOf(this.name, annotations[TOKEN]),
      // What is no number would never be seen to stand still, and the Lease never be taken.
      beat: tokenOf(this.name, annotations[BEAT] ?? 0),
      holder: typeof holderIdentity === 'string' ? holderIdentity : '',
      metadata: metadataIn(annotations[METADATA]),
      offset: 0,
    }
  }
}

/** With what others have written into it. */
function leaseOf(name: string, read: Lease | null, { token, beat, holder, metadata }: Register) {
  const now = new Date().toISOString().replace('Z', '000Z') // MicroTime has six digits
  const isTaken = read?.metadata.annotations?.[TOKEN] !== String(token)
  const { spec } = read ?? {}
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...(read?.metadata ?? { name }),
      annotations: {
        ...read?.metadata.annotations,
        [TOKEN]: String(token),
        [BEAT]: String(beat),
        [METADATA]: JSON.stringify(metadata),
      },
    },
    spec: {
      ...spec,
      holderIdentity: holder === '' ? undefined : holder, // not written
      renewTime: now,
      ...(isTaken && {
        acquireTime: now,
        leaseTransitions: Math.min(Number(spec?.['leaseTransitions'] ?? -1) + 1, 2 ** 31 - 1),
      }),
    },
  }
}

function metadataIn(text: string | undefined): Json {
  if (text === undefined) return null
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new EngineError(`kubernetes: the annotation ${METADATA} holds something else`, { cause })
  }
}

/** A name that Kubernetes accepts as it is, or one that cannot be that of another group. */
function leaseNameOf(group: string): string {
  const name = `bellwether-${group}`
  if (/^[a-z0-9-]{1,63}(?<!-)$/u.test(name) && !/-[0-9a-f]{16}$/u.test(name)) return name
  const words = group.toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-')
  const hash = createHash('sha256').update(group).digest('hex').slice(0, 16)
  return `bellwether-${words.replaceAll(/^-|-$/gu, '').slice(0, 30)}-${hash}`
}

/** Within a cluster, the service account of the pod gives all options. */
export function kubernetes(options: KubernetesOptions = {}): Engine {
  checkNames(
    options,
    ['name', 'server', 'namespace', 'tokenFile', 'caFile', 'certificate', 'key'],
    'kubernetes',
  )
  return new Kubernetes(options)
}
