/**
 * `bellwether step-down`: finds the leader among the members on this machine, or takes an address, and asks it to
 * drain its work and hand over.
 */
import { Command } from 'commander'
import { EXIT, UsageError } from '../errors.ts'
import {
  addEndpointFlags,
  findEndpoints,
  requestJson,
  type EndpointFlags,
  type HttpAnswer,
} from '../processes/member-endpoints.ts'
import { print, printJson, remark } from '../terminal/print.ts'

interface Flags extends EndpointFlags {
  readonly to?: string
  readonly reason?: string
  readonly token?: string
  readonly json?: true
}

/** Longer than the work may take to stop. */
const TIMEOUT_MS = 120_000

export function stepDownCommand(): Command {
  return addEndpointFlags(
    new Command('step-down')
      .summary('Ask the leader to drain its work and hand over.')
      .description(
        'Ask the leader to drain its work and hand over. Finds the leader in the state folder, or uses --http and --token.',
      ),
  )
    .option('--to <member>', 'the member that should lead next')
    .option('--reason <text>', 'a reason for the log')
    .option('--token <token>', 'with --http: the token of the member')
    .option('--json', 'print JSON')
    .action(stepDown)
}

async function stepDown(flags: Flags): Promise<void> {
  const { to, reason, token } = flags
  let error: string | undefined = 'no member on this machine leads'
  const endpoints = findEndpoints(flags)
  const groups = [...new Set(endpoints.map(({ group }) => group))]
  if (groups.length > 1) {
    throw new UsageError(
      `members of several groups run there: choose one of ${groups.join(', ')} with --group`,
    )
  }
  for (const endpoint of endpoints) {
    const whole = token === undefined ? endpoint : { ...endpoint, token }
    const answer = await requestJson(whole, 'POST', '/step-down', { to, reason }, TIMEOUT_MS)
    if (answer?.body['code'] === 'not-leader') continue
    error = errorOf(endpoint.http, answer)
    if (answer !== undefined) break // else it may have crashed, and another member leads
  }
  if (flags.json === true) printJson({ ok: error === undefined, error })
  else if (error === undefined) print('handed over')
  else remark(`bellwether: ${error}`)
  if (error !== undefined) process.exitCode = EXIT.failed
}

function errorOf(http: string | undefined, answer: HttpAnswer | undefined): string | undefined {
  if (answer === undefined) return `${http} does not answer`
  if (answer.code === 200) return undefined
  return (answer.body['error'] as string | undefined) ?? `${http} is not a member`
}
