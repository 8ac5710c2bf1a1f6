/**
 * Encodes and decodes the text of a state file: the same record twice, each copy in blocks of its own under a checksum.
 *
 * A copy is written and synced before the other one is touched, so a crash damages one copy at most, and the other holds
 * the record before the write or after it. Each write overwrites the older copy; the larger sequence number is the newer.
 */
import { crc32 } from 'node:zlib'
import type { Json } from '../core/schema.ts'
import type { Stored } from './store.ts'

export interface Owner {
  readonly cluster: string
  readonly member: string
}

/** What a state file holds: the record, and the member that it belongs to. */
export interface Content {
  readonly owner: { readonly cluster: unknown; readonly member: unknown }
  readonly stored: Stored
  /** Before version 4: 0. */
  readonly sequence: number
}

/** No write of a block of this size touches another one. */
const BLOCK = 4096
/**
 * 1: one copy. 2: two copies, the first never older. 3: the fields of bully-fd-quorum include `vote` and `admitted`.
 * 4: sequence numbers. Raise it with every change of a stable field: an earlier program that took the file would forget
 * what it does not know.
 */
export const VERSION = 4
const HEADER = /^bellwether-state (\d+) crc32 ([0-9a-f]{8})$/

/** One copy, padded with spaces to whole blocks. */
export function encodeCopy({ cluster, member }: Owner, stored: Stored, sequence: number): Buffer {
  const { incarnation, algorithm, members, key, state } = stored
  const fields = { cluster, member, sequence, incarnation, algorithm, members, key, state }
  const body = JSON.stringify(fields)
  const header = Buffer.from(headerOf(''))
  const needed = header.length + Buffer.byteLength(body) + 1
  const copy = Buffer.alloc(BLOCK * Math.ceil(needed / BLOCK), ' ')
  copy.write(body, header.length)
  copy.write('\n', copy.length - 1)
  copy.write(headerOf(copy.subarray(header.length)))
  return copy
}

/** The content of the newest copy that is whole; undefined: none is. */
export function decodeCopies(bytes: Buffer): Content | undefined {
  const size = bytes.length / 2
  if (size === 0 || size % BLOCK !== 0) return undefined
  const copies = [bytes.subarray(0, size), bytes.subarray(size)]
  for (const version of [VERSION, 3, 2]) {
    const [first, second] = copies.map((copy) => decodeCopy(copy, version))
    const isOlder = (first?.sequence ?? -1) < (second?.sequence ?? -1)
    const newest = isOlder ? second : (first ?? second)
    if (newest !== undefined) return newest
  }
  return undefined
}

/** The content of a file of version 1, which holds one copy without padding. */
export function decodeVersion1(bytes: Buffer): Content | undefined {
  return decodeCopy(bytes, 1)
}

/** The version that the file says it has, if this one cannot read it. */
export function otherVersionOf(bytes: Buffer): number | undefined {
  const [, version] = HEADER.exec(bytes.toString('latin1', 0, headerOf('').length - 1)) ?? []
  return version === undefined || Number(version) <= VERSION ? undefined : Number(version)
}

function headerOf(rest: string | Buffer, version = VERSION): string {
  // From version 3 on the checksum covers the version too.
  const sum = crc32(rest, version < 3 ? 0 : version)
  return `bellwether-state ${version} crc32 ${sum.toString(16).padStart(8, '0')}\n`
}

function decodeCopy(copy: Buffer, version: number): Content | undefined {
  const { length } = headerOf('', version)
  const rest = copy.subarray(length)
  // Version 1 left the newline at the end out of its checksum.
  const covered = version === 1 ? rest.subarray(0, -1) : rest
  if (copy.toString('latin1', 0, length) !== headerOf(covered, version)) return undefined
  return copy.at(-1) === 0x0a ? contentOf(JSON.parse(rest.toString()), version) : undefined
}

function contentOf(parsed: unknown, version: number): Content | undefined {
  const fields = parsed as Record<string, unknown>
  const { cluster, member, sequence = 0, incarnation, algorithm, members, key, state } = fields
  if (!Number.isSafeInteger(incarnation) || typeof state !== 'object' || state === null) {
    return undefined
  }
  const stored: Stored = {
    incarnation: incarnation as number,
    ...(typeof algorithm === 'string' ? { algorithm } : {}),
    ...(Array.isArray(members) ? { members: members.map(String) } : {}),
    ...(typeof key === 'string' ? { key } : {}),
    state: state as { [field: string]: Json },
    ...(version < VERSION ? { version } : {}),
  }
  return { owner: { cluster, member }, stored, sequence: Number(sequence) }
}
