import fc from 'fast-check'
import { expect, it } from 'vitest'
import { stronglyConnectedComponents, type Graph } from './strongly-connected-components.ts'

function graphOf(size: number, edges: readonly (readonly [number, number])[]): Graph {
  const sorted = edges.toSorted(([a], [b]) => a - b)
  return {
    size,
    first: (i) => sorted.filter(([from]) => from < i).length,
    target: (i, edge) => (sorted[edge]?.[0] === i ? sorted[edge][1] : -1),
    after: (edge) => edge + 1,
  }
}

it('two nodes share a component exactly if each reaches the other', () => {
  const edge = fc.tuple(fc.nat(7), fc.nat(7))
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 20 }), (edges) => {
      const reach = Array.from({ length: 8 }, (_, i) => new Set([i]))
      for (let round = 0; round < 8; round++) {
        for (const [a, b] of edges) for (const set of reach) if (set.has(a)) set.add(b)
      }
      const of = new Map<number, number>()
      let count = 0
      stronglyConnectedComponents(graphOf(8, edges), (members) => {
        for (const member of members) of.set(member, count)
        count += 1
      })
      expect(of.size).toBe(8)
      for (let a = 0; a < 8; a++) {
        for (let b = 0; b < 8; b++) {
          expect(of.get(a) === of.get(b)).toBe(reach[a].has(b) && reach[b].has(a))
        }
      }
    }),
  )
})
