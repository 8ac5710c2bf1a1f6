/** `bellwether step-down`: asks a leader of this machine to let another lead. */
import { Command } from 'commander'
import { requestJson, findMembers, type FindFlags } from '../processes/find-members.ts'
import { EXIT, UsageError } from '../errors.ts'
import { addFindOptions } from './status.ts'

interface Flags extends FindFlags {
  readonly to?: string
  readonly reason?: string
  readonly token?: string
  readonly json?: true
}

/** The work may take its drain to stop. */
const PATIENCE_MS = 120_000

export function stepDownCommand(): Command {
  return addFindOptions(
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
  const contacts = findMembers(flags)
  const groups = [...new Set(contacts.map(({ group }) => group))]
  if (groups.length > 1) {
    throw new UsageError(`members of ${groups.join(', ')} run there: say which with --group`)
  }
  for (const contact of contacts) {
    const whole = token === undefined ? contact : { ...contact, token }
    const answer = await requestJson(whole, 'POST', '/step-down', { to, reason }, PATIENCE_MS)
    if (answer?.body['code'] === 'not-leader') continue
    if (answer === undefined) {
      // It may have been killed: another one leads.
      outcome = { ok: false, error: `${contact.http} does not answer` }
      continue
    }
    const { error = `${contact.http} is no member` } = answer.body as { error?: string }
    outcome = answer.code === 200 ? { ok: true } : { ok: false, error }
    break
  }
  if (flags.json === true) process.stdout.write(`${JSON.stringify(outcome)}\n`)
  else if (outcome.ok) process.stdout.write('handed over\n')
  else process.stderr.write(`bellwether: ${outcome.error}\n`)
  if (!outcome.ok) process.exitCode = EXIT.failed
}
