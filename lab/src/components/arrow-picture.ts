/** Where the arrows of a space-time diagram lie, and which of them have room for their name. */
import { endOf } from '../engine/flights.ts'
import type { Arrow } from '../engine/session.svelte.ts'

export interface DrawnArrow {
  readonly arrow: Arrow
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
  readonly colour: 'election' | 'periodic' | 'detector' | 'accent' | 'violation'
  readonly name: { readonly x: number; readonly y: number } | null
}

interface Paper {
  readonly x: (label: number) => number
  readonly y: (time: number) => number
  readonly usualFlight: number
  /** Whether lanes are far enough apart for names at all. */
  readonly named: boolean
}

const COLOURS = {
  election: 'election',
  heartbeat: 'periodic',
  detector: 'detector',
  repair: 'accent',
} as const
/** Where along an arrow a name may stand, the best place first. */
const SPOTS = [0.72, 0.5, 0.32, 0.86]
const LETTER = 6.4
const LINE = 11

export function drawArrows(arrows: readonly Arrow[], paper: Paper): DrawnArrow[] {
  const taken: Box[] = []
  return arrows.map((arrow) => {
    const lost = arrow.fate === 'lost'
    const share = lost && arrow.endAt <= arrow.leftAt ? 0.5 : 1
    const [x1, y1] = [paper.x(arrow.from), paper.y(arrow.leftAt)]
    const x2 = x1 + share * (paper.x(arrow.to) - x1)
    const y2 = y1 + share * (paper.y(endOf(arrow, paper.usualFlight)) - y1)
    const line = { x1, y1, x2, y2 }
    const name = paper.named && !arrow.routine ? room(line, arrow.type, taken) : null
    return { arrow, ...line, colour: lost ? 'violation' : COLOURS[arrow.purpose], name }
  })
}

interface Box {
  readonly left: number
  readonly right: number
  readonly y: number
}

function room(
  { x1, y1, x2, y2 }: { x1: number; y1: number; x2: number; y2: number },
  text: string,
  taken: Box[],
): { x: number; y: number } | null {
  const half = (text.length * LETTER) / 2 + 2
  for (const spot of SPOTS) {
    const [x, y] = [x1 + spot * (x2 - x1), y1 + spot * (y2 - y1) - 4]
    const free = taken.every(
      (box) => box.right < x - half || box.left > x + half || Math.abs(box.y - y) > LINE,
    )
    if (!free) continue
    taken.push({ left: x - half, right: x + half, y })
    return { x, y }
  }
  return null
}
