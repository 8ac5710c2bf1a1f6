/** Makes or loads the certificate authority of a folder, and issues certificates of members and operators. */
import {
  createPrivateKey,
  randomBytes,
  webcrypto,
  X509Certificate,
  type KeyObject,
} from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type * as x509Types from '@peculiar/x509'
import { memberUri, type Role } from '../../transports/tcp/security/member-certificate.ts'
import { UsageError } from '../errors.ts'
import { installCommand } from './install-command.ts'
import { writePrivate } from './private-file.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 24 * 60 * 60 * 1000
/** The name of its files, which no member may have. */
export const AUTHORITY = 'authority'

const CLIENTS = ['@peculiar/x509', 'reflect-metadata']
/** The folder of this package. */
const HERE = fileURLToPath(new URL('../../../', import.meta.url))

type X509 = typeof x509Types
type Keys = webcrypto.CryptoKeyPair
type Certificate = InstanceType<X509['X509Certificate']>

/** Whose certificate it is. */
export interface Holder {
  readonly group: string
  readonly id: string
  readonly role: Role
}

export class CertificateAuthority {
  private readonly x509: X509
  private readonly folder: string
  private readonly certificate: Certificate
  private readonly key: webcrypto.CryptoKey

  private constructor(
    x509: X509,
    folder: string,
    certificate: Certificate,
    key: Keys['privateKey'],
  ) {
    this.x509 = x509
    this.folder = folder
    this.certificate = certificate
    this.key = key
  }

  /** Uses the authority that the folder holds, or makes one in an empty folder. Throws UsageError. */
  static async in(folder: string, days: number): Promise<CertificateAuthority> {
    const x509 = await load()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const [file, keyFile] = ['pem', 'key'].map((kind) => join(folder, `${AUTHORITY}.${kind}`))
    if (existsSync(file) && existsSync(keyFile)) {
      const [pem, keyPem] = [file, keyFile].map((path) => readFileSync(path, 'utf8'))
      refuseUnusable(file, new X509Certificate(pem), createPrivateKey(keyPem))
      const certificate = new x509.X509Certificate(pem)
      const der = x509.PemConverter.decodeFirst(keyPem)
      const key = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign'])
      return new CertificateAuthority(x509, folder, certificate, key)
    }
    refuseRemains(folder)
    const keys = await newKeys()
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: 'CN=bellwether authority',
      ...validity(new Date(Date.now() + days * DAY_MS)),
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      ],
    })
    await writePair(join(folder, AUTHORITY), certificate, keys, x509, false)
    return new CertificateAuthority(x509, folder, certificate, keys.privateKey)
  }

  /** When the authority ends, and every certificate of it with it. */
  get notAfter(): Date {
    return this.certificate.notAfter
  }

  /** A URI binds the certificate to group and member, or operator; nothing else in it counts. It ends with its authority at the latest. */
  async issue({ group, id, role }: Holder, days: number, replace: boolean): Promise<string> {
    const { x509 } = this
    const keys = await newKeys()
    const until = Math.min(Date.now() + days * DAY_MS, this.certificate.notAfter.getTime())
    const certificate = await x509.X509CertificateGenerator.create({
      subject: `CN=${id}`,
      issuer: this.certificate.subject,
      ...validity(new Date(until)),
      publicKey: keys.publicKey,
      signingKey: this.key,
      extensions: [
        new x509.ExtendedKeyUsageExtension([
          x509.ExtendedKeyUsage.serverAuth,
          x509.ExtendedKeyUsage.clientAuth,
        ]),
        new x509.SubjectAlternativeNameExtension([
          { type: 'url', value: memberUri(group, id, role) },
        ]),
      ],
    })
    await writePair(join(this.folder, id), certificate, keys, x509, replace)
    return Buffer.from(await certificate.getThumbprint('SHA-256')).toString('hex')
  }
}

async function load(): Promise<X509> {
  try {
    await import('reflect-metadata')
    const x509 = await import('@peculiar/x509')
    x509.cryptoProvider.set(webcrypto)
    return x509
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new UsageError(
      `certs needs the packages ${CLIENTS.join(' and ')}: run "${installCommand(HERE, CLIENTS)}"`,
    )
  }
}

/** A second authority beside the certificates of the first would separate the members that load it. */
function refuseRemains(folder: string): void {
  const remains = readdirSync(folder).find((file) => /\.(?:pem|key)$/u.test(file))
  if (remains === undefined) return
  throw new UsageError(
    `${folder} holds ${remains}, but not both ${AUTHORITY}.pem and ${AUTHORITY}.key: ` +
      'bring the authority back, or give an empty folder (--out) and replace the certificates of all members',
  )
}

function refuseUnusable(file: string, certificate: X509Certificate, key: KeyObject): void {
  if (Date.parse(certificate.validTo) < Date.now()) {
    throw new UsageError(`${file}: the authority has expired: make a new one in an empty folder`)
  }
  if (certificate.checkPrivateKey(key)) return
  throw new UsageError(`${file}: ${AUTHORITY}.key is not the key of this authority`)
}

function newKeys(): Promise<Keys> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

/** The key first: a member that reads a new key beside the old certificate keeps the pair that it has. */
async function writePair(
  path: string,
  certificate: Certificate,
  keys: Keys,
  x509: X509,
  replace: boolean,
): Promise<void> {
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  writePrivate(`${path}.key`, `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`, replace)
  writePrivate(`${path}.pem`, `${certificate.toString('pem')}\n`, replace)
}

function validity(notAfter: Date) {
  return {
    serialNumber: randomBytes(16).toString('hex'),
    signingAlgorithm: ALGORITHM,
    // A minute ago, because the clocks of members differ.
    notBefore: new Date(Date.now() - 60_000),
    notAfter,
  }
}
