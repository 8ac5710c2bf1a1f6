/** `npm run errata`: runs the checker on the defects of the documents, and writes docs/errata.md or prints the counterexamples of one defect. */
import { writeFileSync } from 'node:fs'
import { check, type CheckOptions } from '../../src/check/index.ts'
import { markdownTable } from '../../src/core/markdown-table.ts'
import { counterexampleTrace } from '../../src/explore/counterexample.ts'
import { algorithmOf, ELSEWHERE, ERRATA, type Shown } from './errata-list.ts'
import { commandLine, oneOf } from '../support/command-line.ts'

const marks = [...new Set(ERRATA.flatMap(({ defect }) => defect.split(', ')))]
const { words } = commandLine({
  run: 'npm run errata',
  does: 'Shows a defect of the documents step by step. Without an argument, writes docs/errata.md.',
  words: { defect: oneOf(marks, undefined, `one of ${marks.join(', ')}`) },
})
const wanted = words.defect
if (wanted === undefined)
  writeFileSync(new URL('../../docs/errata.md', import.meta.url), await page())
else {
  for (const shown of ERRATA.filter(({ defect }) => defect.split(', ').includes(wanted))) {
    const algorithm = await algorithmOf(shown)
    const { counterexample, config } = check({ algorithm, ...shown.given })
    process.stdout.write(`${shown.defect}: ${shown.what}\n\n`)
    process.stdout.write(`${counterexampleTrace(config, counterexample!)}\n`)
  }
}

async function page(): Promise<string> {
  const rows: string[][] = []
  for (const shown of ERRATA) {
    const { counterexample } = check({ algorithm: await algorithmOf(shown), ...shown.given })
    const { property, steps } = counterexample!
    const breaks = `${property}, ${steps.length} steps`
    rows.push([shown.defect, shown.what, byOf(shown), breaks, commandOf(shown)])
  }
  for (const [defect, what, test] of ELSEWHERE) {
    rows.push([defect, what, `test \`src/algorithms/${test}\``, '', ''])
  }
  return `# The errata, shown

Each defect of the documents that a run can show, the checker shows: in the printed text, or in the corrected
algorithm minus the one correction (a named mutant, \`scripts/mutants/named-mutants.ts\`) or with a durable field in memory
only (\`scripts/mutants/volatile-fields.ts\`; all of them: [mutants.md](mutants.md)). Q2 and Q3 are no defects of a document but what
durable votes are there for: at most one leader that a majority backs, and terms that rise from leader to leader. \`test/check/errata.test.ts\` runs
them all; \`npm run errata\` writes this page, \`npm run errata -- B12\` prints the steps.

${markdownTable([['defect', 'what goes wrong', 'shown by', 'breaks', 'command'], ...rows])}
`
}

function byOf({ by }: Shown): string {
  if (typeof by === 'string') return `\`${by}\``
  if ('without' in by) return `\`bully-fd\` without ${by.without}`
  return `\`${by.algorithm}\` with \`${by.forgets}\` in memory only`
}

function commandOf({ defect, by, given, inTheEnd }: Shown): string {
  if (typeof by !== 'string' || inTheEnd) return `\`npm run errata -- ${defect.split(', ')[0]}\``
  const { members, options = {}, judge = [], ...rest } = given as CheckOptions
  const flags = Object.entries(rest).map(
    ([key, value]) =>
      `--${key.replaceAll(/[A-Z]/gu, (c) => `-${c.toLowerCase()}`)} ${String(value as string | number)}`,
  )
  const settings = Object.entries(options).map(([key, value]) => `--option ${key}=${value}`)
  const judged = judge.map((name) => `--judge '${name}'`)
  return `\`check ${[by, `--nodes ${members}`, ...flags, ...settings, ...judged].join(' ')}\``
}
