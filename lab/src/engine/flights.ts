/** Messages under way at a moment. */
import type { Arrow } from './session.svelte.ts'
import { countAtMost, once } from './sorted.ts'

export interface Flight {
  readonly arrow: Arrow
  /** How far it has come, 0 to 1. */
  readonly share: number
  /** Lost on the way, at this share; null: it arrives. */
  readonly lostAt: number | null
}

/** When a message is no longer seen: one that was lost as it was sent is seen for the usual time. */
export function endOf({ leftAt, endAt, fate }: Arrow, usualFlight: number): number {
  return fate === 'lost' && endAt <= leftAt ? leftAt + usualFlight : endAt
}

const longestFlight = once((arrows: readonly Arrow[]) =>
  arrows.reduce((longest, { leftAt, endAt }) => Math.max(longest, endAt - leftAt), 0),
)

export function flightsAt(
  arrows: readonly Arrow[],
  time: number,
  usualFlight: number,
): readonly Flight[] {
  const flights: Flight[] = []
  const longest = Math.max(usualFlight, longestFlight(arrows))
  const first = countAtMost(arrows, time - longest - 1, ({ leftAt }) => leftAt)
  for (let i = first; i < arrows.length; i++) {
    const arrow = arrows[i]
    if (arrow.leftAt > time) break
    const end = endOf(arrow, usualFlight)
    if (end <= time) continue
    const share = (time - arrow.leftAt) / (end - arrow.leftAt)
    const gone = arrow.fate === 'lost' && arrow.endAt <= arrow.leftAt
    flights.push({ arrow, share: gone ? Math.min(share, 0.5) : share, lostAt: gone ? 0.5 : null })
  }
  return flights
}
