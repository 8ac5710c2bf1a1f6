/**
 * Opens a member as a process: joins its group, serves its status over HTTP, and writes the file by which other
 * commands find it.
 */
import { rmSync } from 'node:fs'
import {
  join,
  RemovedError,
  StatusServer,
  tcp,
  type Election,
  type Transport,
} from '../../index.ts'
import type { MemberConfig } from '../options/member-options.ts'
import { EXIT } from '../errors.ts'
import { remark } from '../terminal/print.ts'
import { endpointFile, writeEndpoint } from './member-endpoints.ts'

export interface MemberProcess {
  readonly election: Election
  /** Null where the configuration names no address. */
  readonly server: StatusServer | null
  /** Drains, resigns and leaves the group. */
  close(): Promise<void>
}

export async function openMember(
  { options, http, protection }: MemberConfig,
  transport: Transport = tcp(protection),
): Promise<MemberProcess> {
  const election = await join({ ...options, transport })
  if (http === undefined) return { election, server: null, close: async () => election.close() }
  let server: StatusServer | null = null
  const file = endpointFile(options.state, options.group, options.id)
  const close = async (): Promise<void> => {
    await election.close()
    await server?.close()
    rmSync(file, { force: true })
  }
  try {
    server = await StatusServer.open(election, { listen: http })
    const { address, token } = server
    writeEndpoint(options.state, file, { http: address, token, pid: process.pid })
    return { election, server, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The group has removed the member: the process says so, and ends with a code of its own. */
export function endWhenRemoved({ election }: MemberProcess, end: () => void): void {
  election.on('removed', () => {
    process.exitCode = EXIT.removed
    remark(`bellwether: ${new RemovedError(election.id).message}`)
    end()
  })
}
