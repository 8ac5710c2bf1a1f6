import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../core/schema.ts'
import { WireError } from './errors.ts'
import { FrameDecoder, frameOf, HEADER, jsonCodec, MAX_BODY } from './frame.ts'

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => value as Json)

/** Cuts bytes at the given places, each in 0..1 of the whole. */
function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b)
  return [0, ...at].map((start, k) => bytes.subarray(start, at[k] ?? bytes.length))
}

function decode(decoder: FrameDecoder, chunks: readonly Buffer[]): Json[] {
  const found: Json[] = []
  for (const chunk of chunks) {
    decoder.feed(chunk, (body) => {
      found.push(jsonCodec.decode(body))
      return true
    })
  }
  return found
}

describe('the decoder', () => {
  test('finds the same values in any chunking, and holds nothing in the end', () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 })
    fc.assert(
      fc.property(fc.array(json, { maxLength: 8 }), cuts, (values, places) => {
        const bytes = Buffer.concat(values.map((value) => frameOf(jsonCodec.encode(value))))
        const decoder = new FrameDecoder()
        const wire = JSON.parse(JSON.stringify(values)) as Json[]
        expect(decode(decoder, chunksOf(bytes, places))).toEqual(wire)
        expect(decoder.held).toBe(0)
      }),
    )
  })

  test('finds the same values byte by byte', () => {
    fc.assert(
      fc.property(json, json, (one, two) => {
        const bytes = Buffer.concat([one, two].map((value) => frameOf(jsonCodec.encode(value))))
        const single = Array.from(bytes, (byte) => Buffer.from([byte]))
        const wire = JSON.parse(JSON.stringify([one, two])) as Json[]
        expect(decode(new FrameDecoder(), single)).toEqual(wire)
      }),
    )
  })

  test('holds at most one unfinished frame, whatever it is fed', () => {
    const bytes = fc.uint8Array({ minLength: 30, maxLength: 40 }).map((body) => Buffer.from(body))
    const frame = bytes.map((body) => frameOf(body))
    // Parts of frames that fit, and now and then noise, whose length is too large.
    const part = fc
      .tuple(frame, fc.integer({ min: 1, max: 33 }))
      .map(([whole, cut]) => whole.subarray(0, cut))
    const chunk = fc.oneof({ arbitrary: frame, weight: 8 }, { arbitrary: part, weight: 4 }, bytes)
    let most = 0
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 50 }), (chunks) => {
        const decoder = new FrameDecoder(40)
        try {
          for (const one of chunks) {
            decoder.feed(one, ({ length }) => length <= 40)
            most = Math.max(most, decoder.held)
            expect(decoder.held).toBeLessThan(HEADER + 40)
          }
        } catch (error) {
          if (!(error instanceof WireError)) throw error
        }
      }),
    )
    expect(most).toBeGreaterThan(HEADER + 20)
  })

  test('accepts the largest length and refuses the next, zero, and 4 GiB, on the header alone', () => {
    const header = (length: number): Buffer => {
      const bytes = Buffer.alloc(HEADER)
      bytes.writeUInt32BE(length)
      return bytes
    }
    const feed = (length: number) => () => new FrameDecoder().feed(header(length), () => true)
    expect(feed(MAX_BODY)).not.toThrow()
    expect(feed(MAX_BODY + 1)).toThrow(/16385 bytes; at most 16384/)
    expect(feed(0)).toThrow(/no bytes/)
    const before = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 1000; i++) expect(feed(0xffff_ffff)).toThrow(WireError)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 20)
  })

  test('stops in the middle of a chunk when its owner says so', () => {
    const bytes = Buffer.concat([1, 2, 3].map((value) => frameOf(jsonCodec.encode(value))))
    const found: Json[] = []
    new FrameDecoder().feed(bytes, (body) => found.push(jsonCodec.decode(body)) < 2)
    expect(found).toEqual([1, 2])
  })
})

describe('the codec', () => {
  test('gives back every JSON value', () => {
    fc.assert(
      fc.property(json, (value) => {
        const wire = JSON.parse(JSON.stringify(value)) as Json
        expect(jsonCodec.decode(jsonCodec.encode(value))).toEqual(wire)
      }),
    )
  })

  test.each([
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['an unpaired surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['half a value', Buffer.from('{"a":')],
    ['two values', Buffer.from('1 2')],
    ['nothing but space', Buffer.from('   ')],
    ['a number that JSON has not', Buffer.from('NaN')],
    ['a NUL', Buffer.from([0])],
  ])('refuses %s', (_, body) => {
    expect(() => jsonCodec.decode(body)).toThrow(WireError)
  })

  test('decodes the deepest nesting that fits', () => {
    const deep = '['.repeat(MAX_BODY / 2) + ']'.repeat(MAX_BODY / 2)
    expect(() => jsonCodec.decode(Buffer.from(deep))).not.toThrow()
  })
})
