/** A hunt for two leases at once in groups that rest, over many seeds: `RUNS=10000` for a campaign. */
import { expect, test } from 'vitest'
import { RestWorld } from '../support/rest-world.ts'

const RUNS = Number(process.env['RUNS'] ?? 40)
const FIRST = Number(process.env['FIRST'] ?? 1)

test(
  'no two members of a group that rests hold a lease at once',
  async () => {
    let [rests, reigns] = [0, 0]
    for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
      const run = await new RestWorld(seed).run(8000)
      rests += run.rests
      reigns += run.reigns
      expect([seed, run.overlaps[0]]).toEqual([seed, undefined])
    }
    expect(rests).toBeGreaterThan(RUNS)
    expect(reigns).toBeGreaterThan(RUNS)
  },
  1000 * RUNS,
)
