/**
 * A member whose main loop hangs for two seconds at each SIGUSR2, as a long computation would. It tells
 * whether its signal was aborted whenever bellwether calls it. Takes the flags of `node`.
 */
import { parseArgs } from 'node:util'
import { join } from '../../../dist/index.js'

const HANG_MS = 2000
const text = /** @type {const} */ ({ type: 'string' })
const { values } = parseArgs({
  args: process.argv.slice(3),
  strict: false,
  options: { id: text, members: text, state: text, detection: text, lease: text, safety: text },
})
const given = /** @type {Record<string, string>} */ (values)
const election = await join({
  group: 'cluster',
  id: given['id'],
  members: Object.fromEntries(
    given['members'].split(',').map((it) => /** @type {[string, string]} */ (it.split('='))),
  ),
  state: given['state'],
  safety: given['safety'] === 'advisory' ? 'advisory' : 'quorum',
  timing: { detection: given['detection'], lease: given['lease'] },
})
/** @type {import('../../../dist/index.js').Term | null} */
let term = null
let hung = false

/** @param {string} event @param {object} more */
function write(event, more = {}) {
  const at = process.hrtime.bigint().toString()
  const leader = election.view.kind === 'leader' ? election.view.leader : null
  const aborted = hung && term !== null ? term.signal.aborted : null
  const entry = { at, node: given['id'], pid: process.pid, event, leader, term: election.term }
  process.stdout.write(`${JSON.stringify({ ...entry, reason: null, aborted, ...more })}\n`)
}
write('started')
election.on('elected', (event) => write('elected', event))
election.on('lost', (event) => write('lost', event))
election.on('leader', () => write('leader'))
election.on('peer', ({ peer, state }) => write(state, { peer }))
void election.lead(async (mine) => {
  term = mine
  await new Promise((resolve) => {
    mine.signal.addEventListener('abort', resolve)
  })
})
process.on('SIGUSR2', () => {
  const end = performance.now() + HANG_MS
  while (performance.now() < end);
  hung = true
})
const stop = async () => {
  await election.close()
  if (process.connected) process.disconnect()
}
process.on('SIGTERM', () => void stop())
process.on('disconnect', () => void stop())
