import { execFile } from 'node:child_process'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { localKeyFile } from './local-key.ts'

const before = process.env['XDG_STATE_HOME']
let home = ''

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bellwether-home-'))
  process.env['XDG_STATE_HOME'] = home
})

afterEach(() => {
  process.env['XDG_STATE_HOME'] = before
  rmSync(home, { recursive: true })
})

test('the key is made once for each group, in a folder and a file that only this user can read', () => {
  const file = localKeyFile('jobs')
  const key = readFileSync(file, 'utf8')
  expect(Buffer.from(key, 'base64url')).toHaveLength(32)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(home, 'bellwether')).mode & 0o777).toBe(0o700)
  expect(readFileSync(localKeyFile('jobs'), 'utf8')).toBe(key)
  const others = ['../jobs', 'a.b', 'ü'.repeat(200)].map((group) => localKeyFile(group))
  expect(new Set([file, ...others]).size).toBe(4)
  expect(readdirSync(join(home, 'bellwether'))).toHaveLength(4)
})

test('processes that start together find the same key', async () => {
  const module = fileURLToPath(new URL('local-key.ts', import.meta.url))
  const code = `import { localKeyFile } from ${JSON.stringify(module)}; import { readFileSync } from 'node:fs'; console.log(readFileSync(localKeyFile('jobs'), 'utf8'))`
  const args = ['--import', 'tsx', '--input-type=module', '-e', code]
  const run = promisify(execFile)
  const keys = await Promise.all([1, 2, 3, 4].map(async () => run(process.execPath, args)))
  expect(new Set(keys.map(({ stdout }) => stdout)).size).toBe(1)
  expect(readdirSync(join(home, 'bellwether'))).toEqual(['jobs.key'])
})

test('a folder or a key that is open to others, and a link, are refused with what to do', () => {
  const file = localKeyFile('jobs')
  const folder = join(home, 'bellwether')
  chmodSync(file, 0o640)
  expect(() => localKeyFile('jobs')).toThrow(/jobs\.key: is open to other users: chmod go= /)
  chmodSync(file, 0o600)
  chmodSync(folder, 0o711)
  expect(() => localKeyFile('jobs')).toThrow(/bellwether: is open to other users/)
  chmodSync(folder, 0o700)
  renameSync(file, join(home, 'elsewhere'))
  symlinkSync(join(home, 'elsewhere'), file)
  expect(() => localKeyFile('jobs')).toThrow(/jobs\.key: cannot be used \(ELOOP\)/)
  renameSync(folder, join(home, 'moved'))
  symlinkSync(join(home, 'moved'), folder)
  expect(() => localKeyFile('jobs')).toThrow(/is not a folder/)
})
