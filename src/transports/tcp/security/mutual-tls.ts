/**
 * Opens and accepts sockets under mutual TLS 1.3, and ends those whose certificate expires or is revoked. Both sides
 * need a certificate that the configured authority signed and that names the member and its group
 * (member-certificate.ts). Host names and addresses do not matter: a member may move. Nothing else is trusted, neither
 * the system's authorities nor a resumed session, which would skip the certificate.
 */
import { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { connect, createServer, type Server, type TLSSocket } from 'node:tls'
import { clearInterval, setInterval } from '../../../clock/native-timers.ts'
import {
  certificateFiles,
  revocationList,
  wrongMember,
  wrongVisitor,
  type LoadedCertificates,
  type Owner,
  type RevocationList,
  type TlsFiles,
} from './certificate-files.ts'
import type { AcceptEvents, Credentials, Security } from '../endpoint-context.ts'
import type { Rejection } from '../../handshake.ts'
import { readMemberCertificate, type MemberCertificate } from './member-certificate.ts'
import type { Reloading } from './reloading.ts'

/** How often the certificates of open connections are examined. */
const EXAMINE_MS = 1000

/** Calls `report` about files that become unusable. Throws TransportError if they are unusable at the start. */
export function mutualTls(
  files: TlsFiles,
  owner: Owner,
  report: (reason: string) => void,
): Security {
  const material = certificateFiles(files, owner, report)
  const judge = new Judge(owner.cluster, revocationList(files.revoked, report), report)
  const acceptor = new Acceptor(material, judge)
  return {
    name: 'tls',
    get silence() {
      return silenceOf(material.current().own)
    },
    connect({ host, port }, peer, lookup) {
      const socket = connect({
        host,
        port,
        secureContext: material.current().context,
        rejectUnauthorized: true,
        checkServerIdentity: (_host, { raw }) => {
          const shown = judge.read(new X509Certificate(raw))
          const { cluster } = owner
          const expected = peer === '' ? { cluster } : { cluster, id: peer }
          const wrong = wrongMember(shown, expected) ?? judge.problemOf(shown)
          if (wrong === undefined) return undefined
          return Object.assign(new Error(wrong), { code: 'BELLWETHER_MEMBER' })
        },
        ...(lookup && { lookup }),
      })
      socket.once('secureConnect', () => judge.watch(socket))
      return { socket, readyEvent: 'secureConnect' }
    },
    accept: (raw, events) => acceptor.accept(raw, events),
    close: () => judge.close(),
  }
}

function silenceOf({ validUntilMs }: MemberCertificate): Rejection {
  const own =
    validUntilMs < Date.now()
      ? `the certificate of this member has expired on ${new Date(validUntilMs).toISOString()}`
      : 'it may not accept the certificate of this member: its log says why'
  const detail = `the process at its address ends every handshake: ${own}`
  return { field: 'certificate', detail }
}

/** Judges certificates when a connection begins, and again while it lasts. */
class Judge {
  private readonly group: string
  private readonly revoked: RevocationList
  private readonly report: (reason: string) => void
  private readonly open = new Map<TLSSocket, MemberCertificate>()
  private readonly timer: NodeJS.Timeout

  constructor(group: string, revoked: RevocationList, report: (reason: string) => void) {
    this.group = group
    this.revoked = revoked
    this.report = report
    this.timer = setInterval(() => this.examine(), EXAMINE_MS).unref()
  }

  read(certificate: X509Certificate): MemberCertificate {
    return readMemberCertificate(certificate, this.group)
  }

  problemOf(shown: MemberCertificate): string | undefined {
    if (shown.validUntilMs < Date.now()) return 'the certificate has expired'
    return this.revoked.includes(shown) ? 'the certificate is revoked' : undefined
  }

  watch(socket: TLSSocket): void {
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) return
    this.open.set(socket, this.read(certificate))
    socket.once('close', () => this.open.delete(socket))
  }

  close(): void {
    clearInterval(this.timer)
  }

  private examine(): void {
    for (const [socket, shown] of this.open) {
      const problem = this.problemOf(shown)
      if (problem === undefined) continue
      this.report(`the connection to ${shown.member || shown.operator} ends: ${problem}`)
      socket.destroy()
    }
  }
}

/** Passes sockets to a TLS server that does not listen itself: the listener limits what it accepts. */
class Acceptor {
  private readonly material: Reloading<LoadedCertificates>
  private readonly judge: Judge
  private readonly server: Server
  private current: LoadedCertificates
  private readonly waiting = new Map<string, AcceptEvents>()

  constructor(material: Reloading<LoadedCertificates>, judge: Judge) {
    this.material = material
    this.judge = judge
    this.current = material.current()
    // A dialler that fails the verification is refused here, and the reason is counted and logged.
    const verification = { requestCert: true, rejectUnauthorized: false }
    this.server = createServer({ ...this.current.options, ...verification })
    this.server.on('secureConnection', (socket) => {
      const waiting = this.waiting.get(keyOf(socket))
      if (waiting === undefined) socket.destroy()
      else waiting.ready(socket, this.credentialsOf(socket))
    })
    this.server.on('tlsClientError', (error, socket) => {
      this.waiting.get(keyOf(socket))?.failed(error.message)
      socket.destroy()
    })
  }

  accept(raw: Socket, events: AcceptEvents): void {
    const fresh = this.material.current()
    if (fresh !== this.current) this.server.setSecureContext(fresh.options)
    this.current = fresh
    const key = keyOf(raw)
    this.waiting.set(key, events)
    raw.once('close', () => this.waiting.delete(key))
    this.server.emit('connection', raw)
  }

  private credentialsOf(socket: TLSSocket): Credentials {
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) return { problem: 'a certificate is required' }
    if (socket.isSessionReused())
      return { problem: 'a resumed session does not show its certificate' }
    if (!socket.authorized)
      return { problem: `the certificate is not accepted: ${String(socket.authorizationError)}` }
    const shown = this.judge.read(certificate)
    const problem = wrongVisitor(shown) ?? this.judge.problemOf(shown)
    if (problem !== undefined) return { problem }
    this.judge.watch(socket)
    const { member, operator } = shown
    return { member, operator }
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
