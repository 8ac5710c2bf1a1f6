/** Draws the background of a diagram as SVG: axis, lanes, shaded bands, breaks, brackets. */
import { BREAK_MARGINS } from '../layout/chips.ts'
import type { DiagramLayout } from '../layout/layout.ts'
import type { Interval, Span } from '../model.ts'
import { showLength, showTime, type Break } from '../layout/time-scale.ts'
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
  const box = `x="${n(left)}" y="${n(y(from))}" width="${n(right - left)}" height="${n(y(to) - y(from))}"`
  return `<rect class="${kind} veil" ${box}/><rect fill="url(#bw-${kind})" ${box}/>`
}

/** Thick: leads. Medium: follows. Dashed: follows nobody. Dotted: down. Hollow: paused. */
export function laneLine(
  { x, y }: DiagramLayout,
  label: number,
  { from, to, state, paused }: Interval,
): string {
  const path = `d="M${n(x(label))} ${n(y(from))}V${n(y(to))}"`
  const line = (classes: string, width: number, dash = ''): string =>
    `<path class="${classes}" stroke-width="${width}"` +
    `${dash === '' ? '' : ` stroke-dasharray="${dash}"`} ${path}/>`
  if (paused) return line('outline', 7) + line('hollow', 4)
  switch (state) {
    case 'leading':
      return line('outline', 10) + line('leader', 8)
    case 'following':
      return line('outline', 5) + line('follower', 3)
    case 'seeking':
      return line('outline', 4.5, '8 5') + line('candidate', 2.5, '8 5')
    case 'starting':
      return line('outline', 1.5, '8 5')
    case 'down':
      return line('outline', 1.5, '1.5 5')
  }
}

/** A break of the time scale, as torn paper. */
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
  const words = `${showLength(space, gap)} without news${hidden.length === 0 ? '' : `, ${tally(hidden)}`}`
  const back = zigzag(to).split('L').reverse().join('L')
  const middle = (left + right) / 2
  return (
    `<path class="paper" d="M${zigzag(from)}L${back}Z"/>` +
    `<path class="thin" d="M${zigzag(from)}"/><path class="thin" d="M${zigzag(to)}"/>` +
    text(middle, (from + to) / 2 + 4, words, 'middle italic soft')
  )
}

function tally(arrows: readonly { readonly type: string }[]): string {
  const counts = new Map<string, number>()
  for (const { type } of arrows) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].map(([type, count]) => `${count} × ${type}`).join(', ')
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
