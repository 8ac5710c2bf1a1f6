/** Orders the folders of src by their import rules and renders them as text, for ARCHITECTURE.md: the layer picture and a table. */
import { markdownTable } from '../../src/core/markdown-table.ts'
import { EXPERIMENTS, LAB, SRC, type Layer } from './layers.ts'

/** The picture, then a table with a row for each folder. Prettier leaves both as they are. */
export function architecturePicture(): string {
  return ['```text', ...picture(), '```', '', rules()].join('\n')
}

/** Folders by height: a folder stands above everything that it may import. */
export function levels(layers: Readonly<Record<string, Layer>> = SRC): string[][] {
  const heights = new Map<string, number>()
  const heightOf = (name: string, path: readonly string[]): number => {
    if (path.includes(name))
      throw new Error(`the import rules form a cycle: ${[...path, name].join(' → ')}`)
    if (!(name in layers)) throw new Error(`${path.at(-1)} may import ${name}, which is no folder`)
    const below = layers[name].mayImport.map((other) => heightOf(other, [...path, name]))
    const height = heights.get(name) ?? 1 + Math.max(-1, ...below)
    heights.set(name, height)
    return height
  }
  const rows: string[][] = []
  for (const name of Object.keys(layers)) (rows[heightOf(name, [])] ??= []).push(name)
  return rows
}

function picture(): string[] {
  const [top = [], ...below] = levels().toReversed()
  return [
    ...boxes([...top, 'experiments', 'lab/src']),
    ...below.flatMap((names) => ['  │ imports', '  ▼', ...boxes(names)]),
    '',
    '  * pure: no clock, no socket, no random source, nothing asynchronous',
  ]
}

function boxes(names: readonly string[]): string[] {
  const labels = names.map((name) => ` ${name}${SRC[name]?.isPure ? '*' : ''} `)
  const edge = (left: string, right: string): string =>
    labels.map((label) => `${left}${'─'.repeat(label.length)}${right}`).join(' ')
  return [edge('┌', '┐'), labels.map((label) => `│${label}│`).join(' '), edge('└', '┘')]
}

function rules(): string {
  const others = Object.keys(SRC).length - 1
  const row = (name: string, { contains, mayImport }: Layer): string[] => [
    `\`${name}\``,
    contains,
    mayImport.length === 0
      ? 'nothing'
      : mayImport.length === others
        ? 'all of `src`'
        : mayImport.map((other) => `\`${other}\``).join(', '),
  ]
  return markdownTable([
    ['folder', 'contains', 'may import, besides itself'],
    ...Object.entries(SRC).map(([name, layer]) => row(`src/${name}`, layer)),
    row('lab/src', LAB),
    ['`experiments`', EXPERIMENTS.contains, '`bellwether` and its subpaths'],
  ])
}
