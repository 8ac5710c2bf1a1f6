/** Counts by binary search how many items of a sorted array are at most a number. */

/** How many items, from the first, have a number of at most x. */
export function countAtMost<T>(items: readonly T[], x: number, of: (item: T) => number): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (of(items[middle]) <= x) low = middle + 1
    else high = middle
  }
  return low
}
