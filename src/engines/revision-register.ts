/**
 * Reads, writes and reseeds registers of engines that number their writes (etcd, NATS): the token is the revision plus
 * the offset of a reseed.
 */
import { checkSeed, EngineError, tokenOf, type Register } from './engine.ts'

export type RegisterBody = Pick<Register, 'holder' | 'metadata' | 'offset'>

export function parseBody(engine: string, key: string, text: string): RegisterBody {
  try {
    return JSON.parse(text) as RegisterBody
  } catch (cause) {
    throw new EngineError(`${engine}: ${key} holds something else`, { cause })
  }
}

export function registerAt(engine: string, body: RegisterBody, revision: unknown): Register {
  return { ...body, beat: 0, token: tokenOf(engine, revision, body.offset) }
}

/** The revision that a register was written at; 0: never. */
export function revisionOf({ token, offset }: Register): number {
  return token === 0 ? 0 : token - offset
}

/** Writes until no other write comes in between. The revision of the write is at least 1, so its token is above. */
export async function reseedAbove(
  engine: string,
  above: number,
  read: () => Promise<Register>,
  write: (from: Register, body: RegisterBody) => Promise<Register | null>,
): Promise<Register> {
  checkSeed(engine, above)
  for (;;) {
    const from = await read()
    const offset = Math.max(from.offset, above)
    const register = await write(from, { holder: '', metadata: null, offset })
    if (register !== null) return register
  }
}
