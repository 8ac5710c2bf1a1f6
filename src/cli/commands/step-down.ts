/**
 * `bellwether step-down`: finds the leader among the members, on this machine or anywhere, and asks it to drain its work
 * and hand over.
 */
import { Command } from 'commander'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT } from '../errors.ts'
import { askLeader, problemIn, type LeaderAnswer } from '../processes/ask-leader.ts'
import {
  addReachFlags,
  reachableMembers,
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

/** An election takes milliseconds: the next leader is asked for a moment, and need not be known. */
const [ATTEMPTS, AGAIN_MS] = [10, 50]

/** A member that says of itself that it leads; where only one is asked, whom it follows. */
async function leaderAfter({
  leader: former,
  present: members,
}: LeaderAnswer): Promise<string | undefined> {
  const leaderAt = async ({ ask }: ReachableMember): Promise<string> => {
    const { leader, id } = (await ask({ ask: 'status' })).body ?? {}
    const isKnown = leader === id || members.length === 1
    if (isKnown && typeof leader === 'string' && leader !== former) return leader
    throw new Error('it does not lead')
  }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const leader = await Promise.any(members.map(leaderAt)).catch(() => undefined)
    if (leader !== undefined) return leader
    await sleep(AGAIN_MS)
  }
  return undefined
}

async function stepDown({ to, reason, json, ...flags }: Flags): Promise<void> {
  const members = await reachableMembers(flags)
  const wishes = {
    ...(to !== undefined && { to }),
    ...(reason !== undefined && { reason }),
  }
  const answer = await askLeader(members, { ask: 'step-down', ...wishes })
  const error = problemIn(answer)
  if (json === true) printJson({ ok: error === undefined, error })
  else if (error === undefined) {
    const next = await leaderAfter(answer)
    print(next === undefined ? 'handed over' : `handed over to ${next}`)
  } else remark(`bellwether: ${error}`)
  if (error !== undefined) process.exitCode = EXIT.failed
}
