/** All experiments, and the lab in which they run. */
import { algorithms } from 'bellwether/algorithms'
import type { Algorithm } from 'bellwether/core'
import { experiments000 } from '../000/index.ts'
import { experiments001 } from '../001/index.ts'
import { experiments002 } from '../002/index.ts'
import { experiments003 } from '../003/index.ts'
import { experiments004 } from '../004/index.ts'
import { experimentsBeyond } from '../beyond/index.ts'
import type { Experiment, Lab } from './claim.ts'

export const experiments: readonly Experiment[] = [
  ...experiments000,
  ...experiments001,
  ...experiments002,
  ...experiments003,
  ...experiments004,
  ...experimentsBeyond,
]

export interface LabOptions {
  readonly seed: number
  /** Claims; none: all. */
  readonly only?: readonly string[]
  /** 1: all samples. */
  readonly effort: number
  /** Algorithms that take the place of those of the same name. */
  readonly replaced?: readonly Algorithm[]
}

export function openLab({ seed, effort, only = [], replaced = [] }: LabOptions): Lab {
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
