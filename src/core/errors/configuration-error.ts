/** The error for an option that cannot work, and the one check that every object of options has only known names. */
import { BellwetherError } from './bellwether-error.ts'
import { closestName } from './closest-name.ts'

/** An option that cannot work. `field` is its path in the options. */
export class ConfigurationError extends BellwetherError {
  override readonly name = 'ConfigurationError'
  readonly code = 'configuration'
  readonly field: string

  constructor(field: string, problem: string, options?: ErrorOptions) {
    super(`${field}: ${problem}`, options)
    this.field = field
  }
}

/**
 * Throws ConfigurationError unless it is an object whose names are all among these. An instance of another class, such
 * as an AbortSignal that was meant to be `{ signal }`, has none of them.
 */
export function checkNames(
  given: unknown,
  names: readonly string[],
  path = '',
): Readonly<Record<string, unknown>> {
  const tag = Object.prototype.toString.call(given).slice(8, -1)
  if (tag !== 'Object' && tag !== 'Module') {
    const what = given === null || typeof given !== 'object' ? String(given) : `of type ${tag}`
    throw new ConfigurationError(path || 'options', `must be an object, not ${what}`)
  }
  const unknown = Object.keys(given as object).find((name) => !names.includes(name))
  if (unknown === undefined) return given as Readonly<Record<string, unknown>>
  const closest = closestName(unknown, names)
  const meant = closest === undefined ? '' : `; did you mean ${closest}?`
  throw new ConfigurationError(
    path === '' ? unknown : `${path}.${unknown}`,
    `no such option; possible: ${names.join(', ')}${meant}`,
  )
}
