/** `bellwether node`: one member as a process. */
import { Command } from 'commander'
import { logEvents, type EventRecord } from '../../index.ts'
import type { Order } from '../../testing/local-cluster.ts'
import { addMemberOptions, readMemberConfig, type MemberFlags } from '../options/member-options.ts'
import { openMember, type MemberProcess } from '../processes/member-process.ts'
import { onStop } from '../processes/on-stop.ts'

interface Flags extends MemberFlags {
  readonly http?: string
  readonly json?: true
}

export function nodeCommand(): Command {
  return addMemberOptions(
    new Command('node').description('Run one member of a group until it is told to stop.'),
  )
    .option('--http <host:port>', 'show /status and more there; port 0 chooses one')
    .option('--json', 'one JSON event per line')
    .action(node)
}

async function node(flags: Flags): Promise<void> {
  const { options, http, protection } = readMemberConfig(flags)
  const member = await openMember(options, http, protection)
  const { election } = member
  const printer = new Printer(flags.json === true)
  logEvents(election, (entry) => printer.print(entry))
  if (flags.json !== true && member.http !== null) {
    process.stdout.write(`http://${member.http.address}/status\n`)
  }
  await new Promise<void>((resolve) => {
    onStop(() => resolve())
    // Who reads us has gone. Whatever else keeps us from printing, a full disk for one, keeps nobody from leading.
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') resolve()
    })
    if (process.connected) obeyParent(member, resolve)
  })
  await member.close()
  printer.flush()
  // Nobody waits for what is left, such as a connection of somebody who reads /events.
  if (process.connected) process.disconnect()
}

/** A pipe blocks whoever writes to it: entries, which carry their time, wait until an election is over. */
const PRINT_MS = 20

class Printer {
  private readonly json: boolean
  private waiting: EventRecord[] = []

  constructor(json: boolean) {
    this.json = json
  }

  print(entry: EventRecord): void {
    this.waiting.push(entry)
    if (this.waiting.length === 1) setTimeout(() => this.flush(), PRINT_MS)
  }

  flush(): void {
    const entries = this.waiting
    this.waiting = []
    const lines = entries.map((entry) =>
      this.json ? `${JSON.stringify(entry)}\n` : sentenceFor(entry),
    )
    process.stdout.write(lines.join(''))
  }
}

/** A member that was started by `up` ends with it, however that ends. */
function obeyParent({ links }: MemberProcess, stop: () => void): void {
  process.on('message', (order: Order) => links.cut(order.cut))
  process.on('disconnect', stop)
}

function sentenceFor({ node, event, leader, term, reason, peer }: EventRecord): string {
  switch (event) {
    case 'started':
      return `${node} takes part\n`
    case 'elected':
      return `${node} leads, term ${term}\n`
    case 'lost':
      return `${node} leads no longer: ${reason}\n`
    case 'leader':
      if (leader === node) return '' // it said that it leads
      return leader === null
        ? `${node} knows no leader\n`
        : `${node} follows ${leader}, term ${term}\n`
    case 'down':
    case 'up':
      return `${node} thinks that ${peer} is ${event}\n`
    case 'refused':
      return `${node} and ${peer} refuse each other: ${reason}\n`
    case 'error':
      return `${node} cannot go on: ${reason}\n`
    case 'exited':
      return `${node} has ended: ${reason}\n`
  }
}
