/** `bellwether status`: requests the status of the members on this machine and prints it as a table or JSON. */
import { Command } from 'commander'
import { EXIT } from '../errors.ts'
import {
  addEndpointFlags,
  findEndpoints,
  requestJson,
  type EndpointFlags,
} from '../processes/member-endpoints.ts'
import { alignColumns, print, printJson } from '../terminal/print.ts'

/** A member that runs answers within milliseconds. */
const ANSWER_MS = 1000

interface Flags extends EndpointFlags {
  readonly json?: true
}

export function statusCommand(): Command {
  return addEndpointFlags(
    new Command('status').description('Show the leader as the members on this machine see it.'),
  )
    .option('--json', 'print JSON')
    .action(status)
}

async function status(flags: Flags): Promise<void> {
  const endpoints = findEndpoints(flags)
  const answers = await Promise.all(
    endpoints.map(async (one) => requestJson(one, 'GET', '/status', undefined, ANSWER_MS)),
  )
  const bodies = answers.map((answer, i) => {
    const { id, http } = endpoints[i]
    return answer?.body ?? { ...(id !== undefined && { id }), unreachable: http }
  })
  if (answers.includes(undefined)) process.exitCode = EXIT.failed
  if (flags.json === true) return printJson(bodies.length === 1 ? bodies[0] : bodies)
  const groups = endpoints.map(({ group = '' }) => group)
  const hasGroups = new Set(groups).size > 1
  const rows = bodies.map((body, i) => [...(hasGroups ? [groups[i]] : []), ...cellsOf(body)])
  const heads = [...(hasGroups ? ['group'] : []), 'member', ...FIELDS.slice(1)]
  for (const line of alignColumns([heads, ...rows], 4)) print(line)
}

const FIELDS = ['id', 'status', 'leader', 'term', 'safety', 'pid']

function cellsOf(body: Record<string, unknown>): string[] {
  const { unreachable, id = unreachable } = body
  if (unreachable !== undefined) return [String(id), 'no answer', '', '', '', '']
  const shown: Record<string, unknown> = { ...body, term: body['termText'] ?? body['term'] }
  return FIELDS.map((name) => String((shown[name] as string | number | null | undefined) ?? '-'))
}
