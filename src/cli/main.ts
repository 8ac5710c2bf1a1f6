/** The command line. One file per verb; this one only knows their names. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { certsCommand } from './certs.ts'
import { checkCommand } from './check.ts'
import { demoCommand } from './demo-command.ts'
import { doctorCommand } from './doctor.ts'
import { engineCommand } from './engine.ts'
import { EXIT, sentenceOf } from './errors.ts'
import { labCommand } from './lab.ts'
import { nodeCommand } from './node.ts'
import { reproduceCommand } from './reproduce.ts'
import { runCommand } from './run.ts'
import { simulateCommand } from './simulate.ts'
import { statusCommand } from './status.ts'
import { stepDownCommand } from './step-down.ts'
import { upCommand } from './up.ts'

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
    '\nExit codes: 0 ok, 1 a promise was broken or the job failed, 2 bad input, 3 budget spent.',
  )
for (const command of [
  upCommand(),
  nodeCommand(),
  runCommand(),
  statusCommand(),
  stepDownCommand(),
  certsCommand(),
  doctorCommand(),
  engineCommand(),
  simulateCommand(),
  checkCommand(),
  reproduceCommand(),
  labCommand(),
  demoCommand(),
]) {
  program.addCommand(command)
}
for (const command of [program, ...program.commands]) command.exitOverride()

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = exitCodeFor(error)
}

function exitCodeFor(error: unknown): number {
  // Commander has already printed help, version or its own complaint.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  const sentence = sentenceOf(error)
  if (sentence === undefined) throw error
  process.stderr.write(`bellwether: ${sentence}\n`)
  return EXIT.usage
}
