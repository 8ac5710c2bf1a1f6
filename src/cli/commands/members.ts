/** `bellwether members`: lists the members of a group, as one of them knows them. */
import { Command } from 'commander'
import { printable } from '../../transports/printable.ts'
import { asRecord } from '../../runtime/options/option-kinds.ts'
import { EXIT, UsageError } from '../errors.ts'
import {
  addReachFlags,
  reachableMembers,
  type Answer,
  type ReachFlags,
} from '../processes/reachable-members.ts'
import { alignColumns, print, printJson, remark } from '../terminal/print.ts'

interface Flags extends ReachFlags {
  readonly json?: true
}

export function membersCommand(): Command {
  const list = addReachFlags(
    new Command('list')
      .summary('Show who is a member of the group.')
      .description(
        'Show who is a member of the group, in which role, at which address, and when it was last heard of. Asks a member on ' +
          'this machine, or with --members or --peer those of any machine, as the holder of the shared key or of a ' +
          'certificate of the group. The leader answers, or else the first member that does.',
      ),
  )
    .option('--json', 'print a JSON array with the members')
    .exitOverride()
    .action(listMembers)
  return new Command('members')
    .summary('Show who is a member of the group.')
    .addCommand(list, { isDefault: true })
}

async function listMembers(flags: Flags): Promise<void> {
  const members = await reachableMembers(flags)
  const groups = [...new Set(members.map(({ group }) => group))]
  if (groups.length > 1) {
    throw new UsageError(
      `members of several groups run there: choose one with --group: ${groups.join(', ')}`,
    )
  }
  const [statuses, lists] = await Promise.all([
    Promise.all(members.map(async ({ ask }) => ask({ ask: 'status' }))),
    Promise.all(members.map(async ({ ask }) => ask({ ask: 'members' }))),
  ])
  const leads = ({ body }: Answer): boolean => body !== undefined && body['leader'] === body['id']
  const answering = [...members.keys()].filter((i) => listIn(lists[i]) !== undefined)
  const shown = answering.find((i) => leads(statuses[i])) ?? answering[0]
  if (shown === undefined) {
    const [why] = lists.map(({ problem, body }) => problem ?? String(body?.['error']))
    process.exitCode = EXIT.failed
    return remark(`bellwether: no member answers: ${members[0].address}: ${why}`)
  }
  const list = listIn(lists[shown])!
  if (flags.json === true) return printJson(list)
  const leader = statuses[shown].body?.['leader']
  const rows = list.map((member) => [
    ...FIELDS.map((field) => cell(member[field])),
    seenText(member['seen']),
    member['id'] === leader ? 'leads' : '',
  ])
  for (const line of alignColumns([[...HEADS, 'last heard', ''], ...rows], 4)) print(line.trimEnd())
}

const FIELDS = ['id', 'role', 'seat', 'address', 'priority']
const HEADS = ['member', ...FIELDS.slice(1)]

function listIn({ body }: Answer): Readonly<Record<string, unknown>>[] | undefined {
  const list = body?.['list']
  if (!Array.isArray(list)) return undefined
  return list.map((member) => asRecord(member) ?? {})
}

function cell(value: unknown): string {
  return printable(String((value as string | number | null | undefined) ?? '-'), 64)
}

function seenText(seen: unknown): string {
  return typeof seen === 'number' ? `${seen} ms ago` : 'never'
}
