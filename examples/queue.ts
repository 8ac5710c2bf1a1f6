/**
 * A queue with one consumer at a time, and a resource that checks the fence: the file `done` refuses a
 * message of a term below the highest one that it has accepted.
 * Usage: queue.ts ID NAME=HOST:PORT,… STATE-FOLDER
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join as path } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { join, type Fence } from 'bellwether'

const [id, list, state] = process.argv.slice(2)
const members = Object.fromEntries(list.split(',').map((entry) => entry.split('='))) as {
  [name: string]: string
}
const queue = path(state, 'queue')
const done = path(state, 'done')

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []

/** The checking half of a fence. A database does this in one statement: … WHERE fence <= $1. */
function finish(message: string, fence: Fence): void {
  const highest = Math.max(0, ...linesOf(done).map((line) => Number(line.split(' ')[0])))
  if (fence < highest) throw new Error(`fence ${fence} is below ${highest}`)
  appendFileSync(done, `${fence} ${id} ${message}\n`)
}

await using election = await join({ group: 'queue', id, members, state, safety: 'quorum' })
process.once('SIGTERM', () => void election.close())

await election.lead(async (term) => {
  while (!term.signal.aborted) {
    const finished = new Set(linesOf(done).map((line) => line.split(' ')[2]))
    const next = linesOf(queue).find((message) => !finished.has(message))
    if (next !== undefined) finish(next, term.fence)
    else await sleep(20, undefined, { signal: term.signal }).catch(() => undefined)
  }
})
