/** Lays out a diagram: selects what is drawn and computes where. Time runs down, and members are columns. */
import { isRoutine, labelled, linesOf, nameOf, type DrawnArrow } from './arrow-lines.ts'
import { chipsOf, placeMark, type Chip, type DrawnMark } from './chips.ts'
import { LabelPlaces, textWidth } from './label-places.ts'
import type { Arrow, Mark, Diagram, Span } from '../model.ts'
import { eventTimes, showTime, ticksOf, TimeScale, usualFlightUs } from './time-scale.ts'

export interface Paper {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly column: number
  readonly scale: TimeScale
  readonly x: (label: number) => number
  readonly y: (us: number) => number
}

export interface DiagramLayout extends Paper {
  readonly space: Diagram
  readonly width: number
  readonly arrows: readonly DrawnArrow[]
  readonly marks: readonly DrawnMark[]
  readonly chips: readonly Chip[]
  readonly ticks: readonly number[]
  /** Too many arrows for names: they are drawn thin. */
  readonly dense: boolean
  readonly leftOut: readonly string[]
}

const AXIS_WIDTH = 86
const MARGIN_WIDTH = 160
const TOP = 118
/** The height of a usual flight; it grows with the number of labels. */
const FLIGHT_PX = { least: 48, most: 96 }
const BREAK_PX = 72
const LABEL_PX = 17
/** Beyond these numbers of arrows, periodic messages, names, arrows that changed no leader, and the tail are left out. */
const LIMITS = { routine: 150, names: 400, indecisive: 1000, arrows: 4000 }

export function layOut(whole: Diagram): DiagramLayout {
  const space = clipped(whole)
  const lively = livelyOf(space)
  const marks = space.marks.filter(({ routine }) => !routine)
  const paper = paperOf(space, lively, marks)
  const drawn = [...lively, ...periodicToDraw(space, lively, paper.scale)]
  const lines = linesOf(drawn, paper, usualFlightUs(lively))
  const dense = lively.length > LIMITS.names
  // Among very many lines no place is better than another, and looking for one takes long.
  const places = new LabelPlaces(lively.length > LIMITS.indecisive ? [] : lines)
  for (const { x2, y2, messages } of lines) {
    if (messages[0].fate === 'lost') places.block(x2, y2, 14, 14)
  }
  // The order decides which labels find room.
  const chips = chipsOf(space, paper, places)
  const drawnMarks = marks.map((mark) => placeMark(mark, paper, places))
  const arrows = labelled(lines, paper.column, !dense, places)
  return {
    ...paper,
    space,
    width: paper.right + MARGIN_WIDTH,
    arrows,
    marks: drawnMarks,
    chips,
    ticks: ticksOf(paper.scale, whole.clock),
    dense,
    leftOut: leftOutOf(whole, space, drawn, arrows),
  }
}

function paperOf(space: Diagram, lively: readonly Arrow[], marks: readonly Mark[]): Paper {
  const column = columnWidth(space, lively)
  const scale = scaleOf(space, lively, marks)
  return {
    left: AXIS_WIDTH,
    right: AXIS_WIDTH + space.members * column,
    top: TOP,
    bottom: TOP + scale.length,
    column,
    scale,
    x: (label) => AXIS_WIDTH + (label - 0.5) * column,
    y: (us) => TOP + scale.at(us),
  }
}

