/**
 * Writes the fence into an HTTP header, and makes a middleware that refuses requests with a stale fence or without
 * one: when the headers arrive, again when the body is complete, and whenever the handler asks.
 */
import { checkNames, ConfigurationError } from '../core/errors/configuration-error.ts'
import type { FencedTerm } from '../runtime/term.ts'
import { checkTerm, FenceLeapError, Guard, StaleFenceError } from './guard.ts'

const HEADER = 'bellwether-fence'

/** The headers of a leader's request: `fetch(url, { headers: fence.http.headers(term) })`. */
function headers(term: FencedTerm): Record<string, string> {
  checkTerm(term)
  return { [HEADER]: String(term.fence) }
}

/** The part of a request and of its response that is used. */
export interface Incoming {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** Whether the whole body has been read. */
  readonly readableEnded?: boolean
  emit?(event: string, ...values: unknown[]): boolean
  destroy?(error?: Error): unknown
}
export interface Outgoing {
  readonly headersSent?: boolean
  writeHead(code: number, headers: Record<string, string>): { end(text: string): unknown }
}

/** What the middleware adds to a request, as `request.fence`. */
export interface RequestFence {
  readonly token: number
  /** Throws StaleFenceError where a larger fence was seen meanwhile. Call it right before each effect. */
  check(): void
}
export interface FencedRequest extends Incoming {
  readonly fence: RequestFence
}

export interface HttpFenceOptions<R extends Incoming = Incoming> {
  /** Holds the largest fence. One for each resource, not for each route. */
  readonly guard?: Guard
  /**
   * Whether the caller may send a fence at all: a stranger that sends a large one locks the leader out. `'upstream'`
   * says that a middleware before this one, or the network, lets only members through.
   */
  readonly authorize: 'upstream' | ((request: R) => boolean | Promise<boolean>)
}

/**
 * A middleware for Express, Connect and `node:http`: 401 where the caller is not authorized, 428 where the header is
 * missing or not a number, 409 where a larger fence was seen, 422 where the fence leaps, otherwise `next`.
 */
function middleware<R extends Incoming>(options: HttpFenceOptions<R>) {
  checkNames(options, ['guard', 'authorize'], 'fence.http')
  const { guard = new Guard(), authorize } = options
  if (authorize !== 'upstream' && typeof authorize !== 'function') {
    throw new ConfigurationError('authorize', "must be 'upstream' or a function of the request")
  }
  const admit = (request: R, response: Outgoing, next: () => void): void => {
    const given = request.headers[HEADER]
    if (typeof given !== 'string' || !/^\d{1,16}$/u.test(given)) {
      return refuse(response, 428, `the header ${HEADER} must carry the fence of the leader's term`)
    }
    const token = Number(given)
    const check = (): void => guard.admit(token)
    const passes = (): boolean => {
      try {
        check()
        return true
      } catch (error) {
        const code = codeOf(error)
        if (code === undefined) throw error
        refuse(response, code, (error as Error).message)
        return false
      }
    }
    if (!passes()) return
    // Over HTTP/2 the headers do not say whether a body follows.
    if (request.readableEnded !== true) checkAtEnd(request, response, passes)
    Object.assign(request, { fence: { token, check } satisfies RequestFence })
    next()
  }
  return (request: R, response: Outgoing, next: () => void): void => {
    if (authorize === 'upstream') return admit(request, response, next)
    const decide = (authorized: boolean): void => {
      if (authorized) admit(request, response, next)
      else refuse(response, 401, 'this caller may not send a fence')
    }
    const answer = authorize(request)
    if (typeof answer === 'boolean') return decide(answer)
    answer.then(decide, () => refuse(response, 500, 'the caller could not be authorized'))
  }
}

function codeOf(error: unknown): number | undefined {
  if (error instanceof StaleFenceError) return 409
  return error instanceof FenceLeapError ? 422 : undefined
}

function refuse(response: Outgoing, code: number, error: string): void {
  if (response.headersSent === true) return
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}

/** A reader of the body gets its end only if the fence is still the largest; otherwise it gets an error. */
function checkAtEnd(request: Incoming, response: Outgoing, passes: () => boolean): void {
  const emit = request.emit?.bind(request)
  request.emit = (event, ...values) => {
    if (event === 'end' && response.headersSent !== true && !passes()) {
      request.destroy?.(new Error('the fence became stale before the body was complete'))
      return false
    }
    return emit?.(event, ...values) ?? false
  }
}

export const http = Object.assign(middleware, { headers })
