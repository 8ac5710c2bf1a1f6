/** Rules about reading: folder sizes, opening comments and the words of the glossary. */
import { posix } from 'node:path'
import { at, type Rule, type SourceFile } from './rules.ts'

const SOURCE = /^(?:src|lab\/src|scripts|experiments|bench|test)\/.*\.(?:ts|js|mjs|svelte)$/u
const MOST_FILES = 20

/** A folder holds at most 20 source files side by side; tests beside their source do not count. */
export function crowdedFolders(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>()
  for (const { path } of files) {
    if (!SOURCE.test(path) || path.endsWith('.test.ts')) continue
    const folder = posix.dirname(path)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(([folder, count]) => `${folder} has ${count} source files: give it sub-folders`)
}

/** A source file opens with a comment whose first sentence ends with a full stop. */
export const openingComment: Rule = (file) => {
  if (!SOURCE.test(file.path) || file.path.endsWith('.test.ts')) return []
  const comment = openingOf(file)
  if (comment === undefined)
    return [at(file, 0, 'does not open with a comment that states its job')]
  if (/^[^a-z]*\p{L}[\s\S]*?[.](?:\s|$)/u.test(comment)) return []
  return [at(file, 0, 'the first sentence of its opening comment does not end with a full stop')]
}

/** The text of the comment at the start of a file, without its marks. */
function openingOf({ path, text }: SourceFile): string | undefined {
  const start = text.replace(/^#!.*\n/u, '')
  const comment = path.endsWith('.svelte')
    ? /^\s*(?:<!--(?:\s*@component)?([\s\S]*?)-->|<script[^>]*>\s*\/\*\*([\s\S]*?)\*\/)/u.exec(
        start,
      )
    : /^\s*(?:\/\*\*([\s\S]*?)\*\/|\/\/ ?(.*))/u.exec(start)
  return (comment?.[1] ?? comment?.[2])?.replaceAll(/^\s*\* ?/gmu, '').trim()
}

/** Words that docs/glossary.md replaces, each with what to write instead. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/haunt|\bghosts?\b/giu, 'history variable'],
  [/inGrave|\bburied\b|\bburials?\b/giu, 'unrecoverable'],
  [/\bmeddl\w*/giu, 'message fault'],
  [/\bvow(?:s|ed)?\b/giu, 'promise or vote'],
  [/\bmeek|isMeek/giu, 'a name that says what is accepted'],
  [/no words for/giu, 'does not support'],
  [/same breath/giu, 'in the same step'],
  [/\b(?:dead|stale)[ -]?letters?|StaleLetter/giu, 'obsolete message'],
  [/\bheirs?\b/giu, 'successor'],
  [/loop turns/giu, 'the event loop responds'],
  [/\bfarewells?\b/giu, 'announcement that a member leaves'],
  [/\bcandidatures?\b/giu, 'candidacy'],
  [/\bin vain\b/giu, 'without effect, or what did not happen'],
  [/\b(?:whoever|somebody|anybody)\b/giu, 'the actor: the member, the leader, the caller'],
]

/** Code and documentation use the words of docs/glossary.md. */
export const glossaryWords: Rule = (file) => {
  if (!/\.(?:ts|js|mjs|svelte|md|json|html|css)$/u.test(file.path)) return []
  if (/^(?:test\/tidy|docs\/report\/|package-lock)/u.test(file.path)) return []
  return REPLACED.flatMap(([pattern, instead]) =>
    [...file.text.matchAll(pattern)].map((found) =>
      at(file, found.index, `${found[0]}: write ${instead}`),
    ),
  )
}
