/**
 * A Fastify service of which only the leader answers; the other replicas forward to it, as examples/forward.mjs does.
 * Usage: fastify-replica.ts ID HTTP-PORT STATE-FOLDER KEY-FILE NAME=HOST:PORT,… (the founders) or HOST:PORT,… (seeds)
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import { join, tcp } from 'bellwether'

const [id, port, state, key, others] = process.argv.slice(2)
const PATIENCE_MS = 20_000
const GRACE_MS = 1000
const NOT_LEADER = 421

const metadata = { port: Number(port) }
const timing = { detection: 600, lease: 800 }
const found = others.includes('=')
  ? { members: parseList(others), timing }
  : { seeds: others.split(',') }
const election = await join({
  group: 'cluster',
  id,
  state,
  metadata,
  transport: tcp({ keyFile: key }),
  ...found,
})

function parseList(list: string): Record<string, string> {
  return Object.fromEntries(list.split(',').map((entry) => entry.split('=') as [string, string]))
}

let stops = false
const app = fastify()
app.addHook('onSend', (_request, reply, _payload, done) => {
  if (stops) void reply.header('connection', 'close')
  done()
})
app.get('/ready', (_request, reply) => reply.code(stops ? 503 : 200).send(''))
app.get('/', async ({ headers }, reply) => {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  for (;;) {
    const term = election.current
    if (term !== null) return `${id} answers, fence ${term.fence}\n`
    if (headers['x-forwarded-by'] !== undefined) return reply.code(NOT_LEADER).send('')
    const view = await election.ready({ signal })
    try {
      const passed = { 'x-forwarded-by': id }
      const answer = await fetch(`http://127.0.0.1:${view.metadata?.port ?? 0}/`, {
        headers: passed,
        signal,
      })
      if (answer.status === 200) return await answer.text()
    } catch (error) {
      if (signal.aborted) throw error // the request is a GET: it may be repeated whatever failed
    }
    await sleep(20, undefined, { signal })
  }
})
await app.listen({ port: Number(port), host: '127.0.0.1' })

await once(process, 'SIGTERM')
if (election.current !== null) await election.stepDown({ reason: 'replaced' })
stops = true
await sleep(GRACE_MS)
await app.close()
await election.close()
