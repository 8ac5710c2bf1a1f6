/**
 * Finds and kills every process of a command: its process group, the processes that carry its mark in their
 * environment, and their descendants. `setsid` and `timeout` leave the group, but the mark stays.
 *
 * A process that cleared its environment is found while its ancestors run, or in the group. So all are stopped before the
 * first is killed, and what was found when they were asked to end is remembered. Without /proc only the group is found.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** The variable that marks the processes of one run of a command. */
export const MARK_VARIABLE = 'BELLWETHER_RUN'

/** A process may fork while it is looked for. */
const MOST_ROUNDS = 20

export class CommandProcesses {
  private readonly group: number
  private readonly mark: string
  /** When each process began that was asked to end: its ancestors may end first. */
  private readonly asked = new Map<number, string>()

  constructor(group: number, mark: string) {
    this.group = group
    this.mark = `${MARK_VARIABLE}=${mark}`
  }

  signal(signal: NodeJS.Signals): void {
    const found = this.find()
    for (const { pid, began } of found) this.asked.set(pid, began)
    send(-this.group, signal)
    for (const { pid } of found) send(pid, signal)
  }

  /** Kills them, and what they have forked meanwhile. */
  kill(): void {
    send(-this.group, 'SIGSTOP')
    const stopped = new Set<number>()
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const fresh = this.find().filter(({ pid }) => !stopped.has(pid))
      if (fresh.length === 0) break
      for (const { pid } of fresh) {
        send(pid, 'SIGSTOP')
        stopped.add(pid)
      }
    }
    send(-this.group, 'SIGKILL')
    for (const pid of stopped) send(pid, 'SIGKILL')
  }

  private find(): Process[] {
    const running = processes().filter(({ state }) => state !== 'Z' && state !== 'X')
    const ours = new Set(running.filter((one) => this.isOurs(one)).map(({ pid }) => pid))
    for (let size = 0; size < ours.size;) {
      size = ours.size
      for (const { pid, parent } of running) if (ours.has(parent)) ours.add(pid)
    }
    return running.filter(({ pid }) => ours.has(pid))
  }

  private isOurs({ pid, group, began }: Process): boolean {
    return (
      group === this.group ||
      this.asked.get(pid) === began ||
      `\0${textOf(`/proc/${pid}/environ`)}`.includes(`\0${this.mark}\0`)
    )
  }
}

interface Process {
  readonly pid: number
  readonly state: string
  readonly parent: number
  readonly group: number
  /** In ticks since boot: ids are used again. */
  readonly began: string
}

function processes(): Process[] {
  return namesIn('/proc').flatMap((name) => {
    const pid = Number(name)
    const stat = Number.isInteger(pid) && pid !== process.pid ? textOf(`/proc/${name}/stat`) : ''
    if (stat === '') return []
    // The name before the fields may hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent, group] = fields
    return [{ pid, state, parent: Number(parent), group: Number(group), began: fields[19] }]
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
