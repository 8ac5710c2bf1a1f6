import { spawn, spawnSync } from 'node:child_process'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

  test('syncs the file before the rename and the folder after it', () => {
    const calls: string[] = []
    const one = store({
      write: ((...args: Parameters<typeof writeSync>) => {
        calls.push('write')
        return writeSync(...args)
      }) as typeof writeSync,
      sync: (file) => {
        calls.push('sync')
        fsyncSync(file)
      },
      rename: (from, to) => {
        calls.push('rename')
        renameSync(from, to)
      },
    })
    one.write(STORED)
    expect(calls).toEqual(['write', 'sync', 'rename', 'sync'])
    one.write(structuredClone(STORED))
    expect(calls, 'nothing changed: nothing is written').toHaveLength(4)
    one.write({ ...STORED, incarnation: 5 })
    expect(calls).toHaveLength(8)
    one.close()
  })

  test('does not write again what it has read', () => {
    written()
    const second = store({ sync: () => expect.unreachable() })
    second.write(second.read()!)
    second.close()
  })

  test('refuses a file that was cut short at any byte', () => {
    const { length } = written()
    const reader = store()
    for (let size = length - 1; size >= 0; size--) {
      truncateSync(path, size)
      expect(() => reader.read(), `cut to ${size} bytes`).toThrow(StoreError)
    }
    reader.close()
  })

  test('refuses a file with any one bit flipped', () => {
    const whole = Buffer.from(written())
    const reader = store()
    const file = openSync(path, 'r+')
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const at = bit >> 3
      writeSync(file, Buffer.from([whole[at] ^ (1 << (bit & 7))]), 0, 1, at)
      expect(() => reader.read(), `bit ${bit}`).toThrow(StoreError)
      writeSync(file, whole, at, 1, at)
    }
    expect(reader.read()).toEqual(STORED)
    closeSync(file)
    reader.close()
  })

  test('refuses a file with something after its end, and says what to do', () => {
    writeFileSync(path, `${written()}x`)
    expect(reading()).toThrow(/a\.state: is damaged.*: restore it from a copy, or stop all members/)
  })

  test('refuses the file of another cluster, of another member, of another version', () => {
    const text = written()
    expect(reading('prod')).toThrow(/belongs to cluster "test", not "prod"/)
    expect(reading('test', 'b')).toThrow(/belongs to member "a", not "b"/)
    writeFileSync(path, text.replace('state 1', 'state 2'))
    expect(reading()).toThrow(/another version of bellwether/)
  })

  test('refuses a folder in place of the file', () => {
    path = folder
    expect(reading()).toThrow(/cannot be read \(EISDIR\)/)
    rmSync(`${folder}.lock`, { force: true })
  })

  test.each([
    ['the disk is full', { write: fails('ENOSPC') }, 'ENOSPC'],
    ['the sync fails', { sync: fails('EIO') }, 'EIO'],
    ['the disk is read-only', { open: fails('EROFS') }, 'EROFS'],
    ['the rename fails', { rename: fails('EACCES') }, 'EACCES'],
  ])('throws when %s, keeps what was there, and writes again once it can', (_, faults, code) => {
    written()
    let failing = true
    const one = store(whileFailing(faults, () => failing))
    const next = { ...STORED, incarnation: 9 }
    expect(() => one.write(next)).toThrow(new RegExp(`cannot be written \\(${code}\\).*free space`))
    expect(one.read()).toEqual(STORED)
    failing = false
    one.write(next)
    expect(one.read()).toEqual(next)
    one.close()
    expect(readdirSync(folder)).toEqual(['a.state'])
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

  test('a write that a crash interrupts leaves the old state, and its temporary file is removed', () => {
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

  function lockOf(): { place: string } {
    const other = new FileStore(join(folder, 'other'), { cluster: 'test', member: 'a' })
    const text = readFileSync(join(folder, 'other.lock'), 'utf8')
    other.close()
    return JSON.parse(text) as { place: string }
  }
})

function fails(code: string) {
  return (): never => {
    throw Object.assign(new Error(code), { code })
  }
}

/** The faults while they last, the real calls otherwise. */
function whileFailing(faults: object, failing: () => boolean): Partial<Disk> {
  const real = { open: openSync, write: writeSync, sync: fsyncSync, rename: renameSync }
  const either = Object.entries(faults).map(([name, fault]) => [
    name,
    (...args: unknown[]) => {
      const call = (failing() ? fault : real[name as keyof Disk]) as (...args: unknown[]) => unknown
      return call(...args)
    },
  ])
  return Object.fromEntries(either) as Partial<Disk>
}
