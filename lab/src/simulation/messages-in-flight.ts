/** Messages under way at a moment. */
import type { Arrow } from './run-player.svelte.ts'
import { countAtMost, memoize } from './lookup.ts'

export interface MessageInFlight {
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

const longestFlight = memoize((arrows: readonly Arrow[]) =>
  arrows.reduce((longest, { leftAt, endAt }) => Math.max(longest, endAt - leftAt), 0),
)

/** The messages that are under way at some moment between the two: found, not sought among all. */
export function arrowsBetween(
  arrows: readonly Arrow[],
  from: number,
  to: number,
  usualFlight: number,
): readonly Arrow[] {
  const leftAt = (arrow: Arrow): number => arrow.leftAt
  const longest = Math.max(usualFlight, longestFlight(arrows))
  const first = countAtMost(arrows, from - longest - 1, leftAt)
  const behind = countAtMost(arrows, to, leftAt)
  return arrows.slice(first, behind).filter((arrow) => endOf(arrow, usualFlight) >= from)
}

export function messagesInFlight(
  arrows: readonly Arrow[],
  time: number,
  usualFlight: number,
): readonly MessageInFlight[] {
  const flights: MessageInFlight[] = []
  for (const arrow of arrowsBetween(arrows, time, time, usualFlight)) {
    const end = endOf(arrow, usualFlight)
    if (end <= time) continue
    const share = (time - arrow.leftAt) / (end - arrow.leftAt)
    const gone = arrow.fate === 'lost' && arrow.endAt <= arrow.leftAt
    flights.push({ arrow, share: gone ? Math.min(share, 0.5) : share, lostAt: gone ? 0.5 : null })
  }
  return flights
}
