/**
 * An HTTP service in which only the leader answers. The other replicas forward to it, wait while there is no leader,
 * and try again where no leader has begun the request. A replica that is told to stop hands over first, says at /ready
 * that it stops, and goes on forwarding until the load balancer sends it nothing more.
 * Usage: [GRACE_MS=1000] node forward.mjs ID NAME=HOST:PORT,… STATE-FOLDER HTTP-PORT
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'bellwether'

const [id, members, state, port] = process.argv.slice(2)
const PATIENCE_MS = 10_000
/** Longer than the load balancer takes to see /ready: the interval of its checks × how many must fail, plus their time-out. */
const GRACE_MS = Number(process.env['GRACE_MS'] ?? 1000)
const NOT_LEADER = 421
/** A request of these methods may be repeated although a leader that has crashed may have begun it. */
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])

// Each replica publishes its port; `view` has the leader's.
const metadata = { port: Number(port) }
const election = await join({ group: 'forward', id, members, state, metadata })

/** @param {unknown} cause */
function codeOf(cause) {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
}

/** @param {import('bellwether').FencedTerm} term */
function work(term) {
  return { status: 200, body: `${id} answers, fence ${term.fence}\n` }
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {AbortSignal} signal
 */
async function answer(request, signal) {
  const { method = 'GET', url, headers } = request
  const body = await buffer(request)
  for (;;) {
    const term = election.current
    if (term !== null) return work(term)
    if (headers['x-forwarded-by'] !== undefined) return { status: NOT_LEADER, body: '' }
    const { metadata } = await election.ready({ signal })
    try {
      const target = `http://127.0.0.1:${metadata?.port ?? 0}${url}`
      const passed = { 'content-type': headers['content-type'] ?? '', 'x-forwarded-by': id }
      // What a body of GET or HEAD means is not defined, and fetch refuses to send one.
      const content = body.length > 0 && method !== 'GET' && method !== 'HEAD' ? { body } : {}
      const reply = await fetch(target, { method, headers: passed, signal, ...content })
      if (reply.status !== NOT_LEADER) return { status: reply.status, body: await reply.text() }
    } catch (error) {
      const code = error instanceof TypeError ? codeOf(error.cause) : undefined
      if (code === undefined) throw error // no failure of the network: it would fail again
      const hasBegun = code !== 'ECONNREFUSED'
      if (signal.aborted || (hasBegun && !REPEATABLE.has(method))) throw error
    }
    await sleep(20, undefined, { signal })
  }
}

let stops = false
const server = createServer((request, response) => {
  if (stops) response.setHeader('connection', 'close')
  if (request.url === '/ready') {
    response.writeHead(stops ? 503 : 200).end()
    return
  }
  answer(request, AbortSignal.timeout(PATIENCE_MS)).then(
    ({ status, body }) => response.writeHead(status).end(body),
    () => response.writeHead(503, { 'retry-after': '1' }).end('no leader answers\n'),
  )
})
server.listen(Number(port), '127.0.0.1')

await once(process, 'SIGTERM')
if (election.current !== null) await election.stepDown({ reason: 'restart' })
stops = true
await sleep(GRACE_MS)
server.close()
await once(server, 'close')
await election.close()
