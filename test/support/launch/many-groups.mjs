/** A process in many groups over one port: joins them, prints every 100 ms what it knows, and joins and leaves as it is told. */
import { open, StatusServer, tcp } from '../../../dist/index.js'

/**
 * @typedef {object} GroupReport
 * @property {Record<string, string>} leaders by group; empty: none is known
 * @property {Record<string, string>} missing a member that cannot be reached, by group, and why
 * @property {number[]} leases how long each term lasts at least, in milliseconds
 * @property {string[]} expired terms that were shown after their end
 * @property {number} steps that all groups have taken since the last report
 * @property {Record<string, number>} counters
 * @property {string} [http] where the process serves its status
 * @property {string} [token]
 */

const { count, http, protection, ...options } = JSON.parse(process.argv[2])
const { members } = options
const node = await open({ ...options, ...(protection && { transport: tcp(protection) }) })
const server = http && (await StatusServer.open(node, { listen: http }))
/** @type {Map<string, import('../../../dist/index.js').Election>} */
const elections = new Map()

/**
 * Each third of the groups prefers another member.
 * @param {number} index
 */
function preferring(index) {
  const names = Object.keys(members)
  const preferred = names[index % names.length]
  return Object.fromEntries(
    names.map((name) => [name, { address: members[name], priority: name === preferred ? 1 : 0 }]),
  )
}

/** @param {string} group */
async function join(group, options = {}) {
  elections.set(group, await node.join({ group, ...options }))
}

process.on('message', (/** @type {{ join?: string, leave?: string }} */ message) => {
  if (message.join) void join(message.join)
  if (!message.leave) return
  void elections.get(message.leave)?.close()
  elections.delete(message.leave)
})

const taken = () =>
  [...elections.values()].reduce((sum, { counters }) => sum + counters['steps'], 0)

let before = 0
function report() {
  const all = [...elections]
  const steps = taken() - before
  const leases = []
  const expired = []
  for (const [group, election] of all) {
    const term = election.current
    if (term === null) continue
    const left = term.remainingMs()
    if (left > 0) leases.push(left)
    else expired.push(group)
  }
  const leaders = all.map(([group, { view }]) => [group, view.kind === 'leader' ? view.leader : ''])
  const missing = all.flatMap(([group, election]) =>
    election.status().peers.flatMap(({ id: peer, trouble }) => {
      return trouble === null ? [] : [[group, `${peer}: ${trouble}`]]
    }),
  )
  const record = {
    leaders: Object.fromEntries(leaders),
    missing: Object.fromEntries(missing),
    leases,
    expired,
    steps,
    counters: node.counters,
    ...(server && { http: server.address, token: server.token }),
  }
  before = taken() // without those of this report
  process.stdout.write(`${JSON.stringify(record)}\n`)
}

await Promise.all(
  Array.from({ length: count }, async (_, i) => join(`group-${i}`, { members: preferring(i) })),
)
setInterval(report, 100)
process.on('disconnect', () => process.exit())
