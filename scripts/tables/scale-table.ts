/** `npm run scale`: measures simulated elections of Bully_FD with 1,000 members, 300 of them dead, over every detector, and writes the table of docs/scale.md. */
import { bullyFd } from '../../src/algorithms/index.ts'
import { markdownTable } from '../../src/core/markdown-table.ts'
import { detectors } from '../../src/detectors/index.ts'
import { configure, World } from '../../src/sim/index.ts'
import { writeBetween } from '../support/markdown-section.ts'
import { commandLine } from '../support/command-line.ts'

commandLine({
  run: 'npm run scale',
  does: 'Bully_FD with a thousand members, three hundred of them dead. Writes the table of docs/scale.md.',
})

const MEMBERS = 1000
const everyone = Array.from({ length: MEMBERS }, (_, i) => i + 1)
/** Where the dead are: all of them superiors of the next leader, or spread over the ranks. */
const PLACES = {
  strongest: everyone.slice(700),
  spread: everyone.filter((id) => [0, 3, 6].includes(id % 10)),
}

const rows = [
  [
    'detector',
    'dead',
    'known',
    'elected after',
    'Halt, Ack, Ldr',
    '3(a−1) + d2',
    'detector messages',
  ],
]
for (const detector of ['perfect' as const, ...detectors]) {
  for (const [place, down] of Object.entries(PLACES)) {
    for (const known of [false, true]) {
      const leader = Math.max(...everyone.filter((id) => !down.includes(id)))
      const world = new World(
        configure({
          algorithm: bullyFd,
          members: MEMBERS,
          detector,
          down,
          knownDown: known ? down : [],
          initiators: [leader],
        }),
      )
      while (Number.isNaN(world.monitors.agreedSince) && world.step());
      if (world.monitors.agreed !== leader) throw new Error(`no leader with the ${place} dead`)
      rows.push([
        `\`${detector === 'perfect' ? detector : detector.name}\``,
        place,
        known ? 'yes' : 'no',
        `${(world.now / 1000).toFixed(1)} ms`,
        String(world.messageCounts.sumOf('election')),
        String(3 * (MEMBERS - down.length - 1) + down.filter((id) => id < leader).length),
        String(world.messageCounts.sumOf('detector')),
      ])
    }
  }
}
writeBetween('docs/scale.md', 'measured', markdownTable(rows, 'right'))
