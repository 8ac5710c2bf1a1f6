/**
 * Writes the fence into an HTTP header, and makes a middleware that refuses requests with a stale fence or without
 * one.
 */
import type { FencedTerm } from '../runtime/term.ts'
import { Guard, StaleFenceError } from './guard.ts'

const HEADER = 'bellwether-fence'

/** The headers of a leader's request: `fetch(url, { headers: fence.http.headers(term) })`. */
function headers(term: FencedTerm): Record<string, string> {
  return { [HEADER]: String(term.fence) }
}

/** The part of a request and of its response that is used. */
export interface Incoming {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
}
export interface Outgoing {
  writeHead(code: number, headers: Record<string, string>): { end(text: string): unknown }
}

export interface HttpFenceOptions {
  /** Holds the largest fence. One for each resource, not for each route. */
  readonly guard?: Guard
}

/**
 * A middleware for Express, Connect and `node:http`: 428 where the header is missing or not a number, 409 where a
 * larger fence was seen, otherwise `next`.
 */
function middleware({ guard = new Guard() }: HttpFenceOptions = {}) {
  return (request: Incoming, response: Outgoing, next: () => void): void => {
    const given = request.headers[HEADER]
    const refuse = (code: number, error: string): void => {
      response
        .writeHead(code, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error }))
    }
    if (typeof given !== 'string' || !/^\d{1,16}$/u.test(given)) {
      return refuse(428, `the header ${HEADER} must carry the fence of the leader's term`)
    }
    try {
      guard.admit(Number(given))
    } catch (error) {
      if (error instanceof StaleFenceError) return refuse(409, error.message)
      throw error
    }
    next()
  }
}

export const http = Object.assign(middleware, { headers })
