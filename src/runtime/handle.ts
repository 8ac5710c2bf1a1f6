/** The type of the handle that `join` returns: what users call, and nothing else. */
import type { Json } from '../core/schema.ts'
import type { LeaderView, View } from './election-events.ts'
import type { Fenced } from './fencing/fenced.ts'
import type { MemberStatus } from './http/status.ts'
import type { LeadOptions } from './lead-scope.ts'
import type { ElectionEmitter } from './listeners.ts'
import type { GroupChange } from './membership/changed-configuration.ts'
import type { ChangeOptions } from './membership/register.ts'
import type { MemberEntry } from './membership/member-list.ts'
import type { Duration } from './options/option-kinds.ts'
import type { MemberOptions, Safety, TimingOptions } from './options/option-table.ts'
import type { StepDownOptions } from './release-leadership.ts'
import type { FencedTerm, Term } from './term.ts'
import type { WaitOptions } from './waiting.ts'

/** What `configure` changes; what is not named stays. */
export interface ConfigureOptions {
  readonly timing?: TimingOptions
  readonly members?: {
    readonly [id: string]: { readonly address?: string; readonly priority?: number }
  }
}

export type TermOf<S extends Safety> = S extends 'quorum' | Fenced ? FencedTerm : Term

export interface Election<S extends Safety = Safety, M extends Json = Json>
  extends ElectionEmitter<M>, AsyncDisposable {
  readonly group: string
  readonly id: string
  /** Where this member listens. */
  readonly address: string
  /** Who leads, as far as this member knows. */
  readonly view: View<M>
  /** The latest term that this member accepted, its own or another's. */
  readonly term: number
  /** A term as people see it: `1·e` is the first that e leads. A token of an engine is a plain number. */
  termText(term: number): string
  /** The term that this member holds, or null. */
  readonly current: TermOf<S> | null
  /** Until when no other member leads, on the monotonic clock, while this member leads or drains; else 0. */
  readonly leadsUntil: number
  /** Resolves when a leader is known. Rejects with ElectionClosedError, or with the reason of the signal. */
  ready(options?: WaitOptions): Promise<LeaderView<M>>
  /** Resolves with the term when this member leads. Rejects as `ready` does. */
  whenLeading(options?: WaitOptions): Promise<TermOf<S>>
  /**
   * Runs `work` for each term that this member wins, one at a time. Resolves when the election is closed.
   *
   * The term's signal is aborted when the term ends; leadership is given up only when the work has stopped, or when
   * its drain has passed. Work that returns is done for its term: the member leads on, and the work runs again in the
   * next term that it wins. Work that throws is reported, and the member steps down (`onError`). Several calls run
   * their work side by side.
   */
  lead(work: (term: TermOf<S>) => unknown, options?: LeadOptions): Promise<void>
  /**
   * The current view first, then each change; a slow reader misses the views that were superseded. Ends when the
   * election is closed or the signal is aborted.
   */
  watch(options?: WaitOptions): AsyncGenerator<View<M>, void, void>
  /**
   * Ends the term, waits until the work has stopped, then lets another member lead. The work itself may call it,
   * but must not await it: each would wait for the other, until the drain has passed. Throws StepDownError. A signal
   * that is aborted before stops it; one that is aborted later ends the waiting only.
   */
  stepDown(options?: StepDownOptions): Promise<void>
  /** The members of the group as this member knows them, weakest first. */
  readonly members: readonly MemberEntry[]
  /**
   * Adds a member as an observer, in a seat of its own; start it with `seeds`. This and the next three ask the leader,
   * resolve when a majority has the changed configuration, and throw ChangeError, which names the rule that refuses it.
   */
  add(id: string, member: string | MemberOptions): Promise<void>
  /** An observer that has caught up becomes a voter, or with `lead: false` a witness, which votes and never leads. */
  promote(id: string, options?: { readonly lead?: boolean }): Promise<void>
  /** Removes a member for good: it takes part again only if it is added again. */
  remove(id: string): Promise<void>
  /** Changes the times of the running group, and addresses and priorities of its members, one after the other. */
  configure(options: ConfigureOptions): Promise<void>
  /** Any of these changes as data. With `dryRun` it only throws what would refuse it now. */
  change(change: GroupChange, options?: ChangeOptions): Promise<void>
  /** What `/status` shows. */
  status(): MemberStatus
  /** Counters for metrics. */
  readonly counters: Readonly<Record<string, number>>
  /** Drains, resigns and leaves. */
  close(options?: { readonly drain?: Duration }): Promise<void>
}
