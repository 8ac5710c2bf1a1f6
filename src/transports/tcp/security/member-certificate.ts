/**
 * Reads from a certificate which member or operator of which group it belongs to, until when it is valid, and its
 * fingerprint. The name is a URI of the subject alternative name, `bellwether:GROUP:ID` for a member and
 * `bellwether-operator:GROUP:NAME` for an operator, both percent-encoded as `encodeURIComponent` does; another spelling of
 * the same name is no name. An operator may visit members, and can never act as one.
 */
import type { X509Certificate } from 'node:crypto'

const URI = 'URI:'
const SCHEMES = { member: 'bellwether', operator: 'bellwether-operator' } as const
export type Role = keyof typeof SCHEMES

export interface MemberCertificate {
  /** The member of this group; empty for none, for several, of another group, and where the name is malformed. */
  readonly member: string
  /** The operator of this group; empty as for members. */
  readonly operator: string
  readonly validUntilMs: number
  /** SHA-256, in hexadecimal without colons. */
  readonly fingerprint: string
}

/** The URI that a certificate of this member or operator must have. */
export function memberUri(group: string, name: string, role: Role = 'member'): string {
  return [SCHEMES[role], encodeURIComponent(group), encodeURIComponent(name)].join(':')
}

export function readMemberCertificate(
  certificate: X509Certificate,
  group: string,
): MemberCertificate {
  return {
    member: nameIn(certificate, group, 'member'),
    operator: nameIn(certificate, group, 'operator'),
    validUntilMs: Date.parse(certificate.validTo),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  }
}

function nameIn({ subjectAltName = '' }: X509Certificate, group: string, role: Role): string {
  const names = subjectAltName
    .split(', ')
    .filter((name) => name.startsWith(`${URI}${SCHEMES[role]}:`))
    .map((name) => name.slice(URI.length))
  if (names.length !== 1) return ''
  const name = decoded(names[0].slice(names[0].lastIndexOf(':') + 1))
  return names[0] === memberUri(group, name, role) ? name : ''
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
