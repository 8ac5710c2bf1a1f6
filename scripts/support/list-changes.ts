/** The changes of a list of members that operators try by restarts: who is in the list before and after it, and whose address another member takes over. */

export interface ListChange {
  readonly from: readonly string[]
  readonly to: readonly string[]
  /** Which member's address a member has in the new list, if not its own. */
  readonly at?: Readonly<Record<string, string>>
}

const THREE = ['a', 'b', 'c']
const FIVE = ['a', 'b', 'c', 'd', 'e']

export const LIST_CHANGES: Readonly<Record<string, ListChange>> = {
  '3 → 4': { from: THREE, to: ['a', 'b', 'c', 'd'] },
  '3 → 5': { from: THREE, to: FIVE },
  '5 → 3': { from: FIVE, to: THREE },
  'replace one': { from: THREE, to: ['a', 'b', 'd'] },
  'replace two': { from: THREE, to: ['a', 'd', 'e'] },
  'swap addresses': { from: THREE, to: THREE, at: { b: 'c', c: 'b' } },
}
