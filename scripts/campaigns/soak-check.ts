/** Computes from the records of a soak when each term was valid, and checks that no two were at once, terms rise, each elected has one lost, and no late `term.assert()` succeeded. */
import type { EventRecord } from '../../src/index.ts'

/** A record of soak-member.js. */
export type Noted = Omit<EventRecord, 'event'> & {
  readonly event: EventRecord['event'] | 'renewed' | 'valid' | 'changed'
  readonly untilMs?: number
  /** Which order to change the group it answers. */
  readonly order?: number
}

/** From `elected` to the earlier of its logged end and its last deadline. */
export interface Holding {
  readonly node: string
  readonly term: number
  readonly fromMs: number
  readonly untilMs: number
}

const ms = ({ at }: Noted): number => Number(BigInt(at)) / 1e6

export function holdingsOf(notes: readonly Noted[]): Holding[] {
  return notes
    .filter(({ event }) => event === 'elected')
    .map((elected) => {
      const own = notes.filter(({ node, pid }) => node === elected.node && pid === elected.pid)
      const end = own.find(
        (note) =>
          (note.event === 'lost' && note.term === elected.term) ||
          (note.event === 'exited' && ms(note) >= ms(elected)),
      )
      const deadlines = own.flatMap(({ event, term, untilMs }) =>
        event === 'renewed' && term === elected.term && untilMs !== undefined ? [untilMs] : [],
      )
      const untilMs = Math.min(end === undefined ? Infinity : ms(end), Math.max(...deadlines))
      return { node: elected.node, term: elected.term, fromMs: ms(elected), untilMs }
    })
}

/** For how long no member held a valid term between these moments: by default, from the first term to the last. */
export function leaderlessMs(
  holdings: readonly Holding[],
  fromMs = -Infinity,
  toMs = Infinity,
): number {
  let [at, gaps] = [fromMs, 0]
  for (const holding of holdings.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (holding.fromMs >= toMs) break
    if (at !== -Infinity) gaps += Math.max(0, holding.fromMs - at)
    at = Math.max(at, holding.untilMs)
  }
  return toMs === Infinity ? gaps : gaps + Math.max(0, toMs - at)
}

/** One sentence for each violation. */
export function violationsOf(notes: readonly Noted[]): string[] {
  const holdings = holdingsOf(notes).toSorted((a, b) => a.fromMs - b.fromMs)
  return [
    ...overlaps(holdings),
    ...fallingTerms(holdings),
    ...unpaired(notes),
    ...lateAsserts(notes, holdings),
  ]
}

function overlaps(holdings: readonly Holding[]): string[] {
  return holdings.flatMap((a, i) =>
    holdings
      .slice(i + 1)
      .filter((b) => b.fromMs < a.untilMs)
      .map((b) => {
        const both = (Math.min(a.untilMs, b.untilMs) - b.fromMs).toFixed(3)
        return `${a.node} (term ${a.term}) and ${b.node} (term ${b.term}) both held for ${both} ms`
      }),
  )
}

function fallingTerms(holdings: readonly Holding[]): string[] {
  return holdings
    .filter((holding, i) => i > 0 && holding.term <= holdings[i - 1].term)
    .map(({ node, term }) => `${node} was elected in term ${term} after a term as high`)
}

function unpaired(notes: readonly Noted[]): string[] {
  return notes
    .filter(({ event }) => event === 'elected')
    .flatMap(({ node, pid, term }) => {
      const own = notes.filter((note) => note.node === node && note.pid === pid)
      const lost = own.filter((note) => note.event === 'lost' && note.term === term).length
      const killed = own.some(({ event, reason }) => event === 'exited' && reason !== null)
      if (lost === 1 || (lost === 0 && killed)) return []
      return [`${node} was elected in term ${term} and lost it ${lost} times`]
    })
}

/** `term.assert()` must not succeed after the deadline that had been reached by then. */
function lateAsserts(notes: readonly Noted[], holdings: readonly Holding[]): string[] {
  return notes
    .filter(({ event }) => event === 'valid')
    .flatMap((note) => {
      const holding = holdings.find(({ node, term }) => node === note.node && term === note.term)
      if (holding !== undefined && ms(note) <= holding.untilMs) return []
      return [`term.assert() of ${note.node} succeeded in term ${note.term} after its deadline`]
    })
}
