/**
 * Locks a state file, so that one process at a time has it: takes, verifies and releases a lock file beside it, and
 * takes over a lock whose holder has ended. The lock names its holder by process id, start time of the process (ids
 * are used again), boot and process namespace.
 *
 * A process that ends without notice leaves its lock behind; the next one takes it over by an atomic rename, and
 * checks before every write that the lock is still its own. So of two that take over at the same moment, the earlier
 * fails at its next write instead of sharing the file.
 *
 * Limits: a holder on another machine or in another container cannot be seen and counts as ended. Without /proc, a
 * running process that got the old holder's id holds the lock: the error tells the operator.
 */
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { readPrivateFile } from './private-folder.ts'
import { codeOf, remedyOf } from './disk-remedy.ts'
import { StoreError, StoreLockedError } from './store.ts'

interface Holder {
  readonly pid: number
  /** Boot and namespace; empty where the system does not report them. */
  readonly place: string
  readonly started: string
  /** Two stores of one process are two holders. */
  readonly token: string
}

export class FileLock {
  private readonly path: string
  private readonly text: string

  constructor(path: string) {
    this.path = path
    const token = randomBytes(9).toString('base64url')
    const holder: Holder = { pid: process.pid, place: placeOf(), started: startOf('self'), token }
    this.text = JSON.stringify(holder)
    const draft = `${path}.${token}`
    try {
      writeFileSync(draft, this.text, { flag: 'wx', mode: 0o600 })
      this.take(draft)
    } catch (cause) {
      if (cause instanceof StoreError) throw cause
      throw new StoreError(
        `${path}: cannot be created (${codeOf(cause)}): ${remedyOf(cause)}, and start this member again`,
        { cause },
      )
    } finally {
      rmSync(draft, { force: true })
    }
  }

  verify(): void {
    const found = readLock(this.path)
    if (found === this.text) return
    if (found === '') {
      throw new StoreError(
        `${this.path}: is gone, and perhaps the state file with it: start this member again; under quorum it takes ` +
          'part once its peers have told it their votes. A copy would lack the latest votes',
      )
    }
    throw new StoreError(
      `${this.path}: another process has taken over this member's state file: stop one of the two`,
    )
  }

  /** A lock that cannot be read now is left behind: the next process takes it over. */
  release(): void {
    try {
      if (readLock(this.path) === this.text) rmSync(this.path, { force: true })
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
    }
  }

  /** `link` fails where a lock exists, and the lock appears with its text in it. */
  private take(draft: string): void {
    try {
      linkSync(draft, this.path)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = parse(readLock(this.path))
    if (isRunning(holder)) {
      throw new StoreLockedError(
        holder.pid === process.pid
          ? `${this.path}: process ${holder.pid} has this state file open, and it is this process: close the election ` +
              'that has it before the next join'
          : `${this.path}: process ${holder.pid} has this state file open: is this member running already? ` +
              'If that process is another program, delete the lock',
      )
    }
    renameSync(draft, this.path)
    this.verify()
  }
}

/** Empty where there is no lock. An error says nothing about the lock: the process may have too many open files. */
function readLock(path: string): string {
  try {
    return readPrivateFile(path).toString()
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return ''
    if (cause instanceof StoreError) throw cause
    throw new StoreError(
      `${path}: cannot be read (${codeOf(cause)}): ${remedyOf(cause)}; ` +
        'until then this member neither votes nor leads',
      { cause },
    )
  }
}

/** Empty where the text is damaged. */
function parse(text: string): Partial<Holder> {
  try {
    return (JSON.parse(text) as Partial<Holder> | null) ?? {}
  } catch {
    return {}
  }
}

function isRunning({ pid, place, started }: Partial<Holder>): boolean {
  if (place !== placeOf() || !Number.isSafeInteger(pid)) return false
  if (started !== '') return startOf(String(pid)) === started
  try {
    process.kill(pid!, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Field 22 of /proc/PID/stat, in ticks since boot; the name before it may hold spaces and brackets. */
function startOf(pid: string): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    // A zombie has ended.
    return fields[0] === 'Z' ? '' : fields[19]
  } catch {
    return ''
  }
}

function placeOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return ''
  }
}
