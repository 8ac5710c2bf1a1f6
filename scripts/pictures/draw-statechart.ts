/** Draws a statechart as Mermaid text, and as an SVG with the states on an ellipse and a legend of the transitions. */
import {
  labelOf,
  START,
  type Statechart,
  type Transition,
} from '../../src/algorithms/helpers/bully-fd-statechart.ts'
import { escape, n } from '../../src/diagram/svg/text.ts'
import { groupBy } from '../../src/sim/record/group-by.ts'

export function mermaid(chart: Statechart): string {
  const lines = chart.transitions.map((transition) => {
    const from = transition.from === START ? '[*]' : transition.from
    return `  ${from} --> ${transition.to} : ${transition.label} ${labelOf(transition)}`
  })
  return ['---', `title: ${chart.title}`, '---', 'stateDiagram-v2', ...lines, ''].join('\n')
}

interface Point {
  readonly x: number
  readonly y: number
}

const WIDTH = 960
const HEIGHT = 440
const RADIUS = { x: 300, y: 150 }
const STATE = { rx: 46, ry: 24 }
const CENTRE: Point = { x: WIDTH / 2, y: HEIGHT / 2 }
const LINE = 18

export function svg(chart: Statechart): string {
  const height = HEIGHT + LINE * (chart.transitions.length + 2)
  const label = `${chart.title}: ${chart.states.join(', ')}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img"`,
    `  aria-label="${escape(label)}" font-family="sans-serif" font-size="13">`,
    '<style>.line{fill:none;stroke:#444;stroke-width:1.4;marker-end:url(#tip)}',
    '.state{fill:#eef3fb;stroke:#234}.frame{fill:#fff;stroke:#999}text{fill:#111}</style>',
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"',
    '  orient="auto"><path d="M0 0 8 4 0 8z" fill="#444"/></marker></defs>',
    `<rect class="frame" x="4" y="4" width="${WIDTH - 8}" height="${height - 8}" rx="8"/>`,
    text({ x: 18, y: 28 }, `process[i]: ${chart.title}`, 'start', 'bold'),
    ...arrowsOf(chart),
    dot(placeOf(START, chart)),
    ...chart.states.map((state) => stateAt(state, placeOf(state, chart))),
    ...chart.transitions.map((transition, i) => legend(transition, HEIGHT + LINE * (i + 1))),
    '</svg>',
    '',
  ].join('\n')
}

/** States clockwise on an ellipse, the first at the left; the start above them. */
function placeOf(state: string, chart: Statechart): Point {
  if (state === START) return { x: 0.6 * WIDTH, y: 40 }
  const turn = chart.states.indexOf(state) / chart.states.length
  const angle = Math.PI * (1 + 2 * turn)
  return {
    x: CENTRE.x + RADIUS.x * Math.cos(angle),
    y: CENTRE.y + 14 + RADIUS.y * Math.sin(angle),
  }
}

/** One arrow for each pair of states; it carries the labels of all transitions between them. */
function arrowsOf(chart: Statechart): string[] {
  const pairs = groupBy(chart.transitions, ({ from, to }) => `${from}>${to}`)
  return [...pairs.values()].map((transitions) => {
    const labels = transitions.map(({ label }) => label).join(', ')
    const { from, to } = transitions[0]
    const at = placeOf(from, chart)
    return from === to ? loop(at, labels) : arrow(at, placeOf(to, chart), labels, from === START)
  })
}

/** Bent to its own left, so that two opposite arrows lie side by side. */
function arrow(from: Point, to: Point, labels: string, fromDot: boolean): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const left = { x: (to.y - from.y) / length, y: (from.x - to.x) / length }
  const bend = 0.16 * length
  const middle = {
    x: (from.x + to.x) / 2 + bend * left.x,
    y: (from.y + to.y) / 2 + bend * left.y,
  }
  const begin = fromDot ? from : rim(from, middle)
  const end = rim(to, middle)
  const at = {
    x: (begin.x + 2 * middle.x + end.x) / 4 + 9 * left.x,
    y: (begin.y + 2 * middle.y + end.y) / 4 + 9 * left.y + 4,
  }
  return `<path class="line" d="M${show(begin)} Q${show(middle)} ${show(end)}"/>${text(at, labels)}`
}

function loop(at: Point, labels: string): string {
  const out = at.x >= CENTRE.x ? 1 : -1
  const below = at.y > CENTRE.y ? 1 : -1
  const begin = { x: at.x + out * 20, y: at.y + below * STATE.ry }
  const end = { x: at.x + out * STATE.rx, y: at.y + below * 6 }
  const far = { x: at.x + out * 80, y: at.y + below * 60 }
  const label = text({ x: at.x + out * 74, y: at.y + below * 46 }, labels)
  return `<path class="line" d="M${show(begin)} Q${show(far)} ${show(end)}"/>${label}`
}

/** Where the line from a state's middle towards a point crosses its outline. */
function rim(state: Point, towards: Point): Point {
  const dx = towards.x - state.x
  const dy = towards.y - state.y
  const scale = 1 / Math.hypot(dx / STATE.rx, dy / STATE.ry)
  return { x: state.x + dx * scale, y: state.y + dy * scale }
}

function stateAt(name: string, at: Point): string {
  const { rx, ry } = STATE
  const middle = { x: at.x, y: at.y + 5 }
  return `<ellipse class="state" cx="${n(at.x)}" cy="${n(at.y)}" rx="${rx}" ry="${ry}"/>${text(middle, name)}`
}

function dot(at: Point): string {
  return `<circle cx="${n(at.x)}" cy="${n(at.y)}" r="6"/>`
}

function legend(transition: Transition, y: number): string {
  const { label, from, to } = transition
  return (
    text({ x: 18, y }, label, 'start', 'bold') +
    text({ x: 52, y }, `${from} → ${to}`, 'start') +
    text({ x: 160, y }, labelOf(transition), 'start')
  )
}

function text(at: Point, content: string, anchor = 'middle', weight = 'normal'): string {
  const where = `x="${n(at.x)}" y="${n(at.y)}"`
  return `<text ${where} text-anchor="${anchor}" font-weight="${weight}">${escape(content)}</text>`
}

function show({ x, y }: Point): string {
  return `${n(x)} ${n(y)}`
}
