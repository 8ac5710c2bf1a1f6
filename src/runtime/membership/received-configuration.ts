/** Judges a configuration that a peer sends: what it tells the algorithm must be what it tells the host. */
import type { Change } from '../../core/configuration.ts'
import { ConfigurationError } from '../errors.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { changeTo, firstConfiguration } from './group-configuration.ts'

/** `resolve` gives the options of a configuration, and throws ConfigurationError where it cannot be used. */
export function isUsable(
  { voters, observers, data }: Change,
  resolve: (data: string) => ResolvedOptions,
  fixedHash: string,
): boolean {
  try {
    const next = resolve(data)
    const said = changeTo(next.configuration ?? firstConfiguration(next))
    const fits = voters.equals(said.voters) && observers.equals(said.observers)
    return fits && next.fixedHash === fixedHash
  } catch (error) {
    if (error instanceof ConfigurationError) return false
    throw error
  }
}
