/**
 * Compiles an algorithm from the source of a shipped one with some lines changed, so that the shipped source
 * needs no switches. The algorithm and its helpers are compiled anew, and import all other modules as they are.
 */
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import type { Algorithm } from '../../src/core/algorithm.ts'

/** A text that occurs exactly once in the file, its replacement, and the file, if it is none of the algorithm's own. */
export type Edit = readonly [from: string, to: string, file?: Helper]
export type Helper = 'helpers/lease' | 'helpers/admission' | 'helpers/register'

const FOLDER = new URL('../../src/algorithms/', import.meta.url).href

export async function mutate(
  algorithm: string,
  edits: readonly Edit[],
  name = algorithm,
): Promise<Algorithm> {
  const texts = editedSources(algorithm, edits)
  const made = Object.values(await compile(fileOf(algorithm), texts, new Map())).find(
    (value) => (value as Algorithm | null)?.name === algorithm && typeof value === 'object',
  )
  return { ...(made as Algorithm), name }
}

/** The changed texts of an algorithm and its helpers. */
export function sourcesOf(algorithm: string, edits: readonly Edit[]): string[] {
  return [...editedSources(algorithm, edits).values()]
}

/** The texts of an algorithm and the files below src/algorithms that it imports, by URL, with the edits. */
function editedSources(algorithm: string, edits: readonly Edit[]): Map<string, string> {
  const texts = new Map<string, string>()
  const read = (file: string): void => {
    if (!file.startsWith(FOLDER) || texts.has(file)) return
    const text = readFileSync(new URL(file), 'utf8')
    texts.set(file, text)
    for (const [, specifier] of text.matchAll(/from '(\..+)'/gu))
      read(new URL(specifier, file).href)
  }
  read(fileOf(algorithm))
  for (const [from, to, helper] of edits) {
    const own = [...texts.keys()].filter((file) => !/helpers\/[^/]+$/u.test(file))
    const files = helper === undefined ? own : [fileOf(helper)]
    const places = files.flatMap((file) => {
      return Array.from({ length: texts.get(file)!.split(from).length - 1 }, () => file)
    })
    if (places.length !== 1) {
      throw new Error(`${helper ?? algorithm}: "${from}" occurs ${places.length} times`)
    }
    texts.set(
      places[0],
      texts.get(places[0])!.replace(from, () => to),
    )
  }
  return texts
}

/** The exports of a file; what it imports of `texts` is compiled too, once. */
async function compile(
  file: string,
  texts: ReadonlyMap<string, string>,
  compiled: Map<string, unknown>,
): Promise<Record<string, unknown>> {
  const { outputText } = ts.transpileModule(texts.get(file)!, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
  })
  const modules = new Map<string, unknown>()
  for (const [, specifier] of outputText.matchAll(/require\("([^"]+)"\)/gu)) {
    const { href, pathname } = new URL(specifier, file)
    if (!compiled.has(href)) {
      const module: unknown = texts.has(href)
        ? await compile(href, texts, compiled)
        : await import(pathname)
      compiled.set(href, module)
    }
    modules.set(specifier, compiled.get(href))
  }
  const exports: Record<string, unknown> = {}
  // oxlint-disable-next-line no-implied-eval, no-new-func
  const run = new Function('exports', 'require', outputText) as (...given: unknown[]) => void
  run(exports, (specifier: string) => modules.get(specifier))
  return exports
}

function fileOf(path: string): string {
  return new URL(`${path}.ts`, FOLDER).href
}
