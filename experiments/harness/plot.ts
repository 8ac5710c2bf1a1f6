/**
 * Draws line plots and histograms as SVG: axes with units, a legend, and series that differ in dash and marker, so that
 * they can be read without colour. No dependency: the packaged command draws them anywhere.
 */
import type { Plot } from './claim.ts'

interface Axis {
  /** What, and in which unit. */
  readonly label: string
  readonly log?: boolean
  readonly min?: number
  readonly max?: number
}

/** `margin`: half of an interval around y. */
type Point = readonly [x: number, y: number, margin?: number]
type Place<T> = (one: T, i: number) => Point

interface Series {
  readonly name: string
  readonly points: readonly Point[]
  readonly as?: 'markers' | 'line'
}

/** A formula: a line alone. */
export function line<T>(name: string, over: readonly T[], point: Place<T>): Series {
  return { name, as: 'line', points: over.map(point) }
}

/** What was measured beside a formula: markers alone. */
export function markers<T>(name: string, over: readonly T[], point: Place<T>): Series {
  return { name, as: 'markers', points: over.map(point) }
}

interface PlotOptions extends Omit<Plot, 'svg'> {
  readonly title: string
  readonly x: Axis
  readonly y: Axis
}

interface LinePlot extends PlotOptions {
  readonly series: readonly Series[]
}

interface Histogram extends Omit<PlotOptions, 'y'> {
  /** What the values are, in the plural. */
  readonly counted: string
  readonly values: readonly number[]
  readonly binWidth: number
  /** Vertical lines with a label. */
  readonly marks: readonly { readonly x: number; readonly label: string }[]
}

const WIDTH = 720
const HEIGHT = 420
const LEFT = 86
const RIGHT = 34
const TOP = 44
const BOTTOM = 58
/** A row of the legend, below the axis. */
const ROW = 18
const TEXT = 'font-family="DejaVu Sans, Verdana, Arial, sans-serif" fill="#222"'
/** Dark enough on white, and different also for readers who see no red or no green. */
const INKS = '#1b5e9c #b3471d #2c7a3f #6b3fa0 #4d4d4d #a3195b #0e7c7b #8a6d00'.split(' ')
const DASHES = ['', '8 4', '2 4', '10 4 2 4', '5 3', '14 5', '2 2', '9 3 2 3 2 3']
type Marker = (x: number, y: number, ink: string) => string
const MARKERS: readonly Marker[] = [
  (x, y, ink) => `<circle cx="${n(x)}" cy="${n(y)}" r="3.6" fill="${ink}"/>`,
  (x, y, ink) =>
    `<rect x="${n(x - 3.3)}" y="${n(y - 3.3)}" width="6.6" height="6.6" fill="${ink}"/>`,
  (x, y, ink) =>
    path(`M${n(x)} ${n(y - 4.4)}L${n(x + 4.2)} ${n(y + 3.4)}H${n(x - 4.2)}Z`, ink, ink),
  (x, y, ink) => path(`M${n(x - 3.6)} ${n(y - 3.6)}l7.2 7.2m0 -7.2l-7.2 7.2`, ink),
  (x, y, ink) =>
    `<circle cx="${n(x)}" cy="${n(y)}" r="3.6" fill="#fff" stroke="${ink}" stroke-width="1.6"/>`,
  (x, y, ink) => path(`M${n(x)} ${n(y - 4.8)}l4.8 4.8l-4.8 4.8l-4.8 -4.8Z`, ink, '#fff'),
  (x, y, ink) => path(`M${n(x - 4.6)} ${n(y)}h9.2m-4.6 -4.6v9.2`, ink),
  (x, y, ink) =>
    path(`M${n(x)} ${n(y + 4.4)}L${n(x + 4.2)} ${n(y - 3.4)}H${n(x - 4.2)}Z`, ink, '#fff'),
]

