/** `bellwether run -- cmd`: runs a member, and a command under a guardian only while this member leads. */
import { constants } from 'node:os'
import { Command } from 'commander'
import { logEvents, type Term } from '../../index.ts'
import { moment } from '../../runtime/log/event-log.ts'
import { durationMs } from '../../runtime/options/option-kinds.ts'
import { JOIN_OPTIONS } from '../../runtime/options/option-table.ts'
import { EXIT } from '../errors.ts'
import { addMemberOptions, readMemberConfig, type MemberFlags } from '../options/member-options.ts'
import { GuardedCommand } from '../processes/guarded-command.ts'
import { endWhenRemoved, openMember } from '../processes/member-process.ts'
import { onStop } from '../processes/stop-signals.ts'
import { EventPrinter } from '../terminal/event-printer.ts'

export function runCommand(): Command {
  return addMemberOptions(
    new Command('run')
      .summary('Run a command only while this member leads.')
      .description(
        'Run a command only while this member leads. When this member gives up leadership, the command gets ' +
          'SIGTERM, and SIGKILL after --drain. When it has lost leadership, SIGKILL comes a twentieth of a lease ' +
          'after SIGTERM, before a successor can lead. A guardian process ends the command even if this process ' +
          'is killed or stopped.',
      )
      .argument('<command...>', 'after --, the command and its arguments'),
  )
    .option(
      '--again',
      'when the command ends, stay in the group and run it again when this member leads next',
    )
    .option('--json', 'print the events as JSON, one per line, on standard error')
    .addHelpText(
      'after',
      '\nThe command has BELLWETHER_GROUP, BELLWETHER_ID, BELLWETHER_TERM and, unless\n' +
        'safety is advisory, BELLWETHER_FENCE in its environment. BELLWETHER_RUN marks its\n' +
        'processes: those that leave its process group are ended too.\n' +
        'Exit code: 0 when the command succeeded, else 1, whatever its own code was: 2 and 5 tell a\n' +
        'service manager not to start the member again.',
    )
    .action(run)
}

/** The guardian reports a signal as shells do. */
function endingOf(code: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === code)
  return signal === undefined ? `with ${code}` : `by the signal ${signal[0]}`
}

async function run(command: readonly string[], flags: MemberFlags): Promise<void> {
  const config = readMemberConfig(flags)
  const { group, id, drain = JOIN_OPTIONS.drain.default } = config.options
  const drainMs = durationMs(drain, 'drain')
  const member = await openMember(config)
  const { election } = member
  const json = flags['json'] === true
  const printer = new EventPrinter(process.stderr, json)
  logEvents(election, (record) => printer.print(record))
  const report = (event: string, sentence: string, more: object): void => {
    const record = { ...moment(), node: id, pid: process.pid, event, ...more }
    printer.add(json ? JSON.stringify(record) : `${record.time} ${id}${sentence}`)
  }
  const ended = new AbortController()
  onStop(() => ended.abort())
  endWhenRemoved(member, () => ended.abort())
  const environment = { ...process.env, BELLWETHER_GROUP: group, BELLWETHER_ID: id }
  const work = async (term: Term): Promise<void> => {
    const fenced = term.fence === undefined ? {} : { BELLWETHER_FENCE: String(term.fence) }
    const env = { ...environment, ...fenced, BELLWETHER_TERM: String(term.number) }
    const leadsUntil = (): number => election.leadsUntil
    const times = { leaseMs: election.status().leaseMs, drainMs, leadsUntil }
    const guarded = new GuardedCommand(command, env, times)
    const { number, text: termText } = term
    void guarded.pid.then((child) =>
      report('begun', ` begins the command, process ${child}`, { term: number, termText, child }),
    )
    const code = await guarded.during(term)
    report('ended', `: the command has ended ${endingOf(code)}`, { term: number, termText, code })
    if (term.signal.aborted) return
    if (guarded.wasOverdue)
      throw new Error('the guardian ended the command: no deadline arrived in time')
    if (code !== 0) process.exitCode = EXIT.failed
    if (flags['again'] !== true) ended.abort()
    else if (code !== 0) throw new Error(`the command has ended ${endingOf(code)}`)
    // Not awaited: it waits for this very work.
    else election.stepDown({ reason: 'the command has ended' }).catch(() => undefined)
  }
  void election.lead(work, { drain: drainMs + 1000 })
  await new Promise<void>((resolve) => {
    if (ended.signal.aborted) resolve()
    ended.signal.addEventListener('abort', () => resolve())
  })
  await member.close()
  printer.flush()
}
