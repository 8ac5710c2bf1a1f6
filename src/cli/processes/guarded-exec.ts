/**
 * Starts a command through a shell script that runs it only before its deadline, and that leaves two witnesses behind
 * which kill it if `run` and the guardian cannot: a process that cleared its environment is found by its ancestors, so they
 * are stopped first and killed last.
 *
 * The script reads the clock as its last action before it becomes the command, so that a command that was frozen on its
 * way does not begin late. The witnesses are shells in the process group of the command. One waits for the end of a
 * pipe that only `run` holds: `run` was killed, and the guardian is stopped or killed too. The other one sleeps until
 * the deadline in a file that the guardian writes: `run` and the guardian are stopped.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { openSync, rmSync, readFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MARK_VARIABLE } from './command-processes.ts'

/** The descriptor of the guardian whose other end only `run` holds. */
const LIFELINE = 4

/** Arguments: the deadline or empty, the mark, the command. Descriptors: 3 the lifeline, 4 the file of the deadline. */
const SCRIPT = `
tree() {
  for child in $(cat /proc/"$1"/task/*/children); do
    (tree "$child") # a shell of its own, since the variable is one
    echo "$child"
  done
}
kill_all() {
  kill -STOP $$
  for round in 1 2 3; do
    found=$(tree $$)
    kill -STOP $found
  done
  kill -KILL $found
  kill -KILL $$
  for round in 1 2 3 4 5 6 7 8 9; do
    for file in $(grep -ls "${MARK_VARIABLE}=$1" /proc/[0-9]*/environ); do
      file=\${file%/environ}
      kill -STOP "\${file#/proc/}"
      kill -KILL $(tree "\${file#/proc/}") "\${file#/proc/}"
    done
  done
  kill -KILL -$$
}
uptime() {
  read -r now _ </proc/uptime
  now=\${now%.*}\${now#*.}
  now=\${now#0}
}
witness_end() {
  trap '' HUP INT TERM
  read -r _
  kill_all "$1"
}
witness_deadline() {
  trap '' HUP INT TERM
  while read -r until </proc/self/fd/4 && uptime; do
    left=$((until - now))
    [ "$left" -le 0 ] && kill_all "$1"
    sleep "$((left / 100)).$((left / 10 % 10))$((left % 10))"
  done
}
(witness_end "$2" <&3 4<&- >/dev/null 2>&1 &)
[ -z "$1" ] || (witness_deadline "$2" </dev/null 3<&- >/dev/null 2>&1 &)
limit=$1
export ${MARK_VARIABLE}="$2"
shift 2
exec 3<&- 4<&-
[ -z "$limit" ] || { uptime && [ "$now" -lt "$limit" ]; } || exit 125
exec "$@"
`

export class GuardedExec {
  private readonly command: readonly string[]
  private readonly mark: string
  /** How long after the deadline the command is killed. */
  private readonly graceMs: number
  private readonly file: number | undefined

  constructor(command: readonly string[], mark: string, graceMs: number) {
    this.command = command
    this.mark = mark
    this.graceMs = graceMs
    this.file = namelessFile()
  }

  /** Starts the command in a process group of its own, unless `leftMs` pass before it begins. */
  start(leftMs: number): ChildProcess {
    this.setDeadline(leftMs)
    const args = ['-c', SCRIPT, 'sh', inUptime(leftMs), this.mark, ...this.command]
    const stdio = ['ignore', 'inherit', 'inherit', LIFELINE, this.file ?? 'ignore'] as const
    return spawn('/bin/sh', args, { stdio: [...stdio], detached: true })
  }

  /** The witness kills the command `leftMs` and the grace from now on. */
  setDeadline(leftMs: number): void {
    const text = inUptime(leftMs + this.graceMs)
    if (text !== '' && this.file !== undefined) writeSync(this.file, `${text.padEnd(12)}\n`, 0)
  }
}

/** No other process finds it, and it is gone with its last reader. Undefined where no file can be made. */
function namelessFile(): number | undefined {
  const path = join(tmpdir(), `bellwether-deadline-${randomBytes(9).toString('base64url')}`)
  try {
    const file = openSync(path, 'wx+', 0o600)
    rmSync(path)
    return file
  } catch {
    return undefined
  }
}

/** A moment in hundredths of a second of /proc/uptime, rounded down; empty where there is no deadline or no such file. */
function inUptime(leftMs: number): string {
  if (leftMs === Infinity) return ''
  try {
    return String(
      Math.floor(Number.parseFloat(readFileSync('/proc/uptime', 'latin1')) * 100 + leftMs / 10),
    )
  } catch {
    return ''
  }
}
