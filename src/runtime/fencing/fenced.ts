/** Makes and recognises the safety level `fenced(engine)` of `join`, with its option `vouch`. */
import type { Engine } from '../../engines/engine.ts'
import { checkNames, ConfigurationError } from '../../core/errors/configuration-error.ts'

export interface FencedOptions {
  /**
   * Who must vouch for a leader whose lease runs out because it cannot reach the engine, so that it may go on:
   * `nobody` can (it steps down until the engine is back), a `majority` of the members, itself included, or `all`.
   */
  readonly vouch?: Vouch
}

export const VOUCHES = ['nobody', 'majority', 'all'] as const
export type Vouch = (typeof VOUCHES)[number]

const METHODS = ['load', 'read', 'take', 'renew', 'watch', 'reseed', 'close'] as const

export interface Fenced {
  readonly kind: 'fenced'
  readonly engine: Engine
  readonly vouch: Vouch
}

/** A member leads only with the next token of this engine. Each election needs an engine object of its own. */
export function fenced(engine: Engine, options: FencedOptions = {}): Fenced {
  if (METHODS.some((method) => typeof (engine as Engine | undefined)?.[method] !== 'function')) {
    throw new ConfigurationError(
      'safety.engine',
      'must be an engine, such as postgres(pool) or etcd({ endpoints }) of bellwether/engines',
    )
  }
  checkNames(options, ['vouch'], 'safety')
  const { vouch = 'nobody' } = options
  if (!VOUCHES.includes(vouch)) {
    throw new ConfigurationError('safety.vouch', 'must be nobody, majority or all')
  }
  return { kind: 'fenced', engine, vouch }
}

export function isFenced(safety: unknown): safety is Fenced {
  return typeof safety === 'object' && safety !== null && 'kind' in safety
}
