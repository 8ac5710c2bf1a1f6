/** `npm run conformance`: a thousand random schedules for every algorithm over every detector. */
import { brokenIn, cells, nameOf } from '../test/conformance/matrix.ts'

const SCHEDULES = 1000
const seeds = Array.from({ length: SCHEDULES }, (_, i) => i + 1)
let failed = false
for (const cell of cells) {
  const broken = brokenIn(cell, seeds)
  failed ||= broken.length > 0
  const verdict = broken.length === 0 ? 'ok' : `BROKEN: ${broken[0]} (${broken.length} in all)`
  const name = `${cell.algorithm.name} over ${nameOf(cell.detector)}`
  process.stdout.write(`${name.padEnd(36)} ${SCHEDULES} schedules  ${verdict}\n`)
}
process.exitCode = failed ? 1 : 0
