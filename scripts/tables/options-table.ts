/** `npm run options`: writes the table of options into docs/guide/operations.md, from the rows that `join` checks. */
import { commandLine } from '../support/command-line.ts'
import { writeBetween } from '../support/markdown-section.ts'
import { optionsTable } from './options-reference.ts'

commandLine({
  run: 'npm run options',
  does: 'Writes the table of options in docs/guide/operations.md.',
})
writeBetween('docs/guide/operations.md', 'options', optionsTable())
