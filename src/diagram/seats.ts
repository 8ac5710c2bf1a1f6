/** Follows the newest configuration that a run has written, and says which members it names. */
import type { Difference } from '../core/schema.ts'
import type { DiagramSource } from './model.ts'

interface Known {
  term: number
  version: number
  readonly sets: { voters: string; observers: string }
}

export class Seats {
  /** Whether the newest configuration names the member, by label − 1. */
  readonly inside: boolean[]
  private readonly known: Known[]
  private newest = { term: 0, version: 0 }

  constructor({ config }: Pick<DiagramSource, 'config'>) {
    const { members, labels, voters = null, observers = [] } = config
    this.inside = Array.from({ length: members }, (_, i) => {
      const id = labels.of(i + 1)
      return voters === null || voters.includes(id) || observers.includes(id)
    })
    this.known = Array.from({ length: members }, () => {
      return { term: 0, version: 0, sets: { voters: '{}', observers: '{}' } }
    })
  }

  /** A member has changed its state: returns whether that wrote a newer configuration than any before. */
  changed(label: number, changes: readonly Difference[]): boolean {
    const known = this.known[label - 1]
    let adopted = false
    for (const { field, after } of changes) {
      if (field === 'configTerm') known.term = Number(after)
      else if (field === 'configVersion') known.version = Number(after)
      else if (field === 'voters' || field === 'observers') known.sets[field] = after
      else continue
      adopted = true
    }
    if (!adopted || !this.isNewer(known)) return false
    this.newest = { term: known.term, version: known.version }
    const named = new Set(`${known.sets.voters}${known.sets.observers}`.match(/\d+/gu))
    for (let i = 0; i < this.inside.length; i++) this.inside[i] = named.has(String(i + 1))
    return true
  }

  private isNewer({ term, version }: Known): boolean {
    const { newest } = this
    return term === newest.term ? version > newest.version : term > newest.term
  }
}
