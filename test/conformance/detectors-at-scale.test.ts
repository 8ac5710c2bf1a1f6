/** A thousand members, three hundred of them dead, and members ask about all that outrank them. */
import { expect, test } from 'vitest'
import { detectors } from '../../src/detectors/index.ts'
import { configure } from '../../src/sim/config.ts'
import { World } from '../../src/sim/world/world.ts'
import { asker } from '../support/asker.ts'

const MEMBERS = 1000
const DEAD = Array.from({ length: 300 }, (_, i) => 3 * i + 2)

// All put requests alike, so that one of them is asked by all members and the others by every tenth.
test.each(detectors.map((detector, i) => [detector.name, i === 0 ? 1 : 10, detector] as const))(
  '%s answers each request once and truly, asked by one in %i',
  (_, oneIn, detector) => {
    const tally = { up: 0, down: 0, wrong: 0, requests: 0 }
    const dead = new Set(DEAD)
    const asks = asker({
      log: false,
      onStart(me, act) {
        if (me % oneIn !== 0) return
        for (let peer = me + 1; peer <= MEMBERS; peer++) act('request', peer)
        tally.requests += MEMBERS - me
      },
      onAnswer(_me, verdict, peer) {
        tally[verdict] += 1
        if (dead.has(peer) !== (verdict === 'down')) tally.wrong += 1
      },
    })
    const { algorithm } = asks
    const world = new World(configure({ algorithm, members: MEMBERS, detector, down: DEAD }))
    world.runUntil(1_000_000)
    expect(world.isQuiet).toBe(true)
    expect(tally.up + tally.down).toBe(tally.requests)
    expect(tally.wrong).toBe(0)
    expect(world.messageCounts.sumOf('detector')).toBe(tally.requests + tally.up) // a question, and an answer of the living
    expect(world.members.deliveries).toBe(2 * tally.up)
  },
)
