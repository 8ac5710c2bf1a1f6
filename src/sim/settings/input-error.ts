/** The error for a setting that cannot be used: names its key, its value and the problem. */
import { BellwetherError } from '../../core/errors/bellwether-error.ts'

export class InputError extends BellwetherError {
  override readonly name = 'InputError'
  readonly code = 'input'

  constructor(key: string, given: string, possible: string) {
    super(`--${key} ${given === '' ? '(nothing)' : given}: ${possible}`)
  }
}
