/** A candidate of the npm package `@markwylde/liferaft` (Raft without a log), over one line of JSON for each packet. */
import { connect, createServer } from 'node:net'
import { candidateArguments, readLines, reportLeader } from './candidate.js'

/** Installed by the benchmark, not with this package. */
const PACKAGE = '@markwylde/liferaft'
const { default: Raft } = await import(PACKAGE)
const { slot, ports, settings } = candidateArguments()

/** The connection to one peer, with the calls that wait for an answer. */
class Link {
  /** @type {Map<number, (error: unknown, answer?: unknown) => void>} */
  calls = new Map()
  made = 0

  /** @param {number} port */
  constructor(port) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.on('close', () => {
      for (const done of this.calls.values()) done(new Error('closed'))
    })
    readLines(this.socket, (line) => {
      const { call, packet } = JSON.parse(line)
      this.calls.get(call)?.(undefined, packet)
      this.calls.delete(call)
    })
  }

  /** @param {unknown} packet @param {(error: unknown, answer?: unknown) => void} done */
  call(packet, done) {
    this.made += 1
    this.calls.set(this.made, done)
    this.socket.write(`${JSON.stringify({ call: this.made, packet })}\n`)
  }
}

/** @type {Map<number, Link>} */
const links = new Map()

class TcpRaft extends Raft {
  /** The package calls it on the object that stands for a peer. @param {unknown} packet @param {() => void} done */
  write(packet, done) {
    const port = Number(this['address'])
    let link = links.get(port)
    if (link === undefined || link.socket.destroyed) links.set(port, (link = new Link(port)))
    link.call(packet, done)
  }
}

/** @type {any} */
const raft = Reflect.construct(TcpRaft, [ports[slot], settings])
createServer({ noDelay: true }, (socket) => {
  readLines(socket, (line) => {
    const { call, packet } = JSON.parse(line)
    const answer = async (/** @type {unknown} */ given) => {
      const found = await given
      if (found) socket.write(`${JSON.stringify({ call, packet: found })}\n`)
    }
    raft.emit('data', packet, answer)
  })
}).listen(ports[slot], '127.0.0.1')
raft.on('error', () => undefined)
raft.on('state change', (/** @type {number} */ state) => {
  reportLeader(state === Raft.LEADER ? slot : null)
})
raft.on('data', (/** @type {{ state: number, term: number, address: number }} */ packet) => {
  const leads = packet?.state === Raft.LEADER && packet.term >= raft.term
  if (leads && raft.state !== Raft.LEADER) reportLeader(ports.indexOf(packet.address))
})
for (const [peer, port] of ports.entries()) if (peer !== slot) raft.join(port)
process.on('unhandledRejection', () => undefined)
