/**
 * The program of the guardian: runs a command in its own process group, and ends the group on an order, at a deadline
 * or when its parent is gone.
 */
import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [command, ...args] = process.argv.slice(2)
/** When the term ends unless a later deadline arrives, and how long the command then has to stop. */
let untilMs = Infinity
let drainMs = 0
let terminated = false

// `run` handles signals to the process group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true })
child.on('error', (error) => {
  process.stderr.write(`bellwether: cannot run ${command}: ${error.message}\n`)
  process.exit(127)
})
if (child.pid !== undefined) {
  // The command must not outlive the guardian.
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
  // `run` has crashed.
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

/** Past the deadline `run` is stopped: it would have ended the command by now. */
function watchDeadline(): void {
  const overMs = nowMs() - untilMs
  if (overMs > drainMs) kill('SIGKILL')
  else if (overMs > 0 && !terminated) {
    terminated = true
    kill('SIGTERM')
  }
}

/** CLOCK_MONOTONIC, which all processes of a machine share. */
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