/** What tells the series of a plot apart. */
function styleOf(index: number) {
  const [ink, dash] = [INKS[index % INKS.length], DASHES[index % DASHES.length]]
  const dashed = dash === '' ? '' : ` stroke-dasharray="${dash}"`
  return { ink, dashed, marker: MARKERS[index % MARKERS.length] }
}

export function linePlot({ name, caption, title, x, y, series }: LinePlot): Plot {
  const points = series.flatMap((one) => one.points)
  const xs = points.map(([at]) => at)
  const ys = points.flatMap(([, value, margin = 0]) => [value - margin, value + margin])
  const frame = new Frame(x, y, xs, ys)
  const covered = series.map((_, i) => coveringOf(series, i, frame))
  const content = series.map((one, i) => drawn(one, i, frame, covered[i])).join('')
  return { name, caption, svg: frame.document(title, series, content) }
}

/** How many values lie in each bin. */
export function histogram(options: Histogram): Plot {
  const { name, caption, title, x, counted, values, binWidth, marks } = options
  const counts = new Array<number>(Math.ceil(Math.max(...values) / binWidth)).fill(0)
  for (const value of values) {
    counts[Math.min(counts.length - 1, Math.floor(value / binWidth))] += 1
  }
  const bars = counts.map((count, i) => ({ x0: i * binWidth, x1: (i + 1) * binWidth, y: count }))
  const xs = [...bars.flatMap(({ x0, x1 }) => [x0, x1]), ...marks.map((mark) => mark.x)]
  const y = { label: `${counted} per ${binWidth} ms` }
  const frame = new Frame(x, y, xs, [0, ...counts])
  const boxes = bars.map(({ x0, x1, y: value }) => {
    const [left, right, top] = [frame.x(x0), frame.x(x1), frame.y(value)]
    const height = frame.y(frame.yMin) - top
    return `<rect x="${n(left + 0.5)}" y="${n(top)}" width="${n(Math.max(0.5, right - left - 1))}" height="${n(height)}" fill="#c9d7e6" stroke="#1b5e9c"/>`
  })
  const lines = marks.map(({ x: at, label }, i) => {
    const px = frame.x(at)
    const py = TOP + 12 + 15 * i
    const end = px > WIDTH - 190
    return (
      `<path d="M${n(px)} ${TOP}V${HEIGHT - BOTTOM}" stroke="#222" stroke-dasharray="3 3"/>` +
      `<text x="${n(px + (end ? -5 : 5))}" y="${py}" font-size="12" text-anchor="${end ? 'end' : 'start'}" stroke="#fff" stroke-width="4" paint-order="stroke" ${TEXT}>${escaped(label)}</text>`
    )
  })
  return { name, caption, svg: frame.document(title, [], [...boxes, ...lines].join('')) }
}

/** Two points closer than this, in pixels, hide each other. */
const CLOSE = 3

/** How many later series are drawn over points of this one. */
function coveringOf(series: readonly Series[], i: number, frame: Frame): number {
  const places = (one: Series) => one.points.map(([x, y]) => [frame.x(x), frame.y(y)] as const)
  const own = places(series[i])
  return series
    .slice(i + 1)
    .filter((later) =>
      places(later).some(([x, y]) =>
        own.some(([px, py]) => Math.abs(px - x) < CLOSE && Math.abs(py - y) < CLOSE),
      ),
    ).length
}

