/** Compares a report with an earlier one: claims that came or went, verdicts that changed, figures that differ. */
import { isOnProcesses } from './report.ts'
import { same, type Judged } from './verdict.ts'

type Compared = Pick<Judged, 'id' | 'verdict' | 'explained' | 'figures'>

/** One sentence for each difference; none: the same. */
export function driftBetween(
  before: readonly Compared[],
  after: readonly Compared[],
  isWhole = true,
): string[] {
  const earlier = new Map(before.map((claim) => [claim.id, claim]))
  const later = new Set(after.map(({ id }) => id))
  const gone = isWhole ? before.filter(({ id }) => !later.has(id)) : []
  return [
    ...gone.map(({ id }) => `${id}: it is no longer measured`),
    ...after.flatMap((claim) => {
      const old = earlier.get(claim.id)
      return old === undefined ? [`${claim.id}: it was not measured before`] : changes(old, claim)
    }),
  ]
}

/** Real processes never give the same figures twice, and their verdict depends on the machine: they are not compared. */
function changes(before: Compared, after: Compared): string[] {
  if (isOnProcesses(after)) return []
  const { id, verdict, figures } = after
  const changed = verdict === before.verdict ? [] : [`${id}: ${before.verdict} → ${verdict}`]
  if (after.explained !== before.explained)
    changed.push(`${id}: explained: ${String(after.explained)}`)
  const names = [...new Set([...Object.keys(before.figures), ...Object.keys(figures)])]
  const different = names.filter((name) => !isEqual(before.figures[name], figures[name]))
  return [
    ...changed,
    ...different.map((name) => `${id}: ${name}: ${before.figures[name]} → ${figures[name]}`),
  ]
}

/** JSON has no NaN: a figure that is null there never ended. */
function isEqual(a: number | null | undefined, b: number | null | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const [x, y] = [a ?? NaN, b ?? NaN]
  return (Number.isNaN(x) && Number.isNaN(y)) || same(x, y)
}
