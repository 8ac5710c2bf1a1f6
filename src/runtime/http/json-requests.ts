/** Reads JSON bodies of HTTP requests, checks their bearer tokens, and writes JSON answers. */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

const MAX_BODY = 4096

export function reply(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(`${JSON.stringify(body)}\n`)
}

/** An empty body counts as an empty object; undefined: the body is too long, or no object. */
export async function bodyOf(
  request: IncomingMessage,
): Promise<Record<string, unknown> | undefined> {
  let text = ''
  try {
    for await (const chunk of request) {
      text += String(chunk)
      if (text.length > MAX_BODY) return undefined
    }
    const body: unknown = text === '' ? {} : JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

export function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
