/** Turns a Markdown page into HTML, with the anchors of GitHub, and into sections for the search. */
import { Marked, type Tokens } from 'marked'

/** A heading and the text below it. */
export interface Section {
  readonly address: string
  readonly title: string
  readonly text: string
}

export interface Rendered {
  readonly title: string
  readonly html: string
  readonly sections: readonly Section[]
}

export function htmlOf(markdown: string, link: (target: string) => string): Rendered {
  const sections: { address: string; title: string; text: string }[] = []
  const seen = new Map<string, number>()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const inner = this.parser.parseInline(tokens)
        const title = plain(inner)
        const slug = slugOf(title)
        const times = seen.get(slug) ?? 0
        seen.set(slug, times + 1)
        const address = times === 0 ? slug : `${slug}-${times}`
        return `<h${depth} id="${address}">${inner} <a class="anchor" href="#${address}" aria-label="link to this section">#</a></h${depth}>\n`
      },
      table(token: Tokens.Table): string {
        const cells = (row: Tokens.TableCell[], tag: string): string =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
        const body = token.rows.map((row) => cells(row, 'td')).join('\n')
        return `<div class="table" tabindex="0"><table><thead>${cells(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`
      },
    },
    walkTokens(token) {
      if (token.type === 'link') token.href = link(token.href as string)
    },
  })
  // A block that scrolls can be reached by keyboard.
  const html = marked.parse(markdown, { async: false }).replaceAll('<pre>', '<pre tabindex="0">')
  for (const part of html.split(/(?=<h[1-6] id=)/u)) {
    const [, address, heading] =
      /^<h[1-6] id="([^"]*)">([\s\S]*?) <a class="anchor"/u.exec(part) ?? []
    if (address === undefined) continue
    const text = plain(part.slice(part.indexOf('</h') + 5))
    sections.push({ address, title: plain(heading), text })
  }
  return { title: sections[0]?.title ?? '', html, sections }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

function plain(html: string): string {
  return html
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/gu, (entity) => ENTITIES[entity])
    .replaceAll(/\s+/gu, ' ')
    .trim()
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}
