/** Rules about imports, purity, headers and cleanliness, as functions of a file's path and text. `test/tidy.test.ts` applies them. */
import { posix } from 'node:path'
import {
  ENTRY,
  ENTRY_PACKAGES,
  EXPERIMENTS,
  LAB,
  OPTIONAL_PEERS,
  SRC,
} from '../../scripts/architecture/layers.ts'
import { codeOf } from './code-of.ts'

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
}

export type Rule = (file: SourceFile) => string[]

/** (a) Imports point downward, stay in src, and carry the extension of the file that they name. */
export const importDirection: Rule = (file) => {
  const from = folderOf(file.path)
  if (from === undefined || isTest(file)) return []
  if (!(from in SRC)) {
    return [at(file, 0, `src/${from} is no layer: add it to scripts/architecture/layers.ts`)]
  }
  return importsOf(file).flatMap(({ specifier, index }) => {
    if (!specifier.startsWith('.')) return []
    if (!/\.(?:ts|json)$/.test(specifier)) {
      return [at(file, index, `'${specifier}' must name the source file with its extension, .ts`)]
    }
    const to = folderOf(posix.join(posix.dirname(file.path), specifier))
    if (to === undefined) return [at(file, index, `'${specifier}' leaves src`)]
    if (from === to || SRC[from].mayImport.includes(to)) return []
    return [at(file, index, `src/${from} must not import src/${to} ('${specifier}')`)]
  })
}

/** The lab imports pure folders only, and itself: the page has no platform but the browser. */
export const labImports: Rule = (file) => {
  if (!/^lab\/src\/.*\.(?:ts|svelte)$/.test(file.path)) return []
  return importsOf(file).flatMap(({ specifier, index }) => {
    if (specifier.startsWith('node:')) return [at(file, index, `'${specifier}': no browser has it`)]
    if (!specifier.startsWith('.')) return []
    const target = posix.join(posix.dirname(file.path), specifier)
    const folder = folderOf(target)
    if (target.startsWith('lab/src/') || LAB.mayImport.includes(folder ?? '')) return []
    return [at(file, index, `lab must not import '${specifier}'`)]
  })
}

/** Functions of Math whose every bit the language fixes, and its constants. */
const EXACT_MATH = 'abs|ceil|clz32|floor|fround|imul|max|min|round|sign|trunc|[A-Z][A-Z0-9_]*'

const IMPURE: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Date|performance)\b/g, 'pure code has no clock'],
  [
    /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g,
    'pure code asks the host for timers',
  ],
  [/\bprocess\b/g, 'pure code knows no operating system'],
  [/\b(?:async|await|Promise)\b/g, 'pure code runs to completion'],
  [/\b(?:Intl|localeCompare|toLocale\w+)\b/g, 'the result depends on the locale of the machine'],
  [/\bMath\s*\.\s*random\b/g, 'pure code has no random source'],
  [
    new RegExp(String.raw`\bMath\b(?!\s*\.\s*(?:random|${EXACT_MATH})\b)(?:\s*\.\s*\w+)?`, 'g'),
    'only the exact functions of Math are the same to the last bit on every platform',
  ],
]

/** (b) Pure folders read no clock, no random source, no platform, and wait for nothing. */
export const purity: Rule = (file) => {
  if (!SRC[folderOf(file.path) ?? '']?.isPure || isTest(file)) return []
  const code = codeOf(file.text)
  const words = IMPURE.flatMap(([pattern, reason]) =>
    [...code.matchAll(pattern)].map((found) => at(file, found.index, `${found[0]}: ${reason}`)),
  )
  const platform = importsOf(file)
    .filter(({ specifier }) => specifier.startsWith('node:'))
    .map(({ specifier, index }) => at(file, index, `'${specifier}': pure code knows no platform`))
  return [...words, ...platform]
}

const HEADER_WORDS = ['Source:', 'Assumes:', 'Promises:', 'Departures:']

/**
 * (c) An algorithm or a detector opens with its source, what it assumes and promises, and where it departs
 * from the printed text. Neither is: index.ts, tests, and helpers (`helpers.ts`, `…-helpers.ts`, `helpers/`).
 */
export const algorithmHeader: Rule = (file) => {
  const folder = folderOf(file.path)
  if ((folder !== 'algorithms' && folder !== 'detectors') || isTest(file)) return []
  if (/\/index\.ts$|[/-]helpers(?:\.ts$|\/)/.test(file.path)) return []
  const header = /^\/\*\*[\s\S]*?\*\//.exec(file.text)?.[0]
  if (header === undefined)
    return [at(file, 0, 'an algorithm or a detector opens with a /** header */')]
  return HEADER_WORDS.filter((word) => !header.includes(word)).map((word) =>
    at(file, 0, `the header does not say "${word}"`),
  )
}

