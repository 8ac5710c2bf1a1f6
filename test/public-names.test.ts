/** The names that the package exports: one meaning each, across all entry points. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { ROOT } from './tidy/repository.ts'

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly 'bellwether-source'?: string }>>
}
const entries = Object.entries(exports).flatMap(([name, { 'bellwether-source': source }]) =>
  source === undefined ? [] : [{ name, path: join(ROOT, source) }],
)

/** For each exported name the places of its declarations, by entry point. */
function exportedNames(): Map<string, Map<string, string>> {
  const program = ts.createProgram(
    entries.map(({ path }) => path),
    { module: ts.ModuleKind.NodeNext, noLib: true, types: [] },
  )
  const checker = program.getTypeChecker()
  const names = new Map<string, Map<string, string>>()
  for (const entry of entries) {
    const file = checker.getSymbolAtLocation(program.getSourceFile(entry.path)!)
    for (const symbol of file === undefined ? [] : checker.getExportsOfModule(file)) {
      const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
      const declared = isAlias ? checker.getAliasedSymbol(symbol) : symbol
      const places = (declared.declarations ?? []).map((declaration) => {
        const path = declaration.getSourceFile().fileName.slice(ROOT.length)
        return `${path}#${declaration.getStart()}`
      })
      const meanings = names.get(symbol.name) ?? new Map<string, string>()
      names.set(symbol.name, meanings.set(entry.name, places.join(' ')))
    }
  }
  return names
}

test('no public name has two meanings', () => {
  const names = exportedNames()
  expect(names.size).toBeGreaterThan(150)
  expect([...(names.get('join')?.keys() ?? [])]).toEqual(['.'])
  const ambiguous = [...names].filter(([, meanings]) => new Set(meanings.values()).size > 1)
  expect(ambiguous.map(([name, meanings]) => ({ name, ...Object.fromEntries(meanings) }))).toEqual(
    [],
  )
})
