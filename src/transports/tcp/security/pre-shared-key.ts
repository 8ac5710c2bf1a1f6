/**
 * Reads the keys that all members of a group share, and defines the handshake under such a key.
 *
 *   dialler → listener   version, Noise message 1   its introduction
 *   listener → dialler   Noise message 2            its introduction
 *   dialler → listener   confirm                    the first encrypted frame
 *   listener → dialler   welcome, or rejected with the reason
 *
 * The dialler proves first: a process that lacks the key receives nothing but the end of the connection. Both introductions
 * (names, group, configuration, incarnation, process) and an ephemeral key of each side are bound to the ciphers of the
 * connection (noise.ts), so a recorded handshake fails at `confirm`, and a frame that was injected, changed, repeated,
 * left out or reordered ends the connection. Frames are secret, also from a later holder of the key.
 *
 * What this does not give: proof of *which* member sends. Every holder of the key can claim every name: use
 * certificates for that. A weak key can be guessed offline from a recorded handshake, hence the minimum length.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { TransportError } from '../../errors.ts'
import { orTransportError, Reloading } from './reloading.ts'

/** Precedes the first message. A listener that does not know the version ends the connection. */
export const HANDSHAKE_VERSION = 2
export const PROLOGUE: Buffer = Buffer.from(`bellwether handshake ${HANDSHAKE_VERSION}`)

const MIN_KEY = 32
const PRINTABLE = /^[\t\n\r\x20-\x7E]*$/u

/** One key, or the key to dial with and others that are accepted as well, while keys are replaced. */
export type SharedKey = string | Uint8Array | readonly (string | Uint8Array)[]

export interface KeyRing {
  /** Of 32 bytes each. The first one is used to dial; all of them are accepted. */
  current(): readonly Buffer[]
}

/** Throws TransportError if a key is too short. */
export function keyRing(given: SharedKey): KeyRing {
  const texts = typeof given === 'string' || given instanceof Uint8Array ? [given] : given
  // Editors and shells add a line break, which is no part of a key that is text.
  const bytes = texts.map((key) =>
    typeof key === 'string' ? Buffer.from(key.trimEnd()) : Buffer.from(key),
  )
  const keys = checked(bytes)
  return { current: () => keys }
}

/** The keys of a file: one in each line of a text, or one in a file of arbitrary bytes. */
export function keyRingIn(file: string, report: (reason: string) => void): KeyRing {
  const load = (): Buffer[] => {
    const bytes = orTransportError(file, () => readFileSync(file))
    try {
      return checked(keysIn(bytes))
    } catch (error) {
      throw new TransportError(`${file}: ${(error as Error).message}`, { cause: error })
    }
  }
  return new Reloading([file], load, report)
}

function keysIn(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1')
  if (!PRINTABLE.test(text)) return [bytes]
  const lines = text.split('\n').map((line) => line.trimEnd())
  return lines.filter((line) => line !== '').map((line) => Buffer.from(line))
}

function checked(keys: readonly Buffer[]): Buffer[] {
  const length = Math.min(...keys.map((key) => key.length))
  if (keys.length === 0 || length < MIN_KEY) {
    const has = keys.length === 0 ? 'is empty' : `has ${length} bytes`
    throw new TransportError(
      `the pre-shared key ${has} and needs ${MIN_KEY}: make one with \`bellwether certs --shared-key FILE\``,
    )
  }
  return keys.map((key) => createHash('sha256').update('bellwether key\0').update(key).digest())
}
