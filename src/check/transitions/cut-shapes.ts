/** Lists the cuts that a check may make: a group of members apart from the rest, or one pair of members. */

/** Each shape is the set of links that it cuts, (from − 1)·n + to − 1. */
export function cutShapes(n: number): ReadonlySet<number>[] {
  const shapes = new Map<string, ReadonlySet<number>>()
  const add = (isCut: (a: number, b: number) => boolean): void => {
    const links = new Set<number>()
    for (let a = 0; a < n; a++) {
      for (let b = 0; b < n; b++) if (a !== b && isCut(a, b)) links.add(a * n + b)
    }
    shapes.set([...links].join(), links)
  }
  for (let group = 1; group < 2 ** (n - 1); group++) {
    add((a, b) => ((group >>> a) & 1) !== ((group >>> b) & 1))
  }
  for (let x = 0; x < n; x++) {
    for (let y = 0; y < x; y++) add((a, b) => (a === x && b === y) || (a === y && b === x))
  }
  return [...shapes.values()]
}
