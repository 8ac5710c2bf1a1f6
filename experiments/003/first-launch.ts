/** The distribution of the first launch among several nodes, which 003 calls the main influence on its elections. */
import { chanceWithin } from './launch.ts'

const P = 0.15
const IN_A_ROW = 3

/** Mean number of draws until the first of so many nodes has drawn three large numbers in a row. */
export function meanFirstDraws(nodes: number): number {
  return survival(nodes).reduce((sum, alive) => sum + alive, 0)
}

/** How many draws are enough in a given share of elections. */
export function firstDrawsQuantile(nodes: number, part: number): number {
  return survival(nodes).findIndex((alive) => 1 - alive >= part)
}

const survivals = new Map<number, readonly number[]>()

/** The probability that none of them has launched after 0, 1, 2, … draws. */
function survival(nodes: number): readonly number[] {
  const known = survivals.get(nodes)
  if (known !== undefined) return known
  const alive: number[] = []
  for (let draws = 0; ; draws++) {
    alive.push((1 - chanceWithin(draws, P, IN_A_ROW)) ** nodes)
    if (alive[draws] < 1e-9) break
  }
  survivals.set(nodes, alive)
  return alive
}
