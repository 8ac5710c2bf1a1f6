/** Packs and unpacks canonical state vectors in bit fields, which the caller widens when more components must fit. */
import { BitFields } from '../tables/bit-fields.ts'
import type { CanonicalForm } from './canonical-form.ts'

const MIN_BITS = 4

export class StateCodec {
  /** The packed state that `pack` writes and `unpack` reads. */
  readonly words: Int32Array
  private readonly n: number
  private readonly canonical: CanonicalForm
  private readonly unpacked: Int32Array
  private readonly budgetBits: number
  private fields: BitFields
  memberBits = 0
  inboxBits = 0
  /** The fields have room for this many components. */
  private maxMembers = 0
  private maxInboxes = 0

  constructor(n: number, largestBudget: number, canonical: CanonicalForm) {
    this.n = n
    this.canonical = canonical
    this.unpacked = new Int32Array(1 + 2 * n)
    this.words = new Int32Array(1 + 2 * n)
    this.budgetBits = bitsOf(largestBudget)
    this.fields = this.fieldsFor(MIN_BITS, MIN_BITS)
  }

  get length(): number {
    return this.fields.words
  }

  /** Packs the canonical form of a vector. Returns false if the fields are too narrow: call `widen`. */
  pack(w: Int32Array): boolean {
    const { canonical } = this
    this.fields.pack(canonical.of(w), this.words)
    return canonical.members.size <= this.maxMembers && canonical.inboxes.size <= this.maxInboxes
  }

  unpack(into: Int32Array): void {
    this.fields.unpack(this.words, into)
  }

  /** Returns a function that repacks the state in `words`. */
  widen(): () => void {
    const { unpacked, words } = this
    const { members, inboxes } = this.canonical
    const before = this.fields
    const after = this.fieldsFor(bitsOf(members.size), bitsOf(inboxes.size))
    this.fields = after
    return () => {
      before.unpack(words, unpacked)
      after.pack(unpacked, words)
    }
  }

  /** Adopts the fields of another thread. */
  adopt(memberBits: number, inboxBits: number): void {
    if (memberBits === this.memberBits && inboxBits === this.inboxBits) return
    this.fields = this.fieldsOf(memberBits, inboxBits)
  }

  /** Fields of at least this many bits. They share the spare bits of the last word. */
  private fieldsFor(minMemberBits: number, minInboxBits: number): BitFields {
    const { n, budgetBits } = this
    const needed = budgetBits + n * (minMemberBits + minInboxBits)
    const spare = Math.floor((32 * Math.ceil(needed / 32) - needed) / n)
    return this.fieldsOf(minMemberBits + (spare >>> 1), minInboxBits + spare - (spare >>> 1))
  }

  private fieldsOf(memberBits: number, inboxBits: number): BitFields {
    const { n, budgetBits } = this
    this.memberBits = memberBits
    this.inboxBits = inboxBits
    this.maxMembers = 2 ** memberBits
    this.maxInboxes = 2 ** inboxBits
    const row = (bits: number): number[] => Array.from({ length: n }, () => bits)
    return new BitFields([budgetBits, ...row(memberBits), ...row(inboxBits)])
  }
}

function bitsOf(largest: number): number {
  return 32 - Math.clz32(largest)
}
