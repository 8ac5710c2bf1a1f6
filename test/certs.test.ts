/** What `bellwether certs` writes. */
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const bin = fileURLToPath(new URL('../bin/bellwether.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bellwether-certs-'))
afterAll(() => rmSync(folder, { recursive: true }))

function certs(...args: string[]): { code: number | null; err: string } {
  const { status, stderr } = spawnSync(process.execPath, [bin, 'certs', ...args], {
    encoding: 'utf8',
  })
  return { code: status, err: stderr }
}

const read = (name: string): X509Certificate =>
  new X509Certificate(readFileSync(join(folder, name)))

test('each member gets a certificate that names it, signed by one authority', () => {
  expect(certs('a', 'b', '--out', folder).code).toBe(0)
  const authority = read('authority.pem')
  for (const member of ['a', 'b']) {
    const certificate = read(`${member}.pem`)
    expect(certificate.verify(authority.publicKey)).toBe(true)
    expect(certificate.subjectAltName).toBe(`URI:bellwether:member:${member}`)
    expect(statSync(join(folder, `${member}.key`)).mode & 0o777).toBe(0o600)
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
