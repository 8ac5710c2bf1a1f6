/** Remembers in the browser which challenges the viewer has solved. */
import { recall, remember } from '../shell/preferences.svelte.ts'

class SolvedChallenges {
  private ids = $state.raw<ReadonlySet<string>>(new Set(recall('challenges')?.split(' ') ?? []))

  has(id: string): boolean {
    return this.ids.has(id)
  }

  add(id: string): void {
    if (this.ids.has(id)) return
    this.ids = new Set([...this.ids, id])
    remember('challenges', [...this.ids].join(' '))
  }

  clear(): void {
    this.ids = new Set()
    remember('challenges', '')
  }
}

export const solved = new SolvedChallenges()
