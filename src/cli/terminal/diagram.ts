/** Draws the space-time diagram for a terminal: members are columns, time runs down. */
import { countsOf } from '../../diagram/captions.ts'
import type { LaneState, Diagram, Span } from '../../diagram/diagram.ts'
import { showLength, showSpan, showTime, usualFlightUs } from '../../diagram/layout/time-scale.ts'
import { Line, PLAIN, shorten, toAscii, type Paint, type Palette } from './styled-line.ts'
import { signsOf, type Signs } from './glyphs.ts'
import { elided, rowsOf, type Note, type DiagramRow, type Volley } from './diagram-rows.ts'

export interface PictureOptions {
  readonly width?: number
  readonly palette?: Palette
  /** For terminals without box-drawing characters. */
  readonly ascii?: boolean
  readonly maxRows?: number
}

const LANE_PAINT: Readonly<Record<LaneState, Paint>> = {
  leading: 'blue',
  following: 'cyan',
  seeking: 'yellow',
  starting: 'dim',
  outside: 'dim',
  down: 'dim',
}
const GUTTER = 12
const LANE = { narrowest: 5, widest: 16 }
/** The width to the right of the last lane, for its notes. */
const TAIL = 13

export function terminalPicture(space: Diagram, options: PictureOptions = {}): string {
  const { palette = PLAIN, ascii = false, maxRows = 40 } = options
  const { members } = space
  const width = Math.max(60, options.width ?? 80)
  const room = width - GUTTER - TAIL
  const lane = members === 1 ? LANE.widest : Math.floor(room / (members - 1))
  const rows = elided(rowsOf(space), maxRows)
  const narrow = Math.min(LANE.widest, lane)
  const drawing = new Drawing(space, signsOf(ascii), palette, narrow, width)
  const lines =
    lane < LANE.narrowest
      ? drawing.list(rows)
      : [drawing.heads(), ...drawing.rows(rows), ...drawing.legend()]
  const text = `${lines.join('\n')}\n`
  return ascii ? toAscii(text) : text
}

class Drawing {
  private readonly space: Diagram
  private readonly signs: Signs
  private readonly palette: Palette
  private readonly lane: number
  private readonly width: number
  private readonly flightUs: number

  constructor(space: Diagram, signs: Signs, palette: Palette, lane: number, width: number) {
    this.space = space
    this.signs = signs
    this.palette = palette
    this.lane = lane
    this.width = width
    this.flightUs = usualFlightUs(space.arrows)
  }

  heads(): string {
    const line = new Line()
    for (const { label } of this.space.lanes) line.put(this.x(label), String(label), 'bold')
    return line.show(this.palette, this.width)
  }

  rows(rows: readonly (DiagramRow | number)[]): string[] {
    const { space } = this
    const lines: string[] = []
    let before = 0
    let shownAt = ''
    for (const row of rows) {
      if (typeof row === 'number') {
        lines.push(this.aside(`${row} rows left out`))
        continue
      }
      // Rows have equal heights: a long gap would go unnoticed.
      if (space.clock && row.at - before > 5 * this.flightUs) {
        lines.push(this.aside(`${showSpan(row.at - before)} without news`))
      }
      before = row.at
      const time = showTime(space, row.at)
      lines.push(this.row(row, time === shownAt ? '' : time))
      shownAt = time
    }
    const rest = this.rest(before)
    return rest === null ? lines : [...lines, this.aside(rest)]
  }

  legend(): string[] {
    const { signs, space, width } = this
    const spans = (all: readonly Span[]): string => {
      const shown = all.slice(0, 3).map((span) => showLength(space, span))
      return `${shown.join(', ')}${all.length > 3 ? ', …' : ''}`
    }
    const states = new Set(space.lanes.flatMap(({ intervals }) => intervals.map((i) => i.state)))
    const words: [boolean, string][] = [
      [states.has('leading'), `${signs.leading} leads`],
      [states.has('following'), `${signs.following} follows`],
      [states.has('seeking'), `${signs.seeking} follows nobody`],
      [states.has('outside'), `${signs.outside} outside the group`],
      [states.has('down'), `${signs.down} down`],
      [space.arrows.some(({ fate }) => fate === 'lost'), `${signs.lost} lost`],
      [true, 'arrows are drawn when sent'],
      [
        space.leaderless.length > 0,
        `${signs.leaderless} no agreed leader: ${spans(space.leaderless)}`,
      ],
      [space.splits.length > 0, `${signs.split} different leaders: ${spans(space.splits)}`],
    ]
    const lines = ['']
    for (const [, text] of words.filter(([occurs]) => occurs)) {
      const line = lines[lines.length - 1]
      if (line === '') lines[lines.length - 1] = text
      else if (line.length + 3 + text.length <= width) lines[lines.length - 1] = `${line}   ${text}`
      else lines.push(text)
    }
    return ['', ...lines.map((line) => this.palette.dim(line))]
  }

  private x(label: number): number {
    return GUTTER + (label - 1) * this.lane
  }

  /** A line between rows for what the rows do not show. */
  private aside(text: string): string {
    const line = new Line()
    line.put(GUTTER - 2, this.signs.break, 'dim')
    line.put(GUTTER, text, 'dim')
    return line.show(this.palette, this.width)
  }

