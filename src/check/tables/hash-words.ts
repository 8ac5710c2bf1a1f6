/** Computes a hash of a run of 32-bit words, for the open-addressing tables of this folder. */
export function hashWords(words: Int32Array, from: number, length: number): number {
  let h = length
  for (let i = from; i < from + length; i++) {
    h = Math.imul(h ^ words[i], 0x9e3779b1)
    h ^= h >>> 15
  }
  h = Math.imul(h, 0x85ebca6b)
  return h ^ (h >>> 13)
}