function leftOutOf(
  whole: Diagram,
  space: Diagram,
  drawn: readonly Arrow[],
  arrows: readonly DrawnArrow[],
): string[] {
  const sentences: string[] = []
  if (space.endUs < whole.endUs) {
    const rest = whole.arrows.length - space.arrows.length
    sentences.push(`Drawn up to ${showTime(space, space.endUs)}; ${rest} later messages are not.`)
  }
  const shown = new Set(drawn)
  const hidden = space.arrows.filter((arrow) => !shown.has(arrow))
  const routine = hidden.filter((arrow) => arrow.routine).length
  if (routine > 0) {
    sentences.push(`Periodic messages that changed nothing are not drawn: ${routine}.`)
  }
  if (hidden.length > routine) {
    const many = hidden.length - routine
    sentences.push(`Too many for one picture: ${many} messages that changed no leader.`)
  }
  const nameless = arrows.filter((arrow) => arrow.label === null && !isRoutine(arrow.messages))
  if (nameless.length > 0) {
    const those = nameless.length === 1 ? '1 arrow has' : `${nameless.length} arrows have`
    sentences.push(`${those} no room for a name: point at one to read it.`)
  }
  return sentences
}

function livelyOf({ arrows }: Diagram): Arrow[] {
  const lively = arrows.filter(({ routine }) => !routine)
  return lively.length > LIMITS.indecisive ? lively.filter(({ decisive }) => decisive) : lively
}

function clipped(space: Diagram): Diagram {
  const lively = livelyOf(space)
  if (lively.length <= LIMITS.arrows) return space
  const endUs = lively[LIMITS.arrows].leftAt
  const clip = <T extends Span>(spans: readonly T[]): T[] =>
    spans
      .filter(({ from }) => from < endUs)
      .map((span) => ({ ...span, to: Math.min(span.to, endUs) }))
  return {
    ...space,
    endUs,
    lanes: space.lanes.map(({ label, intervals }) => ({ label, intervals: clip(intervals) })),
    arrows: space.arrows.filter(({ endAt }) => endAt <= endUs),
    marks: space.marks.filter(({ at }) => at <= endUs),
    leaderless: clip(space.leaderless),
    splits: clip(space.splits),
  }
}

function columnWidth({ members }: Diagram, arrows: readonly Arrow[]): number {
  const longest = arrows.reduce((most, arrow) => Math.max(most, textWidth(nameOf([arrow]))), 60)
  const most = members <= 5 ? 190 : members <= 8 ? 160 : members <= 12 ? 132 : 48
  return Math.min(most, Math.max(Math.min(110, most), Math.round(longest) + 44))
}

/** Makes the scale just long enough for the labels of the busiest part. */
function scaleOf(space: Diagram, lively: readonly Arrow[], marks: readonly Mark[]): TimeScale {
  const times = eventTimes(space, lively, marks)
  const flightUs = usualFlightUs(lively)
  let busyUs = flightUs
  for (let i = 1; i < times.length; i++) {
    const gap = times[i] - times[i - 1]
    if (gap <= 2 * flightUs) busyUs += gap
  }
  const gaps = Math.max(1, Math.min(6, space.members - 1))
  const wanted = ((lively.length * LABEL_PX * 2.8) / gaps / busyUs) * flightUs
  const flightPx = Math.min(FLIGHT_PX.most, Math.max(FLIGHT_PX.least, wanted))
  const last = times.at(-1) ?? 0
  // A little room after the last event, and the rest of the run as a break.
  const room = Math.min(space.endUs, Math.round(last + flightUs / 2))
  if (room > last) times.push(room)
  if (space.endUs > room) times.push(space.endUs)
  return new TimeScale(times, {
    perUs: flightPx / flightUs,
    longest: 2.4 * flightPx,
    broken: BREAK_PX,
  })
}

/** The periodic messages to draw: those near other events, if they are few. */
function periodicToDraw(space: Diagram, lively: readonly Arrow[], scale: TimeScale): Arrow[] {
  const flightUs = usualFlightUs(lively)
  const found = space.arrows.filter(({ routine, leftAt, endAt }) => {
    const seenUntil = Math.max(endAt, leftAt + flightUs)
    return (
      routine &&
      seenUntil < space.endUs &&
      !scale.breaks.some(({ from, to }) => leftAt < to && seenUntil > from)
    )
  })
  return lively.length + found.length <= LIMITS.routine ? found : []
}
