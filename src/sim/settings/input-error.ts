/** The error for a setting that cannot be used: names its key, its value and the problem. */
export class InputError extends Error {
  override readonly name = 'InputError'

  constructor(key: string, given: string, possible: string) {
    super(`--${key} ${given === '' ? '(nothing)' : given}: ${possible}`)
  }
}
