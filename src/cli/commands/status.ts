/** `bellwether status`: shows the status of the members on this machine. */
import { Command } from 'commander'
import { EXIT } from '../errors.ts'
import {
  addEndpointFlags,
  findEndpoints,
  requestJson,
  type EndpointFlags,
} from '../processes/member-endpoints.ts'
import { print, printJson } from '../terminal/print.ts'

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
    endpoints.map(async (one) => requestJson(one, 'GET', '/status')),
  )
  const bodies = answers.map((answer, i) => answer?.body ?? { unreachable: endpoints[i].http })
  if (answers.includes(undefined)) process.exitCode = EXIT.failed
  if (flags.json === true) {
    return printJson(bodies.length === 1 ? bodies[0] : bodies)
  }
  const groups = endpoints.map(({ group = '' }) => group)
  const width =
    new Set(groups).size < 2 ? 0 : 2 + Math.max(5, ...groups.map(({ length }) => length))
  const head = 'group'.padEnd(width).slice(0, width)
  print(`${head}member    status    leader    term        safety    pid`)
  for (const [i, body] of bodies.entries()) {
    print(`${groups[i].padEnd(width).slice(0, width)}${line(body)}`)
  }
}

function line(body: Record<string, unknown>): string {
  if ('unreachable' in body) return `${String(body['unreachable'])} does not answer`
  const cell = (name: string, width: number): string => {
    const value = body[name] as string | number | null | undefined
    return String(value ?? '-').padEnd(width)
  }
  return (
    cell('id', 10) +
    cell('status', 10) +
    cell('leader', 10) +
    cell('term', 12) +
    cell('safety', 10) +
    cell('pid', 0)
  )
}
