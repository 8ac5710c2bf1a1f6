/**
 * Reads and writes a member's store in a file that survives a crash at any instant: the text is written to a second
 * file, synced and renamed over the first, and the folder is synced. A reader finds the old text or the new one, never
 * a mixture.
 *
 * The first line holds a checksum of the second, and the second the names of group and member. A damaged file, or one
 * of another member, is refused: a forgotten vote can make two leaders.
 */
import * as fs from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Json } from '../core/schema.ts'
import { FileLock } from './file-lock.ts'
import { StoreError, type Store, type Stored } from './store.ts'

export interface FileStoreOptions {
  readonly cluster: string
  readonly member: string
  /** The calls that can fail on a full, read-only or broken disk; tests replace them. */
  readonly disk?: Partial<Disk>
}

export type Disk = Readonly<typeof DISK>

const DISK = { open: fs.openSync, write: fs.writeSync, sync: fs.fsyncSync, rename: fs.renameSync }

const HEADER = /^bellwether-state (\d+) crc32 ([0-9a-f]{8})$/
const VERSION = 1

export class FileStore implements Store {
  readonly place: string
  private readonly cluster: string
  private readonly member: string
  private readonly disk: Disk
  private readonly lock: FileLock
  /** The text that the disk is known to hold. */
  private durable: string | undefined
  private open = true

  /** Throws StoreError when another process has the file, or when its folder cannot be created. */
  constructor(path: string, { cluster, member, disk }: FileStoreOptions) {
    this.place = resolve(path)
    this.cluster = cluster
    this.member = member
    this.disk = { ...DISK, ...disk }
    this.makeFolder()
    this.lock = new FileLock(`${this.place}.lock`)
    fs.rmSync(this.temporary, { force: true })
  }

  read(): Stored | null {
    this.check()
    let text: string
    try {
      text = fs.readFileSync(this.place, 'utf8')
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw new StoreError(`${this.place}: cannot be read (${codeOf(cause)})`, { cause })
    }
    const stored = this.parse(text)
    this.durable = text
    return stored
  }

  write({ incarnation, algorithm, members, state }: Stored): void {
    this.check()
    const { cluster, member } = this
    const body = JSON.stringify({ cluster, member, incarnation, algorithm, members, state })
    const text = `bellwether-state ${VERSION} crc32 ${checksum(body)}\n${body}\n`
    if (text === this.durable) return
    this.lock.verify()
    this.durable = undefined
    try {
      this.replace(text)
    } catch (cause) {
      fs.rmSync(this.temporary, { force: true })
      throw new StoreError(
        `${this.place}: cannot be written (${codeOf(cause)}): free space on the disk or make it writable; ` +
          'until then this member neither votes nor leads',
        { cause },
      )
    }
    this.durable = text
  }

  close(): void {
    if (!this.open) return
    this.open = false
    this.lock.release()
  }

  private get temporary(): string {
    return join(dirname(this.place), `.${basename(this.place)}.new`)
  }

  private replace(text: string): void {
    const bytes = Buffer.from(text)
    const file = this.disk.open(this.temporary, 'w', 0o600)
    try {
      for (let at = 0; at < bytes.length;) at += this.disk.write(file, bytes, at)
      this.disk.sync(file)
    } finally {
      fs.closeSync(file)
    }
    this.disk.rename(this.temporary, this.place)
    this.syncFolder(dirname(this.place))
  }

  /** A new name in a folder is durable only when the folder is. */
  private syncFolder(path: string): void {
    const folder = this.disk.open(path, 'r')
    try {
      this.disk.sync(folder)
    } finally {
      fs.closeSync(folder)
    }
  }

  private makeFolder(): void {
    const folder = dirname(this.place)
    try {
      const made = fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (made !== undefined) this.syncFolder(dirname(made))
    } catch (cause) {
      const what = `${folder}: the folder of the state file cannot be created`
      throw new StoreError(`${what} (${codeOf(cause)})`, { cause })
    }
  }

  private parse(text: string): Stored {
    const [first, body, rest] = text.split('\n', 3)
    const [, version, sum] = HEADER.exec(first) ?? []
    if (version !== undefined && Number(version) !== VERSION) {
      throw new StoreError(
        `${this.place}: written by another version of bellwether (format ${version}, this one reads ${VERSION})`,
      )
    }
    if (body === undefined || rest !== '' || checksum(body) !== sum) throw this.damaged()
    if (text.length !== first.length + body.length + 2) throw this.damaged()
    const content = JSON.parse(body) as Record<string, unknown>
    const { cluster, member, incarnation, algorithm, members, state } = content
    this.expect('cluster', this.cluster, cluster)
    this.expect('member', this.member, member)
    if (!Number.isSafeInteger(incarnation) || typeof state !== 'object' || state === null) {
      throw this.damaged()
    }
    return {
      incarnation: incarnation as number,
      ...(typeof algorithm === 'string' ? { algorithm } : {}),
      ...(Array.isArray(members) ? { members: members.map(String) } : {}),
      state: state as { [field: string]: Json },
    }
  }

  private expect(what: string, mine: string, theirs: unknown): void {
    if (theirs === mine) return
    throw new StoreError(
      `${this.place}: belongs to ${what} ${JSON.stringify(theirs)}, not ${JSON.stringify(mine)}: ` +
        'give each member a state file of its own',
    )
  }

  private damaged(): StoreError {
    return new StoreError(
      `${this.place}: is damaged (its checksum is wrong): restore it from a copy, or stop all members, ` +
        'delete it and start them again; it holds votes that must not be forgotten while others run',
    )
  }

  private check(): void {
    if (!this.open) throw new StoreError(`${this.place}: the store is closed`)
  }
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0')
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
