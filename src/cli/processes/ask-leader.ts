/** Finds the leader among the members that a command reaches, and asks it for something. */
import type { Question } from '../../runtime/visitors.ts'
import { UsageError } from '../errors.ts'
import type { Answer, ReachableMember } from './reachable-members.ts'

export interface LeaderAnswer extends Answer {
  /** The name of the leader; empty where none was found. */
  readonly leader: string
  /** The members that answered. */
  readonly present: readonly ReachableMember[]
}

export async function askLeader(
  members: readonly ReachableMember[],
  question: Question,
): Promise<LeaderAnswer> {
  refuseSeveralGroups(members)
  const answers = await Promise.all(members.map(async ({ ask }) => ask({ ask: 'status' })))
  const leads = ({ body }: Answer): boolean => body !== undefined && body['leader'] === body['id']
  // One that has been deposed may not know it yet.
  const termOf = ({ body }: Answer): number => Number(body?.['term'])
  const [claim] = answers.filter(leads).toSorted((a, b) => termOf(b) - termOf(a))
  const present = members.filter((_, i) => answers[i].body !== undefined)
  if (claim === undefined) return { leader: '', present, problem: nobodyLeads(members, answers) }
  const leader = String(claim.body?.['id'])
  return { leader, present, ...(await members[answers.indexOf(claim)].ask(question)) }
}

/** Why it was not done, if so. */
export function problemIn({ leader, body, problem }: LeaderAnswer): string | undefined {
  if (body?.['ok'] === true) return undefined
  const why = problem ?? String(body?.['error'])
  return leader === '' ? why : `${leader}: ${why}`
}

export function refuseSeveralGroups(members: readonly ReachableMember[]): void {
  const groups = [...new Set(members.map(({ group }) => group))]
  if (groups.length < 2) return
  throw new UsageError(
    `members of several groups run there: choose one of ${groups.join(', ')} with --group`,
  )
}

function nobodyLeads(members: readonly ReachableMember[], answers: readonly Answer[]): string {
  const silent = members.flatMap(({ id, address }, i) =>
    answers[i].problem === undefined ? [] : [`${id ?? address}: ${answers[i].problem}`],
  )
  return ['none of these members leads', ...silent].join('; ')
}
