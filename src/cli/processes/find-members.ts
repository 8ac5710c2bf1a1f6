/** Talking to members of this machine over HTTP: found by their address, or by their state folder. */
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { UsageError } from '../errors.ts'
import { ownerOf } from '../../stores/name.ts'
import { parseAddress } from '../../transports/address.ts'
import type { MemberEndpoint } from './member-process.ts'

export interface FindFlags {
  readonly http?: string
  readonly state?: string
  readonly group?: string
  readonly id?: string
}

export interface FoundMember extends MemberEndpoint {
  readonly group: string
}

/** The members that were meant: one by its address, else those of the state folder that have the names. */
export function findMembers({
  http,
  state = '.bellwether',
  group,
  id,
}: FindFlags): Partial<FoundMember>[] {
  if (http !== undefined) {
    parseAddress(http)
    return [{ http }]
  }
  const found = readdirSync(state)
    .toSorted()
    .flatMap((file) => {
      const owner = ownerOf(file, 'contact')
      const isMeant =
        owner !== undefined &&
        (group ?? owner.group) === owner.group &&
        (id ?? owner.id) === owner.id
      return isMeant ? [{ ...readContact(join(state, file)), group: owner.group }] : []
    })
  if (found.length > 0) return found
  const who = [...(id === undefined ? [] : [id]), ...(group === undefined ? [] : [`of ${group}`])]
  throw new UsageError(`${state}: no member ${[...who, 'with --http'].join(' ')} runs there`)
}

function readContact(file: string): MemberEndpoint {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as MemberEndpoint
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new UsageError(`${file}: is damaged: delete it, and start its member again`, {
      cause: error,
    })
  }
}

export interface HttpAnswer {
  readonly code: number
  readonly body: Record<string, unknown>
}

const TIMEOUT_MS = 5000

/** Resolves to undefined where nobody answers. */
export async function requestJson(
  contact: Partial<MemberEndpoint>,
  method: 'GET' | 'POST',
  path: string,
  payload?: object,
  timeoutMs = TIMEOUT_MS,
): Promise<HttpAnswer | undefined> {
  const headers = contact.token === undefined ? {} : { authorization: `Bearer ${contact.token}` }
  return new Promise((resolve) => {
    const url = `http://${contact.http}${path}`
    const sent = request(url, { method, headers, timeout: timeoutMs }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ code: response.statusCode ?? 0, body: parse(text) }))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(undefined))
    sent.end(payload === undefined ? undefined : JSON.stringify(payload))
  })
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
