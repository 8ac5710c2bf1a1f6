/** Draws the background of a diagram as SVG: times of the axis, heads of lanes, lanes, shaded bands, breaks, brackets. */
import { BREAK_MARGINS } from '../layout/chips.ts'
import type { DiagramLayout } from '../layout/layout.ts'
import type { Interval, LaneState, Span } from '../model.ts'
import { showLength, showTime, type Break } from '../layout/time-scale.ts'
import { countsOf } from '../captions.ts'
import { n, text } from './text.ts'

export function tick({ left, right, y, space }: DiagramLayout, us: number): string {
  const at = y(us)
  return (
    text(left - 12, at + 4, showTime(space, us), 'small end soft') +
    `<path class="grid" d="M${n(left - 6)} ${n(at)}H${n(right)}"/>`
  )
}

export function veil(
  { left, right, y }: DiagramLayout,
  { from, to }: Span,
  kind: 'leaderless' | 'split',
): string {
  return shaded(kind, left, y(from), right - left, y(to) - y(from))
}

export function shaded(
  kind: 'leaderless' | 'split',
  x: number,
  y: number,
  width: number,
  height: number,
): string {
  const box = `x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"`
  return `<rect class="${kind} veil" ${box}/><rect fill="url(#bw-${kind})" ${box}/>`
}

/** The width of the outline; class and width of the line on it; dashes. */
const LANE_STROKES: Readonly<
  Record<LaneState | 'paused', readonly [number, string, number, string]>
> = {
  leading: [10, 'leader', 8, ''],
  following: [5, 'follower', 3, ''],
  seeking: [4.5, 'candidate', 2.5, '8 5'],
  starting: [1.5, '', 0, '8 5'],
  outside: [1, '', 0, '1 7'],
  down: [1.5, '', 0, '1.5 5'],
  paused: [7, 'hollow', 4, ''],
}

export function laneStroke(state: LaneState | 'paused', path: string): string {
  const [outline, inside, width, dash] = LANE_STROKES[state]
  const dashed = dash === '' ? '' : ` stroke-dasharray="${dash}"`
  const line = (classes: string, wide: number): string =>
    `<path class="${classes}" stroke-width="${wide}"${dashed} d="${path}"/>`
  return line('outline', outline) + (width === 0 ? '' : line(inside, width))
}

export function laneLine(
  { x, y }: DiagramLayout,
  label: number,
  { from, to, state, paused }: Interval,
): string {
  return laneStroke(paused ? 'paused' : state, `M${n(x(label))} ${n(y(from))}V${n(y(to))}`)
}

export function tear({ left, right, top, space, arrows }: DiagramLayout, gap: Break): string {
  const [from, to] = [top + gap.start + BREAK_MARGINS.before, top + gap.end - BREAK_MARGINS.after]
  const zigzag = (y: number): string => {
    const steps = Math.round((right - left) / 12)
    return Array.from({ length: steps + 1 }, (_, i) => {
      const x = left + (i * (right - left)) / steps
      return `${n(x)} ${n(y + (i % 2 === 0 ? -2.5 : 2.5))}`
    }).join('L')
  }
  const drawn = new Set(arrows.flatMap(({ messages }) => messages))
  const hidden = space.arrows.filter(
    (arrow) =>
      arrow.routine && arrow.leftAt >= gap.from && arrow.leftAt < gap.to && !drawn.has(arrow),
  )
  const words = `${showLength(space, gap)} without news${hidden.length === 0 ? '' : `, ${countsOf(hidden.map(({ type }) => type))}`}`
  const back = zigzag(to).split('L').reverse().join('L')
  const middle = (left + right) / 2
  return (
    `<path class="paper" d="M${zigzag(from)}L${back}Z"/>` +
    `<path class="thin" d="M${zigzag(from)}"/><path class="thin" d="M${zigzag(to)}"/>` +
    text(middle, (from + to) / 2 + 4, words, 'middle italic soft')
  )
}

export function heads({ space, x, column }: DiagramLayout, y: number): string[] {
  const width = Math.min(44, column - 6)
  return space.lanes.map(
    ({ label }) =>
      `<rect class="chip" x="${n(x(label) - width / 2)}" y="${n(y - 14)}" width="${width}" height="28" rx="6" stroke-width="1.5"/>` +
      text(x(label), y + 5, String(label), 'head'),
  )
}

/** Brackets at the right: the lengths of the periods without an agreed leader or with different ones. */
export function brackets(layout: DiagramLayout): string[] {
  const { space, right, y } = layout
  const items = [
    ...space.leaderless
      .filter(({ from, to }) => !space.splits.some((span) => span.from === from && span.to === to))
      .map((span) => ({ span, words: 'no agreed leader', x: right + 10 })),
    ...space.splits.map((span) => ({ span, words: 'different leaders', x: right + 20 })),
  ].sort((a, b) => a.span.from - b.span.from)
  let free = -Infinity
  return items.map(({ span, words, x }) => {
    const [from, to] = [y(span.from), y(span.to)]
    const line = `<path class="line" d="M${n(x - 4)} ${n(from)}H${n(x)}V${n(to)}H${n(x - 4)}"/>`
    const middle = Math.max((from + to) / 2, free)
    free = middle + 34
    const length = showLength(space, span)
    const lasting = span.to >= space.endUs ? `${length}, to the end` : length
    return (
      line +
      text(right + 28, middle - 2, words, 'small') +
      text(right + 28, middle + 13, lasting, 'small bold')
    )
  })
}
