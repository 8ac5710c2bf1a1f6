/** Computes where a diagram shows its marks, and on each lane the chips that say what the member believes. */
import { FONT_PX, textWidth, type LabelPlaces, type PlacedText } from './label-places.ts'
import type { Paper } from './layout.ts'
import type { Interval, Mark, Diagram } from '../model.ts'

export interface DrawnMark {
  readonly mark: Mark
  readonly x: number
  readonly y: number
  readonly label: PlacedText | null
}

export interface Chip {
  readonly interval: Interval
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
}

export const CHIP_HEIGHT = 16
/** Between the last event before a break and the tear, and between the tear and the next event. */
export const BREAK_MARGINS = { before: 27, after: 20 }

export function chipsOf(space: Diagram, paper: Paper, places: LabelPlaces): Chip[] {
  const { scale, x, y, column } = paper
  const chips: Chip[] = []
  for (const { label, intervals } of space.lanes) {
    for (const [i, interval] of intervals.entries()) {
      const text = chipText(interval, column >= 100, intervals[i - 1])
      const room = y(interval.to) - y(interval.from)
      if (text === '' || room < CHIP_HEIGHT + 6) continue
      const width = Math.round(textWidth(text, 11) + 10)
      const first = y(interval.from) + 5 + CHIP_HEIGHT / 2
      const tear = scale.breaks.find(({ from }) => from >= interval.from)
      const end = tear === undefined ? Infinity : y(tear.from) + BREAK_MARGINS.before - 4
      const last = Math.min(first + 28, Math.min(y(interval.to), end) - CHIP_HEIGHT / 2 - 1)
      const place = places.leastCrossed(x(label), first, last, width, CHIP_HEIGHT)
      places.block(x(label), place, width, CHIP_HEIGHT)
      chips.push({ interval, text, x: x(label), y: place, width })
    }
  }
  return chips
}

function chipText(interval: Interval, roomy: boolean, before: Interval | undefined): string {
  const { state, leader, term, status, paused } = interval
  if (paused) return before?.paused ? '' : 'paused'
  switch (state) {
    case 'leading':
      if (!roomy) return `★${term === null ? '' : ` ${term}`}`
      return term === null ? '★ leader' : `★ leader, term ${term}`
    case 'following':
      if (before?.leader === leader && !before.paused) return ''
      return roomy ? `follows ${leader}` : `→${leader}`
    case 'seeking':
      return status
    case 'outside':
      return 'outside'
    case 'down':
      return before === undefined ? 'down' : ''
    case 'starting':
      return 'starting'
  }
}

export function placeMark(mark: Mark, paper: Paper, places: LabelPlaces): DrawnMark {
  const { at, label, kind, text } = mark
  const { left, column } = paper
  const y = paper.y(at)
  if (label === 0) {
    const x = left + 6 + textWidth(text) / 2
    if (kind === 'violation') return { mark, x: left, y, label: null }
    return { mark, x: left, y, label: places.level(text, FONT_PX, [[x, y - 9]]) }
  }
  const x = paper.x(label)
  places.block(x, y, 14, 14)
  // The star and the chip of an elected member need no label.
  if (kind === 'elected' || kind === 'start') return { mark, x, y, label: null }
  const aside = textWidth(text, 11) / 2 + 12
  if (2 * aside > 1.2 * column) return { mark, x, y, label: null }
  const around: [number, number][] = [
    [x + aside, y - 9],
    [x - aside, y - 9],
    [x + aside, y + 9],
    [x - aside, y + 9],
  ]
  return { mark, x, y, label: places.level(text, 11, around) }
}
