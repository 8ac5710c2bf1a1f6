/** Draws the messages in flight on a canvas (few with names, many as dots, very many as counts for each link), and finds the one nearest to a point. */
import { say } from '../language/translate.ts'
import type { MessageInFlight } from '../simulation/messages-in-flight.ts'
import type { Arrow } from '../simulation/run-player.svelte.ts'
import type { Point } from './member-places.ts'
import type { Colours } from '../shell/theme.svelte.ts'

/** Where and how messages are drawn. */
interface Scene {
  readonly context: CanvasRenderingContext2D
  readonly places: readonly Point[]
  readonly colours: Colours
  /** The selected message. */
  readonly chosen: Arrow | null
  /** Reduced motion: the trail goes all the way, because the message does not move. */
  readonly still: boolean
  /** How far from a member's centre a message begins. */
  readonly inset: number
}

type Flights = readonly MessageInFlight[]

/** At most this many are drawn with names, and at most that many one by one. */
export const NAMED = 40
const COUNTED = 3000

export function drawMessages(scene: Scene, flights: Flights): void {
  if (flights.length > COUNTED) return drawCounts(scene, flights)
  const { context, places, chosen, inset } = scene
  const named = flights.length <= NAMED
  if (!named) drawDots(scene, flights)
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.font = '600 11px ui-monospace, Menlo, Consolas, monospace'
  for (const flight of flights) {
    if (!named && flight.arrow !== chosen && flight.lostAt === null) continue
    const at = placeOf(flight, places, inset)
    if (at === null) continue
    if (named && !isSmall(flight.arrow)) {
      drawTrail(scene, flight, at)
      drawPill(scene, flight, at)
    } else drawDot(scene, flight, at, named)
  }
}

/** Draws dots colour by colour: a change of colour costs more than a dot. */
function drawDots({ context, places, colours, inset }: Scene, flights: Flights): void {
  for (const purpose of ['detector', 'heartbeat', 'repair', 'election'] as const) {
    context.fillStyle = colourOf({ purpose }, colours)
    for (const flight of flights) {
      if (flight.arrow.purpose !== purpose || flight.lostAt !== null) continue
      const at = placeOf(flight, places, inset)
      if (at !== null) context.fillRect(at.x - 3, at.y - 3, 6, 6)
    }
  }
}

/** Periodic messages are drawn small. */
function isSmall({ purpose }: Arrow): boolean {
  return purpose === 'heartbeat' || purpose === 'detector'
}

function colourOf({ purpose }: Pick<Arrow, 'purpose'>, colours: Colours): string {
  if (purpose === 'heartbeat') return colours.periodic
  if (purpose === 'detector') return colours.detector
  return purpose === 'repair' ? colours.accent : colours.election
}

/** A point between the rims of the two members. */
function placeOf(
  { arrow, share }: MessageInFlight,
  places: readonly Point[],
  inset: number,
): Point | null {
  const [from, to] = [places[arrow.from] as Point | undefined, places[arrow.to]]
  if (from === undefined || to === undefined) return null
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const rim = Math.min(inset / (length || 1), 0.4)
  const along = rim + share * (1 - 2 * rim)
  return { x: from.x + along * (to.x - from.x), y: from.y + along * (to.y - from.y) }
}

function drawTrail(scene: Scene, { arrow }: MessageInFlight, at: Point): void {
  const { context, places, colours, still } = scene
  context.strokeStyle = colourOf(arrow, colours)
  context.globalAlpha = 0.45
  context.lineWidth = 2
  drawLine(context, places[arrow.from], still ? places[arrow.to] : at)
  context.globalAlpha = 1
}

function drawLine(context: CanvasRenderingContext2D, from: Point, to: Point): void {
  context.beginPath()
  context.moveTo(from.x, from.y)
  context.lineTo(to.x, to.y)
  context.stroke()
}

function drawPill(scene: Scene, { arrow, lostAt, share }: MessageInFlight, at: Point): void {
  const { context, colours, chosen } = scene
  const lost = lostAt !== null && share >= lostAt
  const text = lost ? `✕ ${arrow.type}` : arrow.type
  const half = (text.length * 6.7 + 14) / 2
  context.beginPath()
  context.roundRect(at.x - half, at.y - 10, 2 * half, 20, 10)
  context.fillStyle = colours.panel
  context.fill()
  context.strokeStyle = lost ? colours.violation : colourOf(arrow, colours)
  context.lineWidth = arrow === chosen ? 4 : 1.8
  if (arrow.duplicate) context.setLineDash([3, 2])
  context.stroke()
  context.setLineDash([])
  context.fillStyle = colours.text
  context.fillText(text, at.x, at.y + 0.5)
}

function drawDot(scene: Scene, flight: MessageInFlight, at: Point, large: boolean): void {
  const { context, colours, chosen } = scene
  const { arrow, lostAt, share } = flight
  const r = large ? 4.5 : 3
  if (lostAt !== null && share >= lostAt) {
    context.strokeStyle = colours.violation
    context.lineWidth = 2
    for (const side of [r, -r]) {
      drawLine(context, { x: at.x - side, y: at.y - r }, { x: at.x + side, y: at.y + r })
    }
    return
  }
  context.fillStyle = colourOf(arrow, colours)
  if (isSmall(arrow) || !large) {
    context.fillRect(at.x - r, at.y - r, 2 * r, 2 * r)
  } else {
    context.beginPath()
    context.arc(at.x, at.y, r, 0, 2 * Math.PI)
    context.fill()
  }
  if (arrow !== chosen) return
  context.strokeStyle = colours.accent
  context.lineWidth = 3
  context.strokeRect(at.x - r - 4, at.y - r - 4, 2 * r + 8, 2 * r + 8)
}

/** Draws each link as wide as it has messages in flight; all that have equally many as one path. */
function drawCounts({ context, places, colours }: Scene, flights: Flights): void {
  const counts = new Map<number, number>()
  for (const { arrow } of flights) {
    if (!(arrow.from in places) || !(arrow.to in places)) continue
    const key = Math.min(arrow.from, arrow.to) * places.length + Math.max(arrow.from, arrow.to)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const paths = new Map<number, Path2D>()
  for (const [key, count] of counts) {
    const path = paths.get(count) ?? new Path2D()
    paths.set(count, path)
    const [from, to] = [places[Math.floor(key / places.length)], places[key % places.length]]
    path.moveTo(from.x, from.y)
    path.lineTo(to.x, to.y)
  }
  context.strokeStyle = colours.election
  for (const [count, path] of paths) {
    context.globalAlpha = Math.min(1, 0.15 + count / 20)
    context.lineWidth = Math.min(6, 0.5 + count / 4)
    context.stroke(path)
  }
  context.globalAlpha = 1
  context.textAlign = 'left'
  context.textBaseline = 'top'
  context.font = '600 12px system-ui, sans-serif'
  context.fillStyle = colours.text
  context.fillText(
    say('{count} {count:message/messages} in flight', { count: flights.length }),
    12,
    7,
  )
}

/** The message nearest to a point, within 18 pixels. */
export function nearestMessage(
  flights: Flights,
  places: readonly Point[],
  point: Point,
  inset: number,
): MessageInFlight | null {
  let best: MessageInFlight | null = null
  let least = 18
  for (const flight of flights) {
    const at = placeOf(flight, places, inset)
    const distance = at === null ? Infinity : Math.hypot(at.x - point.x, at.y - point.y)
    if (distance < least) [best, least] = [flight, distance]
  }
  return best
}
