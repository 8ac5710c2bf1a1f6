/** The frame of every page of the site: navigation, search, the page before and the page after. */
import { posix } from 'node:path'

/** The part of pages that only other pages lead to: those of the report's claims. */
export const UNLISTED = 'Claims'

export interface Entry {
  readonly address: string
  readonly title: string
  readonly part: string
}

export function layout(entries: readonly Entry[], address: string, body: string): string {
  const to = (other: string): string =>
    posix.relative(posix.dirname(address), other) || posix.basename(other)
  const index = entries.findIndex((entry) => entry.address === address)
  const { title } = entries[index]
  const link = (entry: Entry | undefined, label: string): string =>
    entry === undefined ? '' : `<a href="${to(entry.address)}">${label}${escaped(entry.title)}</a>`
  const here = (entry: Entry): string => (entry.address === address ? ' aria-current="page"' : '')
  const listed = entries.filter(({ part }) => part !== UNLISTED)
  const parts = [...new Set(listed.map(({ part }) => part))].map((part) => {
    const own = entries.filter((entry) => entry.part === part)
    const items = own.map(
      (entry) =>
        `<li><a href="${to(entry.address)}"${here(entry)}>${escaped(entry.title)}</a></li>`,
    )
    const isOpen = own.some((entry) => entry.address === address) || part === 'Guide'
    return `<details${isOpen ? ' open' : ''}><summary>${part}</summary><ul>${items.join('\n')}</ul></details>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}${index === 0 ? '' : ' · bellwether'}</title>
<link rel="stylesheet" href="${to('style.css')}">
<script defer src="${to('search-index.js')}"></script>
<script defer src="${to('search.js')}" data-root="${to('index.html').replace(/index\.html$/u, '')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<nav aria-label="Pages">
<search><input type="search" id="query" placeholder="Search" aria-label="Search the documentation" autocomplete="off"></search>
<ol id="results" aria-live="polite" hidden></ol>
${parts.join('\n')}
</nav>
<main id="content">
${body}
<footer>${link(entries[index - 1], '← ')}${link(entries[index + 1], '→ ')}</footer>
</main>
</body>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
