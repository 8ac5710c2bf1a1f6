/** Tests the frames of a run: those of any order of seeking are the same, and a step leaves the members that it does not touch as they were. */
import { expect, test } from 'vitest'
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { parseSettings } from '../../../src/sim/index.ts'
import { RunFrames } from './frames.ts'
import { runSettings } from './run-to-completion.ts'

const { run } = runSettings(
  1,
  parseSettings(
    [
      ['algorithm', 'bully'],
      ['nodes', '6'],
      ['seed', '3'],
      ['crash', '6@60ms'],
      ['pause', '2@90ms'],
      ['resume', '2@120ms'],
      ['recover', '6@200ms'],
    ],
    { algorithms, detectors },
  ),
)

test('a frame is the same whether it is reached forward, backward or at once', () => {
  const forward = new RunFrames(run)
  const frames = run.steps.map((_, i) => JSON.stringify(forward.at(i).members))
  const backward = new RunFrames(run)
  for (let i = run.steps.length - 1; i >= 0; i -= 7) {
    expect(JSON.stringify(backward.at(i).members)).toBe(frames[i])
    expect(JSON.stringify(new RunFrames(run).at(i).members)).toBe(frames[i])
  }
})

test('a step replaces only the member that takes it, so that pages draw only that one again', () => {
  const frames = new RunFrames(run)
  let before = frames.at(-1).members
  const others = run.steps.map(({ node, fault }, i) => {
    const { members } = frames.at(i)
    const replaced = members.filter((member, k) => member !== before[k])
    before = members
    const touched = fault === null ? node : Number.parseInt(fault[1], 10)
    return replaced.filter(({ label }) => label !== touched).length
  })
  expect(others).toEqual(others.map(() => 0))
  expect(before.every(({ up, paused }) => up && !paused)).toBe(true)
})
