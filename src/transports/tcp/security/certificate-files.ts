/**
 * Reads the files for mutual TLS: authority, certificate and key of this member, and the list of what is refused. Files
 * that have changed are read again for new connections, so certificates are rotated by replacing them. An unusable
 * pair, such as a new certificate beside the old key, is reported, and the last usable one stays in use.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import { TransportError } from '../../errors.ts'
import { quote } from '../../handshake.ts'
import type { Identity } from '../../transport.ts'
import { memberUri, readMemberCertificate, type MemberCertificate } from './member-certificate.ts'
import { orTransportError, Reloading } from './reloading.ts'

/** Each a path, or the text of a PEM file. */
export interface TlsFiles {
  readonly ca: string
  readonly certificate: string
  readonly key: string
  /** The path of a list: in each line a member's name, or the SHA-256 fingerprint of a certificate. */
  readonly revoked?: string
}

export interface LoadedCertificates {
  readonly options: SecureContextOptions
  readonly context: SecureContext
  readonly own: MemberCertificate
}

/** Without an id: a visitor, whose certificate may be any of the group. */
export type Owner = Pick<Identity, 'cluster'> & Partial<Pick<Identity, 'id'>>

const PEM_REMEDY = 'give a PEM file, and the key that fits the certificate'

/** Throws TransportError if the files are unusable at the start. */
export function certificateFiles(
  { ca, certificate, key }: TlsFiles,
  owner: Owner,
  report: (reason: string) => void,
): Reloading<LoadedCertificates> {
  const files = [ca, certificate, key]
  const read = (file: string): string =>
    isPem(file) ? file : orTransportError(file, () => readFileSync(file, 'utf8'), PEM_REMEDY)
  const load = (): LoadedCertificates => {
    const [authority, cert, secret] = files.map(read)
    const versions = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const
    const options = { ca: authority, cert, key: secret, ...versions }
    const where = isPem(certificate) ? 'the certificate' : certificate
    const context = orTransportError(where, () => createSecureContext(options), PEM_REMEDY)
    const parsed = orTransportError(where, () => new X509Certificate(cert), PEM_REMEDY)
    const own = readMemberCertificate(parsed, owner.cluster)
    const wrong = owner.id === undefined ? wrongVisitor(own) : wrongMember(own, owner)
    if (wrong !== undefined) throw new TransportError(`${where}: ${wrong}`)
    return { options, context, own }
  }
  return new Reloading(
    files.filter((file) => !isPem(file)),
    load,
    report,
  )
}

/** Why this is not the certificate of the expected member, or of any member, if it is not. */
export function wrongMember(
  { member }: MemberCertificate,
  { cluster, id }: Owner,
): string | undefined {
  if (member !== '' && member === (id ?? member)) return undefined
  const whose = member === '' ? 'names no member of this group' : `is ${quote(member)}'s`
  return `the certificate ${whose}; ${memberUri(cluster, id ?? '…')} was expected`
}

/** Why nobody may visit with this certificate, if so. */
export function wrongVisitor({ member, operator }: MemberCertificate): string | undefined {
  if (member !== '' || operator !== '') return undefined
  return 'the certificate names no member of this group, and no operator'
}

export interface RevocationList {
  includes(certificate: MemberCertificate): boolean
}

/** Lines are names or fingerprints; `#` begins a comment. */
export function revocationList(
  file: string | undefined,
  report: (reason: string) => void,
): RevocationList {
  if (file === undefined) return { includes: () => false }
  const list = new Reloading(
    [file],
    () => {
      const text = orTransportError(file, () => readFileSync(file, 'utf8'))
      const lines = text.split('\n').map((line) => line.replace(/\s*#.*|\s+$/u, ''))
      return new Set(lines.flatMap((line) => [line, line.replaceAll(':', '').toLowerCase()]))
    },
    report,
  )
  return {
    includes: ({ member, operator, fingerprint }) => {
      const refused = list.current()
      return [fingerprint, member, operator].some((name) => name !== '' && refused.has(name))
    },
  }
}

function isPem(text: string): boolean {
  return text.includes('-----BEGIN')
}
