/** Plays the challenges: each solution reaches the goal within the faults that are allowed, and the run without faults does not. */
import { describe, expect, test } from 'vitest'
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { parseSettings } from '../../../src/sim/index.ts'
import { runSettings } from '../simulation/run-to-completion.ts'
import type { Run, Settings } from '../simulation/worker-protocol.ts'
import { judge, LEVELS } from './challenge.ts'
import { CHALLENGES } from './challenges.ts'

function play(settings: Settings): Run {
  return runSettings(1, parseSettings(settings, { algorithms, detectors })).run
}

describe('the challenges', () => {
  test('are at least fifteen, in three levels, each with its own id and with hints', () => {
    expect(CHALLENGES.length).toBeGreaterThanOrEqual(15)
    expect(new Set(CHALLENGES.map(({ id }) => id)).size).toBe(CHALLENGES.length)
    const levels = CHALLENGES.map(({ level }) => LEVELS.indexOf(level))
    expect(levels).toEqual(levels.toSorted((a, b) => a - b))
    expect(new Set(levels).size).toBe(LEVELS.length)
    expect(CHALLENGES.filter(({ hints }) => hints.length < 2)).toEqual([])
  })

  test.each(CHALLENGES.map((one) => [one.id, one] as const))(
    '%s: the solution reaches the goal, and the run without faults does not',
    (_, challenge) => {
      const { start, solution } = challenge
      const solved = [...start, ...solution]
      expect(judge(challenge, solved, play(solved))).toMatchObject({ reached: true, refused: '' })
      expect(judge(challenge, start, play(start)).reached).toBe(false)
    },
  )

  test.each(CHALLENGES.map((one) => [one.id, one] as const))(
    '%s: no part of the solution can be left out',
    (_, challenge) => {
      const { start, solution } = challenge
      const superfluous = solution.filter((__, place) => {
        const settings = [...start, ...solution.toSpliced(place, 1)]
        return judge(challenge, settings, play(settings)).reached
      })
      expect(superfluous).toEqual([])
    },
  )

  test('count no run with more faults than are allowed, or with other settings', () => {
    const challenge = CHALLENGES.find(({ id }) => id === 'successor')!
    const solved = [...challenge.start, ...challenge.solution]
    const more: Settings = [...solved, ['crash', '4@200ms']]
    expect(judge(challenge, more, play(more))).toMatchObject({
      reached: false,
      refused: 'This challenge allows 1 × crash; the run has 2.',
    })
    const other: Settings = [...solved, ['pause', '1@1ms']]
    expect(judge(challenge, other, play(other)).refused).toBe('This challenge allows no pause.')
    const seeded = solved.map(([key, value]) => [key, key === 'seed' ? '4' : value] as const)
    expect(judge(challenge, seeded, play(seeded))).toMatchObject({
      reached: false,
      refused: 'This challenge has seed 3; the run has another.',
    })
  })
})
