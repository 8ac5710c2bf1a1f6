/**
 * Finds and kills every process of a command: its process group, the processes that carry its mark in their
 * environment, and their descendants. `setsid` and `timeout` leave the group, but the mark stays.
 *
 * A process that cleared its environment is found while its ancestors run, or in the group. Without /proc only the
 * group is found.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** The variable that marks the processes of one run of a command. */
export const MARK_VARIABLE = 'BELLWETHER_RUN'

/** A process may fork while it is looked for. */
const MOST_ROUNDS = 20

export class CommandProcesses {
  private readonly group: number
  private readonly mark: string

  constructor(group: number, mark: string) {
    this.group = group
    this.mark = `${MARK_VARIABLE}=${mark}`
  }

  signal(signal: NodeJS.Signals): void {
    send(-this.group, signal)
    for (const pid of this.find()) send(pid, signal)
  }

  /** Kills them, and what they have forked meanwhile. */
  kill(): void {
    send(-this.group, 'SIGKILL')
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const found = this.find()
      if (found.length === 0) return
      for (const pid of found) send(pid, 'SIGKILL')
    }
  }

  private find(): number[] {
    const running = processes().filter(({ state }) => state !== 'Z' && state !== 'X')
    const ours = new Set(running.filter((one) => this.isOurs(one)).map(({ pid }) => pid))
    for (let size = 0; size < ours.size;) {
      size = ours.size
      for (const { pid, parent } of running) if (ours.has(parent)) ours.add(pid)
    }
    return [...ours]
  }

  private isOurs({ pid, group }: Process): boolean {
    return (
      group === this.group || `\0${textOf(`/proc/${pid}/environ`)}`.includes(`\0${this.mark}\0`)
    )
  }
}

interface Process {
  readonly pid: number
  readonly state: string
  readonly parent: number
  readonly group: number
}

function processes(): Process[] {
  return namesIn('/proc').flatMap((name) => {
    const pid = Number(name)
    const stat = Number.isInteger(pid) && pid !== process.pid ? textOf(`/proc/${name}/stat`) : ''
    if (stat === '') return []
    // The name before the fields may hold spaces and brackets.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [{ pid, state, parent: Number(parent), group: Number(group) }]
  })
}

/** Empty where there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Empty for a process that has ended or belongs to another user. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}
