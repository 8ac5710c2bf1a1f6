/**
 * The Noise handshake `NNpsk0` with X25519, AES-256-GCM and SHA-256, and the ciphers that it yields (The Noise Protocol
 * Framework, revision 34). Names of functions follow that text.
 *
 *   dialler → listener   psk, e   and an encrypted payload
 *   listener → dialler   e, ee    and an encrypted payload
 *
 * Only a holder of the key can make either message, and the listener sends nothing before it has checked the first. A
 * recorded first message can be sent again, so a listener trusts the dialler only when its first frame decrypts.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { WireError } from '../../errors.ts'

/** Bytes that encryption adds to a message. */
export const TAG = 16

const PUBLIC_KEY = 32
const CIPHER = 'aes-256-gcm'
const PROTOCOL_NAME = Buffer.from('Noise_NNpsk0_25519_AESGCM_SHA256')
const NOTHING = Buffer.alloc(0)
/** What precedes the 32 bytes of an X25519 key in DER. */
const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex')
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex')

/** Encrypts or decrypts the messages of one direction in their order. */
export class CipherState {
  private readonly key: Buffer
  private readonly nonce = Buffer.alloc(12)
  private next = 0

  constructor(key: Buffer) {
    this.key = key
  }

  /** Writes ciphertext and tag to `target`, which has room for both from `at`. */
  encryptInto(target: Buffer, at: number, plaintext: Buffer, ad: Buffer = NOTHING): void {
    const cipher = createCipheriv(CIPHER, this.key, this.nextNonce())
    if (ad.length > 0) cipher.setAAD(ad)
    cipher.update(plaintext).copy(target, at)
    cipher.final()
    cipher.getAuthTag().copy(target, at + plaintext.length)
  }

  /** Throws WireError where the message was not made for this place in this direction. */
  decrypt(message: Buffer, ad: Buffer = NOTHING): Buffer {
    const end = message.length - TAG
    if (end < 0) throw new WireError('forged', 'a message without its tag')
    const decipher = createDecipheriv(CIPHER, this.key, this.nextNonce(), { authTagLength: TAG })
    if (ad.length > 0) decipher.setAAD(ad)
    decipher.setAuthTag(message.subarray(end))
    const plaintext = decipher.update(message.subarray(0, end))
    try {
      decipher.final()
    } catch {
      throw new WireError('forged', 'a message whose tag is wrong: another key, changed, repeated')
    }
    return plaintext
  }

  /** Passes over a message that is not read. */
  passOver(): void {
    this.next += 1
  }

  private nextNonce(): Buffer {
    this.nonce.writeUIntBE(this.next, 6, 6)
    this.next += 1
    return this.nonce
  }
}

/** Two ciphers of an established connection, as one side uses them. */
export interface Ciphers {
  readonly outgoing: CipherState
  readonly incoming: CipherState
}

/** One side of a handshake. The dialler writes, then reads; the listener reads, then writes; both split. */
interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicBytes: Buffer
}

export class NoiseHandshake {
  private chainingKey: Buffer = PROTOCOL_NAME
  private hash: Buffer = PROTOCOL_NAME
  private cipher: CipherState | undefined
  private readonly isDialler: boolean
  private readonly ephemeral: KeyPair
  private remote: KeyObject | undefined

  /** The key has 32 bytes. A test may fix the ephemeral key, which is else random. */
  constructor(role: 'dialler' | 'listener', key: Buffer, prologue: Buffer, ephemeral?: Buffer) {
    this.isDialler = role === 'dialler'
    this.ephemeral = ephemeral === undefined ? newKeyPair() : keyPairOf(ephemeral)
    this.mixHash(prologue)
    this.mixKeyAndHash(key)
  }

  write(payload: Buffer): Buffer {
    const message = Buffer.alloc(PUBLIC_KEY + payload.length + TAG)
    this.ephemeral.publicBytes.copy(message)
    this.mixEphemeral(message.subarray(0, PUBLIC_KEY))
    if (!this.isDialler) this.mixSharedSecret()
    this.cipher!.encryptInto(message, PUBLIC_KEY, payload, this.hash)
    this.mixHash(message.subarray(PUBLIC_KEY))
    return message
  }

  /** Throws WireError where the message was not made with the key, or not for this handshake. */
  read(message: Buffer): Buffer {
    if (message.length < PUBLIC_KEY + TAG) throw new WireError('forged', 'a handshake that is cut')
    const key = message.subarray(0, PUBLIC_KEY)
    this.remote = createPublicKey({ key: der(PUBLIC_DER, key), format: 'der', type: 'spki' })
    this.mixEphemeral(key)
    if (this.isDialler) this.mixSharedSecret()
    const payload = this.cipher!.decrypt(message.subarray(PUBLIC_KEY), this.hash)
    this.mixHash(message.subarray(PUBLIC_KEY))
    return payload
  }

  /** Undefined instead of an error. */
  tryRead(message: Buffer): Buffer | undefined {
    try {
      return this.read(message)
    } catch (error) {
      if (error instanceof WireError) return undefined
      throw error
    }
  }

  split(): Ciphers {
    const [first, second] = hkdf(this.chainingKey, NOTHING, 2).map((key) => new CipherState(key))
    return this.isDialler
      ? { outgoing: first, incoming: second }
      : { outgoing: second, incoming: first }
  }

  private mixHash(data: Buffer): void {
    this.hash = createHash('sha256').update(this.hash).update(data).digest()
  }

  private mixKey(input: Buffer): void {
    const [chainingKey, key] = hkdf(this.chainingKey, input, 2)
    this.chainingKey = chainingKey
    this.cipher = new CipherState(key)
  }

  private mixKeyAndHash(input: Buffer): void {
    const [chainingKey, hashed, key] = hkdf(this.chainingKey, input, 3)
    this.chainingKey = chainingKey
    this.mixHash(hashed)
    this.cipher = new CipherState(key)
  }

  /** With a pre-shared key, an ephemeral key is mixed into the cipher too. */
  private mixEphemeral(key: Buffer): void {
    this.mixHash(key)
    this.mixKey(key)
  }

  private mixSharedSecret(): void {
    const { privateKey } = this.ephemeral
    let secret: Buffer
    try {
      secret = diffieHellman({ privateKey, publicKey: this.remote! })
    } catch {
      throw new WireError('forged', 'a public key of low order')
    }
    this.mixKey(secret)
  }
}

/** The HKDF of the framework: outputs of 32 bytes. */
function hkdf(chainingKey: Buffer, input: Buffer, outputs: 2 | 3): Buffer[] {
  const secret = createHmac('sha256', chainingKey).update(input).digest()
  const all: Buffer[] = []
  for (let i = 1; i <= outputs; i++) {
    const mac = createHmac('sha256', secret).update(all.at(-1) ?? NOTHING)
    all.push(mac.update(Buffer.from([i])).digest())
  }
  return all
}

function der(prefix: Buffer, key: Buffer): Buffer {
  return Buffer.concat([prefix, key])
}

function newKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  return { privateKey, publicBytes: bytesOf(publicKey) }
}

function keyPairOf(bytes: Buffer): KeyPair {
  const privateKey = createPrivateKey({
    key: der(PRIVATE_DER, bytes),
    format: 'der',
    type: 'pkcs8',
  })
  return { privateKey, publicBytes: bytesOf(createPublicKey(privateKey)) }
}

function bytesOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length)
}
