/**
 * Loads a value from files, and loads it again when one of them has changed, so that keys, certificates and lists are
 * replaced without a restart. Files that cannot be used are reported once, and the last usable value stays.
 */
import { statSync } from 'node:fs'
import { TransportError } from '../../errors.ts'

export class Reloading<T> {
  private readonly files: readonly string[]
  private readonly load: () => T
  private readonly report: (reason: string) => void
  private stamp: string
  private value: T
  /** The stamp of files that are unusable: they are reported once. */
  private unusable: string | undefined

  /** Throws what `load` throws, and TransportError for a file that is not there. */
  constructor(files: readonly string[], load: () => T, report: (reason: string) => void) {
    this.files = files
    this.load = load
    this.report = report
    this.stamp = this.newStamp()
    this.value = load()
  }

  current(): T {
    let stamp = ''
    try {
      stamp = this.newStamp()
      if (stamp === this.stamp || stamp === this.unusable) return this.value
      this.value = this.load()
      this.stamp = stamp
      this.unusable = undefined
    } catch (error) {
      if (stamp !== this.unusable) this.report((error as Error).message)
      this.unusable = stamp
    }
    return this.value
  }

  private newStamp(): string {
    return this.files
      .map((file) => {
        const { mtimeMs, ino, size } = orTransportError(file, () => statSync(file))
        return `${mtimeMs} ${ino} ${size}`
      })
      .join(' ')
  }
}

/** Runs `use`; what it throws becomes a TransportError that names the file, the reason and the remedy. */
export function orTransportError<T>(
  file: string,
  use: () => T,
  remedy = 'give a file that this member can read',
): T {
  try {
    return use()
  } catch (cause) {
    if (cause instanceof TransportError) throw cause
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
    throw new TransportError(`${file}: cannot be used (${reason}): ${remedy}`, { cause })
  }
}
