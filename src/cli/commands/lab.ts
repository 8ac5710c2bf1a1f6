/** `bellwether lab`: the web lab on the loopback interface. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { Command } from 'commander'
import { parseTrace } from '../../sim/record/trace.ts'
import { parsePort } from '../options/port.ts'
import { LabServer } from '../lab/lab-server.ts'
import { onStop } from '../processes/stop-signals.ts'
import { watchMembers } from '../lab/watch-members.ts'

interface Flags {
  readonly port: number
  readonly members?: string
  readonly open: boolean
  readonly json?: true
}

export function labCommand(): Command {
  return new Command('lab')
    .description(
      'Open the web lab: see, break, compare and replay elections in the browser.\n' +
        'With a file, a trace or a counterexample: the lab opens it and stops where it breaks.',
    )
    .argument('[trace]', 'a file that simulate --trace or check --trace wrote')
    .option('--port <port>', 'where it listens on 127.0.0.1; 0 chooses', parsePort, 7007)
    .option(
      '--members <list>',
      'watch a running group: a=127.0.0.1:7401,b=127.0.0.1:7402, the --http addresses, weakest first',
    )
    .option('--no-open', 'only print the address')
    .option('--json', 'print the address as JSON')
    .action(lab)
}

async function lab(trace: string | undefined, flags: Flags): Promise<void> {
  const page =
    trace !== undefined
      ? traceLink(readFileSync(trace, 'utf8'))
      : `#/${flags.members === undefined ? 'lab' : 'live'}`
  const watched = flags.members === undefined ? null : watchMembers(flags.members)
  const server = await LabServer.open({
    port: flags.port,
    ...(watched === null ? {} : { route: watched.routes.route }),
    // A page may ask members of this machine itself; they answer pages of this machine only.
    connect: ['http://127.0.0.1:*', 'http://localhost:*'],
  })
  const url = `${server.url}${page}`
  if (flags.json === true) process.stdout.write(`${JSON.stringify({ url })}\n`)
  else process.stdout.write(`The lab is at ${url}\nCtrl+C ends it.\n`)
  if (flags.open && flags.json !== true && process.stdout.isTTY) openInBrowser(url)
  await new Promise<void>((resolve) => {
    onStop(() => resolve())
  })
  watched?.end()
  await server.close()
}

/** The link that carries a whole trace. Throws TraceError where the text is none. */
function traceLink(text: string): string {
  parseTrace(text)
  return `#/lab?trace=${deflateRawSync(text, { level: 9 }).toString('base64url')}`
}

/** As the desktop does it; where there is none, the address was printed. */
export function openInBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url]
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
