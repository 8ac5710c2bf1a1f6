/**
 * Finds room for labels along arrows and beside lanes, so that no text is printed over another, and estimates the
 * width of text.
 */
import { sqrt } from '../../core/math/deterministic-math.ts'

/** Text of this size: half its height, and how wide a character is on average in a sans serif. */
export const FONT_PX = 12
const HALF_HEIGHT = 7
const PER_CHARACTER = 0.57

export function textWidth(text: string, fontPx = FONT_PX): number {
  return text.length * fontPx * PER_CHARACTER
}

export interface Segment {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
}

/** The middle of a text, and the direction in which it is written. */
export interface PlacedText {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly cos: number
  readonly sin: number
}

interface Disc {
  readonly x: number
  readonly y: number
  readonly r: number
}

const CELL = 32

/** The places that are taken: discs, indexed by the cells of a coarse grid. */
export class LabelPlaces {
  private readonly cells = new Map<string, Disc[]>()
  private readonly lines: readonly Segment[]

  /** `lines` may run under a text, but a place without them is better. */
  constructor(lines: readonly Segment[]) {
    this.lines = lines
  }

  block(x: number, y: number, width: number, height: number): void {
    const r = height / 2
    this.add(discs(x, y, 1, 0, Math.max(0, width / 2 - r), r))
  }

  /** The place between `first` and `last` at which a box hides the fewest lines and ends of lines. */
  leastCrossed(x: number, first: number, last: number, width: number, height: number): number {
    let best = first
    let fewest = Infinity
    for (let y = first; y <= last; y += 4) {
      const taken = discs(x, y, 1, 0, Math.max(0, (width - height) / 2), height / 2)
      const inside = (px: number, py: number): boolean =>
        Math.abs(px - x) < width / 2 && Math.abs(py - y) < height / 2 + 2
      let crossed = 0
      for (const line of this.lines) {
        if (inside(line.x2, line.y2)) crossed += 5
        else if (inside(line.x1, line.y1)) crossed += 3
        else if (taken.some((disc) => runsUnder(line, disc))) crossed += 1
      }
      if (crossed >= fewest) continue
      fewest = crossed
      best = y
    }
    return best
  }

  /** A horizontal text at the first of the places that is free, or null. */
  level(text: string, fontPx: number, places: readonly (readonly [x: number, y: number])[]) {
    const half = textWidth(text, fontPx) / 2
    for (const [x, y] of places) {
      const taken = discs(x, y, 1, 0, half - 4, HALF_HEIGHT - 1)
      if (!this.isFree(taken)) continue
      this.add(taken)
      return { text, x, y, cos: 1, sin: 0 } satisfies PlacedText
    }
    return null
  }

  /** A text along the arrow, at one of the distances from its head, or null where there is no room. */
  along(text: string, arrow: Segment, fromHead: readonly number[]): PlacedText | null {
    const { x1, y1, x2, y2 } = arrow
    const length = sqrt((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1))
    const half = textWidth(text) / 2
    if (length < 2 * half + 16) return null
    // Text runs from left to right along every arrow.
    const turn = x2 < x1 ? -1 : 1
    const cos = (turn * (x2 - x1)) / length
    const sin = (turn * (y2 - y1)) / length
    let best: { place: PlacedText; taken: Disc[]; crossed: number } | null = null
    // Above the line where there is room; sin and −cos make the normal that points up.
    for (const [side, distance] of [1, -1].flatMap((s) => fromHead.map((d) => [s, d] as const))) {
      if (side < 0 && best !== null) break
      const back = Math.max(half + 10, Math.min(length - half - 6, distance))
      const share = 1 - back / length
      const x = x1 + share * (x2 - x1) + side * sin * HALF_HEIGHT
      const y = y1 + share * (y2 - y1) - side * cos * HALF_HEIGHT
      const taken = discs(x, y, cos, sin, half - 4, HALF_HEIGHT - 1)
      if (!this.isFree(taken)) continue
      const crossed = this.crossings(taken, arrow)
      if (best !== null && best.crossed <= crossed) continue
      best = { place: { text, x, y, cos, sin }, taken, crossed }
      if (crossed === 0) break
    }
    if (best === null) return null
    this.add(best.taken)
    return best.place
  }

  private add(taken: readonly Disc[]): void {
    for (const disc of taken) {
      for (const key of cellsOf(disc)) {
        const cell = this.cells.get(key)
        if (cell === undefined) this.cells.set(key, [disc])
        else cell.push(disc)
      }
    }
  }

  private isFree(taken: readonly Disc[]): boolean {
    return taken.every((disc) =>
      cellsOf(disc).every((key) =>
        (this.cells.get(key) ?? []).every((other) => !meet(disc, other)),
      ),
    )
  }

  private crossings(taken: readonly Disc[], own: Segment): number {
    return this.lines.filter((line) => line !== own && taken.some((disc) => runsUnder(line, disc)))
      .length
  }
}

function discs(x: number, y: number, cos: number, sin: number, half: number, r: number): Disc[] {
  const count = 1 + 2 * Math.ceil(half / (2 * r))
  return Array.from({ length: count }, (_, i) => {
    const along = count === 1 ? 0 : ((2 * i) / (count - 1) - 1) * half
    return { x: x + along * cos, y: y + along * sin, r }
  })
}

function cellsOf({ x, y, r }: Disc): string[] {
  const keys: string[] = []
  for (let i = Math.floor((x - r) / CELL); i <= Math.floor((x + r) / CELL); i++) {
    for (let j = Math.floor((y - r) / CELL); j <= Math.floor((y + r) / CELL); j++) {
      keys.push(`${i},${j}`)
    }
  }
  return keys
}

function meet(a: Disc, b: Disc): boolean {
  const reach = a.r + b.r
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) < reach * reach
}

function runsUnder({ x1, y1, x2, y2 }: Segment, { x, y, r }: Disc): boolean {
  if (x < Math.min(x1, x2) - r || x > Math.max(x1, x2) + r) return false
  if (y < Math.min(y1, y2) - r || y > Math.max(y1, y2) + r) return false
  const [dx, dy] = [x2 - x1, y2 - y1]
  const area = dx * (y - y1) - dy * (x - x1)
  return area * area < r * r * (dx * dx + dy * dy)
}
