/** Measures simulated elections of Chang and Roberts: time and memory on a ring of 10^6 members, and mean messages on 1,000 random rings against n·H_n + n. */
import { changRoberts } from '../dist/algorithms/index.js'
import { Random } from '../dist/core/random.js'
import { configure, finish, World } from '../dist/sim/index.js'
import { row, type Entry, type Row } from './harness.ts'

/** The processor time of a whole election: the world is built, elects, and comes to rest. */
function electSeconds(members: number, initiators: readonly number[] | null): number {
  const start = process.cpuUsage()
  const world = new World(configure({ algorithm: changRoberts, members, initiators }))
  finish(world)
  const { user, system } = process.cpuUsage(start)
  if (world.monitors.agreed !== members) throw new Error('the strongest was not elected')
  return (user + system) / 1e6
}

/** Messages of an election that all start, over what the formula says, on average over random rings. */
function meanOverFormula(rings: number, members: number): number {
  const random = new Random(20_261_115)
  let harmonic = 0
  for (let k = 1; k <= members; k++) harmonic += 1 / k
  let messages = 0
  for (let i = 0; i < rings; i++) {
    const ring = random.permutation(members)
    const network = { latency: { kind: 'constant', us: 1000 } } as const
    const world = new World(configure({ algorithm: changRoberts, members, ring, network, seed: i }))
    finish(world)
    messages += world.messageCounts.sumOf('election')
  }
  return messages / rings / (members * harmonic + members)
}

function run(scale: 'tiny' | 'full'): Row[] {
  const full = scale === 'full'
  const members = full ? 1_000_000 : 1000
  const oneSeconds = electSeconds(members, [1])
  const allSeconds = electSeconds(members, null)
  return [
    row(`one of ${members} starts`, oneSeconds, 's', {
      bound: { max: 10 },
      note: '3n − 1 messages, one after the other; processor time',
    }),
    row(`all of ${members} start`, allSeconds, 's', {
      bound: { max: 10 },
      note: 'ring in the order of strength: 3n − 1 messages; processor time',
    }),
    row('most memory ever', process.resourceUsage().maxRSS / 1000, 'MB', { bound: { max: 2000 } }),
    row(
      'messages / (n·H_n + n), all start',
      full ? meanOverFormula(1000, 1000) : meanOverFormula(20, 20),
      '',
      { bound: full ? { min: 0.99, max: 1.01 } : {}, note: '1,000 random rings of 1,000' },
    ),
  ]
}

const entry: Entry = {
  name: 'chang-roberts',
  describe: 'Chang and Roberts: a ring of a million, and the average of random rings',
  run,
}
export default entry
