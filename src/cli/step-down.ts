/** `bellwether step-down`: asks a leader of this machine to let another lead. */
import { Command } from 'commander'
import { ask, contactsOf, type ContactFlags } from './contact.ts'
import { EXIT } from './errors.ts'
import { addContactOptions } from './status.ts'

interface Flags extends ContactFlags {
  readonly to?: string
  readonly reason?: string
  readonly token?: string
  readonly json?: true
}

/** The work may take its drain to stop. */
const PATIENCE_MS = 120_000

export function stepDownCommand(): Command {
  return addContactOptions(
    new Command('step-down').description(
      'Ask the leader to drain and hand over. Finds it in the state folder, or takes --http and --token.',
    ),
  )
    .option('--to <member>', 'who should lead next')
    .option('--reason <text>', 'for the log')
    .option('--token <token>', 'the token of the member, with --http')
    .option('--json', 'print JSON for programs')
    .action(stepDown)
}

async function stepDown(flags: Flags): Promise<void> {
  const { to, reason, token } = flags
  let outcome: { ok: boolean; error?: string } = { ok: false, error: 'nobody here leads' }
  for (const contact of contactsOf(flags)) {
    const whole = token === undefined ? contact : { ...contact, token }
    const answer = await ask(whole, 'POST', '/step-down', { to, reason }, PATIENCE_MS)
    if (answer?.body['code'] === 'not-leader') continue
    const error = (answer?.body['error'] as string | undefined) ?? `${contact.http} does not answer`
    outcome = answer?.code === 200 ? { ok: true } : { ok: false, error }
    break
  }
  if (flags.json === true) process.stdout.write(`${JSON.stringify(outcome)}\n`)
  else if (outcome.ok) process.stdout.write('handed over\n')
  else process.stderr.write(`bellwether: ${outcome.error}\n`)
  if (!outcome.ok) process.exitCode = EXIT.failed
}
