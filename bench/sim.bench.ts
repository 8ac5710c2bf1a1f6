/** Measures the simulator with the Bully: messages a second, the cost of a heartbeat with 10 and 10,000 members, and the time to hash a state. */
import { bully } from '../dist/algorithms/index.js'
import { Hasher } from '../dist/core/hash.js'
import { configure, World, type Fault } from '../dist/sim/index.js'
import { row, type Entry, type Row } from './harness.ts'
import { measure } from './measure.ts'

/** The strongest crashes and recovers for ever: elections of n² messages, and heartbeats in between. */
function churn(members: number): World {
  const faults = Array.from({ length: 1000 }, (_, i): Fault => {
    return { at: 200_000 * (i + 1), kind: i % 2 === 0 ? 'crash' : 'recover', node: members }
  })
  return new World(configure({ algorithm: bully, members, faults, timing: { periodMs: 25 } }))
}

/** The strongest announces itself once and then sends heartbeats: as many messages pending as members. */
function calm(members: number): World {
  const timing = { periodMs: 25 }
  return new World(configure({ algorithm: bully, members, timing, initiators: [members] }))
}

/** Messages handled in a second: random latencies, FIFO links, monitors on. */
function perSecond(make: () => World, deliveries: number): number {
  let handled = 0
  const timing = measure(() => {
    const world = make()
    while (world.members.deliveries < deliveries && world.step());
    handled = world.members.deliveries
  })
  return (handled / timing.medianMs) * 1000
}

function hashMicroseconds(rounds: number): number {
  const world = churn(5)
  world.runUntil(500_000)
  const hasher = new Hasher()
  const { medianMs } = measure(() => {
    for (let i = 0; i < rounds; i++) {
      hasher.reset()
      for (let node = 1; node <= 5; node++) bully.state.hash(world.states[node], hasher)
    }
  })
  return (medianMs * 1000) / rounds
}

function run(scale: 'tiny' | 'full'): Row[] {
  const deliveries = scale === 'tiny' ? 2_000 : 3_000_000
  const at64 = perSecond(() => churn(64), deliveries)
  const at10 = perSecond(() => calm(10), deliveries)
  const at10k = perSecond(() => calm(10_000), deliveries)
  return [
    row('messages handled, 64 nodes', at64 / 1e6, 'million/s', {
      bound: { min: 6 },
      note: 'crashes and elections; uniform latency, FIFO links, monitors on',
    }),
    row('heartbeats handled, 10 nodes', at10 / 1e6, 'million/s'),
    row('heartbeats handled, 10,000 nodes', at10k / 1e6, 'million/s'),
    row('cost of a heartbeat at 10,000 nodes against 10', at10 / at10k, '×', { bound: { max: 2 } }),
    row('hash of a 5-node state', hashMicroseconds(scale === 'tiny' ? 100 : 100_000), 'µs', {
      bound: { max: 1 },
    }),
  ]
}

export default {
  name: 'sim',
  describe: 'the simulator: messages a second, 10 and 10,000 members, the time to hash a state',
  run,
} satisfies Entry
