/** Serves the files of the built lab on the loopback interface, and the routes that a command adds. */
import { once } from 'node:events'
import { createReadStream, existsSync, statSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { splitAddress } from '../../core/address.ts'
import { createLimitedServer } from '../../runtime/http/limited-server.ts'
import { UsageError } from '../errors.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
}

/** The frame in which the page runs programs of viewers: it has no origin, and fetches nothing. */
const SANDBOX_POLICY =
  `sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; ` +
  `worker-src blob:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'`

/** Answers a request that is not for a file; returns whether it did. */
type Route = (path: string, request: IncomingMessage, response: ServerResponse) => boolean

export interface LabServerOptions {
  /** 0 chooses a free port. */
  readonly port: number
  /** Tried before the files. */
  readonly route?: Route
  /** Other origins to which the page may connect, such as `http://127.0.0.1:7400`. */
  readonly connect?: readonly string[]
  /** The folder of the built page, if it is not the one of this version. */
  readonly folder?: string
}

export class LabServer {
  private readonly server: Server
  private readonly folder: string
  private readonly options: LabServerOptions

  private constructor(options: LabServerOptions) {
    this.options = options
    this.folder = options.folder ?? builtLab()
    this.server = createLimitedServer((request, response) => this.answer(request, response))
  }

  static async open(options: LabServerOptions): Promise<LabServer> {
    const lab = new LabServer(options)
    await new Promise<void>((resolve, reject) => {
      lab.server.once('error', (error: NodeJS.ErrnoException) => {
        const taken = error.code === 'EADDRINUSE'
        const sentence = `port ${options.port} is in use: choose another with --port, or 0 for a free one`
        reject(taken ? new UsageError(sentence) : error)
      })
      lab.server.listen(options.port, '127.0.0.1', resolve)
    })
    return lab
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`
  }

  async close(): Promise<void> {
    if (!this.server.listening) return
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = decoded(request.url?.split('?')[0] ?? '/')
    // Another site may resolve its own name to this address: its Host header is refused.
    if (!isLocal(request) || path === null) return refuse(response, 403)
    if (this.options.route?.(path, request, response) === true) return
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405)
    const file = join(this.folder, normalize(path === '/' ? '/index.html' : path))
    if (!file.startsWith(this.folder + sep) || !isFile(file)) return refuse(response, 404)
    response.writeHead(200, this.headers(file))
    if (request.method === 'HEAD') response.end()
    else createReadStream(file).pipe(response)
  }

  private headers(file: string): Record<string, string> {
    const { connect = [] } = this.options
    const hashed = file.includes(`${sep}assets${sep}`)
    return {
      'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
      'Cache-Control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Content-Security-Policy': file.endsWith(`${sep}sandbox.html`)
        ? SANDBOX_POLICY
        : `default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; ` +
          `connect-src ${["'self'", ...connect].join(' ')}; frame-ancestors 'none'; base-uri 'none'`,
    }
  }
}

function isLocal({ headers }: IncomingMessage): boolean {
  return ['127.0.0.1', 'localhost', '::1'].includes(splitAddress(headers.host ?? '')?.host ?? '')
}

/** The folder of the built page: beside the compiled command line, or in dist when run from the sources. */
export function builtLab(): string {
  const places = ['../../lab', '../../../dist/lab'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find((place) => existsSync(join(place, 'index.html')))
  if (found === undefined) {
    throw new UsageError('the lab is not built yet: run `npm run build:lab`, then try again')
  }
  return found
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile()
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Content-Type': 'text/plain' })
  response.end(`${status}\n`)
}
