/** Renders the reference of all options as a Markdown table: option, flag, where it is allowed, default and meaning. */
import { Command } from 'commander'
import { addFlags } from '../../src/cli/options/option-flags.ts'
import { markdownTable } from '../../src/core/markdown-table.ts'
import type { OptionRow, OptionTable } from '../../src/runtime/options/option-kinds.ts'
import { JOIN_OPTIONS, PROCESS_OPTIONS } from '../../src/runtime/options/option-table.ts'

export function optionsTable(): string {
  return markdownTable([
    ['option', 'flag', 'in `join`', 'in the file', 'shared', 'default', 'meaning'],
    ...lines(JOIN_OPTIONS, 'yes'),
    ...lines(PROCESS_OPTIONS, ''),
  ])
}

function lines(table: OptionTable, inJoin: string, path = '', shared = false): string[][] {
  return Object.entries(table).flatMap(([name, row]) => {
    const isShared = shared || row.shared === true
    const inside = lines(row.rows ?? {}, inJoin, `${path}${name}.`, isShared)
    return [line(path + name, row, inJoin, isShared), ...inside]
  })
}

function line(path: string, row: OptionRow, inJoin: string, isShared: boolean): string[] {
  const [flag] = addFlags(new Command(), { [path.split('.').at(-1)!]: row }).options
  return [
    `\`${path}\``,
    row.flag === undefined ? '' : `\`${flag.long}\``,
    inJoin,
    row.inFile === false ? '' : 'yes',
    isShared ? 'yes' : '',
    [row.defaultText, row.required === true && 'required'].filter(Boolean).join('; in `join` '),
    row.help,
  ]
}
