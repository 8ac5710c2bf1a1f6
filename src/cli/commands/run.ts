/** `bellwether run -- cmd`: runs a command only while this member leads. */
import { Command } from 'commander'
import type { Term } from '../../index.ts'
import { durationMs } from '../../runtime/options/option-kinds.ts'
import { EXIT, UsageError } from '../errors.ts'
import { Guarded } from '../processes/guarded-command.ts'
import { addMemberOptions, readMemberConfig, type MemberFlags } from '../options/member-options.ts'
import { openMember } from '../processes/member-process.ts'
import { onStop } from '../processes/on-stop.ts'

interface Flags extends MemberFlags {
  readonly http?: string
  readonly again?: true
  readonly json?: true
}

const DRAIN = '10s'

export function runCommand(): Command {
  return addMemberOptions(
    new Command('run')
      .description(
        'Run a command only while this member leads: SIGTERM to its process group when the term ends,\n' +
          'SIGKILL after the drain. A guardian ends the group even if this process is killed with -9.',
      )
      .argument('<command...>', 'after --, the command and its arguments'),
  )
    .option('--http <host:port>', 'show /status and more there; port 0 chooses one')
    .option('--again', 'contend again when the command has ended; else run ends with it')
    .option('--json', 'one JSON event per line on standard error')
    .addHelpText(
      'after',
      '\nThe command finds BELLWETHER_GROUP, BELLWETHER_ID, BELLWETHER_TERM and, with safety quorum,\n' +
        'BELLWETHER_FENCE in its environment. Exit code: 0 when the command ended well, else 1.',
    )
    .action(run)
}

async function run(command: readonly string[], flags: Flags): Promise<void> {
  if (command.length === 0) throw new UsageError('run needs a command after --')
  const { options, http, protection } = readMemberConfig(flags)
  const drainMs = durationMs(options.drain ?? DRAIN, 'drain')
  const member = await openMember(options, http, protection)
  const { election } = member
  const say = (event: string, more: object): void => {
    if (flags.json === true) process.stderr.write(`${JSON.stringify({ event, ...more })}\n`)
  }
  const ended = new AbortController()
  onStop(() => ended.abort())
  const environment = { BELLWETHER_GROUP: options.group, BELLWETHER_ID: options.id }
  const work = async (term: Term): Promise<void> => {
    const guarded = new Guarded(command, environmentFor(term, environment), drainMs)
    say('begun', { term: term.number, pid: await guarded.pid })
    const code = await guarded.during(term)
    say('ended', { term: term.number, code })
    if (term.signal.aborted) return
    if (code !== 0) process.exitCode = EXIT.failed
    if (flags.again !== true) ended.abort()
    else if (code !== 0) throw new Error(`the command ended with ${code}`)
    // Not awaited: it waits for this very work.
    else election.stepDown({ reason: 'the command has ended' }).catch(() => undefined)
  }
  void election.lead(work, { drain: drainMs + 1000 })
  await new Promise<void>((resolve) => {
    if (ended.signal.aborted) resolve()
    ended.signal.addEventListener('abort', () => resolve())
  })
  await member.close()
}

function environmentFor(term: Term, more: Record<string, string>): NodeJS.ProcessEnv {
  const fence = term.fence === undefined ? {} : { BELLWETHER_FENCE: String(term.fence) }
  return { ...process.env, ...more, ...fence, BELLWETHER_TERM: String(term.number) }
}
