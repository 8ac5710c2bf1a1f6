/**
 * Lays out the arrows of a diagram as lines, places their names along them, and decides which are routine and which
 * get a name.
 */
import { groupBy } from '../../sim/record/group-by.ts'
import { textWidth, type LabelPlaces, type PlacedText, type Segment } from './label-places.ts'
import type { Paper } from './layout.ts'
import type { Arrow } from '../model.ts'

/** One line; messages with the same ends share it. */
interface Line extends Segment {
  readonly messages: readonly Arrow[]
}

export interface DrawnArrow extends Line {
  readonly label: PlacedText | null
  /** Why it was lost, where the label does not say it. */
  readonly reason: PlacedText | null
}

export function linesOf(arrows: readonly Arrow[], paper: Paper, flightUs: number): Line[] {
  const flightPx = flightUs * paper.scale.perUs
  const bundles = groupBy(arrows, ({ from, to, leftAt, endAt, fate, why }) =>
    [from, to, leftAt, endAt, fate, why].join(' '),
  )
  return [...bundles.values()].map((messages) => ({
    messages,
    ...segmentOf(messages[0], paper, flightPx),
  }))
}

/** One arrow on paper. A message that was lost when it was sent ends on the way, after the usual flight. */
export function segmentOf(
  { from, to, leftAt, endAt, fate }: Arrow,
  { x, y }: Pick<Paper, 'x' | 'y'>,
  flightPx: number,
): Segment {
  const [x1, y1, x2, y2] = [x(from), y(leftAt), x(to), y(endAt)]
  if (fate !== 'lost' || endAt > leftAt) return { x1, y1, x2, y2 }
  const columns = Math.abs(to - from)
  const share = 1 - Math.min(0.5, 0.16 + 0.14 * columns) / columns
  return { x1, y1, x2: x1 + share * (x2 - x1), y2: y1 + share * flightPx }
}

export function nameOf(messages: readonly Arrow[]): string {
  const counts = new Map<string, number>()
  for (const { type, text } of messages) {
    const full = text.replace('{', ' ').replace('}', '')
    const name = full.length <= 18 && messages.length === 1 ? full : type
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`))
  const { fate, why } = messages[0]
  return fate === 'lost' ? `${names.join(', ')} – ${why}` : names.join(', ')
}

export function isRoutine(messages: readonly Arrow[]): boolean {
  return messages.every(({ routine }) => routine)
}

/** Places the names of rare arrows first: lost messages, then one of each multicast, then the rest. */
export function labelled(
  lines: readonly Line[],
  column: number,
  wanted: boolean,
  places: LabelPlaces,
): DrawnArrow[] {
  const seen = new Set<string>()
  const urgency = lines.map(({ messages }) => {
    const { fate, from, leftAt, type } = messages[0]
    const key = `${from} ${leftAt} ${type}`
    const first = !seen.has(key)
    seen.add(key)
    return isRoutine(messages) ? 3 : fate === 'lost' ? 0 : first ? 1 : 2
  })
  const order = lines.map((_, i) => i).sort((a, b) => urgency[a] - urgency[b] || a - b)
  const labels = new Array<PlacedText | null>(lines.length).fill(null)
  const reasons = new Array<PlacedText | null>(lines.length).fill(null)
  for (const i of wanted ? order : []) {
    const line = lines[i]
    const columns = Math.max(1, Math.round(Math.abs(line.x2 - line.x1) / column))
    // From the head backwards: the arrows of one multicast meet at their tails.
    const stretch = Math.max(1, Math.abs(line.y2 - line.y1) / column / columns)
    const steps = [0.5, 0.4, 0.6, 0.7]
    const fromHead = Array.from({ length: columns }, (_, k) =>
      steps.map((share) => (k + share) * column * stretch),
    ).flat()
    const name = nameOf(line.messages)
    labels[i] =
      places.along(name, line, fromHead) ??
      (name.includes(' ') ? places.along(line.messages[0].type, line, fromHead) : null)
    const { why } = line.messages[0]
    if (why !== '' && labels[i]?.text !== name) reasons[i] = besideCross(why, line, places)
  }
  return lines.map((line, i) => ({ ...line, label: labels[i], reason: reasons[i] }))
}

function besideCross(why: string, { x2, y2 }: Segment, places: LabelPlaces): PlacedText | null {
  const aside = textWidth(why, 11) / 2 + 10
  return places.level(why, 11, [
    [x2 + aside, y2],
    [x2, y2 + 14],
    [x2 - aside, y2 + 10],
    [x2 + aside, y2 + 12],
  ])
}
