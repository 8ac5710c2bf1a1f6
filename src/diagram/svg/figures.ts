/** Draws the figures of a diagram as SVG: arrows, marks, chips, names. */
import type { DrawnArrow } from '../layout/arrow-lines.ts'
import { CHIP_HEIGHT, type Chip, type DrawnMark } from '../layout/chips.ts'
import type { PlacedText } from '../layout/label-places.ts'
import type { DiagramLayout } from '../layout/layout.ts'
import type { Diagram, MarkKind } from '../model.ts'
import { showTime } from '../layout/time-scale.ts'
import { escape, f, n, text } from './text.ts'
import { violationsOf } from '../captions.ts'

export function chip({ interval, text: words, x, y, width }: Chip): string {
  const leads = interval.state === 'leading' && !interval.paused
  const box = `x="${n(x - width / 2)}" y="${n(y - CHIP_HEIGHT / 2)}" width="${width}" height="${CHIP_HEIGHT}"`
  return (
    `<rect class="chip${leads ? ' lit' : ''}" ${box} rx="4"/>` +
    text(x, y + 4, words, leads ? 'small middle bold lit' : 'small middle')
  )
}

export function arrowLine({ x1, y1, x2, y2, messages }: DrawnArrow, space: Diagram): string {
  const { from, to, leftAt, endAt, fate, why, purpose } = messages[0]
  const names = messages.map(({ text }) => text).join(', ')
  const end =
    fate === 'lost' ? `lost: ${why}` : fate === 'under way' ? 'under way' : showTime(space, endAt)
  const tip = `${from} → ${to} ${names}: ${showTime(space, leftAt)} → ${end}`
  const kind = purpose === 'election' ? 'line' : `line ${purpose}`
  const path = `M${n(x1)} ${n(y1)}L${n(x2)} ${n(y2)}`
  const head = fate === 'delivered' ? ' marker-end="url(#bw-head)"' : ''
  const cross =
    fate === 'lost'
      ? `<path class="line" stroke-width="2" d="M${n(x2 - 5)} ${n(y2 - 5)}l10 10m0 -10l-10 10"/>`
      : ''
  return `<g><title>${escape(tip)}</title><path class="${kind}" d="${path}"${head}/>${cross}</g>`
}

export function markShape({ right, space }: DiagramLayout, { mark, x, y }: DrawnMark): string {
  if (mark.kind === 'violation') return violation(space, right, mark.text, x, y)
  if (mark.label === 0) {
    return `<path class="line" stroke-dasharray="10 4" d="M${n(x)} ${n(y)}H${n(right)}"/>`
  }
  const shape = MARK_SHAPES[mark.kind] ?? '<circle @ class="chip" r="6"/>'
  return shape.replace('@', `transform="translate(${n(x)} ${n(y)})"`)
}

const STAR = 'M0 -10L2.4 -3.2L9.5 -3.1L3.8 1.2L5.9 8.1L0 4L-5.9 8.1L-3.8 1.2L-9.5 -3.1L-2.4 -3.2Z'

/** The marks on a lane; `@` stands for the place. */
const MARK_SHAPES: Partial<Record<MarkKind, string>> = {
  start: '<circle @ class="ink" r="3"/>',
  crash:
    '<g @><circle class="chip" r="9"/><path class="line" style="stroke-width:3" d="M-5 -5L5 5M5 -5L-5 5"/></g>',
  recover:
    '<g @><circle class="chip" r="8"/><path class="line" style="stroke-width:2" d="M0 4V-4M-4 0L0 -4L4 0"/></g>',
  pause:
    '<g @><circle class="chip" r="8"/><path class="line" style="stroke-width:2.5" d="M-2.5 -4V4M2.5 -4V4"/></g>',
  resume: '<g @><circle class="chip" r="8"/><path class="ink" d="M-3 -4.5L5 0L-3 4.5Z"/></g>',
  timeout: '<path @ class="chip" d="M-5 -6H5L-5 6H5Z"/>',
  verdict: '<rect @ class="chip" x="-4.5" y="-4.5" width="9" height="9"/>',
  drawn: '<path @ class="chip" d="M0 -6L6 0L0 6L-6 0Z"/>',
  elected: `<path @ class="chip lit" d="${STAR}"/>`,
  resign: `<path @ class="chip" d="${STAR}"/>`,
}

function violation(space: Diagram, right: number, words: string, x: number, y: number): string {
  const number = violationsOf(space).findIndex(({ text }) => text === words) + 1
  return (
    `<path class="alarm" d="M${n(x)} ${n(y)}H${n(right)}"/>` +
    `<path class="alarmed" d="M${n(x - 2)} ${n(y - 18)}h46v16h-46z"/>` +
    text(x + 21, y - 6, `! ${number}`, 'middle bold lit')
  )
}

export function placed({ text: words, x, y, cos, sin }: PlacedText, classes: string): string {
  const content = escape(words)
  const level = sin === 0
  const where = level
    ? `x="${n(x)}" y="${n(y + 4)}"`
    : `transform="matrix(${f(cos)} ${f(sin)} ${f(-sin)} ${f(cos)} ${n(x - 4 * sin)} ${n(y + 4 * cos)})"`
  const names = `middle ${classes}`.trim()
  return `<text class="halo ${names}" ${where}>${content}</text><text class="${names}" ${where}>${content}</text>`
}
