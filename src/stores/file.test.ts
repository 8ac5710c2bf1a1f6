import { spawn, spawnSync } from 'node:child_process'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  existsSync,
  fdatasync,
  fsync,
  fdatasyncSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../testing/wait.ts'
import { FileStore, type Disk } from './file.ts'
import { StoreError, type Stored } from './store.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bellwether-file-'))
  path = join(folder, 'a.state')
})
afterEach(() => rmSync(folder, { recursive: true }))

const STORED: Stored = { incarnation: 4, state: { promised: 2051, voted: 'b' } }

function store(disk: Partial<Disk> = {}, cluster = 'test', member = 'a'): FileStore {
  return new FileStore(path, { cluster, member, disk })
}

/** A file with something in it, closed. */
function written(): string {
  const first = store()
  first.write(STORED)
  first.close()
  return readFileSync(path, 'utf8')
}

function copies(): [Buffer, Buffer] {
  const bytes = readFileSync(path)
  return [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]
}

/** As a crash before the sync of the first overwritten copy may leave it. */
function tearSecondCopy(): void {
  const file = openSync(path, 'r+')
  writeSync(file, 'bell', statSync(path).size / 2 + 50)
  closeSync(file)
}

function reading(cluster?: string, member?: string): () => Stored | null {
  return () => {
    const second = store({}, cluster, member)
    try {
      return second.read()
    } finally {
      second.close()
    }
  }
}

