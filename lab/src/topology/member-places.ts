/** Places the members of a run on a circle, or in rows where a circle has no room, and says how large they are and which links are drawn. */
import type { Run } from '../simulation/worker-protocol.ts'

/** With more members, only numbers are drawn, and no links between all of them. */
export const MANY = 14
/** More members than that stand in rows. */
const MOST_IN_CIRCLE = 40

export interface Point {
  readonly x: number
  readonly y: number
}

interface Box {
  readonly width: number
  readonly height: number
}

export interface Layout {
  /** The centre of each member, by label. */
  readonly places: readonly Point[]
  /** The diameter of a member. */
  readonly size: number
  readonly inRows: boolean
  /** The member at the left of each row. */
  readonly rowStarts: readonly number[]
}

/** What of a run says where its members stand. */
interface Placed extends Pick<Run, 'ring'> {
  readonly algorithm: Pick<Run['algorithm'], 'topology'>
}

export function layoutOf({ ring, algorithm }: Placed, box: Box): Layout {
  if (ring.length > MOST_IN_CIRCLE) return inRows(ring, box, algorithm.topology === 'ring')
  const places = onCircle(ring, box)
  return { places, size: sizeInCircle(ring.length), inRows: false, rowStarts: [] }
}

function sizeInCircle(members: number): number {
  if (members <= 9) return 54
  return members <= MANY ? 44 : 30
}

/** Clockwise in ring order, the strongest at the top. */
function onCircle(ring: readonly number[], { width, height }: Box): Point[] {
  const many = ring.length > MANY
  const room = many ? 26 : 54
  const [rx, ry] = [Math.max(40, width / 2 - room - 10), Math.max(40, height / 2 - room)]
  // At most 1.3 times as wide as high, or as high as wide.
  const r = Math.min(Math.max(rx, ry), rx * 1.3, ry * 1.3)
  const found: Point[] = []
  ring.forEach((label, i) => {
    const angle = (2 * Math.PI * i) / ring.length - Math.PI / 2
    found[label] = {
      x: width / 2 + Math.min(rx, r) * Math.cos(angle),
      y: height / 2 - (many ? 0 : 6) + Math.min(ry, r) * Math.sin(angle),
    }
  })
  return found
}

const MARGIN = { left: 40, right: 10, top: 26, bottom: 10 }

/** Rows of tens, the strongest last. `turning`: every other row goes from right to left, so that neighbours on a ring adjoin. */
function inRows(ring: readonly number[], { width, height }: Box, turning: boolean): Layout {
  const [wide, high] = [
    Math.max(60, width - MARGIN.left - MARGIN.right),
    Math.max(60, height - MARGIN.top - MARGIN.bottom),
  ]
  const columns = 10 * Math.max(1, Math.round(Math.sqrt((ring.length * wide) / high) / 10))
  const [across, down] = [wide / columns, high / Math.ceil(ring.length / columns)]
  const places: Point[] = []
  const rowStarts: number[] = []
  const order = [...ring.slice(1), ring[0]]
  order.forEach((label, i) => {
    const row = Math.floor(i / columns)
    const column = turning && row % 2 === 1 ? columns - 1 - (i % columns) : i % columns
    places[label] = {
      x: MARGIN.left + (column + 0.5) * across,
      y: MARGIN.top + (row + 0.5) * down,
    }
    if (column === 0) rowStarts.push(label)
  })
  return { places, size: Math.min(30, 0.72 * across, 0.72 * down), inRows: true, rowStarts }
}

export function linksOf({ ring, algorithm }: Run): { from: number; to: number }[] {
  if (algorithm.topology === 'ring') {
    return ring.map((from, i) => ({ from, to: ring[(i + 1) % ring.length] }))
  }
  if (ring.length > MANY) return []
  return ring.flatMap((from, i) => ring.slice(i + 1).map((to) => ({ from, to })))
}
