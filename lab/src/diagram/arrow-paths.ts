/** Computes the arrows of the space-time diagram: SVG paths grouped by appearance, and the message names that have room. */
import { segmentOf } from '../../../src/diagram/layout/arrow-lines.ts'
import {
  LabelPlaces,
  type PlacedText,
  type Segment,
} from '../../../src/diagram/layout/label-places.ts'
import type { Arrow } from '../simulation/run-player.svelte.ts'

/** All arrows that look alike, as one path: a thousand elements would be too slow. */
interface ArrowGroup {
  readonly colour: 'election' | 'periodic' | 'detector' | 'accent' | 'violation'
  readonly weight: 'routine' | 'usual' | 'decisive' | 'lost'
  lines: string
  /** The heads of those that arrive, the crosses of those that are lost. */
  heads: string
}

export interface ArrowPaths {
  readonly groups: readonly ArrowGroup[]
  readonly names: readonly PlacedText[]
}

export interface ArrowScale {
  readonly x: (label: number) => number
  readonly y: (time: number) => number
  /** Height of the usual flight (px). */
  readonly flightPx: number
}

const COLOURS = {
  election: 'election',
  heartbeat: 'periodic',
  detector: 'detector',
  repair: 'accent',
} as const
/** Where along an arrow a name may stand, the best place first. */
const NAME_SHARES = [0.72, 0.5, 0.32, 0.86]
/** With more arrows in view, no names are drawn. */
const MOST_NAMED = 120

interface Detail {
  /** Lanes are far enough apart for names. */
  readonly named: boolean
  /** There are few enough arrows for heads. */
  readonly heads: boolean
}

export function arrowPaths(
  arrows: readonly Arrow[],
  scale: ArrowScale,
  { named, heads }: Detail,
): ArrowPaths {
  const places = new LabelPlaces([])
  const groups = new Map<string, ArrowGroup>()
  const names: PlacedText[] = []
  for (const arrow of arrows) {
    const line = segmentOf(arrow, scale, scale.flightPx)
    const lost = arrow.fate === 'lost'
    const colour = lost ? 'violation' : COLOURS[arrow.purpose]
    const weight = lost ? 'lost' : arrow.routine ? 'routine' : arrow.decisive ? 'decisive' : 'usual'
    const group = groups.get(`${colour} ${weight}`) ?? { colour, weight, lines: '', heads: '' }
    groups.set(`${colour} ${weight}`, group)
    group.lines += `M${n(line.x1)} ${n(line.y1)}L${n(line.x2)} ${n(line.y2)}`
    if (heads) group.heads += lost ? crossAt(line) : headOf(line, weight === 'decisive' ? 9 : 7)
    if (!named || arrow.routine || arrows.length > MOST_NAMED) continue
    const name = places.level(
      arrow.type,
      11,
      NAME_SHARES.map((share) => along(line, share)),
    )
    if (name !== null) names.push(name)
  }
  return { groups: [...groups.values()], names }
}

function along({ x1, y1, x2, y2 }: Segment, share: number): [x: number, y: number] {
  return [x1 + share * (x2 - x1), y1 + share * (y2 - y1) - 4]
}

function headOf({ x1, y1, x2, y2 }: Segment, size: number): string {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length]
  const [bx, by] = [x2 - size * ux, y2 - size * uy]
  const [sx, sy] = [0.45 * size * uy, -0.45 * size * ux]
  return `M${n(x2)} ${n(y2)}L${n(bx + sx)} ${n(by + sy)}L${n(bx - sx)} ${n(by - sy)}Z`
}

function crossAt({ x2, y2 }: Segment): string {
  return `M${n(x2 - 4)} ${n(y2 - 4)}l8 8m0-8l-8 8`
}

/** Tenths of a pixel. */
function n(value: number): number {
  return Math.round(10 * value) / 10
}
