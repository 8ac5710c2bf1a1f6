/** Asserts over the recorded events of member processes. */
import { expect } from 'vitest'
import type { TestCluster } from '../../scripts/support/test-cluster.ts'

/** Each member's terms rise, and it loses each at most once; with `unique`, no two members share a term. */
export function expectSound(cluster: TestCluster, { unique = true } = {}): void {
  const elected = cluster.of('elected')
  expect(elected).not.toEqual([])
  for (const name of cluster.names) {
    const terms = elected.filter(({ node }) => node === name).map(({ term }) => term)
    expect(terms).toEqual(terms.toSorted((a, b) => a - b))
    expect(new Set(terms).size).toBe(terms.length)
    const lost = cluster.of('lost').filter(({ node }) => node === name)
    expect(new Set(lost.map(({ term }) => term)).size).toBe(lost.length)
    for (const { term } of lost) expect(terms).toContain(term)
  }
  if (!unique) return
  const all = elected.map(({ term }) => term)
  expect(new Set(all).size).toBe(all.length)
}
