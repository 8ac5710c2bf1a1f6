/**
 * `bellwether certs`: makes or loads a certificate authority, and issues a certificate and a key for each member, for
 * mutual TLS.
 */
import { randomBytes, webcrypto } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as x509Types from '@peculiar/x509'
import { Command } from 'commander'
import { memberUri } from '../../transports/tcp/mutual-tls.ts'
import { UsageError } from '../errors.ts'
import { wholeNumber } from '../options/whole-number.ts'
import { print, printJson } from '../terminal/print.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 24 * 60 * 60 * 1000

interface Given {
  readonly out: string
  readonly days: number
  readonly json?: true
}

export function certsCommand(): Command {
  return new Command('certs')
    .description(
      'Make certificates for mutual TLS: one authority, and one certificate for each member.',
    )
    .argument('<members...>', 'the names of the members, as in --members')
    .option(
      '--out <folder>',
      'the folder to write to; an authority that it holds is used again',
      'certs',
    )
    .option('--days <n>', 'for how many days they are valid', wholeNumber(1, 3650), 365)
    .option('--json', 'print JSON')
    .action(certs)
}

async function certs(members: readonly string[], { days, ...given }: Given): Promise<void> {
  const unusual = members.find((member) => !/^[\w.-]+$/u.test(member))
  if (unusual !== undefined) {
    throw new UsageError(`${unusual}: a member's name has letters, digits, and . _ - only`)
  }
  const x509 = await load()
  mkdirSync(given.out, { recursive: true, mode: 0o700 })
  const authority = await authorityIn(given.out, days, x509)
  for (const member of members) await issue(member, given.out, days, authority, x509)
  const files = ['authority.pem', ...members.flatMap((name) => [`${name}.pem`, `${name}.key`])]
  if (given.json === true) printJson({ folder: given.out, files, days })
  else {
    print(`Wrote ${files.join(', ')} to ${given.out}, valid for ${days} days.`)
    print('Keep authority.key away from the members: its holder can pose as any member.')
  }
}

type X509 = typeof x509Types
type Keys = webcrypto.CryptoKeyPair
type Certificate = InstanceType<X509['X509Certificate']>
interface Authority {
  readonly certificate: Certificate
  readonly key: webcrypto.CryptoKey
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
      'certs needs the packages @peculiar/x509 and reflect-metadata: npm i @peculiar/x509 reflect-metadata',
    )
  }
}

async function authorityIn(folder: string, days: number, x509: X509): Promise<Authority> {
  const [file, keyFile] = [join(folder, 'authority.pem'), join(folder, 'authority.key')]
  if (existsSync(file) && existsSync(keyFile)) {
    const der = x509.PemConverter.decodeFirst(readFileSync(keyFile, 'utf8'))
    const key = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign'])
    return { certificate: new x509.X509Certificate(readFileSync(file, 'utf8')), key }
  }
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=bellwether authority',
    ...common(days),
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  await write(join(folder, 'authority'), certificate, keys, x509)
  return { certificate, key: keys.privateKey }
}

/** A URI binds the certificate to the member's name; nothing else in it counts. */
async function issue(
  member: string,
  folder: string,
  days: number,
  authority: Authority,
  x509: X509,
): Promise<void> {
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${member}`,
    issuer: authority.certificate.subject,
    ...common(days),
    publicKey: keys.publicKey,
    signingKey: authority.key,
    extensions: [
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.serverAuth,
        x509.ExtendedKeyUsage.clientAuth,
      ]),
      new x509.SubjectAlternativeNameExtension([{ type: 'url', value: memberUri(member) }]),
    ],
  })
  await write(join(folder, member), certificate, keys, x509)
}

function newKeys(): Promise<Keys> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

async function write(path: string, certificate: Certificate, keys: Keys, x509: X509) {
  writeFileSync(`${path}.pem`, `${certificate.toString('pem')}\n`)
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  const pem = x509.PemConverter.encode(der, 'PRIVATE KEY')
  writeFileSync(`${path}.key`, `${pem}\n`, { mode: 0o600 })
}

function common(days: number) {
  const now = Date.now()
  return {
    serialNumber: randomBytes(16).toString('hex'),
    signingAlgorithm: ALGORITHM,
    // A minute ago, because the clocks of members differ.
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + days * DAY_MS),
  }
}