/** A series that others cover is drawn wider and with larger markers, so that it shows beside them. */
function drawn({ points, as }: Series, i: number, frame: Frame, covered: number): string {
  const { ink, dashed, marker } = styleOf(i)
  const width = 2 + 2 * covered
  const at = points.map(([x, y, margin = 0]) => ({ px: frame.x(x), py: frame.y(y), y, margin }))
  const line = at.map(({ px, py }, k) => `${k === 0 ? 'M' : 'L'}${n(px)} ${n(py)}`).join('')
  const stroke =
    as === 'markers'
      ? ''
      : `<path d="${line}" fill="none" stroke="${ink}" stroke-width="${width}"${covered > 0 ? ' stroke-opacity="0.45"' : ''}${dashed}/>`
  const margins = at
    .filter(({ margin }) => margin > 0)
    .map(({ px, y, margin }) => {
      const [low, high] = [frame.y(y - margin), frame.y(y + margin)]
      return path(
        `M${n(px)} ${n(low)}V${n(high)}M${n(px - 3)} ${n(low)}h6M${n(px - 3)} ${n(high)}h6`,
        ink,
      )
    })
  // A curve of many points would be all markers.
  const every = Math.max(1, Math.ceil(at.length / 24))
  const markers = at
    .filter((_, k) => as !== 'line' && k % every === 0)
    .map(({ px, py }) => larger(marker(px, py, ink), px, py, 1 + 0.5 * covered))
  return [stroke, ...margins, ...markers].join('')
}

function larger(mark: string, x: number, y: number, scale: number): string {
  if (scale === 1) return mark
  return `<g transform="translate(${n(x)} ${n(y)}) scale(${n(scale)}) translate(${n(-x)} ${n(-y)})">${mark}</g>`
}

class Frame {
  readonly yMin: number
  private readonly xMin: number
  private readonly xMax: number
  private readonly yMax: number
  private readonly xAxis: Axis
  private readonly yAxis: Axis

  constructor(xAxis: Axis, yAxis: Axis, xs: readonly number[], ys: readonly number[]) {
    this.xAxis = xAxis
    this.yAxis = yAxis
    ;[this.xMin, this.xMax] = bounds(xAxis, xs)
    ;[this.yMin, this.yMax] = bounds(yAxis, ys)
  }

  x(value: number): number {
    return LEFT + (WIDTH - LEFT - RIGHT) * place(value, this.xMin, this.xMax, this.xAxis)
  }

  y(value: number): number {
    const share = place(value, this.yMin, this.yMax, this.yAxis)
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
  }

