import { describe, expect, test } from 'vitest'
import { WireError } from '../../errors.ts'
import { CipherState, NoiseHandshake, TAG } from './noise.ts'

const hex = (text: string): Buffer => Buffer.from(text, 'hex')

/** The published vector of Noise_NNpsk0_25519_AESGCM_SHA256 (cacophony, as in the tests of several implementations). */
const VECTOR = {
  prologue: hex('4a6f686e2047616c74'),
  key: hex('54686973206973206d7920417573747269616e20706572737065637469766521'),
  dialler: hex('893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a'),
  listener: hex('bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b'),
  messages: [
    [
      '4c756477696720766f6e204d69736573',
      'ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c79447c37a89fc17813788d30df2d59501d6066f5f8aecc3406bbd9829f2d24a531b1',
    ],
    [
      '4d757272617920526f746862617264',
      '95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f1448088432f29d79368ef9de4e1ae7a362fb05bf0ad668e026bf5714554497b3a720461',
    ],
    ['462e20412e20486179656b', '7c01e898a6201f36aecee532e29cd0b7f8ffa29d3366ad0dce39a6'],
    ['4361726c204d656e676572', 'a9ff535aace3db6a1da1a7fb00fe2de2622bb373abad9fb42c00e0'],
    [
      '4a65616e2d426170746973746520536179',
      '6cfc49a3e65472edc2d0152abe5ce950170a8a47c959f30bd48b5f0aacf29adbfd',
    ],
  ].map(([payload, ciphertext]) => ({ payload: hex(payload), ciphertext: hex(ciphertext) })),
} as const

function pair(key = VECTOR.key, otherKey = key) {
  const { prologue } = VECTOR
  return {
    dialler: new NoiseHandshake('dialler', key, prologue),
    listener: new NoiseHandshake('listener', otherKey, prologue),
  }
}

function encrypt(cipher: CipherState, plaintext: Buffer): Buffer {
  const message = Buffer.alloc(plaintext.length + TAG)
  cipher.encryptInto(message, 0, plaintext)
  return message
}

test('the handshake and the first frames are the bytes of the published vector', () => {
  const { prologue, key, messages } = VECTOR
  const dialler = new NoiseHandshake('dialler', key, prologue, VECTOR.dialler)
  const listener = new NoiseHandshake('listener', key, prologue, VECTOR.listener)
  const [hello, answer, ...frames] = messages
  expect(dialler.write(hello.payload)).toEqual(hello.ciphertext)
  expect(listener.read(hello.ciphertext)).toEqual(hello.payload)
  expect(listener.write(answer.payload)).toEqual(answer.ciphertext)
  expect(dialler.read(answer.ciphertext)).toEqual(answer.payload)
  const [one, two] = [dialler.split(), listener.split()]
  frames.forEach(({ payload, ciphertext }, i) => {
    const [from, to] = i % 2 === 0 ? [one, two] : [two, one]
    expect(encrypt(from.outgoing, payload)).toEqual(ciphertext)
    expect(to.incoming.decrypt(ciphertext)).toEqual(payload)
  })
})

describe('a listener refuses', () => {
  test('a first message that was made with another key', () => {
    const { dialler, listener } = pair(VECTOR.key, Buffer.alloc(32, 7))
    expect(() => listener.read(dialler.write(Buffer.from('hello')))).toThrow(WireError)
  })

  test('a first message with any bit changed, and one that is cut', () => {
    const hello = pair().dialler.write(Buffer.from('hello'))
    for (let bit = 0; bit < hello.length * 8; bit += 3) {
      const changed = Buffer.from(hello)
      changed[bit >> 3] ^= 1 << (bit & 7)
      expect(() => pair().listener.read(changed)).toThrow(WireError)
    }
    expect(() => pair().listener.read(hello.subarray(0, 40))).toThrow(WireError)
  })

  test('a frame of another connection that began with the same first message', () => {
    const { dialler, listener } = pair()
    const hello = dialler.write(Buffer.from('hello'))
    listener.read(hello)
    dialler.read(listener.write(Buffer.from('welcome')))
    const frame = encrypt(dialler.split().outgoing, Buffer.from('I lead'))
    const { listener: replayed } = pair()
    replayed.read(hello)
    replayed.write(Buffer.from('welcome'))
    expect(() => replayed.split().incoming.decrypt(frame)).toThrow(WireError)
  })
})

test('a dialler refuses a public key of low order', () => {
  const { dialler } = pair()
  dialler.write(Buffer.from('hello'))
  expect(() => dialler.read(Buffer.alloc(64))).toThrow(WireError)
})

test('a cipher refuses a frame that is repeated, left out or reordered', () => {
  const key = Buffer.alloc(32, 1)
  const sender = new CipherState(key)
  const [first, second, third] = ['a', 'b', 'c'].map((text) => encrypt(sender, Buffer.from(text)))
  const receiver = new CipherState(key)
  receiver.decrypt(first)
  expect(() => receiver.decrypt(first)).toThrow(WireError)
  expect(() => new CipherState(key).decrypt(second)).toThrow(WireError)
  const skipping = new CipherState(key)
  skipping.passOver()
  skipping.passOver()
  expect(skipping.decrypt(third).toString()).toBe('c')
})
