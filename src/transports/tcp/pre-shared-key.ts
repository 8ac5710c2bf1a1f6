/**
 * Authenticates members by a pre-shared key: both sides prove that they hold it, and every frame after that carries a
 * tag that is signed and checked.
 *
 *   dialler → listener   hello      introduction, nonce D
 *   listener → dialler   challenge  introduction, nonce L
 *   listener → dialler   proof      HMAC(key, 'listener' ‖ transcript)
 *   dialler → listener   proof      HMAC(key, 'dialler' ‖ transcript)
 *
 * The transcript is the hash of the bytes of hello and challenge, so both proofs are bound to both nonces, both
 * introductions, the cluster and the configuration; the label keeps one side's proof from being sent back as the
 * other's. Each direction then has a key of its own, derived from the transcript; a frame's tag covers its number in
 * that direction and its body. So a recorded handshake fails on the fresh nonce, and a frame that was injected,
 * changed, repeated, dropped or reordered fails on its tag: the connection is ended.
 *
 * What this does not give: secrecy; proof of *which* member sends (every holder of the key can claim every id: use
 * certificates for that); protection of a weak key (a recorded handshake allows offline guesses: the key must be
 * random, hence its minimum length). Forward protection is not needed where nothing is secret.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { TransportError, WireError } from '../errors.ts'
import { HEADER } from '../frame.ts'

/** Bytes of a frame's tag: HMAC-SHA-256 cut to 128 bits. */
export const TAG = 16

const MIN_KEY = 32

export class PreSharedKey {
  private readonly key: Buffer

  constructor(key: string | Uint8Array) {
    this.key = Buffer.from(key as string)
    if (this.key.length < MIN_KEY) {
      throw new TransportError(
        `the pre-shared key has ${this.key.length} bytes and needs ${MIN_KEY}: make one with \`openssl rand -hex 32\``,
      )
    }
  }

  prove(role: 'dialler' | 'listener', transcript: Buffer): string {
    return this.mac(`bellwether 1 ${role} proof`, transcript).toString('base64url')
  }

  proves(role: 'dialler' | 'listener', transcript: Buffer, proof: unknown): boolean {
    if (typeof proof !== 'string') return false
    const expected = Buffer.from(this.prove(role, transcript))
    const given = Buffer.from(proof)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  /** The seal of the frames that `role` sends. */
  sealOf(role: 'dialler' | 'listener', transcript: Buffer): Seal {
    return new Seal(this.mac(`bellwether 1 ${role} frames`, transcript))
  }

  private mac(label: string, transcript: Buffer): Buffer {
    return createHmac('sha256', this.key).update(label).update('\0').update(transcript).digest()
  }
}

export function newNonce(): string {
  return randomBytes(24).toString('base64url')
}

/** The lengths keep the two apart. */
export function transcriptOf(hello: Uint8Array, challenge: Uint8Array): Buffer {
  const hash = createHash('sha256')
  for (const part of [hello, challenge]) hash.update(`${part.length}\0`).update(part)
  return hash.digest()
}

/** Numbers the frames of one direction of one connection, and signs or checks them. */
export class Seal {
  private readonly key: Buffer
  private readonly number = Buffer.alloc(8)
  private next = 0

  constructor(key: Buffer) {
    this.key = key
  }

  /** Writes the tag into the end of a frame that has room for it. */
  sign(frame: Buffer): void {
    this.tag(frame.subarray(HEADER, frame.length - TAG)).copy(frame, frame.length - TAG)
  }

  /** Returns the body. Throws WireError where the tag is wrong. */
  check(framed: Buffer): Buffer {
    const end = framed.length - TAG
    if (end <= 0) throw new WireError('forged', 'a frame without its tag')
    const body = framed.subarray(0, end)
    if (!timingSafeEqual(this.tag(body), framed.subarray(end))) {
      throw new WireError('forged', 'a frame whose tag is wrong: changed, repeated or injected')
    }
    return body
  }

  private tag(body: Buffer): Buffer {
    this.number.writeUIntBE(this.next, 2, 6)
    this.next += 1
    return createHmac('sha256', this.key).update(this.number).update(body).digest().subarray(0, TAG)
  }
}
