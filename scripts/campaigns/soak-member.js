/** A member that writes down all that the checker of soak.ts needs, at once. Takes the flags of `node`. */
import { parseArgs } from 'node:util'
import { join, tcp } from '../../dist/index.js'
import { CuttableTransport } from '../../dist/testing/cuttable-transport.js'

const text = /** @type {const} */ ({ type: 'string' })
const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  strict: false,
  options: { id: text, members: text, state: text, detection: text, period: text, lease: text },
})
const given = /** @type {Record<string, string | undefined>} */ (flags)
const members = Object.fromEntries(
  (given['members'] ?? '').split(',').map((it) => {
    const [name, address] = it.split('=')
    return [name, address]
  }),
)
const { detection, period, lease } = given
const timing = Object.fromEntries(
  Object.entries({ detection, period, lease }).filter(([, value]) => value !== undefined),
)
const id = given['id'] ?? ''
// Its network is the test's own: see namespaces.ts.
const transport = new CuttableTransport(tcp({ insecurePlaintext: true }))
const election = await join({
  group: 'soak',
  id,
  members,
  state: given['state'] ?? '.bellwether',
  timing,
  transport,
})

/** @param {string} event @param {object} more */
function write(event, more) {
  const at = process.hrtime.bigint().toString()
  const leader = election.view.kind === 'leader' ? election.view.leader : null
  const entry = { at, node: id, pid: process.pid, event, leader, term: election.term, reason: null }
  process.stdout.write(`${JSON.stringify({ ...entry, ...more })}\n`)
}

write('started', {})
election.on('elected', ({ term }) => write('elected', { term, leader: id }))
election.on('lost', ({ term, reason }) => write('lost', { term, reason }))
election.on('renewed', ({ term, untilMs }) => write('renewed', { term, untilMs }))
election.on('error', (error) => write('error', { reason: error.message }))
election.on('leader', (view) => {
  write('leader', view.kind === 'leader' ? { leader: view.leader, term: view.term } : {})
})
void election.lead(async (term) => {
  while (!term.signal.aborted) {
    // The stamp is taken before the question: a valid answer speaks of a later moment.
    const at = process.hrtime.bigint().toString()
    try {
      term.assert()
    } catch {
      return
    }
    write('valid', { at, term: term.number })
    await new Promise((resolve) => {
      setTimeout(resolve, 10)
    })
  }
})

process.on('message', (order) => transport.cut(/** @type {{ cut: string[] }} */ (order).cut))
const stop = async () => {
  await election.close()
  if (process.connected) process.disconnect()
}
process.on('SIGTERM', () => void stop())
process.on('disconnect', () => void stop())
