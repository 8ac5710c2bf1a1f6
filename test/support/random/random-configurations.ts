/** Random simulator configurations from a seed: every kind of network, fault and start. */
import { algorithms } from '../../../src/algorithms/index.ts'
import type { Algorithm, OptionValues } from '../../../src/core/algorithm.ts'
import { Labels } from '../../../src/core/group.ts'
import { Random } from '../../../src/core/random.ts'
import {
  configure,
  leadersResign,
  type Fault,
  type Latency,
  type SimConfig,
} from '../../../src/sim/index.ts'

export function configurationOf(seed: number): SimConfig {
  const random = new Random(seed)
  const pick = <T>(...values: T[]): T => values[random.below(values.length)]
  const members = 1 + random.below(8)
  const algorithm = pick(...algorithms.filter(({ topology }) => topology === 'complete'))
  const down = someOf(random, members, 0.15)
  const initiators = someOf(random, members, 0.3).filter((id) => !down.includes(id))
  const detectionUs = random.below(30_000)
  const untilUs = random.below(1_500_000)
  const config = configure({
    algorithm,
    options: optionsOf(algorithm, random),
    members,
    labels: new Labels(members, pick('highest', 'lowest')),
    seed: random.below(pick(100, 2 ** 32, Number.MAX_SAFE_INTEGER)),
    network: {
      send: pick('multicast', 'sequential'),
      latency: latencyOf(random),
      loss: pick(0, 0, 0.05, 0.3),
      duplicate: pick(0, 0, 0.05, 0.3),
      reorder: pick(0, 0, 0.05, 0.5),
    },
    processingUs: pick(0, 0, random.below(3000)),
    detection: { minUs: detectionUs, maxUs: detectionUs + pick(0, random.below(20_000)) },
    timing: { periodMs: 51 + random.below(100) },
    down,
    knownDown: down.filter(() => random.chance(0.5)),
    initiators: random.chance(0.3) && initiators.length > 0 ? initiators : null,
    faults: faultsOf(random, members),
    // Those that draw lots may do so for a virtual minute: a long trace that shows nothing new.
    untilUs: algorithm.promises.leader === 'any' ? untilUs : pick(null, untilUs),
  })
  // Last, so that what is drawn for the others does not depend on it.
  if (!leadersResign(algorithm)) return config
  const faults = [...config.faults, ...resignationsOf(random, members)]
  return { ...config, faults: faults.sort((a, b) => a.at - b.at) }
}

/** Often of the strongest, which often leads; half of them name a successor. */
function resignationsOf(random: Random, members: number): Fault[] {
  return Array.from({ length: random.below(5) }, (): Fault => {
    const node = random.chance(0.5) ? members : 1 + random.below(members)
    const successor = 1 + random.below(members)
    const named = successor === node || random.chance(0.5) ? {} : { successor }
    return { at: 1000 * random.below(600), kind: 'resign', node, ...named }
  })
}

function someOf(random: Random, members: number, probability: number): number[] {
  const everyone = Array.from({ length: members }, (_, i) => i + 1)
  return everyone.filter(() => random.chance(probability))
}

function optionsOf(algorithm: Algorithm, random: Random): OptionValues {
  const values: Record<string, string | number> = {}
  for (const [name, option] of Object.entries(algorithm.options)) {
    if (option.type === 'choice' && random.chance(0.7)) {
      values[name] = option.choices[random.below(option.choices.length)]
    }
  }
  return values
}

function latencyOf(random: Random): Latency {
  const us = random.below(5000)
  switch (random.below(4)) {
    case 0:
      return { kind: 'constant', us }
    case 1:
      return { kind: 'uniform', minUs: us, maxUs: us + random.below(5000) }
    case 2:
      return { kind: 'exponential', minUs: us, meanUs: 1 + random.below(3000) }
    default:
      return { kind: 'lognormal', medianUs: 1 + us, sigma: (1 + random.below(15)) / 10 }
  }
}

function faultsOf(random: Random, members: number): Fault[] {
  const node = (): number => 1 + random.below(members)
  const side = (): number[] => [node(), node()].filter((id, i, all) => all.indexOf(id) === i)
  const faults = Array.from({ length: random.below(12) }, (): Fault => {
    const at = random.chance(0.1) ? 0 : 1000 * random.below(600) + random.below(3)
    switch (random.below(9)) {
      case 0:
      case 1:
        return { at, kind: 'crash', node: node() }
      case 2:
        return { at, kind: 'recover', node: node() }
      case 3:
        return { at, kind: 'pause', node: node() }
      case 4:
        return { at, kind: 'resume', node: node() }
      case 5:
        return { at, kind: 'slow', node: node(), us: random.chance(0.3) ? 0 : random.below(40_000) }
      case 6:
        return { at, kind: 'cut', from: side(), to: side() }
      case 7:
        return { at, kind: 'heal' }
      default:
        return { at, kind: 'drop', from: node(), to: node() }
    }
  })
  return faults.sort((a, b) => a.at - b.at)
}
