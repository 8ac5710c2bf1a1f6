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
import { dirname, resolve } from 'node:path'
import { codeOf, remedyOf } from './disk-remedy.ts'
import { StoreError } from './store.ts'

/** Follows no link, and waits for no writer of a pipe. Windows has neither flag. */
const READ_OWN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Creates the folder if it is missing; returns the first folder that was made. Throws StoreError. */
export function openPrivateFolder(folder: string): string | undefined {
  const path = resolve(folder)
  let made: string | undefined
  try {
    made = makeFolder(path)
  } catch (cause) {
    throw new StoreError(
      `${path}: the state folder cannot be created (${codeOf(cause)}): ${folderRemedyOf(cause)}`,
      { cause },
    )
  }
  checkPrivateFolder(path)
  return made
}

/**
 * Makes the folder and those above it; returns the first that was made. By single steps, because the recursive call of
 * Node never returns where a file system, such as /proc, says ENOENT below a folder that exists, and reports a read-only
 * one as ENOENT.
 */
function makeFolder(path: string): string | undefined {
  // A link that leads nowhere, or a file: what follows says so.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return undefined
  const above = makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause // another process was faster
  }
  return above ?? path
}

function folderRemedyOf(cause: unknown): string {
  const { path = '' } = cause as NodeJS.ErrnoException
  return codeOf(cause) === 'ENOENT'
    ? `${dirname(path)} takes no folders: give a folder on a disk`
    : remedyOf(cause)
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
