/** Compiles the TypeScript blocks of pages, each as a module of its own, against the sources of the package. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { ROOT } from '../tidy/repository.ts'
import type { Block } from './markdown.ts'

/** What a reader has: the values that a snippet uses without declaring them. */
const SURROUNDINGS = `
declare global {
  const id: string
  const members: Readonly<Record<string, string>>
  const ca: string, certificate: string, key: string
  const pool: import('pg').Pool
  const election: import('bellwether').Election<'quorum'>
  function sendInvoices(signal: AbortSignal, fence: number): Promise<void>
  function work(fence: number): Promise<void>
  function report(signal: AbortSignal): Promise<void>
}
export {}`

/** The errors of the compiler, each with the place of its block. */
export function compile(blocks: readonly Block[]): string[] {
  // In examples/, so that a snippet can import one by its relative path.
  const virtual = new Map(
    blocks.map(({ text, where }, i) => [join(ROOT, `examples/snippet-${i}.ts`), { text, where }]),
  )
  virtual.set(join(ROOT, 'examples/surroundings.ts'), { text: SURROUNDINGS, where: 'here' })
  const options = optionsOf('tsconfig.test.json')
  const host = ts.createCompilerHost(options)
  const disk = ts.createCompilerHost(options)
  host.fileExists = (path) => virtual.has(path) || disk.fileExists(path)
  host.readFile = (path) => virtual.get(path)?.text ?? disk.readFile(path)
  host.getSourceFile = (path, version) => {
    const text = virtual.get(path)?.text
    return text === undefined
      ? disk.getSourceFile(path, version)
      : ts.createSourceFile(path, text, version, true)
  }
  const program = ts.createProgram([...virtual.keys()], options, host)
  const errors = [...virtual.keys()].flatMap((path) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)),
  )
  return errors.map(({ file, start = 0, messageText }) => {
    const place = virtual.get(file?.fileName ?? '')?.where ?? 'options'
    const line = file?.getLineAndCharacterOfPosition(start).line ?? 0
    return `${place}, line ${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}

function optionsOf(config: string): ts.CompilerOptions {
  const path = join(ROOT, config)
  const { config: json } = ts.parseConfigFileTextToJson(path, readFileSync(path, 'utf8')) as {
    config: unknown
  }
  const { options } = ts.parseJsonConfigFileContent(json, ts.sys, dirname(path))
  return {
    ...options,
    composite: false,
    incremental: false,
    noEmit: true,
    experimentalDecorators: true,
    noUnusedLocals: false,
    erasableSyntaxOnly: false,
  }
}
