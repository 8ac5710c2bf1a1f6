/**
 * Warms up the code of the TCP transport: connects two endpoints of this process on the loopback interface, closes one,
 * and lets the other see that its connection ends and that its next dial is refused. The first time takes a millisecond
 * longer than the next, and when a leader is lost every one of them counts.
 */
import type { Endpoint, LinkEvents, Transport } from '../transport.ts'

const ROUNDS = 2
const LIMIT_MS = 1000
/** Never dialled. */
const UNUSED = '127.0.0.1:9'

/** Rejects where there is no loopback interface. */
export async function warmUpTcp(transport: Transport): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await loseConnection(transport)
}

async function loseConnection(transport: Transport): Promise<void> {
  const identity = { cluster: 'warm-up', configuration: '', incarnation: 1 }
  const open = async (id: string, peer: string, address: string, events: LinkEvents) =>
    transport.listen({ ...identity, id }, '127.0.0.1:0', [{ id: peer, address }], events)
  const endpoints: Endpoint[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      const late = () => reject(new Error('the warm-up takes too long'))
      AbortSignal.timeout(LIMIT_MS).addEventListener('abort', late)
      const events = { connected: ignore, frame: ignore, lost: ignore, refused: ignore }
      void (async () => {
        const b = await open('b', 'a', UNUSED, {
          ...events,
          frame: (_, payload) => b.send('a', payload),
        })
        endpoints.push(b)
        const a = await open('a', 'b', b.address, {
          ...events,
          frame: () => void b.close(),
          lost: (_, { kind }) => (kind === 'refused' ? resolve() : a.send('b', {})),
        })
        endpoints.push(a)
        a.send('b', {})
      })().catch(reject)
    })
  } finally {
    await Promise.all(endpoints.map(async (endpoint) => endpoint.close()))
  }
}

function ignore(): void {
  // Nothing depends on it.
}
