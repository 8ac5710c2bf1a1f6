/**
 * A block of memory that grows, as 32-bit words and as bytes. A large block, and one that threads share, grows in place,
 * so that growing copies nothing; a small one is copied, which needs no shared memory.
 */

/** From this size on a block grows in place. */
const IN_PLACE_BYTES = 2 ** 24
const STEP_BYTES = 2 ** 20
/** Typed arrays end here, and so does a 32-bit offset. */
const MAX_BYTES = 2 ** 32 - STEP_BYTES

/** ES2024, which Node has had since version 20. */
interface Growable {
  grow(length: number): void
}
const GrowableMemory = globalThis.SharedArrayBuffer as unknown as new (
  length: number,
  options: { readonly maxByteLength: number },
) => SharedArrayBuffer & Growable

/** The machine, or the address space of a block, has no room left. */
export class MemoryFull extends Error {
  override readonly name = 'MemoryFull'
}

export class GrowingMemory {
  words!: Int32Array
  bytes!: Uint8Array
  private buffer: ArrayBuffer | SharedArrayBuffer

  constructor(buffer: ArrayBuffer | SharedArrayBuffer = new ArrayBuffer(2 ** 10)) {
    this.buffer = buffer
    this.refresh()
  }

  /** Looks at the memory again, after another thread may have made it grow. */
  refresh(): void {
    const { buffer } = this
    if (this.bytes?.buffer === buffer && this.bytes.length === buffer.byteLength) return
    // Arrays of a fixed length: those that follow the length of their buffer are ten times slower.
    this.words = new Int32Array(buffer, 0, buffer.byteLength >>> 2)
    this.bytes = new Uint8Array(buffer, 0, buffer.byteLength)
  }

  reserveWords(length: number): void {
    if (length > this.words.length) this.reserve(4 * length)
  }

  reserve(length: number): void {
    const { buffer } = this
    if (length <= buffer.byteLength) return
    if (length > MAX_BYTES) throw new MemoryFull('an array of the search exceeds 4 GiB')
    if (isShared(buffer)) grow(buffer, length)
    else if (length >= IN_PLACE_BYTES && canGrowInPlace()) this.moveTo(sharedMemory(length))
    else this.moveTo(new ArrayBuffer(Math.max(length, 2 * buffer.byteLength)))
    this.refresh()
  }

  /** The memory for other threads. */
  share(): SharedArrayBuffer {
    if (!isShared(this.buffer)) this.moveTo(sharedMemory(this.buffer.byteLength))
    return this.buffer as SharedArrayBuffer
  }

  private moveTo(buffer: ArrayBuffer | SharedArrayBuffer): void {
    new Uint8Array(buffer, 0, this.buffer.byteLength).set(this.bytes)
    this.buffer = buffer
    this.refresh()
  }
}

/** Whether threads can share memory: a browser allows it only to pages that are isolated. */
function canGrowInPlace(): boolean {
  return typeof SharedArrayBuffer !== 'undefined' && 'grow' in SharedArrayBuffer.prototype
}

function sharedMemory(length: number): SharedArrayBuffer {
  try {
    const buffer = new GrowableMemory(0, { maxByteLength: MAX_BYTES })
    grow(buffer, length)
    return buffer
  } catch (cause) {
    throw new MemoryFull('no room for an array of the search', { cause })
  }
}

function grow(buffer: SharedArrayBuffer, length: number): void {
  try {
    ;(buffer as SharedArrayBuffer & Growable).grow(STEP_BYTES * Math.ceil(length / STEP_BYTES))
  } catch (cause) {
    throw new MemoryFull('no room for an array of the search', { cause })
  }
}

function isShared(buffer: ArrayBuffer | SharedArrayBuffer): buffer is SharedArrayBuffer {
  return canGrowInPlace() && buffer instanceof SharedArrayBuffer
}
