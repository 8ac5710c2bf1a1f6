/**
 * `@nestjs/schedule` on one replica only: every replica's timer fires, and the decorated method runs where this member
 * leads. Put it below `@Cron`, so that Nest schedules the guarded method:
 *
 *     @Injectable()
 *     export class Reports {
 *       constructor(readonly election: LeaderElection) {}
 *
 *       @Cron('0 3 * * *')
 *       @LeaderOnly()
 *       async nightly(term?: FencedTerm) { await fence.postgres(term!, pool, …) }
 *     }
 *
 * and provide the election once, for the whole application:
 *
 *     { provide: LeaderElection, useFactory: () => LeaderElection.open({ group: 'reports', … }) }
 */
import { join, onlyLeader, type Election, type JoinOptions } from 'bellwether'

/** A provider; Nest calls `onApplicationShutdown` where `app.enableShutdownHooks()` was called. */
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
