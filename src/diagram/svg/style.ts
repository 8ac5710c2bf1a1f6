/**
 * The style sheet and the hatch patterns of a diagram as SVG, for light and dark pages. Each state differs in shape
 * and text as well as colour (Okabe–Ito), for black and white prints and colour-blind readers; pale colours lie on an
 * outline in ink.
 */
const LIGHT = { paper: '#ffffff', ink: '#1f2328', faint: '#d0d7de', soft: '#57606a', veil: '0.13' }
const DARK = { paper: '#0d1117', ink: '#e6edf3', faint: '#30363d', soft: '#9198a1', veil: '0.16' }

const COLOURS = {
  leader: '#0072B2',
  follower: '#56B4E9',
  candidate: '#E69F00',
  violation: '#D55E00',
} as const

function theme({ paper, ink, faint, soft, veil }: typeof LIGHT): string {
  return [
    `.paper{fill:${paper}}`,
    `.ink,text{fill:${ink}}`,
    `.soft{fill:${soft}}`,
    `.grid{stroke:${faint}}`,
    `.line,.outline{stroke:${ink}}`,
    `.thin{stroke:${soft}}`,
    `.halo{stroke:${paper}}`,
    `.hollow{stroke:${paper}}`,
    `.chip{fill:${paper};stroke:${ink}}`,
    `.veil{fill-opacity:${veil}}`,
  ].join('')
}

export const STYLE = [
  'text{font-family:"Helvetica Neue",Arial,"Liberation Sans","DejaVu Sans",sans-serif;',
  'font-size:12px;font-variant-numeric:tabular-nums}',
  '.title{font-size:20px;font-weight:600}',
  '.head{font-size:15px;font-weight:600;text-anchor:middle}',
  '.middle{text-anchor:middle}.end{text-anchor:end}',
  '.small{font-size:11px}.bold{font-weight:600}.italic{font-style:italic}',
  '.halo{fill:none;stroke-width:4;stroke-linejoin:round}',
  '.line,.outline,.hollow,.thin,.grid,.leader,.follower,.candidate{fill:none}',
  '.line{stroke-width:1.4}.thin{stroke-width:1.2}.dense .line{stroke-width:.8}',
  '.heartbeat{stroke-dasharray:1.5 3.5}.repair{stroke-dasharray:7 3 1.5 3}',
  '.detector{stroke-dasharray:4 3}',
  `.leader{stroke:${COLOURS.leader}}.follower{stroke:${COLOURS.follower}}`,
  `.candidate{stroke:${COLOURS.candidate}}`,
  `.leaderless{fill:${COLOURS.candidate}}.split{fill:${COLOURS.violation}}`,
  theme(LIGHT),
  `@media (prefers-color-scheme:dark){${theme(DARK)}}`,
  // After the themes: the same on either paper.
  `.chip.lit{fill:${COLOURS.leader}}.alarm{stroke:${COLOURS.violation};stroke-width:2.5;fill:none}`,
  `.alarmed{fill:${COLOURS.violation}}text.lit{fill:#ffffff}`,
].join('')

/** Hatches: the shaded bands differ without colour too. Ids carry a prefix, as pages share them. */
export function definitions(): string {
  const hatch = (id: string, path: string, colour: string, size: number): string =>
    `<pattern id="bw-${id}" width="${size}" height="${size}" patternUnits="userSpaceOnUse">` +
    `<path d="${path}" stroke="${colour}" stroke-opacity="0.55" stroke-width="1" fill="none"/></pattern>`
  return [
    '<defs>',
    hatch('leaderless', 'M-2 12L12 -2M5 19L19 5', COLOURS.candidate, 14),
    hatch('split', 'M0 0L8 8M8 0L0 8', COLOURS.violation, 8),
    '<marker id="bw-head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" ' +
      'markerUnits="userSpaceOnUse" orient="auto"><path class="ink" d="M0 1L10 5L0 9L2.5 5Z"/></marker>',
    '</defs>',
  ].join('')
}
