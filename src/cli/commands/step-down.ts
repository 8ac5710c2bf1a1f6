/**
 * `bellwether step-down`: finds the leader among the members, on this machine or anywhere, and asks it to drain its work
 * and hand over.
 */
import { Command } from 'commander'
import { EXIT, UsageError } from '../errors.ts'
import {
  addReachFlags,
  reachableMembers,
  type Answer,
  type ReachableMember,
  type ReachFlags,
} from '../processes/reachable-members.ts'
import { print, printJson, remark } from '../terminal/print.ts'

interface Flags extends ReachFlags {
  readonly to?: string
  readonly reason?: string
  readonly json?: true
}

export function stepDownCommand(): Command {
  return addReachFlags(
    new Command('step-down')
      .summary('Ask the leader to drain its work and hand over.')
      .description(
        'Ask the leader to drain its work and hand over. Finds the leader in the state folder, or uses --http and ' +
          '--token; with --members or --peer among the members of any machine, as the holder of the shared key or of a ' +
          'certificate of the group.',
      ),
  )
    .option('--to <member>', 'the member that should lead next')
    .option('--reason <text>', 'a reason for the log')
    .option('--token <token>', 'with --http: the token of the member')
    .option('--json', 'print JSON: ok, and error if it is false')
    .action(stepDown)
}

async function stepDown({ to, reason, json, ...flags }: Flags): Promise<void> {
  const members = await reachableMembers(flags)
  const groups = [...new Set(members.map(({ group }) => group))]
  if (groups.length > 1) {
    throw new UsageError(
      `members of several groups run there: choose one of ${groups.join(', ')} with --group`,
    )
  }
  const error = await askLeader(members, {
    ...(to !== undefined && { to }),
    ...(reason !== undefined && { reason }),
  })
  if (json === true) printJson({ ok: error === undefined, error })
  else if (error === undefined) print('handed over')
  else remark(`bellwether: ${error}`)
  if (error !== undefined) process.exitCode = EXIT.failed
}

/** Returns why nobody has handed over, if so. */
async function askLeader(
  members: readonly ReachableMember[],
  wishes: { readonly to?: string; readonly reason?: string },
): Promise<string | undefined> {
  const answers = await Promise.all(members.map(async ({ ask }) => ask({ ask: 'status' })))
  const leads = ({ body }: Answer): boolean => body !== undefined && body['leader'] === body['id']
  // One that has been deposed may not know it yet.
  const termOf = ({ body }: Answer): number => Number(body?.['term'])
  const [claim] = answers.filter(leads).toSorted((a, b) => termOf(b) - termOf(a))
  if (claim === undefined) return nobodyLeads(members, answers)
  const leader = members[answers.indexOf(claim)]
  const { body, problem } = await leader.ask({ ask: 'step-down', ...wishes })
  if (body?.['ok'] === true) return undefined
  return `${String(claim.body?.['id'])}: ${problem ?? String(body?.['error'])}`
}

function nobodyLeads(members: readonly ReachableMember[], answers: readonly Answer[]): string {
  const silent = members.flatMap(({ id, address }, i) =>
    answers[i].problem === undefined ? [] : [`${id ?? address}: ${answers[i].problem}`],
  )
  return ['none of these members leads', ...silent].join('; ')
}
