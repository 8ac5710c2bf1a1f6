/** Makes the documentation site from the Markdown of the repository: pages, the API from the types, search, the lab. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiReference } from '../tables/api-report.ts'
import { htmlOf, type Section } from './markdown-page.ts'
import { PARTS } from './page-order.ts'
import { layout, UNLISTED, type Entry } from './layout.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const HERE = fileURLToPath(new URL('.', import.meta.url))

interface Page {
  /** Of the Markdown in the repository. */
  readonly path: string
  readonly part: string
  readonly text: string
}

/** Where the page of a Markdown file is in the site. */
export function addressOf(path: string): string {
  return path.replace(/(?:^|(?<=\/))README\.md$/u, 'index.html').replace(/\.md$/u, '.html')
}

/** The pages in order; a page that no part names stands under More. */
function pages(): Page[] {
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'docs', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const named = PARTS.flatMap(({ title, pages: paths }) =>
    paths.map((path) => ({ path, part: title })),
  )
  const others = [...new Set(tracked.split('\n'))]
    .filter((path) => /^docs\/.*\.md$/u.test(path) && existsSync(join(ROOT, path)))
    .filter((path) => named.every((page) => page.path !== path))
    .map((path) => ({ path, part: partOf(path) }))
  const api = [...apiReference()].map(([path, text]) => ({ path, part: 'API', text }))
  const [guide, ...rest] = [...named, ...others].map((page) => ({
    ...page,
    text: readFileSync(join(ROOT, page.path), 'utf8'),
  }))
  const begin = rest.findIndex(({ part }) => part === 'Evidence')
  return [guide, ...rest.slice(0, begin), ...api, ...rest.slice(begin)]
}

function partOf(path: string): string {
  if (path.startsWith('docs/report/claims/')) return UNLISTED
  return path.startsWith('docs/decisions/') ? 'Decisions' : 'More'
}

/** Writes the site into the folder and returns the addresses of its pages. */
export function writeSite(folder: string): string[] {
  rmSync(folder, { recursive: true, force: true })
  const all = pages()
  const known = new Set(all.map(({ path }) => path))
  const rendered = all.map((page) => ({
    ...page,
    address: addressOf(page.path),
    ...htmlOf(page.text, (target) => linkFrom(page.path, target, known)),
  }))
  const entries: Entry[] = rendered.map(({ address, title, part }) => ({ address, title, part }))
  for (const { address, path, html } of rendered) {
    const body = path === 'docs/lab.md' ? `${LAB}${html}` : html
    write(folder, address, layout(entries, address, body))
  }
  const sections: Section[] = rendered.flatMap(({ address, sections: own }) =>
    own.map((section) => ({ ...section, address: `${address}#${section.address}` })),
  )
  write(folder, 'search-index.js', `globalThis.sections = ${JSON.stringify(sections)}`)
  for (const file of ['search.js', 'style.css'])
    cpSync(join(HERE, 'assets', file), join(folder, file))
  const isPicture = (path: string): boolean => !/\.(?:md|json)$/u.test(path)
  cpSync(join(ROOT, 'docs'), join(folder, 'docs'), { recursive: true, filter: isPicture })
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true })
  cpSync(join(ROOT, 'dist/lab'), join(folder, 'lab'), { recursive: true })
  return rendered.map(({ address }) => address)
}

const LAB =
  '<iframe class="lab" src="../lab/index.html" title="The lab: simulate an election"></iframe>'

function write(folder: string, address: string, text: string): void {
  const path = join(folder, address)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** A link to a page of the repository leads to its page of the site; one to a folder to its first file. */
function linkFrom(path: string, target: string, known: ReadonlySet<string>): string {
  if (/^[a-z]+:|^#/u.test(target)) return target
  const [file, anchor] = target.split('#')
  const to = posix.join(posix.dirname(path), file)
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (known.has(to))
    return `${posix.relative(posix.dirname(path), addressOf(to)) || posix.basename(addressOf(to))}${hash}`
  const first = [...known].find((one) => one.startsWith(`${to}/`))
  if (first !== undefined) return posix.relative(posix.dirname(path), addressOf(first))
  return to === 'examples' || to === 'examples/deploy'
    ? posix.relative(posix.dirname(path), addressOf('docs/recipes.md'))
    : target
}
