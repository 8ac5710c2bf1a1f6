/**
 * Reads and writes a member's store in a file that survives a crash at any instant and damage to any one place.
 *
 * The file holds the record twice (state-text.ts). A write overwrites and syncs the older copy: no name and no size
 * changes, so the file system has nothing to record in its journal, and the answer that waits for the write can leave.
 * The other copy follows a moment later, and its sync leaves the event loop free; a write that comes earlier overwrites
 * that copy. The first write, and one that needs more room, create the file under another name, sync it, rename it and
 * sync the folder. The first write of a process does so beside the event loop, and many stores in a folder share its sync.
 *
 * In that moment alone the newest record exists once. If the machine fails then, and the disk also loses what it had
 * confirmed, the record before it is read: a disk that does that can make any store forget.
 *
 * A file of which both copies are damaged, or one of another member, is refused: a forgotten vote can make two leaders.
 */
import * as fs from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { clearTimeout, setTimeout } from '../clock/native-timers.ts'
import { codeOf, remedyOf } from './disk-remedy.ts'
import { FileLock } from './file-lock.ts'
import { openPrivateFolder, readPrivateFile } from './private-folder.ts'
import { syncShared } from './shared-sync.ts'
import {
  decodeCopies,
  decodeVersion1,
  encodeCopy,
  otherVersionOf,
  VERSION,
  type Owner,
} from './state-text.ts'
import { StoreError, type Store, type Stored } from './store.ts'

export interface FileStoreOptions extends Owner {
  /** The calls that can fail on a full, read-only or broken disk; tests replace them. */
  readonly disk?: Partial<Disk>
}

export type Disk = Readonly<typeof DISK>

type SyncAside = (file: number, done: (error: Error | null) => void) => void

const DISK = {
  open: fs.openSync,
  write: fs.writeSync,
  sync: fs.fsyncSync,
  syncData: fs.fdatasyncSync,
  syncDataAside: fs.fdatasync as SyncAside,
  syncAside: fs.fsync as SyncAside,
  rename: fs.renameSync,
}

/** When the other copy, or a sync that nothing waits for, follows: after the election in which the member votes. */
const OTHER_COPY_MS = 50

interface OpenFile {
  readonly descriptor: number
  readonly inode: bigint
  /** Syncs that run beside the event loop: the descriptor must not be used again before their end. */
  syncs: number
  isClosed: boolean
}

export class FileStore implements Store {
  readonly place: string
  private readonly owner: Owner
  private readonly disk: Disk
  private readonly lock: FileLock
  /** What the last write made durable. */
  private durable: Buffer | undefined
  /** The file, once this store has created it; a copy of this size fits into it. */
  private file: OpenFile | undefined
  private copySize = 0
  /** Counts the writes, so that the newer of two copies is known. */
  private sequence = 0
  /** Which copy is the newer one: 0 or 1. */
  private newer = 0
  /** What the other copy is not known to hold. */
  private pending: Buffer | undefined
  private pendingTimer: NodeJS.Timeout | undefined
  private open = true

  /** Throws StoreError when another process has the file, or when its folder cannot be created. */
  constructor(path: string, { cluster, member, disk }: FileStoreOptions) {
    this.place = resolve(path)
    this.owner = { cluster, member }
    this.disk = { ...DISK, ...disk }
    this.makeFolder()
    this.lock = new FileLock(`${this.place}.lock`)
    fs.rmSync(this.temporary, { force: true })
  }

  read(): Stored | null {
    this.check()
    let bytes: Buffer
    try {
      bytes = readPrivateFile(this.place)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
      if (cause instanceof StoreError) throw cause
      throw new StoreError(
        `${this.place}: cannot be read (${codeOf(cause)}): ${remedyOf(cause)}, and start this member again`,
        { cause },
      )
    }
    return this.decode(bytes)
  }

  write(stored: Stored): void {
    this.check()
    if (this.durable?.equals(encodeCopy(this.owner, stored, this.sequence)) === true) return
    this.durable = this.put(stored, (copy) => this.overwrite(copy))
  }

  async writeFirst(stored: Stored): Promise<void> {
    this.check()
    if (this.file !== undefined) return this.write(stored)
    this.sequence += 1
    const copy = encodeCopy(this.owner, stored, this.sequence)
    try {
      await this.createAside(copy)
    } catch (cause) {
      throw this.unwritable(cause)
    }
    this.durable = copy
  }

  writeSoon(stored: Stored): void {
    this.check()
    this.put(stored, (copy) => this.overwriteAside(copy))
  }

  private put(stored: Stored, overwrite: (copy: Buffer) => void): Buffer {
    this.sequence += 1
    const copy = encodeCopy(this.owner, stored, this.sequence)
    this.durable = undefined
    try {
      if (copy.length === this.copySize && this.isInPlace()) overwrite(copy)
      else this.replace(copy)
    } catch (cause) {
      throw this.unwritable(cause)
    }
    return copy
  }

  private unwritable(cause: unknown): StoreError {
    if (cause instanceof StoreError) return cause
    this.closeFile()
    fs.rmSync(this.temporary, { force: true })
    return new StoreError(
      `${this.place}: cannot be written (${codeOf(cause)}): ${remedyOf(cause)}; ` +
        'until then this member neither votes nor leads',
      { cause },
    )
  }

  close(): void {
    if (!this.open) return
    this.open = false
    try {
      this.completePending()
    } finally {
      this.closeFile()
      this.lock.release()
    }
  }

  private get temporary(): string {
    return join(dirname(this.place), `.${basename(this.place)}.new`)
  }

  private overwrite(copy: Buffer): void {
    this.lock.verify()
    clearTimeout(this.pendingTimer)
    this.pending = undefined
    this.newer = 1 - this.newer
    this.writeCopy(copy, this.newer)
    this.pending = copy
    this.pendingTimer = setTimeout(() => this.beginOtherCopy(copy), OTHER_COPY_MS).unref()
  }

