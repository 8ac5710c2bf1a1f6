/**
 * Writes, finds and reads the files that name the HTTP endpoints of the members on this machine, and sends requests to
 * them.
 */
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { memberFile, ownerOf } from '../../stores/member-files.ts'
import { openPrivateFolder, readPrivateFile } from '../../stores/private-folder.ts'
import type { Json } from '../../core/schema.ts'
import { parseAddress } from '../../transports/address.ts'
import { isRecord } from '../../transports/handshake.ts'
import { printableJson } from '../../transports/printable.ts'
import { UnreachableError, UsageError } from '../errors.ts'

export interface MemberEndpoint {
  readonly http: string
  /** What `step-down` must send. */
  readonly token: string
  readonly pid: number
}

export interface EndpointFlags {
  readonly http?: string
  readonly state: string
  readonly group?: string
  readonly id?: string
}

export function endpointFile(state: string, group: string, id: string): string {
  return join(state, memberFile(group, id, 'contact'))
}

export function writeEndpoint(folder: string, file: string, endpoint: MemberEndpoint): void {
  openPrivateFolder(folder)
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  writeFileSync(draft, `${JSON.stringify(endpoint)}\n`, { flag: 'wx', mode: 0o600 })
  renameSync(draft, file)
}

export function readEndpoint(file: string): MemberEndpoint {
  try {
    return JSON.parse(readPrivateFile(file).toString()) as MemberEndpoint
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new UsageError(`${file}: is damaged: delete it, and start its member again`, { cause })
  }
}

/** The member at the address, or the members of the state folder that have the group and the name. */
export function findEndpoints({
  http,
  state,
  group,
  id,
}: EndpointFlags): Partial<MemberEndpoint & { group: string; id: string }>[] {
  if (http !== undefined) {
    parseAddress(http)
    return [{ http }]
  }
  const found = readdirSync(state)
    .toSorted()
    .flatMap((file) => {
      const owner = ownerOf(file, 'contact')
      if (owner === undefined || (group ?? owner.group) !== owner.group) return []
      if ((id ?? owner.id) !== owner.id) return []
      return [{ ...readEndpoint(join(state, file)), ...owner }]
    })
  if (found.length > 0) return found
  const who = [...(id === undefined ? [] : [id]), ...(group === undefined ? [] : [`of ${group}`])]
  throw new UnreachableError(
    `${state}: no member ${[...who, 'with --http'].join(' ')} runs there: give --members or --peer with --group, or ` +
      'the --state of a member that serves --http',
  )
}

export interface HttpAnswer {
  readonly code: number
  readonly body: Record<string, unknown>
}

/** More than the status of a thousand members. */
const LONGEST_ANSWER = 1 << 20

/** Resolves to undefined where no member answers. */
export async function requestJson(
  { http, token }: Partial<MemberEndpoint>,
  method: 'GET' | 'POST',
  path: string,
  payload?: object,
  timeout = 5000,
): Promise<HttpAnswer | undefined> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve) => {
    const url = `http://${http}${path}`
    const sent = request(url, { method, headers, timeout }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += String(chunk)
        if (text.length > LONGEST_ANSWER) sent.destroy(new Error('the answer is too long'))
      })
      response.on('error', () => resolve(undefined))
      response.on('end', () => resolve({ code: response.statusCode ?? 0, body: parse(text) }))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(undefined))
    sent.end(payload === undefined ? undefined : JSON.stringify(payload))
  })
}

/** Another process may have the port of a member that has ended: what it says is not printed as it is. */
function parse(text: string): Record<string, unknown> {
  try {
    const json = printableJson(JSON.parse(text) as Json)
    return isRecord(json) ? json : {}
  } catch {
    return {}
  }
}
