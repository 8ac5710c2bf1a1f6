/**
 * Shared parts of the roulette-wheel elections: options and their check, state fields, messages, the draws until the
 * launch condition holds, and the choice of a voter by its places on the wheel.
 */
import { numberOption, type ValuesOf } from '../../core/algorithm.ts'
import { assert } from '../../core/assert.ts'
import type { NodeId } from '../../core/node-id.ts'
import type { NodeSet } from '../../core/node-set.ts'
import type { ReadonlyNodeArray } from '../../core/node-array.ts'
import { counter, flag, int, node, nodeSet, oneOf, perNode, stable } from '../../core/schema.ts'
import type { RecordOf } from '../../core/schema.ts'

/** 003 §2.2.1: "generating random numbers with many decimal places (6 would be sufficient)". */
export const MAX_FACES = 1_000_000
export const MAX_CONSECUTIVE = 10

/**
 * Numbers are 1..faces, "greater than threshold" from threshold + 1 on: 0.85 of 003 is 850,000 faces.
 * `drawEveryMs`: 385 ms on average for three in a row (003 §2.4) are 347.4 draws, one each 1.108 ms.
 */
export const launchOptions = {
  faces: numberOption(MAX_FACES, 2, MAX_FACES),
  threshold: numberOption(850_000, 0, MAX_FACES - 1),
  consecutive: numberOption(3, 1, MAX_CONSECUTIVE),
  drawEveryMs: numberOption(1.108, 0.001, 60_000),
}
export type LaunchOptions = ValuesOf<typeof launchOptions>

/** The state of the corrected algorithms. */
export const rouletteFields = {
  status: oneOf('basic', 'candidate', 'coordinator', 'leader'), // the four modes of 003 §2.2
  leader: node,
  term: stable(counter()),
  voted: stable(node), // the candidate that got the member's vote in this term
  started: stable(flag), // in an earlier incarnation, which may have taken part
  drawing: flag, // there is no leader, and the member draws numbers, unless it is bonded
  best: int(0, MAX_FACES), // the greatest number that the member ever drew; 0: none
  streak: int(0, MAX_CONSECUTIVE), // how many of the latest draws in a row were above the threshold
  votes: nodeSet, // the members that voted for this candidate in this term,
  numbers: perNode(0, MAX_FACES), // and the greatest number of each
  answers: nodeSet, // the members that answered the proposal, or the leader's heartbeat
  spun: flag, // the wheel has chosen in this term
}

export const rouletteMessages = {
  proposal: { term: counter() },
  positive: { term: counter(), number: int(0, MAX_FACES) },
  negative: { term: counter() },
  announcement: { term: counter() },
}

type Drawing = RecordOf<Pick<typeof rouletteFields, 'drawing' | 'best' | 'streak'>>

export function stopDrawing(s: Drawing, out: { clear(timer: 'draw'): void }): void {
  s.drawing = false
  s.streak = 0
  out.clear('draw')
}

/** Counts a draw (k = 0 is the number 1); returns whether the launch condition holds. */
export function launches(s: Omit<Drawing, 'drawing'>, k: number, options: LaunchOptions): boolean {
  const number = k + 1
  s.best = Math.max(s.best, number)
  s.streak = number > options.threshold ? s.streak + 1 : 0
  return s.streak >= options.consecutive
}

export function checkLaunchOptions({ faces, threshold }: LaunchOptions): void {
  assert(threshold < faces, `threshold ${threshold} leaves none of ${faces} faces above it`)
}

/** The places on the wheel: each voter has as many as its number. */
export function placesOn(voters: NodeSet, numbers: ReadonlyNodeArray): number {
  let places = 0
  for (const voter of voters) places += numbers.get(voter)
  return places
}

/** The voter that has the k-th place, k = 0, 1, … */
export function ownerOf(k: number, voters: NodeSet, numbers: ReadonlyNodeArray): NodeId {
  let left = k
  for (const voter of voters) {
    left -= numbers.get(voter)
    if (left < 0) return voter
  }
  return voters.max
}
