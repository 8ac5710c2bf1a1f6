/** One moment of a run as lines for a terminal: members, messages under way, a time line, the last step. */
import type { Labels } from '../../core/group.ts'
import type { RecordedStep, Recording } from '../../sim/record/recording.ts'
import type { Arrow, Interval, LaneState, Diagram } from '../../diagram/diagram.ts'
import { showSpan, usualFlightUs, type TimeScale } from '../../diagram/layout/time-scale.ts'
import { Line, shorten } from '../terminal/styled-line.ts'
import type { Paint, Palette } from '../terminal/palette.ts'
import { explainStep } from '../../sim/record/explain.ts'

export interface Scene {
  readonly space: Diagram
  readonly recording: Recording
  readonly labels: Labels
  /** The time line: places are stretched milliseconds. */
  readonly scale: TimeScale
  /** What is being played, in a few words. */
  readonly headline: string
}

export interface Moment {
  /** Where on the time line. */
  readonly place: number
  readonly playing: boolean
  readonly width: number
  /** Lines for messages under way. */
  readonly messageLines: number
}

const STATES: Readonly<Record<LaneState, readonly [string, Paint]>> = {
  leading: ['★', 'blue'],
  following: ['│', 'cyan'],
  seeking: ['?', 'yellow'],
  starting: ['↑', 'green'],
  down: ['✕', 'red'],
}
const KEYS = 'space pause   → step   q quit'
/** Title, rule, members and messages with their headings, time line, why, keys. */
export const FIXED_LINES = 11

export function sceneLines(scene: Scene, moment: Moment, palette: Palette): string[] {
  const { space, scale } = scene
  const us = scale.timeAt(moment.place)
  const lines = [
    title(scene, moment, us),
    new Line(),
    ...space.lanes.map(({ label, intervals }) => member(label, intervals, us)),
    new Line(),
    ...messages(space, us, moment),
    new Line(),
    ...why(scene, us, moment.width),
    new Line(),
    ...timeLine(scene, moment),
    keys(moment),
  ]
  return lines.map((line) => line.show(palette, moment.width - 1))
}

function title({ headline }: Scene, { width, playing }: Moment, us: number): Line {
  const line = new Line()
  line.put(0, 'bellwether', 'bold')
  const clock = `${(us / 1000).toFixed(1).padStart(7)} ms ${playing ? '▶' : '‖'}`
  const right = width - 2 - clock.length
  line.put(12, shorten(headline, right - 13))
  line.put(right, clock, 'bold')
  return line
}

function member(label: number, intervals: readonly Interval[], us: number): Line {
  const line = new Line()
  const now = intervals.findLast(({ from }) => from <= us) ?? intervals[0]
  if (now === undefined) return line
  const [sign, paint] = STATES[now.state]
  line.put(2, String(label).padStart(2), 'bold')
  line.put(6, sign, paint)
  line.put(8, belief(now), paint)
  if (now.state === 'down') return line
  line.put(26, now.status, 'dim')
  if (now.term !== null) line.put(36, `term ${now.term}`, 'dim')
  // A change is shown for a while, or nobody would see it.
  if (us - now.from < 2000 && now.from > 0) line.put(46, '◀', 'bold')
  return line
}

function belief({ state, leader, paused }: Interval): string {
  if (paused) return 'paused'
  switch (state) {
    case 'leading':
      return 'leads'
    case 'following':
      return `follows ${leader}`
    case 'seeking':
      return 'follows nobody'
    case 'starting':
      return 'is back, listens'
    case 'down':
      return 'is down'
  }
}

/** Two to a line, each with its name as far along as it has come. */
function messages(space: Diagram, us: number, { width, messageLines }: Moment): Line[] {
  const flightUs = usualFlightUs(space.arrows)
  const flying = space.arrows.filter(
    (arrow) => arrow.leftAt <= us && us < endOf(arrow, flightUs) && arrow.fate !== 'under way',
  )
  const columns = width >= 76 ? 2 : 1
  const room = columns * messageLines
  const lines = Array.from({ length: messageLines }, () => new Line())
  const columnWidth = Math.floor((width - 4) / columns)
  flying.slice(0, room).forEach((arrow, i) => {
    const share = (us - arrow.leftAt) / (endOf(arrow, flightUs) - arrow.leftAt)
    const x = 2 + (i % columns) * columnWidth
    fly(lines[Math.floor(i / columns)], x, columnWidth - 3, arrow, share)
  })
  const head = new Line()
  head.put(2, 'under way', 'dim')
  const more = flying.length - room
  if (flying.length > 0) head.put(12, `${flying.length}`, 'bold')
  if (more > 0) head.put(16, `(${more} not shown)`, 'dim')
  return [head, ...lines]
}

