/**
 * A candidate that elects over plain TCP sockets, without any library: the limit for failover on this machine. Candidates
 * form a mesh; when the leader's socket closes, the next one sends Halt, collects Ack and sends Leader. A closed socket
 * counts as a death, nothing is stored, and no promise is made.
 */
import { connect, createServer } from 'node:net'
import { candidateArguments, reportLeader } from './candidate.js'

const { slot: me, ports } = candidateArguments()
const [HELLO, HALT, ACK, LEADER] = [0, 1, 2, 3]
const FRAME = 6
const REDIAL_MS = 10
/** @type {(import('node:net').Socket | undefined)[]} */
const links = ports.map(() => undefined)
/** @type {Set<number> | null} */
let awaited = null
let leader = -1
let epoch = 0
let hasStood = false

/** @param {number} peer @param {number} type @param {number} of */
function send(peer, type, of) {
  const frame = Buffer.from([type, me, 0, 0, 0, 0])
  frame.writeUInt32LE(of, 2)
  links[peer]?.write(frame)
}

/** @param {number} who */
function know(who) {
  leader = who
  reportLeader(who < 0 ? null : who)
}

function elect() {
  if (links.findLastIndex((link, i) => link !== undefined || i === me) !== me) return
  epoch += 1
  awaited = new Set(links.flatMap((link, i) => (link === undefined ? [] : [i])))
  for (const peer of awaited) send(peer, HALT, epoch)
  complete()
}

function complete() {
  if (awaited === null || awaited.size > 0) return
  awaited = null
  know(me)
  links.forEach((_, peer) => send(peer, LEADER, epoch))
}

/** @param {number} from @param {number} type @param {number} of */
function handle(from, type, of) {
  if (type === HALT) {
    epoch = Math.max(epoch, of)
    send(from, ACK, of)
  } else if (type === ACK && of === epoch) {
    awaited?.delete(from)
    complete()
  } else if (type === LEADER && of >= epoch) {
    awaited = null
    epoch = of
    know(from)
  }
}

/** @param {number} peer @param {import('node:net').Socket} socket @param {number} of */
function linked(peer, socket, of) {
  links[peer] = socket
  epoch = Math.max(epoch, of)
  if (leader === me) send(peer, LEADER, epoch)
  // The strongest stands once, when it is connected to all.
  if (hasStood || links.filter((link) => link !== undefined).length < ports.length - 1) return
  hasStood = true
  if (me === ports.length - 1) setTimeout(elect, 50)
}

/** @param {import('node:net').Socket} socket @param {() => void} closed */
function wire(socket, closed) {
  let peer = -1
  socket.setNoDelay(true)
  socket.on('error', () => undefined)
  socket.on('data', (bytes) => {
    for (let at = 0; at + FRAME <= bytes.length; at += FRAME) {
      const [type, from, of] = [bytes[at], bytes[at + 1], bytes.readUInt32LE(at + 2)]
      if (type === HELLO) linked((peer = from), socket, of)
      else handle(from, type, of)
    }
  })
  socket.on('close', () => {
    closed()
    if (peer < 0 || links[peer] !== socket) return
    links[peer] = undefined
    awaited?.delete(peer)
    complete()
    if (leader !== peer) return
    know(-1)
    elect()
  })
}

/** @param {import('node:net').Socket} socket */
function greet(socket) {
  const hello = Buffer.from([HELLO, me, 0, 0, 0, 0])
  hello.writeUInt32LE(epoch, 2)
  socket.write(hello)
}

/** @param {number} peer */
function dial(peer) {
  const socket = connect(ports[peer], '127.0.0.1', () => greet(socket))
  wire(socket, () => setTimeout(dial, REDIAL_MS, peer))
}

const server = createServer((socket) => {
  wire(socket, () => undefined)
  greet(socket)
})
server.listen(ports[me], '127.0.0.1', () => {
  for (let peer = 0; peer < me; peer++) dial(peer)
})
