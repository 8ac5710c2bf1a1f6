/**
 * `bellwether lab`: serves the web lab on the loopback interface and opens it in a browser, with a trace or live
 * members if they are given; or exports it as static files.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { Command } from 'commander'
import { parseTrace } from '../../sim/record/trace.ts'
import { parsePort } from '../options/option-flags.ts'
import { exportLab } from '../lab/export-lab.ts'
import { LabServer } from '../lab/lab-server.ts'
import { onStop } from '../processes/stop-signals.ts'
import { print, printJson } from '../terminal/print.ts'
import { watchMembers } from '../lab/watch-members.ts'

interface Flags {
  readonly port: number
  readonly members?: string
  readonly open: boolean
  readonly json?: true
  readonly export?: string
}

export function labCommand(): Command {
  return new Command('lab')
    .summary('Open the web lab: watch, disturb, compare and replay elections.')
    .description(
      'Open the web lab: watch, disturb, compare and replay elections in the browser. With a trace or a ' +
        'counterexample, the lab opens it and stops where a promise is broken.',
    )
    .argument('[trace]', 'a file that simulate --trace or check --trace wrote')
    .option('--port <port>', 'the port on 127.0.0.1; 0 chooses a free one', parsePort, 7007)
    .option(
      '--members <list>',
      'watch a running group: a=127.0.0.1:9400,b=127.0.0.1:9401, the --http addresses, weakest first',
    )
    .option(
      '--export <folder>',
      'write the page as static files, for any web server or to open without one',
    )
    .option('--no-open', 'only print the address')
    .option('--json', 'print the address as JSON')
    .action(lab)
}

async function lab(trace: string | undefined, flags: Flags): Promise<void> {
  if (flags.export !== undefined) return exportTo(flags.export, flags.json === true)
  const page =
    trace !== undefined
      ? traceLink(readFileSync(trace, 'utf8'))
      : `#/${flags.members === undefined ? 'lab' : 'live'}`
  const watched = flags.members === undefined ? null : watchMembers(flags.members)
  const server = await LabServer.open({
    port: flags.port,
    ...(watched === null ? {} : { route: watched.routes.route }),
    // The page may request the status of members on this machine, which answer only pages of this machine.
    connect: ['http://127.0.0.1:*', 'http://localhost:*'],
  })
  const url = `${server.url}${page}`
  if (flags.json === true) printJson({ url })
  else print(`The lab is at ${url}\nCtrl+C ends it.`)
  if (flags.open && flags.json !== true && process.stdout.isTTY) openInBrowser(url)
  await new Promise(onStop)
  watched?.end()
  await server.close()
}

function exportTo(folder: string, asJson: boolean): void {
  const page = exportLab(folder)
  if (asJson) printJson({ page })
  else print(`The lab is in ${page}`)
}

/** A link that holds the whole trace. Throws TraceError. */
function traceLink(text: string): string {
  parseTrace(text)
  return `#/lab?trace=${deflateRawSync(text, { level: 9 }).toString('base64url')}`
}

/** Has no effect on a machine without a desktop: the address was printed. */
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