function endOf({ leftAt, endAt }: Arrow, flightUs: number): number {
  return endAt > leftAt ? endAt : leftAt + flightUs
}

function fly(line: Line, x: number, width: number, arrow: Arrow, share: number): void {
  const { from, to, type, fate, why, leftAt, endAt } = arrow
  const track = Math.min(30, width - 6)
  // One that was lost as it was sent gets half way.
  const gone = fate === 'lost' && endAt === leftAt
  const name = shorten(type, track - 2)
  const reach = Math.floor((gone ? Math.min(share, 0.5) : share) * (track - name.length - 1))
  const lost = gone && share > 0.5
  line.put(x, String(from).padStart(2), 'bold')
  line.put(x + 3, '─'.repeat(reach), 'dim')
  line.put(x + 3 + reach, name, lost ? 'red' : 'yellow')
  line.put(x + 3 + reach + name.length, lost ? '✕' : '▶', lost ? 'red' : 'bold')
  if (lost) line.put(x + 5 + reach + name.length, shorten(why, width - 8 - reach - name.length))
  else line.put(x + 4 + track, String(to), 'bold')
}

/** The last step that changed something, or else the last of all. */
function why({ recording, labels }: Scene, us: number, width: number): Line[] {
  const past = recording.entries.filter(({ at }) => at <= us)
  const entry = past.findLast(isNews) ?? past.at(-1)
  const text = entry === undefined ? '' : explainStep(entry, labels, recording)
  const rows = wrap(text, width - 10)
  const lines = [new Line(), new Line()]
  lines[0].put(2, 'why', 'dim')
  rows.slice(0, 2).forEach((row, i) => lines[i].put(7, row))
  return lines
}

function isNews({ step, changes, sendings, violations }: RecordedStep): boolean {
  return changes.length > 0 || step.kind === 'fault' || violations.length > 0 || sendings.length > 1
}

function wrap(text: string, width: number): string[] {
  const rows = ['']
  for (const word of text.split(' ')) {
    const row = rows[rows.length - 1]
    if (row !== '' && row.length + 1 + word.length > width) rows.push(word)
    else rows[rows.length - 1] = row === '' ? word : `${row} ${word}`
  }
  return rows
}

function timeLine({ space, scale }: Scene, { place, width }: Moment): Line[] {
  const [bar, marks] = [new Line(), new Line()]
  const length = width - 6
  const x = (us: number): number => 2 + Math.floor((scale.at(us) / scale.length) * (length - 1))
  const here = 2 + Math.floor((place / scale.length) * (length - 1))
  bar.put(2, '─'.repeat(length), 'dim')
  for (const { from, to } of space.leaderless) {
    bar.put(x(from), '░'.repeat(Math.max(1, x(to) - x(from))), 'yellow')
  }
  bar.put(here, '●', 'bold')
  for (const { at, kind, label, text } of space.marks) {
    if (kind === 'crash') marks.put(x(at), `✕${label}`, 'red')
    else if (kind === 'recover') marks.put(x(at), `↑${label}`, 'green')
    else if (kind === 'elected') marks.put(x(at), `★${label}`, 'blue')
    else if (kind === 'cut' || kind === 'heal') marks.put(x(at), shorten(text, 4), 'bold')
  }
  return [bar, marks]
}

function keys({ playing, width }: Moment): Line {
  const line = new Line()
  line.put(2, playing ? KEYS : KEYS.replace('pause', 'go on'), 'dim')
  const legend = '░ no agreed leader'
  if (width > KEYS.length + legend.length + 10) line.put(width - 4 - legend.length, legend, 'dim')
  return line
}

/** The next moment after `us` at which something happens, or the end. */
export function nextEvent({ recording, space }: Scene, us: number): number {
  return recording.entries.find((entry) => entry.at > us && isNews(entry))?.at ?? space.endUs
}

export function headline(space: Diagram): string {
  return `${space.algorithm}, ${space.members} members, ${showSpan(space.endUs)} in slow motion`
}
