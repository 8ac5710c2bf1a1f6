/** `npm run bench`: lists benchmarks, or runs them and compares each value with its bound. */
import { commandLine, file, oneOf, toggle } from '../scripts/support/command-line.ts'
import { areKept, json, loadEntries, runAll, table } from './harness.ts'

const entries = await loadEntries()
const names = entries.map(({ name }) => name)
const { flags, rest } = commandLine({
  run: 'npm run bench',
  does:
    'Runs the named benchmarks, or all of them, and compares each value with its bound. Exit code 1 if a\n' +
    'value falls short.',
  flags: {
    quick: toggle('a fraction of the work, where a benchmark takes minutes: less exact'),
    base: file(
      'a built lab of another version, such as a copy of dist/lab, measured in the same run (lab)',
    ),
    json: toggle('print JSON instead of a table'),
    list: toggle('print the names and what each measures'),
  },
  rest: oneOf(names, undefined, `one of ${names.join(', ')}`),
})
const chosen = entries.filter(({ name }) => rest.length === 0 || rest.includes(name))
if (flags.list) {
  for (const { name, describe } of chosen) process.stdout.write(`${name}  ${describe}\n`)
} else {
  const progress = (text: string): void => void (flags.json || process.stderr.write(text))
  const reports = await runAll(chosen, flags.quick ? 'quick' : 'full', progress, flags.base)
  process.stdout.write(`${flags.json ? json(reports) : table(reports)}\n`)
  process.exitCode = areKept(reports) ? 0 : 1
}
