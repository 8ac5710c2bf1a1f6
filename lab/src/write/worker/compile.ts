/** Compiles a program: strips the types of TypeScript, resolves imports to the modules of the page, and runs it. */
import { transform } from 'sucrase'
import { FILE, ProgramError } from '../program-problem.ts'

/** Modules by their path below `src`: `core/algorithm.ts`. */
export type Modules = Readonly<Record<string, unknown>>
type Exports = Record<string, unknown>

export function compile(text: string, modules: Modules): Exports {
  const exports: Exports = {}
  const run = evaluated(stripped(text), text)
  run(exports, (specifier) => resolved(specifier, modules, text))
  return exports
}

/** Every line keeps its place, so the lines of errors are those of the program. */
function stripped(text: string): string {
  try {
    const options = { transforms: ['typescript', 'imports'], disableESTransforms: true } as const
    return transform(text, { ...options, transforms: [...options.transforms] }).code
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number } }
    const sentence = message
      .replace(/^Error transforming [^:]+: /u, '')
      .replace(/ \(\d+:\d+\)$/u, '')
    throw new ProgramError('syntax', { sentence }, loc?.line ?? null)
  }
}

type Run = (exports: Exports, require: (specifier: string) => unknown) => void

function evaluated(code: string, text: string): Run {
  try {
    // Only the sandbox evaluates text; the page may not.
    // oxlint-disable-next-line no-eval
    return globalThis.eval(`(function(exports, require) {${code}\n})\n//# sourceURL=${FILE}`) as Run
  } catch (error) {
    const { message } = error as Error
    throw new ProgramError('syntax', { sentence: message }, lineOfName(message, text))
  }
}

/** Engines do not say where such an error is, but name what is wrong: `Identifier 'a' has already been declared`. */
function lineOfName(message: string, text: string): number | null {
  const name = /'([\w$]+)'/u.exec(message)?.[1]
  if (name === undefined) return null
  const lines = text.split('\n')
  const declares = new RegExp(`\\b(?:const|let|var|function|class)\\s+${name}\\b`, 'u')
  const place = lines.findLastIndex((line) => declares.test(line))
  return place < 0 ? null : place + 1
}

const PACKAGE = /^bellwether\/(\w+)$/u

/** `../core/schema.ts` from wherever the file was, and `bellwether/core` as a user of the package writes it. */
function resolved(specifier: string, modules: Modules, text: string): unknown {
  const path = specifier.replace(PACKAGE, '$1/index.ts').replace(/^(?:\.{1,2}\/)+/u, '')
  const found = Object.keys(modules).find((key) => key === path || key.endsWith(`/${path}`))
  if (found !== undefined) return modules[found]
  const place = text.split('\n').findIndex((line) => line.includes(specifier))
  throw new ProgramError('import', { specifier }, place < 0 ? null : place + 1)
}
