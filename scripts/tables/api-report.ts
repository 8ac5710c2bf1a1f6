/**
 * Writes the API report, the declarations that each entry point of the package exports, without comments and private
 * members, as Markdown, and the API reference, which has the comments. It reads what the compiler wrote to dist.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The pages by their paths, one for each entry point. */
export function apiReport(): Map<string, string> {
  return eachEntry(({ name }, exported) => {
    const declarations = exported.flatMap(({ symbol }) => textsOf(symbol, BARE))
    const code = [...new Set(declarations)].join('\n')
    return `# \`${name}\`\n\nWritten by \`npm run api\`; a change here is a change of the public API.\n\n\`\`\`ts\n${code}\n\`\`\`\n`
  })
}

/** The same for readers: each name with its comments under a heading of its own. */
export function apiReference(): Map<string, string> {
  return eachEntry(({ name }, exported, checker) => {
    const sections = exported.map(({ name: own, symbol }) => {
      const code = textsOf(symbol, COMMENTED).join('\n')
      const about = ts.displayPartsToString(symbol.getDocumentationComment(checker))
      const text = code.startsWith('/**') ? '' : `${about}\n\n`
      return `## ${own}\n\n${text}\`\`\`ts\n${code}\n\`\`\`\n`
    })
    return `# \`${name}\`\n\n${sections.join('\n')}`
  })
}

interface EntryPoint {
  readonly name: string
  readonly file: string
}
interface Exported {
  readonly name: string
  readonly symbol: ts.Symbol
}

function eachEntry(
  pageOf: (entry: EntryPoint, exported: readonly Exported[], checker: ts.TypeChecker) => string,
): Map<string, string> {
  const entries = entryPoints()
  const missing = entries.find(({ file }) => !existsSync(file))
  if (missing !== undefined) throw new Error(`${missing.file} is missing: run "npx tsc -b"`)
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, types: ['node'] },
  )
  const checker = program.getTypeChecker()
  return new Map(
    entries.map((entry) => {
      const exported = exportsOf(program, checker, entry.file)
      return [`api/${entry.name.replace('/', '-')}.md`, pageOf(entry, exported, checker)]
    }),
  )
}

function entryPoints(): EntryPoint[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [{ name: `bellwether${path.slice(1)}`, file: join(ROOT, target.types) }],
  )
}

function exportsOf(program: ts.Program, checker: ts.TypeChecker, path: string): Exported[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(path)!)!
  return checker
    .getExportsOfModule(module)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((symbol) => {
      const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
      return { name: symbol.name, symbol: isAlias ? checker.getAliasedSymbol(symbol) : symbol }
    })
}

const BARE = ts.createPrinter({ removeComments: true })
const COMMENTED = ts.createPrinter()

function textsOf({ declarations = [] }: ts.Symbol, printer: ts.Printer): string[] {
  return declarations.map((declaration) => {
    const isVariable = ts.isVariableDeclaration(declaration)
    const whole = isVariable ? declaration.parent.parent : declaration
    const node = ts.isClassDeclaration(whole) ? withoutPrivateMembers(whole) : whole
    return printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile())
  })
}

function withoutPrivateMembers(node: ts.ClassDeclaration): ts.ClassDeclaration {
  const isPublic = (member: ts.ClassElement): boolean =>
    (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) === 0
  const members = node.members.filter(isPublic)
  const { modifiers, name, typeParameters, heritageClauses } = node
  return ts.factory.updateClassDeclaration(
    node,
    modifiers,
    name,
    typeParameters,
    heritageClauses,
    members,
  )
}
