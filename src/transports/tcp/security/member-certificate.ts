/**
 * Reads from a certificate which member of which group it belongs to, until when it is valid, and its fingerprint. The
 * name is a URI of the subject alternative name, `bellwether:GROUP:ID`, both percent-encoded as `encodeURIComponent`
 * does; another spelling of the same name is no name.
 */
import type { X509Certificate } from 'node:crypto'

const URI = 'URI:'
const SCHEME = 'bellwether'

export interface MemberCertificate {
  /** The member of this group; empty for none, for several, of another group, and where the name is malformed. */
  readonly member: string
  readonly validUntilMs: number
  /** SHA-256, in hexadecimal without colons. */
  readonly fingerprint: string
}

/** The URI that a certificate of this member must have. */
export function memberUri(group: string, id: string): string {
  return [SCHEME, encodeURIComponent(group), encodeURIComponent(id)].join(':')
}

export function readMemberCertificate(
  certificate: X509Certificate,
  group: string,
): MemberCertificate {
  return {
    member: memberIn(certificate, group),
    validUntilMs: Date.parse(certificate.validTo),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  }
}

function memberIn({ subjectAltName = '' }: X509Certificate, group: string): string {
  const names = subjectAltName
    .split(', ')
    .filter((name) => name.startsWith(`${URI}${SCHEME}:`))
    .map((name) => name.slice(URI.length))
  if (names.length !== 1) return ''
  const id = decoded(names[0].slice(names[0].lastIndexOf(':') + 1))
  return names[0] === memberUri(group, id) ? id : ''
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