const UNTIDY: readonly (readonly [RegExp, string])[] = [
  [
    /(?<![\w.~/-])(?:file:\/\/)?\/(?:work|root|home\/\w+|Users\/\w+)\//g,
    'an absolute path of one machine',
  ],
  [
    /https?:\/\/(?:[\w-]+\.)*(?:registry|npm|artifactory|nexus|verdaccio)\.[\w-]|\bregistry\.(?:npmjs|yarnpkg)\b|https?:\/\/[^\s"']+\.tgz\b/g,
    'an address of a package registry',
  ],
  [/\b(?:TO[D]O|FIX[M]E)\b/g, 'a reminder: do it, or open an issue'],
]

/** (d) No file carries a machine's paths, a registry's address or open ends; no test is left out. */
export const cleanliness: Rule = (file) => {
  const found = UNTIDY.flatMap(([pattern, reason]) =>
    [...file.text.matchAll(pattern)].map((match) =>
      at(file, match.index, `${match[0]}: ${reason}`),
    ),
  )
  if (!isTest(file)) return found
  const leftOut = [...codeOf(file.text).matchAll(/\.(?:only|skip)\s*[(.]/g)].map((match) =>
    at(file, match.index, `${match[0]}: every test runs`),
  )
  return [...found, ...leftOut]
}

/** (e) The library, which is all of src but the command line, imports no package but those of entry points of their own. */
export const noPackages: Rule = (file) => {
  const from = folderOf(file.path)
  if (from === undefined || from === 'cli' || isTest(file)) return []
  const peers = OPTIONAL_PEERS[file.path] ?? []
  const isLazy = ({ specifier, index }: Import): boolean =>
    peers.includes(specifier) && file.text.slice(0, index).endsWith('import(')
  const own = ENTRY_PACKAGES[from] ?? []
  return importsOf(file)
    .filter(({ specifier }) => !/^(?:\.|node:)/.test(specifier) && !own.includes(specifier))
    .filter((found) => !isLazy(found))
    .map(({ specifier, index }) => at(file, index, `the library must not import '${specifier}'`))
}

/** (f) Experiments use what everybody can use: the published API, their own folder, and Node. */
export const publishedApiOnly: Rule = (file) => {
  if (!/^experiments\/.*\.ts$/.test(file.path) || isTest(file)) return []
  return importsOf(file).flatMap(({ specifier, index }) => {
    if (/^(?:node:|bellwether(?:\/|$))/.test(specifier)) return []
    if (EXPERIMENTS.packages.includes(specifier)) return []
    const to = posix.join(posix.dirname(file.path), specifier)
    if (specifier.startsWith('.') && to.startsWith('experiments/') && to.endsWith('.ts')) return []
    return [at(file, index, `experiments must not import '${specifier}'`)]
  })
}

/** (g) Scripts and benchmarks import nothing of test/; a test in src/ has its helpers from src/ and test/support/. */
export const helperImports: Rule = (file) => {
  const isScript = /^(?:scripts|bench)\/.*\.(?:ts|js)$/.test(file.path)
  const isUnitTest = /^src\/.*\.test\.ts$/.test(file.path)
  if (!isScript && !isUnitTest) return []
  return importsOf(file).flatMap(({ specifier, index }) => {
    if (!specifier.startsWith('.')) return []
    const to = posix.join(posix.dirname(file.path), specifier)
    const isAllowed = isScript ? !to.startsWith('test/') : /^(?:src|test\/support)\//.test(to)
    return isAllowed ? [] : [at(file, index, `${file.path} must not import '${specifier}'`)]
  })
}

/** The layer of src that a path belongs to; undefined outside of src. */
function folderOf(path: string): string | undefined {
  const [root, folder, ...deeper] = path.split('/')
  if (root !== 'src' || folder === undefined) return undefined
  return deeper.length === 0 ? ENTRY : folder
}

function isTest({ path }: SourceFile): boolean {
  return path.endsWith('.test.ts') || /^test\/.*\.ts$/.test(path)
}

interface Import {
  readonly specifier: string
  readonly index: number
}

/** Every module that a file names: `import`, `export … from`, `import()`, also of types. */
function importsOf({ text }: SourceFile): Import[] {
  const naming = /\b(?:from\s*|import\s*(?:\(\s*)?)(['"`])\s*\1/g
  return [...codeOf(text).matchAll(naming)].map((found) => {
    const start = found.index + found[0].search(/['"`]/)
    return { specifier: text.slice(start + 1, found.index + found[0].length - 1), index: start }
  })
}

export function at(file: SourceFile, index: number, reason: string): string {
  return `${file.path}:${file.text.slice(0, index).split('\n').length} ${reason}`
}
