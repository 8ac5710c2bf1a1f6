/** Computes how many draws a launch of 003 takes: mean and probability for one node, mean for the first of several nodes. */

import { PARAMETERS } from '../harness/parameters.ts'

/** 385 ms on the average for three in a row are 347.4 draws, one each 1.108 ms: a sleep of a millisecond. */
export const DRAW_MS = PARAMETERS.drawMs.value

/** Mean number of draws until r in a row are large, each with probability p. */
export function meanDraws(p: number, r: number): number {
  return (1 - p ** r) / ((1 - p) * p ** r)
}

/** The probability that this has happened after so many draws. */
export function chanceWithin(draws: number, p: number, r: number): number {
  // ways[k]: the last k draws were large, and never r in a row yet.
  let ways = [1, ...new Array<number>(r - 1).fill(0)]
  let done = 0
  for (let i = 0; i < draws; i++) {
    done += ways[r - 1] * p
    ways = ways.map((_, k) => (k === 0 ? (1 - p) * ways.reduce((a, b) => a + b) : p * ways[k - 1]))
  }
  return done
}

/** Mean number of draws until the first of so many nodes has drawn three large numbers in a row. */
export function meanFirstDraws(nodes: number): number {
  return survival(nodes).reduce((sum, alive) => sum + alive, 0)
}

/** Of so many elections, how many draws the latest first launch of the nodes comes after the earliest: mean and standard deviation. */
export function apartDraws(nodes: number, elections: number): { mean: number; deviation: number } {
  const alive = survival(nodes)
  const latest = momentsOf(alive.map((one) => 1 - (1 - one) ** elections))
  const earliest = momentsOf(alive.map((one) => one ** elections))
  return {
    mean: latest.mean - earliest.mean,
    // The two hardly depend on each other.
    deviation: Math.sqrt(latest.variance + earliest.variance),
  }
}

/** From the probabilities that a number of draws is above 0, 1, 2, … */
function momentsOf(above: readonly number[]): { mean: number; variance: number } {
  const mean = above.reduce((sum, one) => sum + one, 0)
  const squares = above.reduce((sum, one, draws) => sum + (2 * draws + 1) * one, 0)
  return { mean, variance: squares - mean ** 2 }
}

/** The probability that none of them has launched after 0, 1, 2, … draws. */
function survival(nodes: number): readonly number[] {
  const alive: number[] = []
  for (let draws = 0; ; draws++) {
    alive.push((1 - chanceWithin(draws, 0.15, 3)) ** nodes)
    if (alive[draws] < 1e-9) break
  }
  return alive
}
