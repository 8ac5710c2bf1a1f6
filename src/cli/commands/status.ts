/** `bellwether status`: what members of this machine say of themselves. */
import { Command } from 'commander'
import { requestJson, findMembers, type FindFlags } from '../processes/find-members.ts'
import { EXIT } from '../errors.ts'

interface Flags extends FindFlags {
  readonly json?: true
}

export function addFindOptions(command: Command): Command {
  return command
    .option('--http <host:port>', 'the address that a member shows itself at')
    .option('--state <folder>', 'the state folder of members of this machine', '.bellwether')
    .option('--group <name>', 'members of this group only')
    .option('--id <name>', 'the member of this name only')
}

export function statusCommand(): Command {
  return addFindOptions(
    new Command('status').description('Show who leads, as members of this machine see it.'),
  )
    .option('--json', 'print JSON for programs')
    .action(status)
}

async function status(flags: Flags): Promise<void> {
  const contacts = findMembers(flags)
  const answers = await Promise.all(contacts.map(async (one) => requestJson(one, 'GET', '/status')))
  const bodies = answers.map((answer, i) => answer?.body ?? { unreachable: contacts[i].http })
  if (answers.includes(undefined)) process.exitCode = EXIT.failed
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(bodies.length === 1 ? bodies[0] : bodies)}\n`)
    return
  }
  const groups = contacts.map(({ group = '' }) => group)
  const width =
    new Set(groups).size < 2 ? 0 : 2 + Math.max(5, ...groups.map(({ length }) => length))
  const head = 'group'.padEnd(width).slice(0, width)
  process.stdout.write(`${head}member    status    leader    term        safety    pid\n`)
  for (const [i, body] of bodies.entries()) {
    process.stdout.write(`${groups[i].padEnd(width).slice(0, width)}${line(body)}\n`)
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
