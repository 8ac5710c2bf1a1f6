/**
 * Compiles an algorithm from the source of a shipped one with some lines changed, so that the shipped source
 * needs no switches. The changed source is compiled, and imports the modules of the shipped one.
 */
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import type { Algorithm } from '../../src/core/algorithm.ts'

/** A text that occurs exactly once in the file, and its replacement. */
export type Edit = readonly [from: string, to: string]

export async function mutate(
  algorithm: string,
  edits: readonly Edit[],
  name = algorithm,
): Promise<Algorithm> {
  const file = new URL(`../../src/algorithms/${algorithm}.ts`, import.meta.url)
  let text = readFileSync(file, 'utf8')
  for (const [from, to] of edits) {
    const places = text.split(from).length - 1
    if (places !== 1) throw new Error(`${algorithm}: "${from}" occurs ${places} times`)
    text = text.replace(from, () => to)
  }
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
  })
  const modules = new Map<string, unknown>()
  for (const [, specifier] of outputText.matchAll(/require\("([^"]+)"\)/gu)) {
    modules.set(specifier, await import(new URL(specifier, file).pathname))
  }
  const exports: Record<string, unknown> = {}
  // oxlint-disable-next-line no-implied-eval, no-new-func
  const run = new Function('exports', 'require', outputText) as (...given: unknown[]) => void
  run(exports, (specifier: string) => modules.get(specifier))
  const made = Object.values(exports).find(
    (value) => (value as Algorithm | null)?.name === algorithm && typeof value === 'object',
  )
  return { ...(made as Algorithm), name }
}
