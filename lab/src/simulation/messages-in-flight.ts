/** Finds the messages in flight at a moment, with how far each has travelled, those in flight in a period, and those yet to be delivered. */
import { countAtMost } from '../../../src/core/binary-search.ts'
import { memoize } from './memoize.ts'
import type { Arrow, RunPlayer } from './run-player.svelte.ts'

export interface MessageInFlight {
  readonly arrow: Arrow
  /** How much of the way it has travelled, 0 to 1. */
  readonly share: number
  /** The share at which it is lost; null: it arrives. */
  readonly lostAt: number | null
}

/** Until when a message is drawn. One that was lost when it was sent is drawn for the usual flight time. */
function endOf({ leftAt, endAt, fate }: Arrow, usualFlight: number): number {
  return fate === 'lost' && endAt <= leftAt ? leftAt + usualFlight : endAt
}

const longestFlight = memoize((arrows: readonly Arrow[]) =>
  arrows.reduce((longest, { leftAt, endAt }) => Math.max(longest, endAt - leftAt), 0),
)

/** The messages in flight at some moment of a period. Binary search: runs have many arrows. */
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

type Moment = Pick<RunPlayer, 'run' | 'time' | 'usualFlight'>

export function messagesInFlight({ run, time, usualFlight }: Moment): readonly MessageInFlight[] {
  return arrowsBetween(run?.diagram.arrows ?? [], time, time, usualFlight).flatMap((arrow) => {
    const end = endOf(arrow, usualFlight)
    if (end <= time) return []
    const share = (time - arrow.leftAt) / (end - arrow.leftAt)
    const lost = arrow.fate === 'lost' && arrow.endAt <= arrow.leftAt
    return [{ arrow, share: lost ? Math.min(share, 0.5) : share, lostAt: lost ? 0.5 : null }]
  })
}

/** The messages in flight that are not lost, in order of arrival. */
export function undelivered(moment: Moment): Arrow[] {
  return messagesInFlight(moment)
    .filter(({ lostAt }) => lostAt === null)
    .map(({ arrow }) => arrow)
    .sort((a, b) => a.endAt - b.endAt)
}
