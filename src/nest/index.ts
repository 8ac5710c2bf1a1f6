/**
 * The public entry `bellwether/nest`: a module that provides the election of a NestJS application, and a decorator for
 * methods that run on the leader only, in any order with other decorators.
 */
import {
  ConfigurationError,
  join,
  onlyLeader,
  type Election,
  type Fenced,
  type JoinOptions,
} from '../index.ts'

type Fences = 'quorum' | Fenced

/** A provider; Nest calls `onApplicationShutdown` where `app.enableShutdownHooks()` was called, and in `app.close()`. */
export class LeaderElection {
  readonly election: Election<Fences>

  constructor(election: Election<Fences>) {
    this.election = election
  }

  static async open(options: JoinOptions<Fences>): Promise<LeaderElection> {
    return new LeaderElection(await join(options))
  }

  async onApplicationShutdown(): Promise<void> {
    await this.election.close()
  }
}

/** `imports: [BellwetherModule.forRoot({ group: 'reports', … })]` provides `LeaderElection` to the whole application. */
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest knows a module by its class.
export class BellwetherModule {
  static forRoot(options: JoinOptions<Fences>) {
    const useFactory = async (): Promise<LeaderElection> => LeaderElection.open(options)
    const providers = [{ provide: LeaderElection, useFactory }]
    return { module: BellwetherModule, global: true, providers, exports: [LeaderElection] }
  }
}

type Method = (this: object, ...args: unknown[]) => unknown

/**
 * The method gets the term as its first argument where this member leads, and is not called elsewhere. Its class has a
 * `LeaderElection` in any property that is not `#private`.
 */
export function LeaderOnly() {
  return (_target: object, name: string | symbol, descriptor: PropertyDescriptor): void => {
    const method = descriptor.value as Method
    descriptor.value = function guarded(this: object, ...args: unknown[]): unknown {
      const { election } = electionOf(this, name)
      return onlyLeader(election, (term) => method.call(this, term, ...args))()
    }
    copyMetadata(method, descriptor.value as Method)
  }
}

/** Throws ConfigurationError. */
function electionOf(instance: object, method: string | symbol): LeaderElection {
  const found = Object.values(instance).find((value) => value instanceof LeaderElection)
  if (found !== undefined) return found
  throw new ConfigurationError(
    `${instance.constructor.name}.${String(method)}`,
    'is @LeaderOnly(), and no property of the class holds a LeaderElection: let the constructor take one, as in ' +
      'constructor(readonly election: LeaderElection)',
  )
}

/** Other decorators, such as `@Cron`, leave their metadata at the function: those below this one too must be found. */
function copyMetadata(from: Method, to: Method): void {
  const { getOwnMetadataKeys, getOwnMetadata, defineMetadata } = Reflect as Partial<Metadata>
  for (const key of getOwnMetadataKeys?.(from) ?? []) {
    defineMetadata?.(key, getOwnMetadata?.(key, from), to)
  }
}

/** What `reflect-metadata`, which Nest loads, adds to `Reflect`. */
interface Metadata {
  getOwnMetadataKeys(target: object): unknown[]
  getOwnMetadata(key: unknown, target: object): unknown
  defineMetadata(key: unknown, value: unknown, target: object): void
}
