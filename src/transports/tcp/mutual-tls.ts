/**
 * Opens and accepts sockets under mutual TLS 1.3, checks which member a certificate names, and reads certificate files
 * again when they change. Both sides need a certificate that the configured authority signed and that names one member
 * in a URI of its subject alternative name, `bellwether:member:ID` (the id percent-encoded). Host names and addresses
 * do not matter: a member may move. Nothing else is trusted, neither the system's authorities nor a resumed session,
 * which would skip the certificate.
 *
 * Files that have changed are read again for new connections, so certificates are rotated by replacing them. An
 * unusable pair, such as a new certificate beside the old key, is reported, and the last usable one stays in use.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import {
  connect,
  createSecureContext,
  createServer,
  type SecureContext,
  type SecureContextOptions,
  type Server,
  type TLSSocket,
} from 'node:tls'
import type { Credentials, Security } from './endpoint-context.ts'
import { TransportError } from '../errors.ts'
import { quote } from '../handshake.ts'

/** Each a path, or the text of a PEM file. */
export interface TlsFiles {
  readonly ca: string
  readonly certificate: string
  readonly key: string
}

const SAN = 'URI:bellwether:member:'

/** The URI that a certificate of this member must have. */
export function memberUri(id: string): string {
  return `bellwether:member:${encodeURIComponent(id)}`
}

/** The one member that a certificate names; empty for none, for several, and where it is malformed. */
function memberOf(certificate: X509Certificate): string {
  const names = (certificate.subjectAltName ?? '').split(', ').filter((it) => it.startsWith(SAN))
  try {
    return names.length === 1 ? decodeURIComponent(names[0].slice(SAN.length)) : ''
  } catch {
    return ''
  }
}

/** Calls `report` about files that become unusable. Throws TransportError if they are unusable at the start. */
export function mutualTls(
  files: TlsFiles,
  member: string,
  report: (reason: string) => void,
): Security {
  const material = new CertificateFiles(files, member, report)
  const acceptor = new Acceptor(material)
  return {
    name: 'tls',
    connect: ({ host, port }, peer, lookup) => ({
      socket: connect({
        host,
        port,
        secureContext: material.current().context,
        rejectUnauthorized: true,
        checkServerIdentity: (_host, { raw }) => wrongMember(new X509Certificate(raw), peer),
        ...(lookup && { lookup }),
      }),
      readyEvent: 'secureConnect',
    }),
    accept: (raw, ready, failed) => acceptor.accept(raw, ready, failed),
  }
}

function wrongMember(certificate: X509Certificate, expected: string): Error | undefined {
  const named = memberOf(certificate)
  if (named === expected) return undefined
  const whose = named === '' ? 'names no member' : `is ${quote(named)}'s`
  const message = `the certificate ${whose}; ${memberUri(expected)} was expected`
  return Object.assign(new Error(message), { code: 'BELLWETHER_MEMBER' })
}

/** Passes sockets to a TLS server that does not listen itself: the listener limits what it accepts. */
class Acceptor {
  private readonly material: CertificateFiles
  private readonly server: Server
  private current: Loaded
  private readonly waiting = new Map<string, Waiting>()

  constructor(material: CertificateFiles) {
    this.material = material
    this.current = material.current()
    // A dialler that fails the verification is rejected in the handshake, with the reason.
    const verification = { requestCert: true, rejectUnauthorized: false }
    this.server = createServer({ ...this.current.options, ...verification })
    this.server.on('secureConnection', (socket) => {
      const waiting = this.waiting.get(keyOf(socket))
      if (waiting === undefined) socket.destroy()
      else waiting.ready(socket, credentialsOf(socket))
    })
    this.server.on('tlsClientError', (error, socket) => {
      this.waiting.get(keyOf(socket))?.failed(error.message)
      socket.destroy()
    })
  }

  accept(raw: Socket, ready: Waiting['ready'], failed: Waiting['failed']): void {
    const fresh = this.material.current()
    if (fresh !== this.current) this.server.setSecureContext(fresh.options)
    this.current = fresh
    const key = keyOf(raw)
    this.waiting.set(key, { ready, failed })
    raw.once('close', () => this.waiting.delete(key))
    this.server.emit('connection', raw)
  }
}

function credentialsOf(socket: TLSSocket): Credentials {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return { problem: 'a certificate is required' }
  if (socket.isSessionReused())
    return { problem: 'a resumed session does not show its certificate' }
  if (socket.authorized) return { member: memberOf(certificate) }
  return { problem: `the certificate is not accepted: ${String(socket.authorizationError)}` }
}

interface Waiting {
  readonly ready: (socket: Socket, credentials: Credentials) => void
  readonly failed: (reason: string) => void
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

interface Loaded {
  readonly stamp: string
  readonly options: SecureContextOptions
  readonly context: SecureContext
}

class CertificateFiles {
  private readonly files: TlsFiles
  private readonly member: string
  private readonly report: (reason: string) => void
  private loaded: Loaded
  /** The stamp of files that are unusable: they are reported once. */
  private unusable = ''

  constructor(files: TlsFiles, member: string, report: (reason: string) => void) {
    this.files = files
    this.member = member
    this.report = report
    this.loaded = this.load(this.stamp())
  }

  current(): Loaded {
    let stamp = ''
    try {
      stamp = this.stamp()
      if (stamp === this.loaded.stamp || stamp === this.unusable) return this.loaded
      this.loaded = this.load(stamp)
    } catch (error) {
      if (stamp !== this.unusable || stamp === '') this.report((error as Error).message)
      this.unusable = stamp
    }
    return this.loaded
  }

  private stamp(): string {
    return [this.files.ca, this.files.certificate, this.files.key]
      .map((file) => {
        if (isPem(file)) return ''
        const { mtimeMs, ino, size } = orTransportError(file, () => statSync(file))
        return `${mtimeMs} ${ino} ${size}`
      })
      .join(' ')
  }

  private load(stamp: string): Loaded {
    const [ca, cert, key] = [this.files.ca, this.files.certificate, this.files.key].map((file) =>
      isPem(file) ? file : orTransportError(file, () => readFileSync(file, 'utf8')),
    )
    const options = { ca, cert, key, minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const
    const where = isPem(this.files.certificate) ? 'the certificate' : this.files.certificate
    const context = orTransportError(where, () => createSecureContext(options))
    const wrong = wrongMember(
      orTransportError(where, () => new X509Certificate(cert)),
      this.member,
    )
    if (wrong !== undefined) throw new TransportError(`${where}: ${wrong.message}`)
    return { stamp, options, context }
  }
}

function isPem(text: string): boolean {
  return text.includes('-----BEGIN')
}

function orTransportError<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
    const message = `${file}: cannot be used (${reason}): give a PEM file, and the key that fits the certificate`
    throw new TransportError(message, { cause })
  }
}
