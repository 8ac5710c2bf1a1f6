/** Compares a report with an earlier one: claims that came or went, verdicts that changed, figures that differ. */
import { isOnProcesses } from './report.ts'
import { same, type Judged } from './verdict.ts'

type Ran = Pick<Judged['runs'][number], 'algorithm' | 'reading' | 'cases'>
interface Compared extends Pick<Judged, 'id' | 'verdict' | 'explained' | 'figures'> {
  readonly runs: readonly Ran[]
}

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
    ...runChanges(before, after),
  ]
}

/** Of every algorithm and reading, the settings in which something else was measured. */
function runChanges(before: Compared, after: Compared): string[] {
  const nameOf = ({ algorithm, reading }: Ran): string =>
    reading === undefined ? algorithm : `${algorithm}, ${reading}`
  const earlier = new Map(before.runs.map((run) => [nameOf(run), run]))
  const later = new Set(after.runs.map(nameOf))
  const gone = [...earlier.keys()].filter((name) => !later.has(name))
  return [
    ...gone.map((name) => `${after.id}: ${name}: no longer measured`),
    ...after.runs.flatMap((run) => {
      const old = earlier.get(nameOf(run))
      if (old === undefined) return [`${after.id}: ${nameOf(run)}: not measured before`]
      const most = Math.max(old.cases.length, run.cases.length)
      const differ = Array.from({ length: most }, (_, i) =>
        isEqual(old.cases[i]?.measured, run.cases[i]?.measured),
      ).filter((equal) => !equal).length
      return differ === 0
        ? []
        : [`${after.id}: ${nameOf(run)}: ${differ} of ${most} settings differ`]
    }),
  ]
}

/** JSON has no NaN: a figure that is null there never ended. */
function isEqual(a: number | null | undefined, b: number | null | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const [x, y] = [a ?? NaN, b ?? NaN]
  return (Number.isNaN(x) && Number.isNaN(y)) || same(x, y)
}
