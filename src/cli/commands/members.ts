/** `bellwether members`: lists the members of a group, and adds, removes, promotes and replaces them while it runs. */
import { Command } from 'commander'
import { didYouMean } from '../../core/errors/closest-name.ts'
import { asRecord } from '../../runtime/options/option-kinds.ts'
import { EXIT, UsageError } from '../errors.ts'
import { readChange } from '../../runtime/membership/asked-change.ts'
import { parseMemberList } from '../../runtime/options/members-option.ts'
import { refuseSeveralGroups } from '../processes/ask-leader.ts'
import { changeGroup, type ChangeFlags, type PlannedChange } from '../processes/change-group.ts'
import {
  addReachFlags,
  reachableMembers,
  type Answer,
  type ReachFlags,
} from '../processes/reachable-members.ts'
import { alignColumns, cellOf, print, printJson, remark } from '../terminal/print.ts'

const MEMBER_FORM = 'NAME=HOST:PORT, NAME=HOST:PORT@PRIORITY, or NAME=HOST:PORT@witness'

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
    .allowExcessArguments()
    .exitOverride()
    .action(async (flags: Flags, { args }: Command) => {
      if (args.length > 0) throw unknownWord(args[0])
      await listMembers(flags)
    })
  const add = addChangeFlags(
    new Command('add')
      .summary('Add a member, which may run already or starts later with --join.')
      .description(
        'Add a member as an observer, which follows the leader without a vote, and promote it to a voter when it has caught ' +
          'up. It may run already, or starts meanwhile with --join.',
      )
      .argument('<member>', MEMBER_FORM)
      .option('--observer', 'leave it an observer'),
  ).action(addMember)
  const remove = addChangeFlags(
    new Command('remove')
      .description('Remove a member for good. Where it leads, it hands over first.')
      .argument('<name>'),
  ).action(async (name: string, flags: ChangeFlags) => changeGroup([removal(name)], flags))
  const promote = addChangeFlags(
    new Command('promote')
      .description('Make an observer that has caught up a voter.')
      .argument('<name>')
      .option('--witness', 'a voter that never leads'),
  ).action(async (name: string, flags: ChangeFlags & { readonly witness?: true }) =>
    changeGroup([promotion(name, flags.witness !== true)], flags),
  )
  const change = addChangeFlags(
    new Command('change')
      .description('Change the address or the priority of a member.')
      .argument('<name>')
      .option('--address <host:port>', 'where peers reach the member')
      .option('--priority <number>', 'the larger number is the stronger member', Number),
  ).action(changeMember)
  const replace = addChangeFlags(
    new Command('replace')
      .description(
        'Replace a member by another one: add, promote, remove. With the same name: a member that lost its state begins ' +
          'anew in a seat of its own.',
      )
      .argument('<name>')
      .argument('<member>', MEMBER_FORM),
  ).action(replaceMember)
  const commands = [add, remove, promote, replace, change]
  const whole = new Command('members')
    .description('Show, add, remove, promote, replace and change the members of a group.')
    .addCommand(list, { isDefault: true })
  for (const command of commands) whole.addCommand(command.exitOverride())
  return whole
}

/** The flags of a command that changes a group. */
export function addChangeFlags(command: Command): Command {
  return addReachFlags(command)
    .option('--token <token>', 'with --http: the token of the member')
    .option(
      '--wait <time>',
      'how long to ask again while a rule refuses the change for the moment',
      '60s',
    )
    .option('--dry-run', 'change nothing; print which rule would refuse the change now')
    .option('--json', 'print JSON: ok, and error and rule if it is false')
}

type Addition = PlannedChange & { readonly id: string; readonly lead: boolean }

function addition(text: string): Addition {
  const [[id, { address, priority, lead = true }], ...others] = Object.entries(
    parseMemberList(text),
  )
  if (others.length > 0) throw new UsageError('give one member at a time')
  const change = readChange({ add: id, address, priority })
  return { id, lead, change, done: `${id} is a member, as an observer` }
}

function promotion(name: string, lead: boolean): PlannedChange {
  return {
    change: readChange({ promote: name, lead }),
    done: `${name} is a ${lead ? 'voter' : 'witness'}`,
    meanwhile: `waits until ${name} follows the leader: start it with --join, if it does not run`,
  }
}

function removal(name: string): PlannedChange {
  return { change: { remove: name }, done: `${name} is removed` }
}

async function addMember(
  text: string,
  flags: ChangeFlags & { readonly observer?: true },
): Promise<void> {
  const added = addition(text)
  const promoted = promotion(added.id, added.lead)
  await changeGroup(flags.observer === true ? [added] : [added, promoted], flags)
}

async function replaceMember(name: string, text: string, flags: ChangeFlags): Promise<void> {
  const added = addition(text)
  const isSame = added.id === name
  const [before, after] = isSame ? [[removal(name)], []] : [[], [removal(name)]]
  const promoted = promotion(added.id, added.lead)
  await changeGroup([...before, added, promoted, ...after], flags)
}

async function changeMember(
  member: string,
  flags: ChangeFlags & { readonly address?: string; readonly priority?: number },
): Promise<void> {
  const { address, priority, ...others } = flags
  const change = readChange({ member, address, priority })
  await changeGroup([{ change, done: `${member} is changed` }], others)
}

/** `list` is the default, and gets the words that name no command. */
function unknownWord(word: string): UsageError {
  const known = ['list', 'add', 'remove', 'promote', 'replace', 'change']
  return new UsageError(
    `members has no command ${word}${didYouMean(word, known)}; there are ${known.join(', ')}`,
  )
}

async function listMembers(flags: Flags): Promise<void> {
  const members = await reachableMembers(flags)
  refuseSeveralGroups(members)
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
    ...FIELDS.map((field) => cellOf(member[field])),
    seenText(member['seen']),
    member['id'] === leader ? 'leads' : '',
  ])
  for (const line of alignColumns([[...HEADS, 'last heard', ''], ...rows], 4)) print(line.trimEnd())
  print(timingText(statuses[shown].body))
}

/** The times on which the group has agreed. */
function timingText(body: Answer['body']): string {
  const { periodMs, detectionMs, messageMs } = asRecord(body?.['timing']) ?? {}
  const times = {
    period: periodMs,
    detection: detectionMs,
    lease: body?.['leaseMs'],
    message: messageMs,
  }
  const shown = Object.entries(times).map(([name, ms]) => `${name} ${cellOf(ms)} ms`)
  return `timing: ${shown.join(', ')}`
}

const FIELDS = ['id', 'role', 'seat', 'address', 'priority']
const HEADS = ['member', ...FIELDS.slice(1)]

function listIn({ body }: Answer): Readonly<Record<string, unknown>>[] | undefined {
  const list = body?.['list']
  if (!Array.isArray(list)) return undefined
  return list.map((member) => asRecord(member) ?? {})
}

function seenText(seen: unknown): string {
  return typeof seen === 'number' ? `${seen} ms ago` : 'never'
}
