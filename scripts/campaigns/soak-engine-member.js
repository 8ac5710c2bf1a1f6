/**
 * A member of soak-engines.ts: writes to the resource all the time while its work runs, and asks nobody before it does,
 * so that only the resource can tell a stale write. Takes the flags of `node`, an engine for each member, a resource.
 */
import { parseArgs } from 'node:util'
import { engineFrom } from '../../dist/cli/options/engine-url.js'
import { CuttableTransport } from '../../dist/testing/cuttable-transport.js'
import { fence } from '../../dist/fence/index.js'
import { fenced, join, logEvents, tcp } from '../../dist/index.js'

const text = /** @type {const} */ ({ type: 'string' })
const names = ['id', 'members', 'state', 'detection', 'lease', 'engines', 'resource']
const { values } = parseArgs({
  args: process.argv.slice(3),
  strict: false,
  options: Object.fromEntries(names.map((name) => [name, text])),
})
const flags = /** @type {Record<string, string>} */ (values)

/** @param {string} list @returns {Record<string, string>} */
const pairs = (list) =>
  Object.fromEntries(
    list.split(',').map((it) => [it.slice(0, it.indexOf('=')), it.slice(it.indexOf('=') + 1)]),
  )
const { id, state, detection, lease, resource } = flags
const transport = new CuttableTransport(tcp())
const election = await join({
  group: 'soak',
  id,
  members: pairs(flags['members']),
  state,
  timing: { detection, lease },
  safety: fenced(engineFrom(pairs(flags['engines'])[id]), { vouch: 'majority' }),
  transport,
})
logEvents(election, (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`))

void election.lead(async (term) => {
  while (!term.signal.aborted) {
    const headers = { ...fence.http.headers(term), writer: id }
    await fetch(resource, { method: 'POST', headers }).then(
      async (answer) => answer.text(),
      () => '',
    )
    await new Promise((resolve) => {
      setTimeout(resolve, 15)
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
