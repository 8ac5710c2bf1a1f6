/** The transport of a member without a mesh: it listens nowhere, and there is nobody to send to. */
import type { Endpoint, Transport } from './transport.ts'

const endpoint: Endpoint = {
  address: '',
  counters: {},
  send: () => undefined,
  probe: () => undefined,
  release: () => undefined,
  setPeer: () => undefined,
  removePeer: () => undefined,
  setTiming: () => undefined,
  close: async () => Promise.resolve(),
}

export const noMesh: Transport = { listen: async () => Promise.resolve(endpoint) }
