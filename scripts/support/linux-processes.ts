/** Reads from Linux's /proc whether a process or a process group is alive, the children of a process, and its processor time. */
import { readdirSync, readFileSync } from 'node:fs'

/** Whether a process runs; one that has ended and waits for its parent does not. */
export function isAlive(pid: number): boolean {
  return !['', 'Z', 'X'].includes(statOf(pid)[0])
}

/** Whether any process of a process group runs. */
export function isGroupAlive(group: number): boolean {
  return pids().some((pid) => statOf(pid)[2] === String(group) && isAlive(pid))
}

export function childrenOf(parent: number): number[] {
  return pids().filter((pid) => statOf(pid)[1] === String(parent))
}

/** The processor time that a process has used. */
export function cpuSecondsOf(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

const TICKS_PER_SECOND = 100

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
}

/** State, parent, group … of a process; its name before them may hold spaces and brackets. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return ['']
  }
}
