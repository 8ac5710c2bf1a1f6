/** Lists the checks of `check --all` with at most 100,000 states, as docs/checks.md prints them: those that the lab's page and the command are compared by. */
import { readFileSync } from 'node:fs'
import { everyCheck } from '../../src/explore/all-checks.ts'

/** A page may be asked for the larger ones too; they take minutes. */
const MOST_STATES = 100_000

export function smallChecks(): ReturnType<typeof everyCheck> {
  const printed = printedStates()
  return everyCheck().filter((_, row) => printed[row] <= MOST_STATES)
}

function printedStates(): number[] {
  const rows = readFileSync(new URL('../../docs/checks.md', import.meta.url), 'utf8').split('\n')
  const states = rows.map((line) => line.split('|')[4]?.trim().replaceAll(',', '') ?? '')
  return states.filter((text) => /^\d+$/u.test(text)).map(Number)
}
