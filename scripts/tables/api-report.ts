/**
 * Writes the API report: the declarations that each entry point of the package exports, without comments and private
 * members, as Markdown. It reads what the compiler wrote to dist.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The pages by their paths, one for each entry point. */
export function apiReport(): Map<string, string> {
  const entries = entryPoints()
  const missing = entries.find(({ file }) => !existsSync(file))
  if (missing !== undefined) throw new Error(`${missing.file} is missing: run "npx tsc -b"`)
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, types: ['node'] },
  )
  return new Map(entries.map(({ name, file }) => [pathOf(name), pageOf(program, name, file)]))
}

function entryPoints(): { readonly name: string; readonly file: string }[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types: string }>>
  }
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [{ name: `bellwether${path.slice(1)}`, file: join(ROOT, target.types) }],
  )
}

function pathOf(name: string): string {
  return `api/${name.replace('/', '-')}.md`
}

function pageOf(program: ts.Program, name: string, path: string): string {
  const checker = program.getTypeChecker()
  const symbol = checker.getSymbolAtLocation(program.getSourceFile(path)!)!
  const declarations = checker
    .getExportsOfModule(symbol)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((exported) => {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
      const { declarations = [] } = isAlias ? checker.getAliasedSymbol(exported) : exported
      return declarations.map((declaration) => textOf(declaration))
    })
  const code = [...new Set(declarations)].join('\n')
  return `# \`${name}\`\n\nWritten by \`npm run api\`; a change here is a change of the public API.\n\n\`\`\`ts\n${code}\n\`\`\`\n`
}

const printer = ts.createPrinter({ removeComments: true })

function textOf(declaration: ts.Declaration): string {
  const isVariable = ts.isVariableDeclaration(declaration)
  const whole = isVariable ? declaration.parent.parent : declaration
  const node = ts.isClassDeclaration(whole) ? withoutPrivateMembers(whole) : whole
  return printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile())
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