  private rest(from: number): string | null {
    const { space } = this
    if (space.endUs <= from || !space.clock) return null
    const periodic = space.arrows.filter(({ leftAt, routine }) => routine && leftAt >= from)
    const counts = countsOf(periodic.map(({ type }) => type))
    return `${showSpan(space.endUs - from)} more without news${counts === '' ? '' : `, ${counts}`}`
  }

  private row(row: DiagramRow, time: string): string {
    const { signs, space } = this
    const line = new Line()
    line.put(GUTTER - 4 - time.length, time, 'dim')
    const holds = (spans: readonly Span[]): boolean =>
      spans.some(({ from, to }) => row.at >= from && row.at < to)
    if (holds(space.splits)) line.put(GUTTER - 2, signs.split, 'red')
    else if (holds(space.leaderless)) line.put(GUTTER - 2, signs.leaderless, 'yellow')
    this.lanes(line, row.at)
    if (row.kind === 'world') {
      const text = shorten(row.alarm ? `! ${row.text}` : row.text, this.width - GUTTER - 2)
      line.put(GUTTER + 2, text, row.alarm ? 'red' : 'bold')
    } else if (row.kind === 'lanes') {
      for (const [label, note] of row.notes) this.note(line, label, note)
    } else for (const volley of row.volleys) this.volley(line, volley)
    return line.show(this.palette, this.width)
  }

  private lanes(line: Line, at: number): void {
    for (const { label, intervals } of this.space.lanes) {
      const now = intervals.findLast(({ from }) => from <= at)
      if (now === undefined) continue
      const sign = now.paused ? this.signs.paused : this.signs[now.state]
      line.put(this.x(label), sign, LANE_PAINT[now.state])
    }
  }

  private note(line: Line, label: number, { kind, text, short }: Note): void {
    const { signs } = this
    const known: Readonly<Record<string, [string, Paint | null]>> = {
      elected: [signs.elected, 'blue'],
      resign: [signs.resign, 'yellow'],
      crash: [signs.crash, 'red'],
      recover: [signs.recover, 'green'],
      timeout: [signs.timeout, null],
      verdict: [signs.verdict, null],
    }
    const room = (label === this.space.members ? TAIL : this.lane) - 2
    const fitting = text.length <= room ? text : shorten(short, room)
    if (kind === 'follows') return line.put(this.x(label) + 2, fitting, 'cyan')
    const [sign, paint] = known[kind] ?? [signs.other, null]
    line.put(this.x(label), sign, paint)
    line.put(this.x(label) + 2, fitting, paint)
  }

  private volley(line: Line, { from, names, to, lost }: Volley): void {
    const { signs } = this
    const right = to[0] > from
    const reached = new Set(to)
    const dead = new Map(lost.map(({ to, why }) => [to, why]))
    const end = right ? to[to.length - 1] : to[0]
    const [low, high] = right ? [this.x(from), this.x(end)] : [this.x(end), this.x(from)]
    line.put(low, signs.line.repeat(high - low))
    line.put(this.x(from), signs.send, 'bold')
    for (const label of reached) {
      const sign = dead.has(label) ? signs.lost : right ? signs.right : signs.left
      line.put(this.x(label), sign, dead.has(label) ? 'red' : 'bold')
    }
    this.name(line, names.join('+'), from, right ? to[0] : to[to.length - 1])
    const why = dead.get(end)
    if (right && why !== undefined && end === this.space.members) {
      line.put(this.x(end) + 2, shorten(why, TAIL - 2), 'dim')
    }
  }

  /** Beside the sender, before the arrow reaches the first receiver. */
  private name(line: Line, name: string, from: number, nearest: number): void {
    const room = this.lane * Math.abs(nearest - from) - 1
    const fitting = shorten(name, room)
    const gap = Math.max(0, Math.floor((Math.min(room, this.lane - 1) - fitting.length) / 2))
    const start = nearest > from ? this.x(from) + 1 + gap : this.x(from) - gap - fitting.length
    line.put(start, fitting, 'bold')
  }

  /** The rows as sentences, where the lanes are too many for the width. */
  list(rows: readonly (DiagramRow | number)[]): string[] {
    const { space, signs, palette, width } = this
    const few = (labels: readonly number[]): string =>
      labels.length <= 8
        ? labels.join(',')
        : `${labels.slice(0, 8).join(',')}, … (${labels.length})`
    return rows.map((row) => {
      if (typeof row === 'number') return palette.dim(`${signs.break} ${row} rows left out`)
      const time = palette.dim(showTime(space, row.at).padStart(9))
      const line = (text: string): string => `${time}  ${shorten(text, width - 11)}`
      if (row.kind === 'world') return line(row.text)
      if (row.kind === 'lanes') {
        const notes = [...row.notes].slice(0, 4).map(([label, { text }]) => `${label}: ${text}`)
        const more = row.notes.size > 4 ? `; ${row.notes.size - 4} more` : ''
        return line(`${notes.join('; ')}${more}`)
      }
      const volleys = row.volleys.map(({ from, names, to, lost }) => {
        const gone = lost.length === 0 ? '' : ` (${lost.length} lost)`
        return `${from} → ${few(to)} ${names.join('+')}${gone}`
      })
      return line(volleys.join('; '))
    })
  }
}
