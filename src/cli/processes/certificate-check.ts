/**
 * Checks that the peers of a member would accept its certificate: that one of the authorities signed it, and that it and
 * that authority are valid now.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { TlsFiles } from '../../transports/tcp/security/certificate-files.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** How long before its end a certificate is worth a word. */
const SOON_MS = 30 * DAY_MS

/** Why peers refuse the certificate, or when it ends. */
export function checkCertificate({ ca, certificate }: TlsFiles): { ok: boolean; detail: string } {
  const own = new X509Certificate(readFileSync(certificate))
  const authorities = certificatesIn(readFileSync(ca, 'utf8'))
  const signer = authorities.find(
    (authority) => own.checkIssued(authority) && own.verify(authority.publicKey),
  )
  if (signer === undefined) {
    return { ok: false, detail: `${certificate}: no authority in ${ca} has signed it` }
  }
  for (const [file, one] of [
    [ca, signer],
    [certificate, own],
  ] as const) {
    if (Date.parse(one.validTo) < Date.now())
      return { ok: false, detail: `${file}: has expired on ${dayOf(one.validTo)}` }
    if (Date.parse(one.validFrom) > Date.now())
      return { ok: false, detail: `${file}: is not valid before ${one.validFrom}` }
  }
  const soon = Date.parse(own.validTo) - Date.now() < SOON_MS ? ', which is soon' : ''
  return { ok: true, detail: `valid until ${dayOf(own.validTo)}${soon}` }
}

function certificatesIn(pem: string): X509Certificate[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/gu) ?? []
  return found.map((one) => new X509Certificate(one))
}

function dayOf(date: string): string {
  return new Date(date).toISOString().slice(0, 10)
}
