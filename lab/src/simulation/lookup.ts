/** Binary search in sorted arrays, and results computed once for each object. */

/** How many of the first items have a number of at most x. */
export function countAtMost<T>(items: readonly T[], x: number, of: (item: T) => number): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (of(items[middle]) <= x) low = middle + 1
    else high = middle
  }
  return low
}

/** Computes a value once for each object. */
export function memoize<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) {
      value = compute(key)
      known.set(key, value)
    }
    return value
  }
}
