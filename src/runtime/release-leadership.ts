/**
 * Gives up leadership: ends the term at once, awaits the work within the drain, resigns in favour of a successor, and
 * delays that after repeated failures of the work.
 */
import { sleep } from '../clock/sleep.ts'
import type { NodeId } from '../core/node-id.ts'
import type { Host } from './host/host.ts'
import type { LeadScopes } from './lead-scopes.ts'
import { durationMs, type Duration } from './options/option-kinds.ts'
import type { ResolvedOptions } from './options/resolve-options.ts'
import type { SuccessorChoice } from './successor-choice.ts'
import type { LostReason, Term } from './term.ts'

export interface StepDownOptions {
  /** The member that should lead next. */
  readonly to?: string
  /** For the event `lost` (`detail`), the log and `/events`. */
  readonly reason?: string
  /** How long this member takes no part, where its algorithm would elect it again at once. */
  readonly coolOff?: Duration
  readonly drain?: Duration
  readonly signal?: AbortSignal
}

interface ReleaseOwner {
  endTerm(reason: LostReason, detail?: string): void
  /** The member may lead again. */
  released(): void
}

export class LeadershipRelease {
  private readonly options: ResolvedOptions
  private readonly host: Host
  private readonly scope: Pick<LeadScopes<Term>, 'isIdle' | 'settled'>
  private readonly successors: SuccessorChoice
  private readonly owner: ReleaseOwner
  private running: Promise<void> | null = null
  private readonly closing = new AbortController()
  /** Failures of the work, each soon after the one before. */
  private failures = 0

  constructor(
    options: ResolvedOptions,
    host: Host,
    scope: Pick<LeadScopes<Term>, 'isIdle' | 'settled'>,
    successors: SuccessorChoice,
    owner: ReleaseOwner,
  ) {
    this.options = options
    this.host = host
    this.scope = scope
    this.successors = successors
    this.owner = owner
  }

  get isRunning(): boolean {
    return this.running !== null
  }

  /** Joins a release that is running. */
  async run(
    reason: LostReason,
    successor: NodeId,
    options: StepDownOptions = {},
    holdMs = 0,
  ): Promise<void> {
    this.running ??= this.drainAndResign(reason, successor, options, holdMs).finally(() => {
      this.running = null
      this.owner.released()
    })
    await this.running
  }

  /**
   * Steps down because the work has failed. If the work fails on every member, leadership would pass from one to the
   * next every few milliseconds. So after repeated failures the member ends its term but resigns only after a delay
   * that doubles with each failure, up to a limit. Until then it answers its peers, which may need it for a majority.
   */
  async afterFailure(options: StepDownOptions, ranMs: number): Promise<void> {
    const meanMs = 3 * this.options.group.timing.detectionMs
    this.failures = ranMs > meanMs ? 1 : this.failures + 1
    const share = this.failures === 1 ? 0 : Math.min(1, 2 ** (this.failures - 5))
    const holdMs = jitter(share * meanMs)
    await this.run('stepped-down', this.successors.strongest(), options, holdMs)
  }

  /** The election closes: nothing is held any longer. */
  close(): void {
    this.closing.abort()
  }

  private async drainAndResign(
    reason: LostReason,
    successor: NodeId,
    { drain, coolOff, reason: detail }: StepDownOptions,
    holdMs: number,
  ): Promise<void> {
    const { me, group } = this.options
    const coolOffMs =
      coolOff === undefined ? 3 * group.timing.detectionMs : durationMs(coolOff, 'coolOff')
    const drainMs = drain === undefined ? undefined : durationMs(drain, 'drain')
    this.owner.endTerm(reason, detail)
    // Without work to wait for, the peers learn of it before the listeners of this process.
    if (!this.scope.isIdle) await this.scope.settled(drainMs)
    if (holdMs > 0) await sleep(holdMs, this.closing.signal)
    if (this.host.state.leader === me) this.host.resign(successor, jitter(coolOffMs))
  }
}

/** Members that failed together must not return together. */
function jitter(meanMs: number): number {
  return meanMs * (0.5 + Math.random())
}
