/**
 * Calls the API server of Kubernetes over HTTPS: finds it, the namespace, the authority and the token as a pod has them,
 * and reads the files of token and authority for each request, since the kubelet replaces them.
 */
import { readFileSync } from 'node:fs'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { EngineError, failure } from './engine.ts'

export interface KubernetesApiOptions {
  /** `https://10.0.0.1:6443`; by default that of the pod. Plain `http` only on this machine, for `kubectl proxy`. */
  readonly server?: string
  readonly namespace?: string
  /** The file with the bearer token. */
  readonly tokenFile?: string
  /** The file with the authority of the server's certificate. */
  readonly caFile?: string
  /** PEM texts: a certificate in place of a token. */
  readonly certificate?: string | Buffer
  readonly key?: string | Buffer
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
const LOOPBACK = /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/u
/** A proxy before the server may drop a connection in silence. */
const KEEP_ALIVE_MS = 15_000

/** The API server refused a request. */
class ApiError extends EngineError {
  readonly status: number

  constructor(status: number, text: string) {
    super(`kubernetes: ${status} ${text}`)
    this.status = status
  }
}

export class KubernetesApi {
  readonly namespace: string
  private readonly server: URL
  private readonly options: KubernetesApiOptions
  private readonly tokenFile: string | undefined
  private readonly caFile: string | undefined
  private readonly agent: HttpAgent

  constructor(options: KubernetesApiOptions) {
    // What the pod's account gives belongs to the pod's server.
    const isInCluster = options.server === undefined
    const inPod = (name: string): string | undefined =>
      isInCluster ? `${ACCOUNT}/${name}` : undefined
    this.server = new URL(options.server ?? serverOfPod())
    const isSecure = this.server.protocol === 'https:'
    if (!isSecure && !LOOPBACK.test(this.server.hostname)) {
      throw new EngineError(`kubernetes: ${this.server.host} must be reached over https`)
    }
    this.options = options
    this.tokenFile = options.tokenFile ?? inPod('token')
    this.caFile = options.caFile ?? inPod('ca.crt')
    this.namespace = options.namespace ?? (isInCluster ? read(`${ACCOUNT}/namespace`) : 'default')
    const pool = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxSockets: 4 }
    this.agent = isSecure ? new HttpsAgent(pool) : new HttpAgent(pool)
  }

  /** Rejects with an EngineError, whose `status` is that of the answer. */
  async call<T>(method: string, path: string, signal: AbortSignal, body?: object): Promise<T> {
    const response = await this.send(method, path, signal, body, true)
    return JSON.parse(await textOf(response)) as T
  }

  /** The lines of an answer that does not end. */
  async *lines(path: string, signal: AbortSignal): AsyncGenerator<string> {
    const response = await this.send('GET', path, signal, undefined, false)
    let rest = ''
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = `${rest}${String(chunk)}`.split('\n')
      rest = lines.pop() ?? ''
      yield* lines.filter((line) => line !== '')
    }
  }

  close(): void {
    this.agent.destroy()
  }

  private async send(
    method: string,
    path: string,
    signal: AbortSignal,
    body: object | undefined,
    pooled: boolean,
  ): Promise<IncomingMessage> {
    const { certificate, key } = this.options
    const { tokenFile, caFile } = this
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      accept: 'application/json',
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
      ...(tokenFile !== undefined && { authorization: `Bearer ${read(tokenFile)}` }),
    }
    const given = { method, headers, signal, agent: pooled && this.agent }
    const url = new URL(path, this.server)
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...given, ca: caFile && read(caFile), cert: certificate, key })
          : httpRequest(url, given)
      sent.on('response', resolve)
      sent.on('error', (error) => reject(failure('kubernetes', error)))
      sent.end(text)
    })
    const { statusCode = 0 } = response
    if (statusCode >= 200 && statusCode < 300) return response
    throw new ApiError(statusCode, sentenceIn(await textOf(response)))
  }
}

function serverOfPod(): string {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env
  if (host !== undefined) return `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  throw new EngineError(
    'kubernetes: this process runs in no pod (KUBERNETES_SERVICE_HOST is not set): give the server',
  )
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new EngineError(`kubernetes: ${file} cannot be read`, { cause })
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return text
}

/** The server says why in a Status. */
function sentenceIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string') return message.slice(0, 200)
  } catch {
    // A proxy between answers in a form of its own.
  }
  return text.slice(0, 200).trim()
}