  /**
   * Overwrites the older copy. The newer one, which is durable, stays: the next write comes here again. The lock needs no
   * look: a process that took it over has not written yet, since its first write puts another file in this place.
   */
  private overwriteAside(copy: Buffer): void {
    clearTimeout(this.pendingTimer)
    this.pending = copy
    this.writeOtherCopy(copy)
    this.pendingTimer = setTimeout(() => this.syncAside(copy), OTHER_COPY_MS).unref()
  }

  private beginOtherCopy(copy: Buffer): void {
    try {
      this.writeOtherCopy(copy)
    } catch {
      return this.closeFile() // the next write creates the file again, or reports what is wrong
    }
    this.syncAside(copy)
  }

  /** Syncs the older copy beside the event loop. */
  private syncAside(copy: Buffer): void {
    const file = this.file!
    const done = (error: unknown): void => {
      file.syncs -= 1
      if (file.isClosed) this.closeDescriptor(file)
      else if (error !== null)
        this.closeFile() // as above
      else if (this.pending === copy) this.pending = undefined
    }
    file.syncs += 1
    try {
      this.disk.syncDataAside(file.descriptor, done)
    } catch (error) {
      done(error)
    }
  }

  /** Writes the other copy, if it is not known to be as new. */
  private completePending(): void {
    clearTimeout(this.pendingTimer)
    if (this.pending !== undefined) this.writeCopy(this.pending, 1 - this.newer)
    this.pending = undefined
  }

  private writeOtherCopy(copy: Buffer): void {
    this.writeAll(this.file!.descriptor, copy, (1 - this.newer) * this.copySize)
  }

  private writeCopy(copy: Buffer, which: number): void {
    const { descriptor } = this.file!
    this.writeAll(descriptor, copy, which * this.copySize)
    this.disk.syncData(descriptor)
  }

  private replace(copy: Buffer): void {
    const { descriptor } = this.create(copy)
    this.disk.sync(descriptor)
    this.disk.rename(this.temporary, this.place)
    this.syncFolder(dirname(this.place))
  }

  /** As `replace`. What the store loses meanwhile, the lock or its owner, keeps the file from its place. */
  private async createAside(copy: Buffer): Promise<void> {
    const file = this.create(copy)
    file.syncs += 1
    try {
      await this.syncedAside(file.descriptor)
    } finally {
      file.syncs -= 1
      if (file.isClosed) this.closeDescriptor(file)
    }
    this.check()
    this.lock.verify()
    this.disk.rename(this.temporary, this.place)
    await syncShared(dirname(this.place), async () => this.syncFolderAside())
    this.check()
  }

  private async syncFolderAside(): Promise<void> {
    const folder = this.disk.open(dirname(this.place), 'r')
    try {
      await this.syncedAside(folder)
    } finally {
      fs.closeSync(folder)
    }
  }

  private async syncedAside(descriptor: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.disk.syncAside(descriptor, (error) => (error === null ? resolve() : reject(error)))
    })
  }

  /** Under its temporary name, with both copies, not yet durable. */
  private create(copy: Buffer): OpenFile {
    this.lock.verify()
    this.closeFile()
    const descriptor = this.disk.open(this.temporary, 'wx', 0o600)
    const { ino: inode } = fs.fstatSync(descriptor, { bigint: true })
    this.file = { descriptor, inode, syncs: 0, isClosed: false }
    this.copySize = copy.length
    this.newer = 0
    this.writeAll(descriptor, Buffer.concat([copy, copy]), 0)
    return this.file
  }

  private writeAll(descriptor: number, bytes: Buffer, position: number): void {
    for (let at = 0; at < bytes.length;) {
      at += this.disk.write(descriptor, bytes, at, bytes.length - at, position + at)
    }
  }

  /** Whether the path still leads to the open file: a file that was deleted or restored must not be overwritten. */
  private isInPlace(): boolean {
    const found = fs.lstatSync(this.place, { bigint: true, throwIfNoEntry: false })
    return this.file !== undefined && found?.ino === this.file.inode
  }

  private closeFile(): void {
    clearTimeout(this.pendingTimer)
    this.pending = undefined
    const { file } = this
    this.file = undefined
    if (file === undefined) return
    file.isClosed = true
    this.closeDescriptor(file)
  }

  private closeDescriptor({ descriptor, syncs }: OpenFile): void {
    if (syncs === 0) fs.closeSync(descriptor)
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
    const made = openPrivateFolder(dirname(this.place))
    try {
      if (made !== undefined) this.syncFolder(dirname(made))
    } catch (cause) {
      const what = `${dirname(made!)}: cannot be made durable`
      throw new StoreError(`${what} (${codeOf(cause)})`, { cause })
    }
  }

  private decode(bytes: Buffer): Stored {
    const content = decodeCopies(bytes) ?? decodeVersion1(bytes)
    if (content === undefined) {
      const version = otherVersionOf(bytes)
      if (version === undefined) throw this.damaged()
      throw new StoreError(
        `${this.place}: written by a newer version of bellwether (format ${version}, this one reads 1 to ${VERSION}): ` +
          'start that version; this one does not know which votes the file holds',
      )
    }
    const { owner, stored } = content
    this.expect('cluster', this.owner.cluster, owner.cluster)
    this.expect('member', this.owner.member, owner.member)
    return stored
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
      `${this.place}: is damaged (its checksum is wrong): delete it and start this member again; under quorum it ` +
        'takes part once its peers have told it their votes. A copy would lack the latest votes',
    )
  }

  private check(): void {
    if (!this.open) throw new StoreError(`${this.place}: the store is closed`)
  }
}
