/**
 * Finds or makes the key of a group whose members all run on this machine and have neither a key nor certificates. The
 * loopback interface is open to every user of the machine; the key is in a folder that only this user can read.
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { TransportError } from '../../errors.ts'
import { orTransportError } from './reloading.ts'

const REMEDY =
  'give the members a key (key, --shared-key), or let XDG_STATE_HOME name a folder of this user'

/** A new key as text, for a file. */
export function newSharedKey(): string {
  return `${randomBytes(32).toString('base64url')}\n`
}

/** Where the key is, once a member of the group has run under this user. */
export function localKeyPath(group: string): string {
  return join(stateHome(), 'bellwether', `${fileNameOf(group)}.key`)
}

/** The path of the key, which exists when this returns. Throws TransportError. */
export function localKeyFile(group: string): string {
  const file = localKeyPath(group)
  const folder = dirname(file)
  orTransportError(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }), REMEDY)
  const info = lstatSync(folder)
  if (!info.isDirectory()) throw new TransportError(`${folder}: is not a folder: ${REMEDY}`)
  refuseShared(folder, info)
  orTransportError(file, () => createOnce(folder, file), REMEDY)
  orTransportError(file, () => checkPrivate(file), REMEDY)
  return file
}

function fileNameOf(group: string): string {
  const name = encodeURIComponent(group).replaceAll('.', '%2E').replaceAll('*', '%2A')
  return name.length <= 200 ? name : createHash('sha256').update(group).digest('hex')
}

function stateHome(): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  if (XDG_STATE_HOME !== undefined && XDG_STATE_HOME !== '') return XDG_STATE_HOME
  if (process.platform === 'win32' && LOCALAPPDATA !== undefined) return LOCALAPPDATA
  return join(homedir(), '.local', 'state')
}

/** The file appears with its content: members that start together find the same key. */
function createOnce(folder: string, file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return
  const draft = join(folder, `${randomBytes(12).toString('hex')}.new`)
  writeFileSync(draft, newSharedKey(), { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

function checkPrivate(file: string): void {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const descriptor = openSync(file, flags)
  try {
    const info = fstatSync(descriptor)
    if (!info.isFile()) throw new TransportError(`${file}: is not a file: ${REMEDY}`)
    refuseShared(file, info)
  } finally {
    closeSync(descriptor)
  }
}

function refuseShared(path: string, { uid, mode }: Stats): void {
  const me = process.getuid?.()
  if (me === undefined) return // Windows keeps a user's folder from others
  if (uid !== me) throw new TransportError(`${path}: belongs to another user: ${REMEDY}`)
  if ((mode & 0o077) !== 0) {
    throw new TransportError(`${path}: is open to other users: chmod go= ${path}, or ${REMEDY}`)
  }
}
