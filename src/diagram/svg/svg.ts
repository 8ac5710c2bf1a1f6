/**
 * Draws a whole diagram as one SVG document: background, figures, captions and legend. The same diagram gives the same
 * bytes.
 */
import { layOut } from '../layout/layout.ts'
import { legendOf } from './legend.ts'
import type { Diagram } from '../model.ts'
import { definitions, STYLE } from './style.ts'
import { brackets, heads, laneLine, tear, tick, veil } from './field.ts'
import { arrowLine, chip, markShape, placed } from './figures.ts'
import { escape, n, text } from './text.ts'
import { describe, notesOf, titleOf } from '../captions.ts'

export function renderSvg(space: Diagram): string {
  const layout = layOut(space)
  const notes = notesOf(layout)
  const legend = legendOf(layout, layout.bottom + 58)
  const notesTop = legend.bottom + 16
  const height = notesTop + notes.length * 18 + 8
  const width = Math.max(layout.width, 640)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${n(height)}" ` +
      `width="${width}" height="${n(height)}" role="img" aria-labelledby="bw-title bw-desc">`,
    `<title id="bw-title">${escape(titleOf(space))}</title>`,
    `<desc id="bw-desc">${escape(describe(space))}</desc>`,
    `<style>${STYLE}</style>`,
    definitions(),
    `<rect class="paper" width="${width}" height="${n(height)}"/>`,
    text(24, 34, titleOf(space), 'title'),
    text(24, 56, 'Time runs down. Arrows are messages, drawn from sending to arrival.', 'soft'),
    ...layout.ticks.map((us) => tick(layout, us)),
    ...space.leaderless.map((span) => veil(layout, span, 'leaderless')),
    ...space.splits.map((span) => veil(layout, span, 'split')),
    ...layout.space.lanes.flatMap(({ label, intervals }) =>
      intervals.map((interval) => laneLine(layout, label, interval)),
    ),
    ...layout.scale.breaks.map((gap) => tear(layout, gap)),
    `<g${layout.dense ? ' class="dense"' : ''}>`,
    ...layout.arrows.map((arrow) => arrowLine(arrow, space)),
    '</g>',
    ...layout.chips.map(chip),
    ...layout.marks.map((mark) => markShape(layout, mark)),
    ...layout.arrows.map(({ label }) => (label === null ? '' : placed(label, ''))),
    ...layout.arrows.map(({ reason }) => (reason === null ? '' : placed(reason, 'small'))),
    ...layout.marks.map(({ label }) => (label === null ? '' : placed(label, 'small bold'))),
    ...heads(layout, layout.top - 30),
    ...(layout.bottom > 900 ? heads(layout, layout.bottom + 26) : []),
    ...brackets(layout),
    ...legend.lines,
    ...notes.map((note, i) => text(24, notesTop + 12 + i * 18, note, 'soft')),
    '</svg>',
  ]
    .filter((line) => line !== '')
    .join('\n')
    .concat('\n')
}
