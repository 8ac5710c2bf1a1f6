/**
 * The program of the guardian: runs a command in its own process group while it holds a deadline that has not passed,
 * and ends all processes of the command on an order, at the deadline or when its parent is gone.
 *
 * Its arguments are the grace of a lost term, a mark, and the command. Orders come by line: `until MS` (of
 * CLOCK_MONOTONIC; Infinity where there is no lease), `drain MS`, `lost`, `kill`. The command begins at the first
 * deadline that lies far enough ahead; without one it never begins.
 */
import type { ChildProcess } from 'node:child_process'
import { writeSync } from 'node:fs'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import { ClockLeaps } from '../../clock/leaps.ts'
import { monotonic } from '../../clock/monotonic.ts'
import { CommandProcesses } from './command-processes.ts'
import { GuardedExec } from './guarded-exec.ts'

/** A command that began with less time would hardly begin before its end. */
const LEAST_MS = 50
/** How often what should have ended is killed again: it may have forked. */
const AGAIN_MS = 20
const REPORT = 3

const [grace, mark, ...command] = process.argv.slice(2)
const graceMs = Number(grace)
const leaps = new ClockLeaps()
const exec = new GuardedExec(command, mark, graceMs)
/** No deadline has arrived yet. */
let untilMs = -Infinity
let killAtMs = Infinity
let ending = false
let child: ChildProcess | undefined
let processes: CommandProcesses | undefined
const timer = monotonic.timer(watch)

// `run` handles signals to the process group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
// The command must not outlive the guardian.
process.on('uncaughtException', () => leave(1))

const orders = createInterface({ input: process.stdin })
orders.on('line', obey)
// `run` has crashed.
orders.on('close', () => leave(1))

function obey(order: string): void {
  const [verb, ms] = order.split(' ')
  if (verb === 'until') {
    untilMs = Math.max(untilMs, Number(ms))
    // Orders that waited while this process was frozen are read first.
    if (child === undefined) setImmediate(begin)
    else exec.setDeadline(untilMs - monotonic.now())
  } else if (verb === 'drain') end(monotonic.now() + Number(ms))
  else if (verb === 'lost') end(monotonic.now() + graceMs)
  else if (verb === 'kill') end(-Infinity)
  watch()
}

function begin(): void {
  const leftMs = untilMs - monotonic.now()
  if (child !== undefined || ending || leftMs < LEAST_MS) return
  child = exec.start(leftMs)
  child.on('error', (error) => {
    process.stderr.write(`bellwether: cannot run ${command[0]}: ${error.message}\n`)
    process.exit(127)
  })
  if (child.pid === undefined) return
  processes = new CommandProcesses(child.pid, mark)
  writeSync(REPORT, `${child.pid}\n`)
  child.on('exit', (code, signal) =>
    leave(code ?? (signal === null ? 1 : 128 + constants.signals[signal])),
  )
  watch()
}

/** Asks the command to stop, and kills it at the given time; an earlier time stays. */
function end(killAt: number): void {
  killAtMs = Math.min(killAtMs, killAt)
  if (ending) return
  ending = true
  if (processes === undefined) process.exit(0)
  processes.signal('SIGTERM')
}

/** Past the deadline `run` is stopped or stalled: it would have sent a later one. */
function watch(): void {
  untilMs -= leaps.take()
  const now = monotonic.now()
  if (child === undefined) return
  if (now >= untilMs) {
    if (!ending) writeSync(REPORT, 'overdue\n')
    end(untilMs + graceMs)
  }
  if (now >= killAtMs) processes!.kill()
  const next = ending ? Math.max(Math.min(killAtMs, untilMs + graceMs), now + AGAIN_MS) : untilMs
  if (next < Infinity) timer.set(next)
}

function leave(code: number): void {
  processes?.kill()
  process.exit(code)
}
