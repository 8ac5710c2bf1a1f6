/**
 * Computes the time scale of a diagram and of the lab's slow motion (proportional, long stretches without events cut
 * short), its ticks, and times as text.
 */
import { countAtMost } from '../../core/binary-search.ts'
import type { Arrow, Mark, Diagram, Span } from '../model.ts'

export interface Scaling {
  readonly perUs: number
  /** A gap that would take more than this is broken … */
  readonly longest: number
  /** … and takes this instead. */
  readonly broken: number
}

export interface Break extends Span {
  /** Where it begins and ends on the scale. */
  readonly start: number
  readonly end: number
}

export class TimeScale {
  readonly breaks: readonly Break[]
  readonly length: number
  readonly perUs: number
  private readonly times: readonly number[]
  private readonly places: readonly number[]

  /** `times`: when something happens, in order, each once; what is outside them lies at the ends. */
  constructor(times: readonly number[], { perUs, longest, broken }: Scaling) {
    const breaks: Break[] = []
    const places = [0]
    for (let i = 1; i < times.length; i++) {
      const [from, to] = [times[i - 1], times[i]]
      const start = places[i - 1]
      const natural = (to - from) * perUs
      const end = start + (natural > longest ? broken : natural)
      if (natural > longest) breaks.push({ from, to, start, end })
      places.push(end)
    }
    this.perUs = perUs
    this.breaks = breaks
    this.times = times
    this.places = places
    this.length = places.at(-1) ?? 0
  }

  at(us: number): number {
    const { times, places } = this
    const i = lastAtMost(times, us)
    if (i < 0) return 0
    if (i >= times.length - 1) return this.length
    return places[i] + ((us - times[i]) / (times[i + 1] - times[i])) * (places[i + 1] - places[i])
  }

  /** The moment that lies at a place, to the microsecond: the inverse of `at`. */
  timeAt(place: number): number {
    const { times, places } = this
    const i = lastAtMost(places, place)
    if (i < 0) return times[0] ?? 0
    if (i >= places.length - 1) return times.at(-1) ?? 0
    const share = (place - places[i]) / (places[i + 1] - places[i])
    return Math.round(times[i] + share * (times[i + 1] - times[i]))
  }
}

function lastAtMost(sorted: readonly number[], x: number): number {
  return countAtMost(sorted, x, (number) => number) - 1
}

/** The times of all events, apart from periodic messages without effect. */
export function eventTimes(
  { lanes, endUs }: Diagram,
  arrows: readonly Arrow[],
  marks: readonly Mark[],
): number[] {
  const times = new Set<number>([0])
  const flightUs = usualFlightUs(arrows)
  for (const { leftAt, endAt, routine } of arrows) {
    if (routine) continue
    times.add(leftAt)
    // A message that was lost as it was sent is drawn as if it took the usual time.
    times.add(endAt > leftAt ? endAt : Math.min(leftAt + flightUs, endUs))
  }
  for (const { at, routine } of marks) if (!routine) times.add(at)
  for (const { intervals } of lanes) for (const { from } of intervals) times.add(from)
  return [...times].sort((a, b) => a - b)
}

/** The median time that a message takes. */
export function usualFlightUs(arrows: readonly Arrow[]): number {
  const flights = arrows
    .filter(({ fate, leftAt, endAt }) => fate === 'delivered' && endAt > leftAt)
    .map(({ leftAt, endAt }) => endAt - leftAt)
    .sort((a, b) => a - b)
  return flights[flights.length >> 1] ?? 1000
}

/** A rounded duration: `34.3 ms`, `12.5 s`. */
export function showSpan(us: number): string {
  if (us === 0) return '0 ms'
  if (us < 1000) return `${Math.round(us)} µs`
  if (us < 100_000) return `${Math.round(us / 100) / 10} ms`
  return us < 10_000_000 ? `${Math.round(us / 1000)} ms` : `${Math.round(us / 100_000) / 10} s`
}

/** A time, or the number of a step where there is no clock. */
export function showTime({ clock }: Diagram, us: number): string {
  return clock ? showSpan(us) : `step ${Math.round(us)}`
}

export function showLength({ clock }: Diagram, { from, to }: Span): string {
  return clock ? showSpan(to - from) : `${to - from} steps`
}

/** Round times in the unbroken stretches, far enough apart. */
export function ticksOf(scale: TimeScale, clock: boolean): number[] {
  const ticks: number[] = []
  let from = scale.timeAt(0)
  const stretches: Span[] = []
  for (const gap of scale.breaks) {
    stretches.push({ from, to: gap.from })
    from = gap.to
  }
  stretches.push({ from, to: scale.timeAt(scale.length) })
  for (const stretch of stretches) {
    const px = scale.at(stretch.to) - scale.at(stretch.from)
    const step = roundStep(px === 0 ? Infinity : (44 * (stretch.to - stretch.from)) / px, clock)
    const found = [stretch.from]
    for (let t = Math.ceil(stretch.from / step) * step; t <= stretch.to; t += step) found.push(t)
    let last = -Infinity
    for (const t of found) {
      if (scale.at(t) - last < 18) continue
      ticks.push(t)
      last = scale.at(t)
    }
  }
  return ticks
}

/** 1, 2 or 5 times a power of ten, at least this much. */
function roundStep(atLeast: number, clock: boolean): number {
  if (atLeast === Infinity) return Infinity
  for (let power = clock ? 100 : 1; ; power *= 10) {
    for (const digit of [1, 2, 5]) if (digit * power >= atLeast) return digit * power
  }
}
