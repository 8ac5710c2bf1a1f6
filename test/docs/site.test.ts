/** The documentation site: every page is there, every link leads somewhere, and the search knows every section. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { addressOf, writeSite } from '../../scripts/docs/site.ts'
import { pages } from './markdown.ts'

const folder = mkdtempSync(join(tmpdir(), 'bellwether-site-'))
afterAll(() => rmSync(folder, { recursive: true }))
const addresses = writeSite(folder)
const htmlAt = (address: string): string => readFileSync(join(folder, address), 'utf8')

describe('the site', () => {
  test('has a page for each page of docs, the API of each entry point, and the lab', () => {
    const written = pages().filter(({ path }) => path.startsWith('docs/'))
    expect(written.length).toBeGreaterThan(30)
    const missing = written.filter(({ path }) => !addresses.includes(addressOf(path)))
    expect(missing).toEqual([])
    expect(addresses.filter((address) => address.startsWith('api/')).length).toBeGreaterThan(12)
    expect(htmlAt('api/bellwether.html')).toContain('<h2 id="join">')
    expect(existsSync(join(folder, 'lab/index.html'))).toBe(true)
    expect(htmlAt(addressOf('docs/lab.md'))).toContain('<iframe')
  })

  test('begins with the questions of a user, in their order', () => {
    const guide = addresses.slice(0, 11).map((address) => posix.basename(address, '.html'))
    expect(guide).toEqual([
      'index',
      'start',
      'promises',
      'deploy',
      'change',
      'groups',
      'operations',
      'fencing',
      'testing',
      'timing',
      'compare',
    ])
  })

  test('has links only to pages, headings and files that are there', () => {
    const broken = addresses.flatMap((address) => {
      const html = htmlAt(address)
      const targets = [...html.matchAll(/(?:href|src)="([^"]+)"/gu)].map(([, to]) => to)
      return targets
        .filter((to) => !/^[a-z]+:/u.test(to))
        .filter((to) => {
          const [file, anchor] = to.split('#')
          const path = file === '' ? address : posix.join(posix.dirname(address), file)
          if (!existsSync(join(folder, path))) return true
          return anchor !== undefined && anchor !== '' && !htmlAt(path).includes(`id="${anchor}"`)
        })
        .map((to) => `${address}: ${to}`)
    })
    expect(broken).toEqual([])
  })

  test('has every section in the index of its search', () => {
    const [, json] = htmlAt('search-index.js').split('globalThis.sections = ')
    const sections = JSON.parse(json) as { address: string; title: string; text: string }[]
    expect(sections.length).toBeGreaterThan(400)
    const deploy = `${addressOf('docs/guide/start.md')}#3-deploy`
    const found = sections.find(({ address }) => address === deploy)
    expect(found).toMatchObject({ title: '3. Deploy', text: expect.stringContaining('SIGTERM') })
  })
})
