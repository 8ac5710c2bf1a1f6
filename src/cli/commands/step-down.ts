/**
 * `bellwether step-down`: finds the leader among the members, on this machine or anywhere, and asks it to drain its work
 * and hand over.
 */
import { Command } from 'commander'
import { EXIT } from '../errors.ts'
import { askLeader, problemIn } from '../processes/ask-leader.ts'
import { addReachFlags, reachableMembers, type ReachFlags } from '../processes/reachable-members.ts'
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
  const wishes = {
    ...(to !== undefined && { to }),
    ...(reason !== undefined && { reason }),
  }
  const error = problemIn(await askLeader(members, { ask: 'step-down', ...wishes }))
  if (json === true) printJson({ ok: error === undefined, error })
  else if (error === undefined) print('handed over')
  else remark(`bellwether: ${error}`)
  if (error !== undefined) process.exitCode = EXIT.failed
}
