/** `npm run architecture`: writes the layer picture and the table of import rules into ARCHITECTURE.md. */
import { writeBetween } from '../support/markdown-section.ts'
import { commandLine } from '../support/command-line.ts'
import { architecturePicture } from './picture.ts'

commandLine({
  run: 'npm run architecture',
  does: 'Writes the layer picture of ARCHITECTURE.md from the import rules that the tests enforce.',
})
writeBetween('ARCHITECTURE.md', 'layers', architecturePicture())
