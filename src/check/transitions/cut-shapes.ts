/** What a cut may be: a group of members apart from the rest, or one pair that cannot talk to each other. */

/** Each shape is the set of links, (from − 1)·n + to − 1, over which nothing passes. */
export function cutShapes(members: number): ReadonlySet<number>[] {
  const shapes = new Map<string, ReadonlySet<number>>()
  const add = (apart: (a: number, b: number) => boolean): void => {
    const links = new Set<number>()
    for (let a = 0; a < members; a++) {
      for (let b = 0; b < members; b++) if (a !== b && apart(a, b)) links.add(a * members + b)
    }
    shapes.set([...links].join(), links)
  }
  for (let side = 1; side < 2 ** (members - 1); side++) {
    add((a, b) => ((side >>> a) & 1) !== ((side >>> b) & 1))
  }
  for (let x = 0; x < members; x++) {
    for (let y = 0; y < x; y++) add((a, b) => (a === x && b === y) || (a === y && b === x))
  }
  return [...shapes.values()]
}
