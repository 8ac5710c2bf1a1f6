/** Finds the name that a misspelt one probably meant. */

/** The closest of the names, by the fewest letters to insert, delete, replace or swap; undefined if none is close. */
export function closestName(given: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(given.length / 3))
  const [best] = names
    .map((name) => ({ name, distance: distanceBetween(given.toLowerCase(), name) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance)
  return best?.name
}

/** ` (did you mean NAME?)`, or nothing. */
export function didYouMean(given: string, names: readonly string[]): string {
  const closest = closestName(given, names)
  return closest === undefined ? '' : ` (did you mean ${closest}?)`
}

/** The distance of Damerau and Levenshtein, without a second change of letters that were swapped. */
function distanceBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, replaced)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1)
    }
    rows.push(row)
  }
  return rows[a.length][b.length]
}
