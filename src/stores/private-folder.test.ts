/** Tests that a store takes no folder or file through which another user could forge votes. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FileStore } from './file.ts'
import { StoreError } from './store.ts'

let root: string
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'bellwether-private-'))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

function use(folder: string): void {
  const store = new FileStore(join(folder, 'state'), { cluster: 'c', member: 'm' })
  try {
    store.read()
    store.write({ incarnation: 1, state: {} })
  } finally {
    store.close()
  }
}

describe('a state folder', () => {
  test.skipIf(!existsSync('/proc/self'))(
    'that cannot be made is refused with a sentence, at once',
    () => {
      for (const folder of ['/proc/bellwether', '/proc/bellwether/deep', '/proc/self/bellwether']) {
        expect(() => use(folder)).toThrow(StoreError)
        expect(() => use(folder)).toThrow(/the state folder cannot be created \(E[A-Z]+\): /u)
      }
    },
  )

  test('is created closed to others, whatever the umask', () => {
    const before = process.umask(0)
    try {
      use(join(root, 'deep', 'state'))
    } finally {
      process.umask(before)
    }
    expect(statSync(join(root, 'deep', 'state')).mode & 0o777).toBe(0o700)
    expect(statSync(join(root, 'deep', 'state', 'state')).mode & 0o777).toBe(0o600)
  })

  test.each(['777', '770', '755', '750'])('open to others (mode %s) is refused', (mode) => {
    chmodSync(root, mode)
    expect(() => use(root)).toThrow(StoreError)
    expect(() => use(root)).toThrow(`run "chmod 700 ${root}"`)
    expect(readdirSync(root)).toEqual([])
  })

  test('that is a symbolic link is refused, also one that leads nowhere', () => {
    mkdirSync(join(root, 'real'), { mode: 0o700 })
    symlinkSync(join(root, 'real'), join(root, 'link'))
    symlinkSync(join(root, 'nowhere'), join(root, 'dangling'))
    expect(() => use(join(root, 'link'))).toThrow('is a symbolic link')
    expect(() => use(join(root, 'dangling'))).toThrow('is a symbolic link')
    expect(existsSync(join(root, 'nowhere'))).toBe(false)
    expect(readdirSync(join(root, 'real'))).toEqual([])
  })

  test.runIf(process.getuid?.() === 0)('of another owner is refused', () => {
    chownSync(root, 12_345, 12_345)
    expect(() => use(root)).toThrow('belongs to another user (12345')
  })
})

describe('a file in it', () => {
  test('that is a symbolic link is not followed, neither to read nor to write', () => {
    const other = join(root, 'other')
    writeFileSync(other, 'precious')
    // The target could be read: a whole state, of the same member.
    const real = join(root, 'real')
    mkdirSync(real, { mode: 0o700 })
    use(real)
    symlinkSync(join(real, 'state'), join(root, 'state'))
    expect(() => use(root)).toThrow('ELOOP')
    rmSync(join(root, 'state'))
    // The name of the temporary file can be guessed.
    const store = new FileStore(join(root, 'state'), { cluster: 'c', member: 'm' })
    symlinkSync(other, join(root, '.state.new'))
    try {
      expect(() => store.write({ incarnation: 1, state: {} })).toThrow('EEXIST')
    } finally {
      store.close()
    }
    expect(readFileSync(other, 'utf8')).toBe('precious')
  })

  test.skipIf(process.platform === 'win32')('that is a pipe is refused, and not waited for', () => {
    execFileSync('mkfifo', ['-m', '600', join(root, 'state')])
    // In a process of its own: a read that waits would end no test.
    const module = new URL('private-folder.ts', import.meta.url).href
    const script = `import { readPrivateFile } from '${module}'; readPrivateFile('${join(root, 'state')}')`
    const args = ['--import', 'tsx', '--input-type=module', '-e', script]
    const { stderr } = spawnSync(process.execPath, args, { timeout: 20_000, encoding: 'utf8' })
    expect(stderr).toContain('state: is not a file')
  })

  test.runIf(process.getuid?.() === 0)('of another owner is refused', () => {
    use(root)
    chownSync(join(root, 'state'), 12_345, 12_345)
    expect(() => use(root)).toThrow('belongs to another user')
  })
})
