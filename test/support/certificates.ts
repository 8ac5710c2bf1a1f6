/**
 * X.509 certificates for tests, written in DER by hand: valid ones, and every kind of invalid one. They hold only what
 * TLS examines.
 */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { CLUSTER } from '../../scripts/support/attacker.ts'
import { memberUri } from '../../src/transports/tcp/security/member-certificate.ts'

export interface Pair {
  readonly certificate: string
  readonly key: string
}

export interface CertificateOptions {
  /** The group of the member. */
  readonly group?: string
  /** URIs of the subject alternative name; none makes no such extension. */
  readonly uris?: readonly string[]
  /** Of a server: what clients dial, as in 127.0.0.1. */
  readonly addresses?: readonly string[]
  readonly notBefore?: Date
  readonly notAfter?: Date
}

/** An authority that signs what it is asked to. */
export class Authority {
  readonly certificate: string
  private readonly name: string
  private readonly keys = newKeys()
  private serial = 1

  constructor(name: string) {
    this.name = name
    const constraints = extension('551d13', sequence(BOOLEAN_TRUE), true)
    const usage = extension('551d0f', der(0x03, Buffer.from([1, 0b0000_0110])), true)
    this.certificate = this.issue(name, this.keys.publicKey, [constraints, usage], {})
  }

  /** A certificate of the member, unless the options say otherwise. */
  member(id: string, options: CertificateOptions = {}): Pair {
    const { privateKey, publicKey } = newKeys()
    const uris = options.uris ?? [memberUri(options.group ?? CLUSTER.cluster, id)]
    const purposes = sequence(
      der(0x06, hex('2b06010505070301')),
      der(0x06, hex('2b06010505070302')),
    )
    const extensions = [extension('551d25', purposes)]
    const names = [
      ...uris.map((uri) => der(0x86, Buffer.from(uri))),
      ...(options.addresses ?? []).map((ip) => der(0x87, Buffer.from(ip.split('.').map(Number)))),
    ]
    if (names.length > 0) {
      extensions.push(extension('551d11', sequence(...names)))
    }
    const certificate = this.issue(id, publicKey, extensions, options)
    return { certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
  }

  private issue(
    subject: string,
    key: KeyObject,
    extensions: readonly Buffer[],
    {
      notBefore = new Date(Date.now() - 60_000),
      notAfter = new Date(Date.now() + 3_600_000),
    }: CertificateOptions,
  ): string {
    this.serial += 1
    const body = sequence(
      der(0xa0, der(0x02, Buffer.from([2]))),
      der(0x02, Buffer.from([1, this.serial >> 8, this.serial & 0xff])),
      ECDSA_SHA256,
      nameOf(this.name),
      sequence(time(notBefore), time(notAfter)),
      nameOf(subject),
      key.export({ type: 'spki', format: 'der' }),
      der(0xa3, sequence(...extensions)),
    )
    const signature = sign('sha256', body, this.keys.privateKey)
    return pem(
      sequence(body, ECDSA_SHA256, der(0x03, Buffer.concat([Buffer.from([0]), signature]))),
    )
  }
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex')
}

const BOOLEAN_TRUE = der(0x01, Buffer.from([0xff]))
const ECDSA_SHA256 = sequence(der(0x06, hex('2a8648ce3d040302')))

function nameOf(commonName: string): Buffer {
  const attribute = sequence(der(0x06, hex('550403')), der(0x0c, Buffer.from(commonName)))
  return sequence(der(0x31, attribute))
}

function time(at: Date): Buffer {
  const text = at.toISOString().replace(/[-:T]|\.\d+/g, '')
  return der(0x18, Buffer.from(text))
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  const parts = [der(0x06, hex(id)), ...(critical ? [BOOLEAN_TRUE] : []), der(0x04, value)]
  return sequence(...parts)
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
