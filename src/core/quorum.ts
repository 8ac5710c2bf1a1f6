/** Computes the size of a majority of n members: any two sets of that size share a member. */
export function majority(n: number): number {
  return Math.floor(n / 2) + 1
}
