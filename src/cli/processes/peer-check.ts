/**
 * Checks a peer as its member would meet it: visits it, under the same key or certificate, and compares the options that
 * both must share. Where members talk in plaintext, which answers no visitor, it only dials.
 */
import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { parseAddress } from '../../transports/address.ts'
import { TransportError } from '../../transports/errors.ts'
import {
  contentOf,
  optionsThatDiffer,
  readOptions,
  type Options,
} from '../../transports/handshake.ts'
import { printable } from '../../transports/printable.ts'
import { localKeyPath } from '../../transports/tcp/security/local-key.ts'
import type { Protection } from '../../transports/tcp/security/security-of.ts'
import { NOBODY_LISTENS } from '../../transports/tcp/visit.ts'
import { visitGroup } from './visit-group.ts'

const DIAL_MS = 2000
/** How many options that differ are named. */
const MOST_NAMED = 4

interface Meeting {
  readonly group: string
  /** The name of the nodes, where the group is one of many. */
  readonly node: string | undefined
  readonly id: string
  readonly peer: string
  /** Of the peer. */
  readonly address: string
  readonly protection: Protection
  /** The options of this member that all members share. */
  readonly shared: Options
}

interface Result {
  readonly ok: boolean
  readonly detail: string
}

/** With `isFirstStart`, a peer that does not run yet is no fault. */
export async function checkPeer(meeting: Meeting, isFirstStart: boolean): Promise<Result> {
  const result = await meet(meeting)
  if (!isFirstStart || result.ok || !result.detail.endsWith(NOBODY_LISTENS)) return result
  return { ok: true, detail: `${result.detail} yet` }
}

async function meet(meeting: Meeting): Promise<Result> {
  const { group, peer, address, protection } = meeting
  const { host, port } = parseAddress(address)
  const found = await lookup(host)
  const where = `${address} (${found.address})`
  const { node = group } = meeting
  const hasNoKey = !Object.values(protection).some(Boolean) && !existsSync(localKeyPath(node))
  if (protection.insecurePlaintext === true || hasNoKey) {
    const { ok, detail } = await dial(found.address, port)
    if (!ok || !hasNoKey) return { ok, detail: `${where}: ${detail}` }
  }
  try {
    const visited = { group, node: meeting.node, address, member: peer }
    const answer = await visitGroup(protection, visited, { ask: 'options' }, DIAL_MS)
    const options = contentOf(answer, 'options')
    if (options === undefined) {
      return { ok: true, detail: `${where}: answers; its version cannot compare options` }
    }
    const differences = differencesOf(meeting, readOptions(options))
    if (differences.length === 0)
      return { ok: true, detail: `${where}: answers, with the same options` }
    return { ok: false, detail: `${where}: ${differences.slice(0, MOST_NAMED).join('; ')}` }
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    if (hasNoKey) {
      return { ok: false, detail: `${where}: a process listens, of another group or another user` }
    }
    return { ok: false, detail: `${where}: ${error.message}` }
  }
}

function differencesOf({ id, peer, shared }: Meeting, theirs: Options): string[] {
  return optionsThatDiffer(shared, theirs).map(
    ([name, mine, other]) =>
      `${printable(name, 64)} is "${mine}" at ${id} and "${printable(other, 64)}" at ${peer}`,
  )
}

async function dial(host: string, port: number): Promise<Result> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: DIAL_MS })
    const end = (ok: boolean, detail: string): void => {
      socket.destroy()
      resolve({ ok, detail })
    }
    socket.on('connect', () => end(true, 'a process listens; in plaintext it answers no visitor'))
    socket.on('timeout', () => end(false, `no answer in ${DIAL_MS} ms: does a firewall block it?`))
    socket.on('error', (error) => {
      const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
      end(false, isRefused ? NOBODY_LISTENS : error.message)
    })
  })
}
