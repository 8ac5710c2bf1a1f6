/** `npm run conformance`: a thousand random schedules for every algorithm over every detector. */
import { brokenIn, cells, nameOf } from '../../test/conformance/matrix.ts'
import { commandLine, count } from '../usage.ts'

const { flags } = commandLine({
  run: 'npm run conformance',
  does: 'Random schedules for every algorithm over every detector. Exit code 1 if a promise is broken.',
  flags: { schedules: count(1000, 'how many for each') },
})
const seeds = Array.from({ length: flags.schedules }, (_, i) => i + 1)
let failed = false
for (const cell of cells) {
  const broken = brokenIn(cell, seeds)
  failed ||= broken.length > 0
  const verdict = broken.length === 0 ? 'ok' : `BROKEN: ${broken[0]} (${broken.length} in all)`
  const name = `${cell.algorithm.name} over ${nameOf(cell.detector)}`
  process.stdout.write(`${name.padEnd(36)} ${flags.schedules} schedules  ${verdict}\n`)
}
process.exitCode = failed ? 1 : 0
