/**
 * A member process that elects over plain TCP sockets, without the library: the limit for failover on this machine. All
 * of them form a mesh; when the leader's socket closes, the next one sends Halt, collects Ack and sends Leader.
 * Usage: bare-member.js ME PORT0,PORT1,… ; prints {"at":…,"leader":…} whenever it learns who leads.
 */
import { connect, createServer } from 'node:net'

const me = Number(process.argv[2])
const ports = process.argv[3].split(',').map(Number)
const [HELLO, HALT, ACK, LEADER] = [0, 1, 2, 3]
/** @type {(import('node:net').Socket | undefined)[]} */
const links = ports.map(() => undefined)
/** @type {Set<number> | null} */
let awaited = null
let leader = -1
let begun = false

process.stdin.on('end', () => process.exit(0)).resume()

/** @param {number} peer @param {number} type */
function send(peer, type) {
  links[peer]?.write(Buffer.from([type, me]))
}

/** @param {number} who */
function know(who) {
  leader = who
  const at = process.hrtime.bigint().toString()
  process.stdout.write(`${JSON.stringify({ at, node: me, pid: process.pid, leader: who })}\n`)
}

function elect() {
  const strongest = links.findLastIndex((link, i) => link !== undefined || i === me)
  if (strongest !== me) return
  awaited = new Set(links.flatMap((link, i) => (link === undefined ? [] : [i])))
  for (const peer of awaited) send(peer, HALT)
  complete()
}

function complete() {
  if (awaited === null || awaited.size > 0) return
  awaited = null
  know(me)
  links.forEach((_, peer) => send(peer, LEADER))
}

/** @param {number} from @param {number} type */
function handle(from, type) {
  if (type === HALT) send(from, ACK)
  else if (type === ACK) {
    awaited?.delete(from)
    complete()
  } else if (type === LEADER) know(from)
}

/** @param {import('node:net').Socket} socket */
function wire(socket) {
  let peer = -1
  socket.setNoDelay(true)
  socket.on('error', () => undefined)
  socket.on('data', (bytes) => {
    for (let i = 0; i + 1 < bytes.length; i += 2) {
      if (bytes[i] === HELLO) {
        peer = bytes[i + 1]
        links[peer] = socket
        mayBegin()
      } else handle(bytes[i + 1], bytes[i])
    }
  })
  socket.on('close', () => {
    if (peer < 0 || links[peer] !== socket) return
    links[peer] = undefined
    awaited?.delete(peer)
    complete()
    if (leader === peer) elect()
  })
}

function mayBegin() {
  if (begun || links.filter((link) => link !== undefined).length < ports.length - 1) return
  begun = true
  setTimeout(elect, 50)
}

/** @param {number} peer */
function dial(peer) {
  const socket = connect(ports[peer], '127.0.0.1')
  socket.on('connect', () => {
    wire(socket)
    socket.write(Buffer.from([HELLO, me]))
  })
  socket.on('error', () => setTimeout(dial, 20, peer))
}

const server = createServer((socket) => {
  wire(socket)
  socket.write(Buffer.from([HELLO, me]))
})
server.listen(ports[me], '127.0.0.1', () => {
  for (let peer = 0; peer < me; peer++) dial(peer)
})
