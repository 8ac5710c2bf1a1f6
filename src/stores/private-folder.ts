/**
 * Makes and checks the folder of a member's files, and reads them: the folder belongs to the user of this process, is
 * closed to others and is no symbolic link, and no symbolic link in it is followed.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { StoreError } from './store.ts'

/** Follows no link, and waits for no writer of a pipe. Windows has neither flag. */
const READ_OWN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Creates the folder if it is missing; returns the first folder that was made. Throws StoreError. */
export function openPrivateFolder(folder: string): string | undefined {
  const path = resolve(folder)
  let made: string | undefined
  try {
    made = mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    // A link that leads nowhere, or to a file: what follows says so.
    if (code !== 'EEXIST' && code !== 'ENOENT') {
      throw new StoreError(`${path}: the state folder cannot be created (${code})`, { cause })
    }
  }
  checkPrivateFolder(path)
  return made
}

function checkPrivateFolder(path: string): void {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) {
    throw new StoreError(`${path}: is a symbolic link: give the folder that it leads to`)
  }
  if (!found.isDirectory()) throw new StoreError(`${path}: is not a folder`)
  refuseOtherOwner(path, found.uid)
  // Windows has other rules, and reports a mode that means nothing.
  if (process.getuid === undefined || (found.mode & 0o077) === 0) return
  const mode = (found.mode & 0o777).toString(8)
  throw new StoreError(
    `${path}: is open to other users (mode ${mode}), who could forge votes: run "chmod 700 ${path}", or give a ` +
      'folder inside it, which will be created',
  )
}

/** Throws an error with the code ENOENT where there is none, StoreError where it is not this user's own file. */
export function readPrivateFile(path: string): Buffer {
  const file = openSync(path, READ_OWN)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw new StoreError(`${path}: is not a file`)
    refuseOtherOwner(path, found.uid)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

function refuseOtherOwner(path: string, uid: number): void {
  const own = process.getuid?.()
  if (own === undefined || uid === own) return
  throw new StoreError(
    `${path}: belongs to another user (${uid}; this process runs as ${own}): give a folder of its own user, or run ` +
      'as the owner',
  )
}
