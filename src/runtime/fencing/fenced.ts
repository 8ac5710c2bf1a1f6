/** `safety: fenced(engine)`: what a user gives to `join`, and what is kept of it. */
import type { Engine } from '../../engines/engine.ts'
import { ConfigurationError } from '../errors.ts'

export interface FencedOptions {
  /**
   * Who lets a leader go on when its lease has run out because the engine is out of reach: `nobody` (it
   * steps down until the engine is back), a `majority` of the members, itself included, or `all` of them.
   */
  readonly vouch?: Vouch
}

export type Vouch = 'nobody' | 'majority' | 'all'

export interface Fenced {
  readonly kind: 'fenced'
  readonly engine: Engine
  readonly vouch: Vouch
}

/** A leader holds the next token of this engine before it leads. One engine object for each election. */
export function fenced(engine: Engine, { vouch = 'nobody' }: FencedOptions = {}): Fenced {
  if (!['nobody', 'majority', 'all'].includes(vouch)) {
    throw new ConfigurationError('safety.vouch', 'must be nobody, majority or all')
  }
  return { kind: 'fenced', engine, vouch }
}

export function isFenced(safety: unknown): safety is Fenced {
  return typeof safety === 'object' && safety !== null && 'kind' in safety
}
