/** What `bellwether certs` writes. */
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const bin = fileURLToPath(new URL('../bin/bellwether.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bellwether-certs-'))
afterAll(() => rmSync(folder, { recursive: true }))

function certs(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'certs', ...args], {
    encoding: 'utf8',
  })
  return { code: status, out: stdout, err: stderr }
}

const read = (name: string): X509Certificate =>
  new X509Certificate(readFileSync(join(folder, name)))

test('each member gets a certificate that names it, signed by one authority', () => {
  expect(certs('a', 'b', '--group', 'jobs', '--out', folder).code).toBe(0)
  const authority = read('authority.pem')
  for (const member of ['a', 'b']) {
    const certificate = read(`${member}.pem`)
    expect(certificate.verify(authority.publicKey)).toBe(true)
    expect(certificate.subjectAltName).toBe(`URI:bellwether:jobs:${member}`)
    for (const kind of ['key', 'pem']) {
      expect(statSync(join(folder, `${member}.${kind}`)).mode & 0o777).toBe(0o600)
    }
  }
})

test('a later member is signed by the authority that is there', () => {
  const before = readFileSync(join(folder, 'authority.pem'), 'utf8')
  expect(certs('c', '--out', folder).code).toBe(0)
  expect(readFileSync(join(folder, 'authority.pem'), 'utf8')).toBe(before)
  expect(read('c.pem').verify(read('authority.pem').publicKey)).toBe(true)
})

test('bad names and bad days are refused in a sentence', () => {
  expect(certs('a/b', '--out', folder)).toMatchObject({ code: 2 })
  const { code, err } = certs('a', '--days', '0', '--out', folder)
  expect(code).toBe(2)
  expect(err).toContain(
    "'--days <n>' argument '0' is invalid. must be a whole number from 1 to 3650",
  )
})

test('without the key of the authority nothing is written', () => {
  const hidden = join(folder, 'elsewhere')
  for (const file of ['authority.key', 'authority.pem']) {
    const before = readFileSync(join(folder, 'authority.pem'), 'utf8')
    renameSync(join(folder, file), hidden)
    const { code, err } = certs('d', '--out', folder)
    renameSync(hidden, join(folder, file))
    expect([code, err]).toEqual([2, expect.stringContaining('bring the authority back')])
    expect(readFileSync(join(folder, 'authority.pem'), 'utf8')).toBe(before)
    expect(existsSync(join(folder, 'd.pem'))).toBe(false)
  }
})

test('the key of another authority is refused', () => {
  const other = join(folder, 'other')
  expect(certs('x', '--out', other).code).toBe(0)
  const own = readFileSync(join(folder, 'authority.key'))
  copyFileSync(join(other, 'authority.key'), join(folder, 'authority.key'))
  const { code, err } = certs('d', '--out', folder)
  writeFileSync(join(folder, 'authority.key'), own)
  expect([code, err]).toEqual([2, expect.stringContaining('is not the key of this authority')])
})

test('a certificate that exists is replaced only on request, and the name of the authority is taken', () => {
  const before = readFileSync(join(folder, 'a.pem'), 'utf8')
  expect(certs('d', 'a', '--out', folder)).toMatchObject({
    code: 2,
    err: expect.stringContaining('a.pem exists: give --replace'),
  })
  expect([readFileSync(join(folder, 'a.pem'), 'utf8'), existsSync(join(folder, 'd.pem'))]).toEqual([
    before,
    false,
  ])
  expect(certs('a', '--replace', '--out', folder)).toMatchObject({
    code: 2,
    err: expect.stringContaining('a.pem is not of the group default'),
  })
  expect(readFileSync(join(folder, 'a.pem'), 'utf8')).toBe(before)
  const { code, out } = certs('a', '--replace', '--group', 'jobs', '--out', folder)
  expect([code, out.includes('authority.pem')]).toEqual([0, false])
  expect(readFileSync(join(folder, 'a.pem'), 'utf8')).not.toBe(before)
  for (const names of [['authority'], ['Authority'], ['d', 'D'], ['.d'], ['-']]) {
    expect(certs('--out', folder, '--', ...names)).toMatchObject({ code: 2 })
  }
})

test('--shared-key writes 32 random bytes to a new file that only its user can read', () => {
  const file = join(folder, 'group.key')
  expect(certs('--shared-key', file).code).toBe(0)
  const key = readFileSync(file, 'utf8').trim()
  expect(Buffer.from(key, 'base64url')).toHaveLength(32)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(certs('--shared-key', file)).toMatchObject({ code: 2 })
  expect(readFileSync(file, 'utf8').trim()).toBe(key)
})

test('certs says when the authority expires', () => {
  const { out } = certs('e', '--json', '--out', folder)
  const { authorityExpires } = JSON.parse(out) as { readonly authorityExpires: string }
  expect(Date.parse(authorityExpires)).toBe(Date.parse(read('authority.pem').validTo))
})
