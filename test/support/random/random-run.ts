/** Random simulated worlds for detector-based algorithms: sizes, detection times, crashes, recoveries and resignations from one seed. */
import type { Algorithm, OptionValues } from '../../../src/core/algorithm.ts'
import { Random } from '../../../src/core/random.ts'
import { configure, leadersResign, type SimOptions } from '../../../src/sim/config.ts'
import type { Fault } from '../../../src/sim/faults/fault-catalogue.ts'
import { World } from '../../../src/sim/world/world.ts'

/** Long after the last fault: members that have not agreed by then never will. */
const PATIENCE_US = 60_000_000

/** Crashes and recoveries of random members, close together so that elections meet. */
function crashesAndRecoveries(
  random: Random,
  members: number,
  most: number,
  alreadyDown: readonly number[] = [],
): Fault[] {
  const faults: Fault[] = []
  const down = new Set<number>(alreadyDown)
  let at = random.below(200_000)
  for (let left = random.below(most + 1); left > 0; left--) {
    const node = 1 + random.below(members)
    const kind = down.has(node) ? 'recover' : 'crash'
    if (kind === 'crash') down.add(node)
    else down.delete(node)
    faults.push({ kind, node, at })
    at += random.below(random.chance(0.7) ? 30_000 : 400_000)
  }
  return faults
}

/** Adds resignations of members that may lead. */
function withResignations(random: Random, members: number, faults: readonly Fault[]): Fault[] {
  const last = faults.at(-1)?.at ?? 400_000
  const more = Array.from({ length: random.below(5) }, (): Fault => {
    const node = random.chance(0.5) ? members : 1 + random.below(members)
    const successor = 1 + random.below(members)
    const named = successor === node || random.chance(0.5) ? {} : { successor }
    return { kind: 'resign', node, at: random.below(last + 100_000), ...named }
  })
  return [...faults, ...more].sort((a, b) => a.at - b.at)
}

/** A world with a random size, random delays and a random schedule; some begin settled. */
export function randomConfig(
  algorithm: Algorithm,
  seed: number,
  options: OptionValues = {},
  most = 8,
): SimOptions {
  const random = new Random(seed)
  const members = 2 + random.below(4)
  const detectionUs = 11_000 + random.below(30_000)
  const settled = random.chance(0.3)
  const config = {
    algorithm,
    options,
    members,
    seed,
    detection: { minUs: random.chance(0.5) ? 0 : detectionUs, maxUs: detectionUs },
    faults: crashesAndRecoveries(random, members, most, settled ? [members] : []),
    initiators: settled ? [1 + random.below(members - 1)] : null,
    down: settled ? [members] : [],
  }
  if (!leadersResign(algorithm)) return config
  return { ...config, faults: withResignations(random, members, config.faults) }
}

/** Runs a configuration until quiet and judges it by what its algorithm promises. */
export function run(options: SimOptions, prepare?: (world: World) => void): World {
  const world = new World(configure(options))
  prepare?.(world)
  const last = options.faults?.at(-1)?.at ?? 0
  world.runUntilQuiet(last + PATIENCE_US)
  world.monitors.judge(world.now)
  return world
}
