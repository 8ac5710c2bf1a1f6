/** Helps the candidate programs of the rivals: reads their arguments and lines from sockets, reports the leader as lines of JSON, exits with the parent. */
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * The arguments of every candidate: its slot, the ports of all, and what its rival is configured with.
 * @typedef {{ slot: number, ports: number[], settings: any }} Arguments
 */

/** @returns {Arguments} */
export function candidateArguments() {
  const [slot, ports, settings] = process.argv.slice(2)
  return { slot: Number(slot), ports: ports.split(',').map(Number), settings: JSON.parse(settings) }
}

/** @type {number | null | undefined} */
let believed

/** Reports the slot that leads, or null for none, if it has changed. @param {number | null} leader */
export function reportLeader(leader) {
  const at = process.hrtime.bigint().toString()
  if (leader === believed) return
  believed = leader
  writeSync(1, `${JSON.stringify({ at, leader })}\n`)
}

/** Calls `take` with every line; a connection that fails only ends. @param {import('node:net').Socket} socket @param {(line: string) => void} take */
export function readLines(socket, take) {
  socket.on('error', () => undefined)
  createInterface({ input: socket })
    .on('line', take)
    .on('error', () => undefined)
}

process.stdin.on('end', () => process.exit(0)).resume()
