/** The work of all calls of `lead` of one election: begins it with each term, and waits for all of it to stop. */
import { LeadScope, type LeadScopeOwner, type Work } from './lead-scope.ts'
import type { Term } from './term.ts'

export class LeadScopes<T extends Term> {
  private readonly owner: LeadScopeOwner
  private readonly scopes = new Set<LeadScope<T>>()
  private isClosed = false

  constructor(owner: LeadScopeOwner) {
    this.owner = owner
  }

  add(work: Work<T>): LeadScope<T> {
    const scope = new LeadScope(work, this.owner)
    if (this.isClosed) scope.close()
    this.scopes.add(scope)
    return scope
  }

  /** For a scope that has ended and whose work has stopped. */
  remove(scope: LeadScope<T>): void {
    this.scopes.delete(scope)
  }

  /** Begins the work of a term. */
  enter(term: T): void {
    for (const scope of this.scopes) scope.enter(term)
  }

  get isIdle(): boolean {
    return [...this.scopes].every((scope) => scope.isIdle)
  }

  /** Resolves when no work runs, or when each drain has passed. */
  async settled(drainMs?: number): Promise<void> {
    await Promise.all([...this.scopes].map(async (scope) => scope.settled(drainMs)))
  }

  close(): void {
    this.isClosed = true
    for (const scope of this.scopes) scope.close()
  }
}
