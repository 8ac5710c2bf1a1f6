/** The entry point of the command line: parses the arguments, runs the verb, and turns its errors into a sentence and an exit code. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { EXIT, EXIT_MEANINGS, exitCodeOf, sentenceOf } from './errors.ts'
import { remark } from './terminal/print.ts'
import { VERBS } from './verbs.ts'

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

const program = new Command('bellwether')
  .description('Leader election for Node.js: simulate it, check it, run it.')
  .version(version)
  .showSuggestionAfterError(true)
  .configureHelp({ showGlobalOptions: true })
  .addHelpText(
    'after',
    `\nExit codes:\n${Object.entries(EXIT_MEANINGS)
      .map(([code, meaning]) => `  ${code}  ${meaning}`)
      .join('\n')}`,
  )
const verb = process.argv[2]
const wanted = Object.hasOwn(VERBS, verb ?? '') ? [VERBS[verb]] : Object.values(VERBS)
for (const load of wanted) program.addCommand(await load())
for (const command of [program, ...program.commands]) command.exitOverride()

// The reader may close the pipe, as `head` does. Verbs that serve handle that themselves.
const serves = ['up', 'node', 'run', 'lab'].includes(verb ?? '')
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' && !serves) process.exit()
})
process.stderr.on('error', () => undefined)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeFor(error)
}

function exitCodeFor(error: unknown): number {
  // Commander has already printed help, version or an error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  const sentence = sentenceOf(error)
  if (sentence === undefined) throw error
  remark(`bellwether: ${sentence}`)
  return exitCodeOf(error)
}
