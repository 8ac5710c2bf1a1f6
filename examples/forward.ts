/**
 * An HTTP service in which only the leader answers: the others forward to it. Each member publishes its
 * port as metadata, and `view` has the leader's.
 * Usage: forward.ts ID NAME=HOST:PORT,… STATE-FOLDER HTTP-PORT
 */
import { createServer, request } from 'node:http'
import { join } from 'bellwether'

const [id, list, state, port] = process.argv.slice(2)
const members = Object.fromEntries(list.split(',').map((entry) => entry.split('='))) as {
  [name: string]: string
}

await using election = await join({
  group: 'forward',
  id,
  members,
  state,
  metadata: { port: Number(port) },
})

const server = createServer((incoming, response) => {
  const { view } = election
  if (election.current !== null) {
    response.end(`${id} answers, term ${election.current.number}\n`)
    return
  }
  const metadata = view.kind === 'leader' ? view.metadata : null
  if (metadata === null) {
    response.writeHead(503, { 'retry-after': '1' }).end('no leader\n')
    return
  }
  const target = { host: '127.0.0.1', port: metadata.port, path: incoming.url }
  const forwarded = request(target, (answer) => answer.pipe(response))
  forwarded.on('error', () => response.writeHead(502).end('the leader does not answer\n'))
  incoming.pipe(forwarded)
})
server.listen(Number(port), '127.0.0.1')

await new Promise<void>((resolve) => {
  process.once('SIGTERM', resolve)
})
server.close()
server.closeAllConnections()
