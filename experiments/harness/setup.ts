/** Makes the setup that experiments run with: algorithms by name, the seed, the number of samples. */
import { algorithms } from 'bellwether/algorithms'
import type { Algorithm } from 'bellwether/core'
import type { Setup } from './claim.ts'

export interface SetupOptions {
  readonly seed: number
  /** Claims; none: all. */
  readonly only?: readonly string[]
  /** 1: all samples. */
  readonly effort: number
  /** Algorithms that replace those of the same name. */
  readonly replaced?: readonly Algorithm[]
}

export function setupOf({ seed, effort, only = [], replaced = [] }: SetupOptions): Setup {
  const byName = new Map([...algorithms, ...replaced].map((one) => [one.name, one]))
  return {
    seed,
    wants: (id) => only.length === 0 || only.includes(id),
    samples: (full) => Math.max(2, Math.round(full * effort)),
    algorithm(name) {
      const found = byName.get(name)
      if (found === undefined) throw new Error(`there is no algorithm ${name}`)
      return found
    },
  }
}
