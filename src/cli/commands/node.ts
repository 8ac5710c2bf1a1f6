/** `bellwether node`: runs one member as a process and prints its events as sentences or JSON. */
import { Command, Option } from 'commander'
import { logEvents, tcp, type Transport } from '../../index.ts'
import type { CutOrder } from '../../testing/local-cluster.ts'
import {
  addMemberOptions,
  readMemberConfig,
  type MemberConfig,
  type MemberFlags,
} from '../options/member-options.ts'
import { endWhenRemoved, openMember, type MemberProcess } from '../processes/member-process.ts'
import { onStop } from '../processes/stop-signals.ts'
import { EventPrinter } from '../terminal/event-printer.ts'

export function nodeCommand(): Command {
  return addMemberOptions(
    new Command('node').description('Run one member of a group until it is stopped.'),
  )
    .option('--json', 'print one JSON event per line')
    .addOption(new Option('--controlled', 'obey the parent process: see LocalCluster').hideHelp())
    .action(async (flags: MemberFlags) => {
      // An open channel to the parent would keep the process alive, also where the member cannot start.
      await node(flags).finally(() => process.connected && process.disconnect())
    })
}

async function node(flags: MemberFlags): Promise<void> {
  const given = readMemberConfig(flags)
  const stopped = new AbortController()
  const transport = tcp(given.protection)
  const member =
    flags['controlled'] === true
      ? await openControlled(given, transport, stopped)
      : await openMember(given, transport)
  endWhenRemoved(member, () => stopped.abort())
  const printer = new EventPrinter(process.stdout, flags['json'] === true)
  logEvents(member.election, (record) => printer.print(record))
  if (flags['json'] !== true && member.server !== null) {
    process.stdout.write(`http://${member.server.address}/status\n`)
  }
  await new Promise<void>((resolve) => {
    if (stopped.signal.aborted) resolve()
    stopped.signal.addEventListener('abort', () => resolve())
    onStop(() => resolve())
    // The reader has gone. Other failures to print, such as a full disk, must not end a leader.
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') resolve()
    })
  })
  await member.close()
  printer.flush()
}

/** The parent process cuts the links of this member. The member ends with its parent, also while it waits to be added. */
async function openControlled(
  config: MemberConfig,
  inner: Transport,
  stopped: AbortController,
): Promise<MemberProcess> {
  process.on('disconnect', () => stopped.abort())
  if (!process.connected) stopped.abort()
  const { CuttableTransport } = await import('../../testing/cuttable-transport.ts')
  const transport = new CuttableTransport(inner)
  process.on('message', (order: CutOrder) => transport.cut(order.cut))
  const options = { ...config.options, signal: stopped.signal }
  return openMember({ ...config, options }, transport)
}
