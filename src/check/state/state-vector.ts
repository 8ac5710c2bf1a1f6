/**
 * Defines a state as the search works on it, a row of 1 + 2n numbers, and reads and writes its budget word. The budget
 * word, at 0, holds the faults that are left and the current cut; the component of member i is at i, its inbox at n +
 * i.
 */
import type { CheckConfig } from '../options.ts'

/** The bit at which each count of the budget word begins. */
export const Budget = {
  CRASHES: 0,
  RECOVERIES: 3,
  MISTAKES: 6,
  DROPS: 9,
  DUPLICATES: 12,
  CUTS: 15,
  RESIGNATIONS: 18,
  TICKS: 21,
  /** The number of the current cut; 0: none. */
  CUT: 24,
} as const
export const MAX_CUT_SHAPES = 127
export const MAX_BUDGET = 7

export const BUDGET_FIELDS = [
  ['crashes', Budget.CRASHES],
  ['recoveries', Budget.RECOVERIES],
  ['mistakes', Budget.MISTAKES],
  ['drops', Budget.DROPS],
  ['duplicates', Budget.DUPLICATES],
  ['cuts', Budget.CUTS],
  ['resignations', Budget.RESIGNATIONS],
  ['ticks', Budget.TICKS],
] as const

export function initialBudget(config: CheckConfig): number {
  const budget = BUDGET_FIELDS.reduce((word, [name, shift]) => word | (config[name] << shift), 0)
  return config.detector === 'eventual' ? budget : budget & ~(MAX_BUDGET << Budget.MISTAKES)
}

export function budgetOf(word: number, shift: number): number {
  return (word >>> shift) & MAX_BUDGET
}

export function cutOf(word: number): number {
  return word >>> Budget.CUT
}

export function withCut(word: number, cut: number): number {
  return (word & ~(MAX_CUT_SHAPES << Budget.CUT)) | (cut << Budget.CUT)
}
