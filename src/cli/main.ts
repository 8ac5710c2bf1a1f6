/** The command line. One file per verb; this one only knows their names. */
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { EXIT, sentenceOf } from './errors.ts'

/** A member is started in a hurry: a verb loads its own file and what that needs, nothing else. */
const VERBS: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./commands/up.ts')).upCommand(),
  node: async () => (await import('./commands/node.ts')).nodeCommand(),
  run: async () => (await import('./commands/run.ts')).runCommand(),
  status: async () => (await import('./commands/status.ts')).statusCommand(),
  'step-down': async () => (await import('./commands/step-down.ts')).stepDownCommand(),
  certs: async () => (await import('./commands/certs.ts')).certsCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  engine: async () => (await import('./commands/engine.ts')).engineCommand(),
  simulate: async () => (await import('./commands/simulate.ts')).simulateCommand(),
  check: async () => (await import('./commands/check.ts')).checkCommand(),
  reproduce: async () => (await import('./commands/reproduce.ts')).reproduceCommand(),
  lab: async () => (await import('./commands/lab.ts')).labCommand(),
}

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
const verb = process.argv[2]
const wanted = Object.hasOwn(VERBS, verb ?? '') ? [VERBS[verb]] : Object.values(VERBS)
for (const load of wanted) program.addCommand(await load())
for (const command of [program, ...program.commands]) command.exitOverride()

// Whoever reads us may go at any moment, as `head` does; verbs that serve see for themselves what follows.
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
  // Commander has already printed help, version or its own complaint.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  const sentence = sentenceOf(error)
  if (sentence === undefined) throw error
  process.stderr.write(`bellwether: ${sentence}\n`)
  return EXIT.usage
}
