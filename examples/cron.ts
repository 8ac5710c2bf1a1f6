/**
 * A job that must run on one replica only: every replica runs this program, the leader runs the job.
 * Usage: cron.ts ID NAME=HOST:PORT,… STATE-FOLDER
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'bellwether'

const [id, list, state] = process.argv.slice(2)
const members = Object.fromEntries(list.split(',').map((entry) => entry.split('='))) as {
  [name: string]: string
}

await using election = await join({ group: 'cron', id, members, state })
process.once('SIGTERM', () => void election.close())

await election.lead(async (term) => {
  while (!term.signal.aborted) {
    term.assert() // before each external effect
    console.log(`${id} runs the job in term ${term.number}`)
    await sleep(100, undefined, { signal: term.signal }).catch(() => undefined)
  }
})
