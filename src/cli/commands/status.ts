/** `bellwether status`: asks members for their status, on this machine or from anywhere, and prints it as a table or JSON. */
import { Command } from 'commander'
import { foundingText } from '../../runtime/membership/founding-wait.ts'
import { EXIT } from '../errors.ts'
import { addReachFlags, reachableMembers, type ReachFlags } from '../processes/reachable-members.ts'
import { ManyGroupsError } from '../processes/visit-group.ts'
import { alignColumns, cellOf, print, printJson, remark } from '../terminal/print.ts'

/** The part of a status that says for whom a new member waits; earlier versions lack it. */
interface WaitingBody {
  readonly id: string
  readonly waitsFor?: readonly string[]
}

interface Flags extends ReachFlags {
  readonly json?: true
}

export function statusCommand(): Command {
  return addReachFlags(
    new Command('status')
      .summary('Show the leader as the members see it.')
      .description(
        'Show the leader as the members see it. Asks the members on this machine, or with --members or --peer those of ' +
          'any machine, as the holder of the shared key or of a certificate of the group. Of a port that serves many groups, ' +
          'without --group, it shows which ones.',
      ),
  )
    .option('--json', 'print a JSON array with the status of each member, or with the groups')
    .action(status)
}

async function status(flags: Flags): Promise<void> {
  try {
    await showStatus(flags)
  } catch (error) {
    if (!(error instanceof ManyGroupsError)) throw error
    if (flags.json === true) return printJson(error.groups.map((group) => ({ group })))
    for (const line of alignColumns([['group'], ...error.groups.map((group) => [group])], 4))
      print(line)
  }
}

async function showStatus(flags: Flags): Promise<void> {
  const members = await reachableMembers(flags)
  const bodies = await Promise.all(
    members.map(async ({ id, address, ask }) => {
      const { body, problem } = await ask({ ask: 'status' })
      return body ?? { ...(id !== undefined && { id }), unreachable: address, reason: problem }
    }),
  )
  if (bodies.some((body) => 'unreachable' in body)) process.exitCode = EXIT.failed
  if (flags.json === true) return printJson(bodies)
  const hasGroups = new Set(members.map(({ group }) => group)).size > 1
  const rows = bodies.map((body, i) => [...(hasGroups ? [members[i].group] : []), ...cellsOf(body)])
  const heads = [...(hasGroups ? ['group'] : []), 'member', ...FIELDS.slice(1)]
  for (const line of alignColumns([heads, ...rows], 4)) print(line)
  for (const { id = '', unreachable, reason } of bodies as Record<string, string>[]) {
    if (unreachable !== undefined) remark(`bellwether: ${id} at ${unreachable}: ${reason}`)
  }
  remarkOnOthers(flags, bodies)
  for (const { id, waitsFor } of bodies as readonly unknown[] as readonly WaitingBody[]) {
    if (waitsFor !== undefined && waitsFor.length > 0) remark(`${id} ${foundingText(waitsFor)}`)
  }
}

/** The files on this machine name only members that serve HTTP. */
function remarkOnOthers(
  { members, peer, config, http, id, group }: Flags,
  bodies: readonly Readonly<Record<string, unknown>>[],
): void {
  if ([members, peer, config, http, id].some((flag) => flag !== undefined)) return
  const shown = new Set(bodies.map((body) => body['id']))
  const peers = bodies.flatMap(({ peers }) =>
    Array.isArray(peers) ? (peers as { id: string }[]) : [],
  )
  const others = [...new Set(peers.map((one) => one.id))].filter((one) => !shown.has(one))
  if (others.length === 0) return
  const flag = group === undefined ? '--members or --peer with --group' : '--members or --peer'
  remark(`not shown: ${others.join(', ')} (elsewhere, or without --http): ${flag} asks all members`)
}

const FIELDS = ['id', 'status', 'leader', 'term', 'safety', 'pid']

function cellsOf(body: Readonly<Record<string, unknown>>): string[] {
  const { unreachable, id = unreachable } = body
  if (unreachable !== undefined) return [String(id), 'no answer', '', '', '', '']
  const shown: Record<string, unknown> = { ...body, term: body['termText'] ?? body['term'] }
  return FIELDS.map((name) => cellOf(shown[name]))
}