  document(title: string, series: readonly Series[], content: string): string {
    const rows = legendRows(series)
    const height = HEIGHT + ROW * rows.length + (rows.length > 0 ? 8 : 0)
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">`,
      `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
      `<text x="${LEFT}" y="26" font-size="15" font-weight="bold" ${TEXT}>${escaped(title)}</text>`,
      this.axes(),
      content,
      ...rows.map((row, r) => legendRow(row, HEIGHT + 8 + ROW * r)),
      '</svg>\n',
    ].join('\n')
  }

  private axes(): string {
    const [bottom, right] = [HEIGHT - BOTTOM, WIDTH - RIGHT]
    const vertical = ticks(this.yMin, this.yMax, this.yAxis).map((value) => {
      const y = n(this.y(value))
      return `<path d="M${LEFT} ${y}H${right}" stroke="#ddd"/><text x="${LEFT - 8}" y="${n(this.y(value) + 4)}" font-size="12" text-anchor="end" ${TEXT}>${shown(value)}</text>`
    })
    const horizontal = ticks(this.xMin, this.xMax, this.xAxis).map((value) => {
      const x = n(this.x(value))
      return `<path d="M${x} ${bottom}v5" stroke="#222"/><text x="${x}" y="${bottom + 19}" font-size="12" text-anchor="middle" ${TEXT}>${shown(value)}</text>`
    })
    const middle = n((TOP + bottom) / 2)
    return [
      ...vertical,
      ...horizontal,
      `<path d="M${LEFT} ${TOP}V${bottom}H${right}" fill="none" stroke="#222"/>`,
      `<text x="${n((LEFT + right) / 2)}" y="${bottom + 42}" font-size="13" text-anchor="middle" ${TEXT}>${escaped(this.xAxis.label)}</text>`,
      `<text x="18" y="${middle}" font-size="13" text-anchor="middle" transform="rotate(-90 18 ${middle})" ${TEXT}>${escaped(this.yAxis.label)}</text>`,
    ].join('\n')
  }
}

interface Entry {
  readonly series: Series
  readonly index: number
  readonly x: number
}

/** As many entries side by side as there is room for. */
function legendRows(series: readonly Series[]): Entry[][] {
  const rows: Entry[][] = []
  let x = WIDTH
  series.forEach((one, index) => {
    const width = 52 + 7.3 * one.name.length
    if (x + width > WIDTH - RIGHT) {
      rows.push([])
      x = LEFT
    }
    rows.at(-1)!.push({ series: one, index, x })
    x += width
  })
  return rows
}

function legendRow(row: readonly Entry[], y: number): string {
  return row
    .map(({ series, index, x }) => {
      const { ink, dashed, marker } = styleOf(index)
      const line =
        series.as === 'markers'
          ? ''
          : `<path d="M${x} ${y}h34" stroke="${ink}" stroke-width="2"${dashed}/>`
      const mark = series.as === 'line' ? '' : marker(x + 17, y, ink)
      return `${line}${mark}<text x="${x + 40}" y="${y + 4}" font-size="12" ${TEXT}>${escaped(series.name)}</text>`
    })
    .join('')
}

function bounds(axis: Axis, values: readonly number[]): [number, number] {
  const finite = values.filter((v) => Number.isFinite(v) && (axis.log !== true || v > 0))
  let min = axis.min ?? Math.min(...finite)
  let max = axis.max ?? Math.max(...finite)
  if (axis.log === true) {
    const [low, high] = [axis.min ?? roundDown(min), axis.max ?? roundUp(max)]
    return [low, high > low ? high : low * 10]
  }
  if (axis.min === undefined && min > 0 && min < max / 2) min = 0
  const step = stepOf(min, max > min ? max : min + 1)
  min = axis.min ?? Math.floor(min / step) * step
  max = axis.max ?? Math.ceil(max / step) * step
  return [min, max > min ? max : min + step]
}

/** The next of …, 1, 2, 5, 10, 20, … */
function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [5, 2, 1].map((k) => k * power).find((round) => round <= value * 1.0001) ?? power
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((k) => k * power).find((round) => round >= value * 0.9999) ?? 10 * power
}

function place(value: number, min: number, max: number, { log }: Axis): number {
  if (log !== true) return (value - min) / (max - min)
  return Math.log(Math.max(value, min) / min) / Math.log(max / min)
}

function stepOf(min: number, max: number): number {
  const rough = (max - min) / 6
  const power = 10 ** Math.floor(Math.log10(rough))
  return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= rough)!
}

function ticks(min: number, max: number, { log }: Axis): number[] {
  const result: number[] = []
  if (log === true) {
    const wide = max / min > 2000
    for (let power = 10 ** Math.floor(Math.log10(min)); power <= max; power *= 10) {
      for (const k of wide ? [1] : [1, 2, 5]) {
        const value = k * power
        if (value >= min * 0.999 && value <= max * 1.001) result.push(value)
      }
    }
    return result
  }
  const step = stepOf(min, max)
  for (let k = Math.ceil(min / step); k * step <= max + step / 1e6; k++) result.push(k * step)
  return result
}

function shown(value: number): string {
  const rounded = Number(value.toPrecision(6))
  if (rounded >= 1e6) return powerOfTen(rounded)
  return Math.abs(rounded) >= 10_000 ? rounded.toLocaleString('en') : String(rounded)
}

const DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** 10⁶, or 2·10⁶: a tick of ten million would not fit. */
function powerOfTen(value: number): string {
  const exponent = Math.floor(Math.log10(value * 1.000001))
  const factor = Number((value / 10 ** exponent).toPrecision(3))
  const digits = String(exponent).replaceAll(/\d/gu, (digit) => DIGITS[Number(digit)])
  return `${factor === 1 ? '' : `${factor}·`}10${digits}`
}

/** A coordinate, short. */
function n(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function path(d: string, ink: string, fill = 'none'): string {
  return `<path d="${d}" fill="${fill}" stroke="${ink}" stroke-width="1.6"/>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
