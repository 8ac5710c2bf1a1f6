/** Draws the legend of a diagram as SVG, with the signs that occur in it. */
import { textWidth } from '../layout/label-places.ts'
import type { DiagramLayout } from '../layout/layout.ts'
import type { LaneState } from '../model.ts'
import { laneStroke, shaded } from './field.ts'
import { n, text } from './text.ts'

export function legendOf(layout: DiagramLayout, top: number): { lines: string[]; bottom: number } {
  const items = legendItems(layout)
  const width = Math.max(layout.width, 640) - 48
  const lines: string[] = []
  let [x, y] = [0, top]
  for (const { shape, words } of items) {
    const step = 44 + textWidth(words) + 20
    if (x > 0 && x + step > width) [x, y] = [0, y + 26]
    lines.push(
      `<g transform="translate(${n(24 + x)} ${n(y)})">${shape}${text(42, 4, words, '')}</g>`,
    )
    x += step
  }
  return { lines, bottom: y }
}

/** Only what occurs in the diagram. */
function legendItems(layout: DiagramLayout): { readonly shape: string; readonly words: string }[] {
  const { lanes, marks, leaderless, splits } = layout.space
  const arrows = layout.arrows.flatMap(({ messages }) => messages)
  const looks = lanes.flatMap(({ intervals }) => intervals)
  const has = (state: LaneState): boolean => looks.some((look) => look.state === state)
  const marked = (kind: string): boolean =>
    marks.some((mark) => mark.kind === kind && !mark.routine)
  const lane = (state: LaneState | 'paused'): string => laneStroke(state, 'M2 0H34')
  const band = (kind: 'leaderless' | 'split'): string => shaded(kind, 2, -8, 32, 16)
  const message = (kind: string): string =>
    `<path class="line ${kind}" d="M2 0H34" marker-end="url(#bw-head)"/>`
  const sent = (purpose: string): boolean => arrows.some((arrow) => arrow.purpose === purpose)
  const cross = '<path class="line" d="M2 0H26"/><path class="line" d="M23 -5l10 10m0 -10l-10 10"/>'
  const all: [boolean, string, string][] = [
    [has('leading'), lane('leading'), 'leads'],
    [has('following'), lane('following'), 'follows'],
    [has('seeking'), lane('seeking'), 'follows nobody'],
    [has('outside'), lane('outside'), 'outside the group'],
    [has('starting'), lane('starting'), 'starting'],
    [has('down'), lane('down'), 'down'],
    [looks.some(({ paused }) => paused), lane('paused'), 'paused'],
    [sent('election'), message(''), 'message'],
    [sent('heartbeat'), message('heartbeat'), 'heartbeat'],
    [sent('repair'), message('repair'), 'repair'],
    [sent('detector'), message('detector'), "detector's message"],
    [arrows.some(({ fate }) => fate === 'lost'), cross, 'lost'],
    [marked('timeout'), '<path class="chip" d="M13 -6H23L13 6H23Z"/>', 'time-out'],
    [
      marked('verdict'),
      '<rect class="chip" x="13.5" y="-4.5" width="9" height="9"/>',
      "the detector's verdict",
    ],
    [leaderless.length > 0, band('leaderless'), 'no agreed leader'],
    [splits.length > 0, band('split'), 'different leaders followed'],
  ]
  return all.filter(([occurs]) => occurs).map(([, shape, words]) => ({ shape, words }))
}
