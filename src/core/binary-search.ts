/** Counts by binary search how many items of a sorted array are at most a number. */
export function countAtMost<T>(items: readonly T[], x: number, of: (item: T) => number): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (of(items[middle]) <= x) low = middle + 1
    else high = middle
  }
  return low
}
