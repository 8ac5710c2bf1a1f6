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
export function openingOf({ path, text }: SourceFile): string | undefined {
  const start = text.replace(/^#!.*\n/u, '')
  const comment = path.endsWith('.svelte')
    ? /^\s*(?:<!--(?:\s*@component)?([\s\S]*?)-->|<script[^>]*>\s*\/\*\*([\s\S]*?)\*\/)/u.exec(
        start,
      )
    : /^\s*(?:\/\*\*([\s\S]*?)\*\/|\/\/ ?(.*))/u.exec(start)
  return (comment?.[1] ?? comment?.[2])?.replaceAll(/^\s*\* ?/gmu, '').trim()
}
