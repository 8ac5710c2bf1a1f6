/** A candidate of the npm package `bully`, which has no transport: here each message is one line of JSON over TCP. */
import { EventEmitter } from 'node:events'
import { connect, createServer } from 'node:net'
import { candidateArguments, readLines, reportLeader } from './candidate.js'

/** Installed by the benchmark, not with this package. */
const PACKAGE = 'bully'
const { default: Bully } = await import(PACKAGE)
const { slot, ports, settings } = candidateArguments()
const me = Object.assign(new EventEmitter(), { id: `p${slot}` })

/** What `bully` calls a peer: an emitter whose events are sent. @param {number} peer */
function remote(peer) {
  /** @type {import('node:net').Socket | undefined} */
  let socket
  return {
    id: `p${peer}`,
    /** @param {string} event @param {unknown} data */
    emit(event, data) {
      if (socket === undefined || socket.destroyed) {
        socket = connect({ port: ports[peer], host: '127.0.0.1', noDelay: true })
        socket.on('error', () => undefined)
      }
      socket.write(`${JSON.stringify([event, data])}\n`)
    },
  }
}

const peers = ports.flatMap((_, peer) => (peer === slot ? [] : [remote(peer)]))
createServer({ noDelay: true }, (socket) => {
  readLines(socket, (line) => {
    const [event, data] = JSON.parse(line)
    me.emit(event, data)
    if (event === 'victory' || event === 'ping') look()
  })
}).listen(ports[slot], '127.0.0.1')

const bully = new Bully({ id: me.id, me, peers, ...settings })
function look() {
  const { peer, self } = bully.master
  if (self) reportLeader(slot)
  else if (peer) reportLeader(Number(peer.id.slice(1)))
}
bully.on('master', () => reportLeader(slot))
bully.on('stepped_down', () => setImmediate(look))
bully.on('error', () => undefined)
