/** Writes files that only this user can read, and never over another file unless asked to. */
import { randomBytes } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { UsageError } from '../errors.ts'

/** With `replace`, the file is exchanged as a whole. Throws UsageError if it exists. */
export function writePrivate(path: string, content: string, replace: boolean): void {
  const draft = replace ? `${path}.${randomBytes(6).toString('hex')}.new` : path
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(`${path} exists: remove it first, or give --replace`, { cause: error })
  }
  if (replace) renameSync(draft, path)
}
