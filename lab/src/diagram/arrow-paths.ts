/** Where the arrows of a space-time diagram lie, and which of them have room for their name. */
import { endOf } from '../simulation/messages-in-flight.ts'
import type { Arrow } from '../simulation/run-player.svelte.ts'

type Colour = 'election' | 'periodic' | 'detector' | 'accent' | 'violation'

/** All arrows that look alike, as one path: a thousand elements would be a thousand times the work. */
interface Sheaf {
  readonly colour: Colour
  readonly weight: 'routine' | 'usual' | 'decisive' | 'lost'
  /** The lines, and the heads of those that arrive. */
  readonly lines: string
  readonly heads: string
}

interface Name {
  readonly text: string
  readonly x: number
  readonly y: number
}

export interface Picture {
  readonly sheaves: readonly Sheaf[]
  readonly names: readonly Name[]
}

interface Line {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
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

/** More arrows than this in sight, and names would only be in the way. */
const MOST_NAMED = 120

export function drawArrows(arrows: readonly Arrow[], paper: Paper): Picture {
  const taken: Box[] = []
  const sheaves = new Map<string, Sheaf & { lines: string; heads: string }>()
  const names: Name[] = []
  const named = paper.named && arrows.length <= MOST_NAMED
  for (const arrow of arrows) {
    const line = lineOf(arrow, paper)
    const lost = arrow.fate === 'lost'
    const colour = lost ? 'violation' : COLOURS[arrow.purpose]
    const weight = lost ? 'lost' : arrow.routine ? 'routine' : arrow.decisive ? 'decisive' : 'usual'
    const sheaf = sheaves.get(`${colour} ${weight}`) ?? { colour, weight, lines: '', heads: '' }
    sheaves.set(`${colour} ${weight}`, sheaf)
    sheaf.lines += `M${n(line.x1)} ${n(line.y1)}L${n(line.x2)} ${n(line.y2)}`
    sheaf.heads += lost ? crossAt(line) : headOf(line, weight === 'decisive' ? 9 : 7)
    const place = named && !arrow.routine ? room(line, arrow.type, taken) : null
    if (place !== null) names.push({ text: arrow.type, ...place })
  }
  return { sheaves: [...sheaves.values()], names }
}

/** One that was lost as it was sent gets half way. */
export function lineOf(arrow: Arrow, { x, y, usualFlight }: Omit<Paper, 'named'>): Line {
  const share = arrow.fate === 'lost' && arrow.endAt <= arrow.leftAt ? 0.5 : 1
  const [x1, y1] = [x(arrow.from), y(arrow.leftAt)]
  return {
    x1,
    y1,
    x2: x1 + share * (x(arrow.to) - x1),
    y2: y1 + share * (y(endOf(arrow, usualFlight)) - y1),
  }
}

function headOf({ x1, y1, x2, y2 }: Line, size: number): string {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length]
  const [bx, by] = [x2 - size * ux, y2 - size * uy]
  const [sx, sy] = [0.45 * size * uy, -0.45 * size * ux]
  return `M${n(x2)} ${n(y2)}L${n(bx + sx)} ${n(by + sy)}L${n(bx - sx)} ${n(by - sy)}Z`
}

function crossAt({ x2, y2 }: Line): string {
  return `M${n(x2 - 4)} ${n(y2 - 4)}l8 8m0-8l-8 8`
}

/** A tenth of a pixel is enough. */
function n(value: number): number {
  return Math.round(10 * value) / 10
}

interface Box {
  readonly left: number
  readonly right: number
  readonly y: number
}

function room(
  { x1, y1, x2, y2 }: Line,
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
