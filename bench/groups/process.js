/** A process in many groups over one port, as the bench starts three of them: joins, and answers what it measures. */
import { open } from '../../dist/index.js'

/** @typedef {{ id: string, members: Record<string, string>, state: string, count: number, shareHeartbeats: boolean }} Settings */
const settings = /** @type {Settings} */ (JSON.parse(process.argv[2]))
const { id, members, state, count, shareHeartbeats } = settings
const names = Object.keys(members)

/** Each third of the groups prefers another member. @param {number} index */
function preferring(index) {
  const preferred = names[index % names.length]
  return Object.fromEntries(
    names.map((name) => [name, { address: members[name], priority: name === preferred ? 1 : 0 }]),
  )
}

const node = await open({ id, members, state, shareHeartbeats })
const elections = await Promise.all(
  Array.from({ length: count }, async (_, i) =>
    node.join({ group: `group-${i}`, members: preferring(i) }),
  ),
)

/** @param {string} [without] a process that leads nothing any more */
function leaders(without) {
  return elections.filter(({ view }) => view.kind === 'leader' && view.leader !== without).length
}

process.on('message', (/** @type {{ without?: string }} */ { without }) => {
  const { user, system } = process.cpuUsage()
  const counters = node.counters
  process.send?.({
    leaders: leaders(without),
    leads: elections.filter(({ current }) => current !== null).length,
    cpuMs: (user + system) / 1000,
    atMs: performance.now(),
    bytes: counters['bytesSent'],
    frames: counters['framesSent'],
    connections: counters['open'],
    residentBytes: process.memoryUsage.rss(),
  })
})
process.on('disconnect', () => process.exit())
process.send?.('joined')
