/** The guardian's own program: `guardian.js cmd args`. Reads orders on its standard input; see guarded.ts. */
import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [command, ...args] = process.argv.slice(2)
/** When the term ends unless we hear more, and how long the command then has to stop. */
let untilMs = Infinity
let drainMs = 0
let asked = false

// Signals to our group are the runner's business.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true })
child.on('error', (error) => {
  process.stderr.write(`bellwether: cannot run ${command}: ${error.message}\n`)
  process.exit(127)
})
if (child.pid !== undefined) {
  // Whatever goes wrong here, the command must not outlive it.
  process.on('uncaughtException', () => {
    kill('SIGKILL')
    process.exit(1)
  })
  writeSync(3, String(child.pid))
  child.on('exit', (code, signal) => {
    kill('SIGKILL')
    process.exit(code ?? (signal === null ? 1 : 128))
  })
  const orders = createInterface({ input: process.stdin })
  orders.on('line', obey)
  // The runner has died.
  orders.on('close', () => kill('SIGKILL'))
  setInterval(watchDeadline, 50).unref()
}

function obey(order: string): void {
  const [verb, at, drain] = order.split(' ')
  if (verb === 'term') kill('SIGTERM')
  else if (verb === 'kill') kill('SIGKILL')
  else if (verb === 'until') {
    untilMs = Number(at)
    drainMs = Number(drain)
  }
}

/** The runner is stopped: it would have ended the term by now. */
function watchDeadline(): void {
  const overMs = nowMs() - untilMs
  if (overMs > drainMs) kill('SIGKILL')
  else if (overMs > 0 && !asked) {
    asked = true
    kill('SIGTERM')
  }
}

/** CLOCK_MONOTONIC: the same in all processes of a machine. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

function kill(signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal)
  } catch {
    // All of it has ended.
  }
}
