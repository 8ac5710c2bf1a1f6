/** Reads Markdown pages of the repository: links, headings, code spans and code blocks, each with its line. */
import { repositoryFiles } from '../tidy/repository.ts'
import type { SourceFile } from '../tidy/rules.ts'

export interface Found {
  /** `docs/lab.md:12`. */
  readonly where: string
  readonly text: string
}

export interface Block extends Found {
  readonly language: string
}

/** Every page that people wrote; `docs/report` is written by `npm run report`, `api` by `npm run api`. */
export function pages(): SourceFile[] {
  return repositoryFiles().filter(
    ({ path }) => path.endsWith('.md') && !/^(?:docs\/report|api)\//u.test(path),
  )
}

/** Fenced and indented code blocks. */
export function blocksOf(page: SourceFile): Block[] {
  const fenced = [...page.text.matchAll(/^( *)```(\w*)\n([\s\S]*?)\n\1```$/gmu)].map((match) => ({
    where: at(page, match.index),
    language: match[2],
    text: match[3],
  }))
  const indented = [...withoutFences(page.text).matchAll(/(?<=\n\n)(?: {4,}\S.*\n)+/gu)].map(
    (match) => ({ where: at(page, match.index), language: 'sh', text: match[0].trim() }),
  )
  return [...fenced, ...indented]
}

/** Text between backticks, outside of blocks. */
export function spansOf(page: SourceFile): Found[] {
  return [...withoutFences(page.text).matchAll(/(`+)(.+?)\1/gsu)].map((match) => ({
    where: at(page, match.index),
    text: match[2].replaceAll(/\s+/gu, ' ').trim(),
  }))
}

/** Targets of links and images, of Markdown and of HTML. */
export function linksOf(page: SourceFile): Found[] {
  const text = withoutFences(page.text)
  const pattern = /\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/gu
  return [...text.matchAll(pattern)].map((match) => ({
    where: at(page, match.index),
    text: match[1] ?? match[2],
  }))
}

/** The anchors of a page, as GitHub makes them from its headings. */
export function anchorsOf({ text }: SourceFile): Set<string> {
  const seen = new Map<string, number>()
  const anchors = [...withoutFences(text).matchAll(/^#+ (.+)$/gmu)].map(([, heading]) => {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1').toLowerCase()
    const slug = plain.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  })
  return new Set(anchors)
}

/** The same text with fenced blocks blanked, so that positions stay. */
function withoutFences(text: string): string {
  return text.replaceAll(/^( *)```[\s\S]*?^\1```$/gmu, (block) => block.replaceAll(/[^\n]/gu, ' '))
}

function at({ path, text }: SourceFile, index: number): string {
  return `${path}:${text.slice(0, index).split('\n').length}`
}
