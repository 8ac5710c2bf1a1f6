/**
 * The public entry `bellwether/nest`: a module that provides the election of a NestJS application, and a decorator for
 * methods that run on the leader only. Put the decorator below `@Cron`, so that Nest schedules the guarded method.
 */
import { join, onlyLeader, type Election, type JoinOptions } from '../index.ts'

/** A provider; Nest calls `onApplicationShutdown` where `app.enableShutdownHooks()` was called, and in `app.close()`. */
export class LeaderElection {
  readonly election: Election<'quorum'>

  constructor(election: Election<'quorum'>) {
    this.election = election
  }

  static async open(options: JoinOptions<'quorum'>): Promise<LeaderElection> {
    return new LeaderElection(await join(options))
  }

  async onApplicationShutdown(): Promise<void> {
    await this.election.close()
  }
}

/** `imports: [BellwetherModule.forRoot({ group: 'reports', … })]` provides `LeaderElection` to the whole application. */
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest knows a module by its class.
export class BellwetherModule {
  static forRoot(options: JoinOptions<'quorum'>) {
    const useFactory = async (): Promise<LeaderElection> => LeaderElection.open(options)
    const providers = [{ provide: LeaderElection, useFactory }]
    return { module: BellwetherModule, global: true, providers, exports: [LeaderElection] }
  }
}

interface WithElection {
  readonly election: LeaderElection
}

type Method = (this: WithElection, ...args: unknown[]) => unknown

/** The method gets the term as its first argument where this member leads, and is not called elsewhere. */
export function LeaderOnly() {
  return (_target: object, _name: string | symbol, descriptor: PropertyDescriptor): void => {
    const method = descriptor.value as Method
    descriptor.value = function guarded(this: WithElection, ...args: unknown[]): unknown {
      return onlyLeader(this.election.election, (term) => method.call(this, term, ...args))()
    }
  }
}