describe('the file store', () => {
  test('leaves one file behind, which only its owner may read', () => {
    written()
    expect(readdirSync(folder)).toEqual(['a.state'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('creates its folder, for its owner only', () => {
    path = join(folder, 'deep', 'er', 'a.state')
    written()
    expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700)
  })

  test('creates the file under another name, then overwrites its older copy, and the other a moment later', async () => {
    const calls: string[] = []
    const one = store(recorded(calls))
    one.write(STORED)
    expect(calls.splice(0)).toEqual(['open', 'write', 'sync', 'rename', 'open', 'sync'])
    one.write(structuredClone(STORED))
    expect(calls, 'nothing changed: nothing is written').toEqual([])
    one.write({ ...STORED, incarnation: 5 })
    expect(calls.splice(0)).toEqual(['write', 'syncData'])
    await until(() => calls.length === 2)
    expect(calls.splice(0)).toEqual(['write', 'syncDataAside'])
    const [first, second] = copies()
    expect(second).toEqual(first)
    one.write({ ...STORED, incarnation: 6 })
    one.write({ ...STORED, incarnation: 7 })
    expect(calls, 'one sync for each write').toEqual(['write', 'syncData', 'write', 'syncData'])
    expect(one.read()).toMatchObject({ incarnation: 7 })
    one.close()
    for (const copy of copies()) expect(copy.toString()).toContain('"incarnation":7')
  })

  test('a record that may become durable later is synced aside, and the durable copy stays until the next write', async () => {
    const calls: string[] = []
    const one = store(recorded(calls))
    one.write(STORED)
    one.write({ ...STORED, incarnation: 5 })
    calls.length = 0
    one.writeSoon({ ...STORED, incarnation: 6 })
    one.writeSoon({ ...STORED, incarnation: 7 })
    expect(calls.splice(0), 'no sync is waited for').toEqual(['write', 'write'])
    await until(() => calls.length === 1)
    expect(calls.splice(0), 'one sync for both').toEqual(['syncDataAside'])
    const holding = (): string[] =>
      copies().map((copy) => /"incarnation":(\d)/u.exec(copy.toString())![1])
    expect(holding(), 'it overwrites the older copy').toEqual(['7', '5'])
    expect(one.read()).toMatchObject({ incarnation: 7 })
    one.write({ ...STORED, incarnation: 8 })
    expect(calls.splice(0)).toEqual(['write', 'syncData'])
    expect(holding(), 'the durable copy stays beside the write').toEqual(['8', '5'])
    one.writeSoon({ ...STORED, incarnation: 9 })
    expect(holding(), 'and then is the older one').toEqual(['8', '9'])
    one.close()
    expect(reading()()).toMatchObject({ incarnation: 9 })
  })

  test('creates the file again when a record needs more room, and when the file was deleted or restored', () => {
    const calls: string[] = []
    const one = store(recorded(calls))
    one.write(STORED)
    const long = { ...STORED, members: ['a', 'x'.repeat(5000)] }
    const copy = readFileSync(path)
    for (const [next, prepare] of [
      [long, () => undefined],
      [STORED, () => undefined],
      [{ ...STORED, incarnation: 5 }, () => rmSync(path)],
      [{ ...STORED, incarnation: 6 }, () => (rmSync(path), writeFileSync(path, copy))],
    ] as const) {
      prepare()
      calls.length = 0
      one.write(next)
      expect(calls).toContain('rename')
      expect(one.read()).toEqual(next)
    }
    one.close()
  })

  test('a write that a crash interrupts at any byte of either copy leaves the old record or the new one', () => {
    const old = readFileSync((written(), path))
    const one = store()
    one.write({ ...STORED, incarnation: 5 })
    one.close()
    const now = readFileSync(path)
    const reader = store()
    const size = now.length / 2
    const seen: number[] = []
    for (let bytes = 0; bytes <= now.length; bytes += bytes % size < 130 ? 1 : 211) {
      writeFileSync(path, Buffer.concat([now.subarray(0, bytes), old.subarray(bytes)]))
      seen.push(reader.read()!.incarnation)
    }
    expect(
      seen.toSorted((a, b) => a - b),
      'the new record from some byte on',
    ).toEqual(seen)
    expect(new Set(seen)).toEqual(new Set([4, 5]))
    reader.close()
  })

  test('reads a file with one damaged copy, and refuses one with two', () => {
    written()
    const whole = readFileSync(path)
    const reader = store()
    for (const first of [true, false]) {
      const damaged = Buffer.from(whole)
      damaged[first ? 100 : whole.length - 100] ^= 1
      writeFileSync(path, damaged)
      expect(reader.read()).toEqual(STORED)
      damaged[first ? whole.length - 200 : 200] ^= 1
      writeFileSync(path, damaged)
      expect(() => reader.read()).toThrow(StoreError)
    }
    reader.close()
  })

  test('refuses a file that was cut short or has something after its end, and says what to do', () => {
    const { length } = written()
    const reader = store()
    writeFileSync(path, `${readFileSync(path, 'utf8')}x`)
    expect(() => reader.read()).toThrow(
      /a\.state: is damaged.*: delete it and start this member again/,
    )
    for (let size = length - 1; size >= 0; size -= size > length - 10 ? 1 : 61) {
      truncateSync(path, size)
      expect(() => reader.read(), `cut to ${size} bytes`).toThrow(StoreError)
    }
    reader.close()
  })

  test('reads a file of version 1, and replaces it', () => {
    const body =
      '{"cluster":"test","member":"a","incarnation":4,"state":{"promised":2051,"voted":"b"}}'
    const header = `bellwether-state 1 crc32 ${crc32(body).toString(16).padStart(8, '0')}`
    writeFileSync(path, `${header}\n${body}\n`)
    const one = store()
    expect(one.read()).toEqual({ ...STORED, version: 1 })
    one.write({ ...STORED, incarnation: 5 })
    expect(one.read()).toEqual({ ...STORED, incarnation: 5 })
    one.close()
    writeFileSync(path, `${header}\n${body} \n`)
    expect(reading()).toThrow(/is damaged/)
  })

  test('refuses the file of another cluster, of another member, of another version', () => {
    const text = written()
    expect(reading('prod')).toThrow(/belongs to cluster "test", not "prod"/)
    expect(reading('test', 'b')).toThrow(/belongs to member "a", not "b"/)
    writeFileSync(path, text.replaceAll('state 4', 'state 5'))
    expect(reading()).toThrow(
      /a newer version of bellwether \(format 5, this one reads 1 to 4\): start that/,
    )
  })

  test('refuses a folder in place of the file', () => {
    mkdirSync(path)
    expect(reading()).toThrow('is not a file')
  })

  test.each([
    ['the disk is full', { write: fails('ENOSPC') }, 'ENOSPC): free space on the disk'],
    ['the sync fails', { sync: fails('EIO') }, 'EIO): the disk fails'],
    ['the disk is read-only', { open: fails('EROFS') }, 'EROFS): make the disk writable'],
    ['the rename fails', { rename: fails('EACCES') }, 'EACCES): make the file writable'],
  ])('throws when %s, keeps what was there, and writes again once it can', (_, faults, advice) => {
    written()
    let failing = true
    const one = store(whileFailing(faults, () => failing))
    const next = { ...STORED, incarnation: 9 }
    expect(() => one.write(next)).toThrow(`cannot be written (${advice}`)
    expect(one.read()).toEqual(STORED)
    failing = false
    one.write(next)
    expect(one.read()).toEqual(next)
    one.close()
    expect(readdirSync(folder)).toEqual(['a.state'])
  })

  test('throws when the sync of a copy fails, keeps the record in the other one, and writes again', () => {
    let failing = true
    const one = store(whileFailing({ syncData: fails('EIO') }, () => failing))
    one.write(STORED)
    const next = { ...STORED, incarnation: 9 }
    expect(() => one.write(next)).toThrow(/cannot be written \(EIO\)/)
    tearSecondCopy()
    expect(one.read()).toEqual(STORED)
    failing = false
    one.write(next)
    expect(one.read()).toEqual(next)
    one.close()
  })

  test('leaves the event loop free while the other copy becomes durable, and closes its file only afterwards', async () => {
    let finish: (() => void) | undefined
    const one = store({
      syncDataAside: (file, done) => {
        finish = () => fdatasync(file, done)
      },
    })
    one.write(STORED)
    const open = openFiles()
    one.write({ ...STORED, incarnation: 5 })
    await until(() => finish !== undefined)
    one.write({ ...STORED, incarnation: 6 })
    expect(one.read()).toMatchObject({ incarnation: 6 })
    one.close()
    for (const copy of copies()) expect(copy.toString()).toContain('"incarnation":6')
    expect(openFiles()).toBe(open)
    finish!()
    await until(() => openFiles() < open)
  })

  test('writes the file again when the second copy could not be written', async () => {
    const calls: string[] = []
    let syncs = 0
    const one = store({
      ...recorded(calls),
      syncDataAside: (_file, done) => {
        setImmediate(() => {
          done(new Error('EIO'))
          syncs += 1
        })
      },
    })
    one.write(STORED)
    one.write({ ...STORED, incarnation: 5 })
    await until(() => syncs === 1)
    calls.length = 0
    one.write({ ...STORED, incarnation: 6 })
    expect(calls).toContain('rename')
    one.close()
  })

  test('a sync of the folder that fails is not taken for durable', () => {
    let syncs = 0
    const one = store({
      sync: (file) => {
        syncs += 1
        if (syncs === 2) throw Object.assign(new Error('dying disk'), { code: 'EIO' })
        fsyncSync(file)
      },
    })
    expect(() => one.write(STORED)).toThrow(StoreError)
    one.write(STORED)
    expect(syncs).toBe(4)
    one.close()
  })

  test('the first write of a process creates the file beside the event loop, and later ones overwrite it', async () => {
    const calls: string[] = []
    const one = store(recorded(calls))
    const writing = one.writeFirst(STORED)
    expect(calls.splice(0), 'nothing is waited for').toEqual(['open', 'write'])
    expect(existsSync(path)).toBe(false)
    await writing
    expect(calls.splice(0)).toEqual(['syncAside', 'rename', 'open', 'syncAside'])
    for (const copy of copies()) expect(copy.toString()).toContain('"incarnation":4')
    one.write({ ...STORED, incarnation: 5 })
    await one.writeFirst({ ...STORED, incarnation: 6 })
    expect(calls).toEqual(['write', 'syncData', 'write', 'syncData'])
    one.close()
    expect(reading()()).toMatchObject({ incarnation: 6 })
  })

  test('first writes at the same time share the sync of their folder, and none counts on one that began before its name', async () => {
    const calls: string[] = []
    const stores = Array.from({ length: 20 }, (_, i) => {
      const owner = { cluster: 'test', member: String(i) }
      return new FileStore(join(folder, `${i}.state`), { ...owner, disk: recorded(calls) })
    })
    await Promise.all(
      stores.map(async (one) => {
        await one.writeFirst(STORED)
        calls.push('done')
      }),
    )
    for (const one of stores) one.close()
    const folderSyncs = calls.filter((call) => call === 'open').length - stores.length
    expect(folderSyncs).toBeLessThan(stores.length)
    // Between the last name and the last end, a sync of the folder began and ended.
    const after = calls.slice(calls.lastIndexOf('rename'), calls.lastIndexOf('done'))
    expect(after.filter((call) => call !== 'done')).toContain('open')
    expect(after.lastIndexOf('syncAside')).toBeGreaterThan(after.lastIndexOf('open'))
  })

  test('a first write fails where the file or its folder cannot be synced, and can be tried again', async () => {
    for (const failing of [1, 2]) {
      path = join(folder, `${failing}.state`)
      let syncs = 0
      const one = store({
        syncAside: (file, done) => {
          syncs += 1
          if (syncs === failing) done(Object.assign(new Error('dying disk'), { code: 'EIO' }))
          else fsync(file, done)
        },
      })
      await expect(one.writeFirst(STORED)).rejects.toThrow(StoreError)
      await one.writeFirst(STORED)
      one.close()
      expect(reading()()).toEqual(STORED)
    }
  })

  test('a store that is closed, or that loses its lock, during its first write leaves no file in place', async () => {
    const closed = store()
    const writing = closed.writeFirst(STORED)
    closed.close()
    await expect(writing).rejects.toThrow(/closed/u)
    expect(existsSync(path)).toBe(false)
    const robbed = store()
    const late = robbed.writeFirst(STORED)
    writeFileSync(`${path}.lock`, '{}', { mode: 0o600 })
    await expect(late).rejects.toThrow(/taken over/u)
    expect(existsSync(path)).toBe(false)
    robbed.close()
    expect(openFiles()).toBe(0)
  })

  test('a file that a crash keeps from being created leaves the old state, and its temporary file is removed', () => {
    written()
    writeFileSync(join(folder, '.a.state.new'), 'bellwether-sta')
    expect(reading()()).toEqual(STORED)
    expect(readdirSync(folder)).toEqual(['a.state'])
  })
})

describe('the lock', () => {
  test('excludes a second store of the same process until the first is closed', () => {
    const first = store()
    expect(() => store()).toThrow(/a\.state\.lock: process \d+ has this state file open/)
    first.close()
    store().close()
    expect(readdirSync(folder)).toEqual([])
  })

  test('is taken over from a process that has ended, even if its id is in use again', () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const place = lockOf().place
    for (const holder of [
      { pid, started: '12' },
      { pid: process.ppid, started: '12' },
      { pid: 1 },
    ]) {
      writeFileSync(`${path}.lock`, JSON.stringify({ started: '1', token: 'x', place, ...holder }))
      store().close()
      expect(existsSync(`${path}.lock`)).toBe(false)
    }
    writeFileSync(`${path}.lock`, 'rubbish')
    expect(() => store().close()).not.toThrow()
  })

  test('is not taken from a running process', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    try {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
      const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
      const holder = { pid: child.pid, started, token: 'x', place: lockOf().place }
      writeFileSync(`${path}.lock`, JSON.stringify(holder))
      expect(() => store()).toThrow(new RegExp(`process ${child.pid} has this state file open`))
    } finally {
      const gone = new Promise((resolve) => {
        child.once('exit', resolve)
      })
      child.kill('SIGKILL')
      await gone
    }
    store().close()
  })

  test('a holder whose folder was deleted fails at its next write, and says what is missing', () => {
    const first = store()
    first.write(STORED)
    rmSync(folder, { recursive: true })
    expect(() => first.write({ ...STORED, incarnation: 5 })).toThrow(
      /a\.state\.lock: is gone, and perhaps/,
    )
    first.close()
    mkdirSync(folder)
  })

  test('a holder that lost it fails at its next write, and does not remove the lock of the other', () => {
    const first = store()
    const foreign = JSON.stringify({ ...lockOf(), pid: 1, place: 'elsewhere' })
    writeFileSync(`${path}.lock`, foreign)
    const second = store()
    expect(() => first.write(STORED)).toThrow(/another process has taken over/)
    first.close()
    second.write(STORED)
    second.close()
  })

  test('a holder that lost it writes nothing later into the file of the other', () => {
    const first = store()
    first.write(STORED)
    const foreign = JSON.stringify({ ...lockOf(), pid: 1, place: 'elsewhere' })
    writeFileSync(`${path}.lock`, foreign)
    const second = store()
    second.write({ ...STORED, incarnation: 7 })
    const soon = () => first.writeSoon({ ...STORED, incarnation: 5 })
    expect(soon).toThrow(/another process has taken over/)
    first.close()
    expect(second.read()).toMatchObject({ incarnation: 7 })
    second.close()
  })

  function lockOf(): { place: string } {
    const other = new FileStore(join(folder, 'other'), { cluster: 'test', member: 'a' })
    const text = readFileSync(join(folder, 'other.lock'), 'utf8')
    other.close()
    return JSON.parse(text) as { place: string }
  }
})

const REAL: Disk = {
  open: openSync,
  write: writeSync,
  sync: fsyncSync,
  syncData: fdatasyncSync,
  syncDataAside: fdatasync,
  syncAside: fsync,
  rename: renameSync,
}

/** The real calls, each of which adds its name to `calls`, at its end. */
function recorded(calls: string[]): Partial<Disk> {
  const all = Object.entries(REAL).map(([name, call]) => [
    name,
    (...args: unknown[]) => {
      calls.push(name)
      return (call as (...args: unknown[]) => unknown)(...args)
    },
  ])
  const syncDataAside: Disk['syncDataAside'] = (file, done) =>
    fdatasync(file, (error) => {
      done(error)
      calls.push('syncDataAside')
    })
  const syncAside: Disk['syncAside'] = (file, done) =>
    fsync(file, (error) => {
      calls.push('syncAside')
      done(error)
    })
  return { ...(Object.fromEntries(all) as Partial<Disk>), syncDataAside, syncAside }
}

/** How many descriptors of state files this process has. */
function openFiles(): number {
  return readdirSync('/proc/self/fd').filter((fd) => pathOf(fd).startsWith(dirname(path))).length
}

function pathOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}

function fails(code: string) {
  return (): never => {
    throw Object.assign(new Error(code), { code })
  }
}

/** The faults while they last, the real calls otherwise. */
function whileFailing(faults: object, failing: () => boolean): Partial<Disk> {
  const either = Object.entries(faults).map(([name, fault]) => [
    name,
    (...args: unknown[]) => {
      const call = (failing() ? fault : REAL[name as keyof Disk]) as (...args: unknown[]) => unknown
      return call(...args)
    },
  ])
  return Object.fromEntries(either) as Partial<Disk>
}
