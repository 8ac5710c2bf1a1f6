/** Tests where members are drawn: apart from each other, in rows when a circle has no room, neighbours on a ring side by side. */
import { describe, expect, test } from 'vitest'
import { layoutOf } from './member-places.ts'

const BOXES = [
  { width: 506, height: 404 },
  { width: 366, height: 290 },
] as const
const FEW = [3, 9, 14, 25, 40]
const MANY = [41, 64, 100, 200, 1000]

function layout(members: number, topology: 'complete' | 'ring', box: (typeof BOXES)[number]) {
  // The strongest first, as runs have it.
  const ring = [members, ...Array.from({ length: members - 1 }, (_, i) => i + 1)]
  return { ring, ...layoutOf({ ring, algorithm: { topology } }, box) }
}

function distance(a: { x: number; y: number }, b: { x: number; y: number }): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

describe.each([...FEW, ...MANY])('%d members', (members) => {
  test.each(BOXES)('are inside of $width × $height', (box) => {
    const { places, size, ring } = layout(members, 'complete', box)
    for (const label of ring) {
      const { x, y } = places[label]
      expect(Math.min(x, box.width - x, y, box.height - y)).toBeGreaterThanOrEqual(size / 2)
    }
  })
})

describe.each(MANY)('%d members in rows', (members) => {
  test.each(BOXES)('do not overlap in $width × $height', (box) => {
    const { places, size, ring, inRows } = layout(members, 'complete', box)
    expect(inRows).toBe(true)
    const overlapping = ring.flatMap((a, i) =>
      ring.slice(i + 1).filter((b) => distance(places[a], places[b]) < size),
    )
    expect(overlapping).toEqual([])
  })

  test.each(BOXES)('adjoin their neighbours on a ring in $width × $height', (box) => {
    const { places, ring } = layout(members, 'ring', box)
    const order = [...ring.slice(1), ring[0]]
    const steps = order.slice(1).map((label, i) => {
      const [from, to] = [places[order[i]], places[label]]
      return { across: Math.abs(from.x - to.x), down: Math.abs(from.y - to.y) }
    })
    // Each neighbour is beside or below: never both, and never in a row further on.
    expect(steps.filter(({ across, down }) => across > 0.01 && down > 0.01)).toEqual([])
    const [widest, highest] = [
      Math.max(...steps.map(({ across }) => across)),
      Math.max(...steps.map(({ down }) => down)),
    ]
    expect(widest).toBeLessThan(box.width / 9)
    expect(highest).toBeLessThan(box.height / 3)
  })
})

test('up to forty members stand on a circle, the strongest at the top', () => {
  const { places, inRows } = layout(40, 'complete', BOXES[0])
  expect(inRows).toBe(false)
  expect(Math.min(...places.flatMap(({ y }) => y))).toBe(places[40].y)
})

test('each row that has no numbers names the member at its left', () => {
  const { rowStarts, places } = layout(1000, 'complete', BOXES[0])
  const left = Math.min(...places.flatMap(({ x }) => x))
  expect(rowStarts.map((label) => places[label].x)).toEqual(rowStarts.map(() => left))
  expect(rowStarts[0]).toBe(1)
})
