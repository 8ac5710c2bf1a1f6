/** Tests that no client package is loaded before its engine is used, and that a missing one is named. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))
let folder: string

/** The built library in a folder without a single package. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bellwether-alone-'))
  cpSync(dist, join(folder, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.map') })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(code: string): string {
  const args = ['--input-type=module', '-e', code]
  return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).trim()
}

test('everything but the command line can be imported without any package', () => {
  const all = [
    'index',
    'engines/index',
    'fence/index',
    'cron/index',
    'testing/index',
    'sim/index',
    'check/index',
  ]
  expect(run(all.map((one) => `await import('./dist/${one}.js')`).join('\n'))).toBe('')
})

test.each([
  ['postgres', 'postgres://nowhere', 'pg'],
  ['redis', 'redis://nowhere', '@redis/client'],
  ['mysql', 'mysql://nowhere', 'mysql2'],
  ['nats', 'nats://nowhere', '@nats-io/transport-node'],
])('%s without its client is refused by join, which names the package', (name, url, missing) => {
  const code = `
    import { join, fenced } from './dist/index.js'
    import { ${name} } from './dist/engines/index.js'
    const safety = fenced(${name}('${url}'))
    const members = { a: '127.0.0.1:0' }
    await join({ group: 'g', id: 'a', members, safety }).catch((e) => console.log(e.name, e.message))`
  expect(run(code)).toBe(
    `MissingClientError the engine ${name} needs the package ${missing}: run "npm install ${missing}"`,
  )
})

test('schedule without its package names it', () => {
  const code = `
    import { schedule } from './dist/cron/index.js'
    await schedule({}, { cron: '* * * * *' }, () => {}).catch((e) => console.log(e.name, e.message))`
  expect(run(code)).toBe(
    'MissingClientError schedule needs the package croner: run "npm install croner"',
  )
})

test('certs without its packages names them, and leaves no folder', () => {
  const code = `
    import { existsSync } from 'node:fs'
    import { CertificateAuthority } from './dist/cli/certificates/authority.js'
    await CertificateAuthority.in('certs', 1).catch((e) => console.log(e.message, existsSync('certs')))`
  expect(run(code)).toBe(
    'certs needs the packages @peculiar/x509 and reflect-metadata: run "npm install @peculiar/x509 reflect-metadata" false',
  )
})
