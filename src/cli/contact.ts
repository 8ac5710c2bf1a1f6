/** Talking to members of this machine over HTTP: found by their address, or by their state folder. */
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { UsageError } from './errors.ts'
import { contactFile, type Contact } from './member.ts'

export interface ContactFlags {
  readonly http?: string
  readonly state?: string
  readonly group?: string
  readonly id?: string
}

/** The members that were meant: one by its address or name, else all of the state folder. */
export function contactsOf(flags: ContactFlags): Partial<Contact>[] {
  if (flags.http !== undefined) return [{ http: flags.http }]
  const state = flags.state ?? '.bellwether'
  if (flags.id !== undefined) {
    return [readContact(contactFile(state, flags.group ?? 'default', flags.id))]
  }
  const files = readdirSync(state).filter((file) => file.endsWith('.contact'))
  if (files.length === 0) throw new UsageError(`${state}: no member with --http runs there`)
  return files.toSorted().map((file) => readContact(join(state, file)))
}

function readContact(file: string): Contact {
  return JSON.parse(readFileSync(file, 'utf8')) as Contact
}

export interface Answer {
  readonly code: number
  readonly body: Record<string, unknown>
}

const TIMEOUT_MS = 5000

/** Resolves to undefined where nobody answers. */
export async function ask(
  contact: Partial<Contact>,
  method: 'GET' | 'POST',
  path: string,
  payload?: object,
  timeoutMs = TIMEOUT_MS,
): Promise<Answer | undefined> {
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
