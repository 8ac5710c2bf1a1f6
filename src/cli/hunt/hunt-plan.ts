/** The request for a hunt as it is passed to a thread, with names for algorithms, and the plan that it stands for. */
import { algorithms } from '../../algorithms/index.ts'
import { detectors } from '../../detectors/index.ts'
import { FAMILIES, type Family } from '../../sim/hunt/disturbances.ts'
import type { HuntPlan } from '../../sim/hunt/draft.ts'
import { UsageError } from '../errors.ts'

export interface HuntRequest {
  readonly seed: number
  readonly algorithms: readonly string[]
  readonly families: readonly Family[]
  /** Whether the hunt goes on after a run that breaks a promise. */
  readonly goesOn: boolean
}

export function planOf({ seed, algorithms: names, families }: HuntRequest): HuntPlan {
  const chosen = names.map((name) => algorithms.find((algorithm) => algorithm.name === name)!)
  return { seed, algorithms: chosen, detectors, families }
}

/** Specimens are expected to break their promises: they are hunted when they are named. */
export function algorithmsOf(names: readonly string[]): string[] {
  const known = algorithms.map(({ name }) => name)
  const wrong = names.find((name) => !known.includes(name))
  if (wrong !== undefined) {
    throw new UsageError(`there is no algorithm ${wrong}; there are ${known.join(', ')}`)
  }
  if (names.length > 0) return [...new Set(names)]
  return algorithms.flatMap(({ name, specimen }) => (specimen ? [] : [name]))
}

export function familiesOf(text: string | undefined): readonly Family[] {
  if (text === undefined) return FAMILIES
  return text.split(',').map((name) => {
    const family = FAMILIES.find((known) => known === name)
    if (family !== undefined) return family
    throw new UsageError(
      `--faults: there is no ${name || '(nothing)'}; there are ${FAMILIES.join(', ')}`,
    )
  })
}
