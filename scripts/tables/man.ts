/** `npm run man`: writes dist/bellwether.1, the page of the manual, from the verbs and flags of the command. */
import { writeFileSync } from 'node:fs'
import { commandLine } from '../support/command-line.ts'
import { manPage } from './man-page.ts'

commandLine({
  run: 'npm run man',
  does: 'Writes dist/bellwether.1, the page of the manual.',
})
writeFileSync('dist/bellwether.1', await manPage())
