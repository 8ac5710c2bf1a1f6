/** A member that runs as a process: joined, shown over HTTP, ended by signals. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import {
  join,
  StatusServer,
  tcp,
  type Election,
  type JoinOptions,
  type TcpOptions,
} from '../../index.ts'
import { memberFile } from '../../stores/name.ts'
import { parseAddress } from '../../transports/address.ts'
import { makeCuttable, type CuttableTransport } from '../../testing/cuttable-transport.ts'

export interface MemberProcess {
  readonly election: Election
  readonly links: CuttableTransport
  readonly http: StatusServer | null
  /** Drains, resigns, leaves, and forgets where it could be reached. */
  close(): Promise<void>
}

/** How `status` and `step-down` find a member of this machine. */
export interface MemberEndpoint {
  readonly http: string
  readonly token: string
  readonly pid: number
}

export function endpointFile(state: string, group: string, id: string): string {
  return joinPath(state, memberFile(group, id, 'contact'))
}

export async function openMember(
  options: JoinOptions,
  http: string | undefined,
  protection: TcpOptions,
): Promise<MemberProcess> {
  if (http !== undefined) parseAddress(http) // before anything is begun
  const links = makeCuttable(tcp(protection))
  const election = await join({ ...options, transport: links.transport })
  if (http === undefined)
    return { election, links, http: null, close: async () => election.close() }
  const server = await openHttp(election, http)
  const folder = typeof options.state === 'string' ? options.state : '.bellwether'
  const file = endpointFile(folder, options.group, options.id)
  const close = async (): Promise<void> => {
    await election.close()
    await server.close()
    rmSync(file, { force: true })
  }
  try {
    writeContact(folder, file, server)
  } catch (error) {
    await close()
    throw error
  }
  return { election, links, http: server, close }
}

function writeContact(folder: string, file: string, server: StatusServer): void {
  const contact: MemberEndpoint = { http: server.address, token: server.token, pid: process.pid }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  writeFileSync(draft, `${JSON.stringify(contact)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

async function openHttp(election: Election, listen: string): Promise<StatusServer> {
  try {
    return await StatusServer.open(election, { listen })
  } catch (error) {
    await election.close()
    throw error
  }
}
