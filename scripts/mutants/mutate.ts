/**
 * Compiles an algorithm from the source of a shipped one with some lines changed, so that the shipped source
 * needs no switches. The changed sources are compiled, and import the modules of the shipped ones.
 */
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import type { Algorithm } from '../../src/core/algorithm.ts'

/** A text that occurs exactly once in the file, its replacement, and the file, if it is not that of the algorithm. */
export type Edit = readonly [from: string, to: string, file?: Helper]
const HELPERS = ['helpers/lease', 'helpers/admission', 'helpers/register'] as const
export type Helper = (typeof HELPERS)[number]

export async function mutate(
  algorithm: string,
  edits: readonly Edit[],
  name = algorithm,
): Promise<Algorithm> {
  const changed = new Map<string, unknown>()
  for (const helper of HELPERS) {
    const own = edits.filter(([, , file]) => file === helper)
    if (own.length > 0) changed.set(`./${helper}.ts`, await compile(helper, own, new Map()))
  }
  const own = edits.filter(([, , file]) => file === undefined)
  const made = Object.values(await compile(algorithm, own, changed)).find(
    (value) => (value as Algorithm | null)?.name === algorithm && typeof value === 'object',
  )
  return { ...(made as Algorithm), name }
}

/** The changed texts of an algorithm and its helpers. */
export function sourcesOf(algorithm: string, edits: readonly Edit[]): string[] {
  const of = (path: string, file?: Helper): string =>
    edited(
      path,
      edits.filter((edit) => edit[2] === file),
    )
  return [of(algorithm), ...HELPERS.map((helper) => of(helper, helper))]
}

/** The exports of a file of src/algorithms with some texts replaced; `changed` replaces modules that it imports. */
async function compile(
  path: string,
  edits: readonly Edit[],
  changed: ReadonlyMap<string, unknown>,
): Promise<Record<string, unknown>> {
  const file = fileOf(path)
  const { outputText } = ts.transpileModule(edited(path, edits), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
  })
  const modules = new Map<string, unknown>()
  for (const [, specifier] of outputText.matchAll(/require\("([^"]+)"\)/gu)) {
    const module: unknown =
      changed.get(specifier) ?? (await import(new URL(specifier, file).pathname))
    modules.set(specifier, module)
  }
  const exports: Record<string, unknown> = {}
  // oxlint-disable-next-line no-implied-eval, no-new-func
  const run = new Function('exports', 'require', outputText) as (...given: unknown[]) => void
  run(exports, (specifier: string) => modules.get(specifier))
  return exports
}

function fileOf(path: string): URL {
  return new URL(`../../src/algorithms/${path}.ts`, import.meta.url)
}

function edited(path: string, edits: readonly Edit[]): string {
  let text = readFileSync(fileOf(path), 'utf8')
  for (const [from, to] of edits) {
    const places = text.split(from).length - 1
    if (places !== 1) throw new Error(`${path}: "${from}" occurs ${places} times`)
    text = text.replace(from, () => to)
  }
  return text
}
