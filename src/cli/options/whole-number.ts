/** Parses flags that are whole numbers: counts, seeds, ports. */
import { InvalidArgumentError } from 'commander'

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/u.test(text) ? Number(text) : NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}.`)
  }
}

export const parsePort = wholeNumber(0, 65_535)
