/** The defects of 003 that the errata mark, each as the schedule that shows it. Members draw 1 to 10. */
import { describe, expect, test } from 'vitest'
import { drain, play, sentLast, stepperFor } from '../../../test/support/scenario.ts'
import type { OptionValues } from '../../core/algorithm.ts'
import { configure, World, type Stepper } from '../../sim/index.ts'
import { rouletteAsPrinted } from './roulette-as-printed.ts'

/** Three members that have started; one draw of any number launches. */
function three(options: OptionValues): Stepper {
  const launch = { faces: 10, threshold: 0, consecutive: 1 }
  const world = stepperFor(rouletteAsPrinted, 3, { options: { ...launch, ...options } })
  return play(world, 'start 1; start 2; start 3')
}

/** Member `node` draws `number` and is a candidate. */
const launch = (node: number, number: number): string =>
  `timeout ${node} draw; drawn ${node} number ${number - 1};`

const modes = (world: Stepper): string[] => [1, 2, 3].map((id) => world.stateOf(id).status)

/** 1 has drawn 5 and 2 has drawn 8; 3 votes for both in turn. */
const TWO_CANDIDATES = `
  ${launch(1, 5)} ${launch(2, 8)}
  deliver 1→3 proposal
  deliver 2→3 proposal
`

describe('003 §2.1, the case studies', () => {
  test.each(['five-step', 'time-out', 'vote-once'])(
    '"Because A is the only candidate, it will receive positive messages from all other nodes" (%s)',
    (form) => {
      const world = play(three({ form }), launch(1, 5))
      play(world, 'deliver 1→2 proposal; deliver 1→3 proposal')
      expect([world.linkOf(2, 1)[0].type, world.linkOf(3, 1)[0].type]).toEqual([
        'positive',
        'positive',
      ])
      drain(world)
      expect(world.stateOf(1).status).toBe('coordinator')
    },
  )

  test('second case: "node D votes for B after it voted for A in the first couple of messages"', () => {
    const world = play(three({ form: 'five-step' }), TWO_CANDIDATES)
    expect(sentLast(world)).toEqual(['3→2 positive'])
    expect(world.linkOf(3, 1)[0].type).toBe('positive')
  })

  test('rule 3: a coordinator "will send a negative response with a special flag saying that it is already coordinator"', () => {
    const world = play(three({ form: 'vote-once' }), `${launch(1, 5)} ${launch(2, 8)}`)
    play(world, 'deliver 1→3 proposal; deliver 3→1 positive; deliver 2→1 proposal')
    expect(world.linkOf(1, 2).at(-1)).toEqual({ type: 'negative', coordinator: true, number: 5 })
  })

  test('rule 5: "it will continue to generate numbers until it gets a proper number or until it receives a proposal"', () => {
    const world = play(
      stepperFor(rouletteAsPrinted, 2, { options: { faces: 10, threshold: 8 } }),
      'start 1; start 2; timeout 1 draw; drawn 1 number 9; timeout 1 draw; drawn 1 number 3',
    )
    expect(world.isArmed(1, 'draw')).toBe(true)
    play(world, launch(2, 10) + launch(2, 9) + launch(2, 9))
    play(world, 'deliver 2→1 proposal')
    expect(world.isArmed(1, 'draw')).toBe(false)
  })
})

describe('what is wrong in 003', () => {
  test('W-a: step 2 lets 3 vote again and step 4 lets 1 keep its state: two coordinators, no failure', () => {
    const world = play(three({ form: 'five-step' }), TWO_CANDIDATES)
    drain(world)
    expect(modes(world).slice(0, 2)).toEqual(['coordinator', 'coordinator'])
  })

  test('W-a: if a refused candidate must revert, there is one coordinator', () => {
    const world = play(three({ form: 'five-step', revert: 'yes' }), TWO_CANDIDATES)
    drain(world)
    expect(modes(world).slice(0, 2)).toEqual(['basic', 'coordinator'])
  })

  test('W-b: rule 2 asks for a majority after the time-out: two coordinators even if the refused revert', () => {
    const world = play(three({ form: 'time-out', revert: 'yes' }), TWO_CANDIDATES)
    play(world, 'deliver 3→1 positive; timeout 1 answers; deliver 3→2 positive; timeout 2 answers')
    expect(modes(world).slice(0, 2)).toEqual(['coordinator', 'coordinator'])
  })

  test('W-c: "vote only one time in a round": a second round has no number, so two are elected', () => {
    const world = play(three({ form: 'vote-once' }), launch(3, 5))
    play(world, 'deliver 3→2 proposal; deliver 2→3 positive; drawn 3 wheel 4') // 3 coordinates and the wheel elects it
    expect(world.stateOf(3).status).toBe('leader')
    play(world, 'deliver 3→2 heartbeat') // the round is over for 2; 1 has heard nothing yet
    play(world, `${launch(1, 7)} deliver 1→2 proposal; deliver 2→1 positive; drawn 1 wheel 0`)
    expect(modes(world)).toEqual(['leader', 'basic', 'leader'])
    drain(world)
    expect([1, 3].map((id) => world.stateOf(id).leader)).toEqual([1, 3])
  })

  test('W-d: rule 7 chooses "another leader if it does not receive a heartbeat": the first was only slow', () => {
    const world = play(three({ form: 'vote-once', consecutive: 2 }), launch(2, 6)) // one is not enough
    play(world, `${launch(1, 5)} ${launch(1, 5)} deliver 1→2 proposal; deliver 2→1 positive`)
    play(world, 'drawn 1 wheel 7; timeout 1 heartbeat; drawn 1 wheel 0') // 2 is chosen, then 1 itself
    play(world, 'deliver 1→2 announcement')
    expect(modes(world).slice(0, 2)).toEqual(['leader', 'leader'])
    drain(world)
    expect([1, 2].map((id) => world.stateOf(id).leader)).toEqual([1, 2])
  })

  test('W-e: the coordinator crashes, and no voter has a time-out: there is never a leader', () => {
    const world = play(three({ form: 'time-out' }), launch(1, 5))
    drain(world)
    expect(world.stateOf(1).status).toBe('coordinator')
    drain(play(world, 'crash 1; down 2 1; down 3 1'))
    for (const id of [2, 3]) {
      expect(world.stateOf(id).leader).toBe(0)
      for (const timer of ['draw', 'answers', 'heartbeat', 'beat']) {
        expect(world.isArmed(id, timer)).toBe(false)
      }
    }
  })

  test('W-f: rule 9, with a majority of those that are up: both sides of a partition elect', () => {
    const split = 'cut 1→2,3; cut 2,3→1; down 1 2; down 1 3; down 2 1; down 3 1;'
    const elect = (majorityOf: string): string[] => {
      const world = play(three({ form: 'vote-once', majorityOf }), split)
      play(world, launch(1, 5))
      drain(play(world, launch(2, 5)))
      return modes(world).slice(0, 2)
    }
    expect(elect('up')).toEqual(['coordinator', 'coordinator'])
    expect(elect('configured')).not.toEqual(['coordinator', 'coordinator'])
  })

  test('W-g: a vote is not stable: a voter that restarts votes twice, and both candidates coordinate', () => {
    const world = play(three({ form: 'vote-once' }), launch(1, 5))
    play(world, 'deliver 1→3 proposal; crash 3; recover 3; start 3')
    play(world, `${launch(2, 8)} deliver 2→3 proposal`)
    play(world, 'deliver 3→1 positive; deliver 3→2 positive')
    expect(modes(world).slice(0, 2)).toEqual(['coordinator', 'coordinator'])
  })

  test('W-h: step 2 and the optimised form contradict each other: the best number, or the first', () => {
    const answers = ['five-step', 'time-out', 'vote-once'].map((form) =>
      sentLast(play(three({ form }), TWO_CANDIDATES)),
    )
    expect(answers).toEqual([['3→2 positive'], ['3→2 positive'], ['3→2 negative']])
  })

  test('W-i: a candidate that votes for another "only if the number received is greater" remains a candidate', () => {
    const world = play(three({ form: 'five-step' }), `${TWO_CANDIDATES} deliver 2→1 proposal`)
    expect(sentLast(world)).toEqual(['1→2 positive'])
    expect(world.stateOf(1)).toMatchObject({ status: 'candidate', voted: 2 })
  })
})

describe('readings of 003', () => {
  test('step 3, "all the positive votes": if a candidate needs them all, W-a vanishes', () => {
    const world = play(three({ form: 'five-step', votes: 'all' }), TWO_CANDIDATES)
    drain(world)
    expect(modes(world).slice(0, 2)).toEqual(['basic', 'coordinator'])
    expect(world.isArmed(1, 'draw')).toBe(true) // another round
  })

  test('rule 1, "votes first of all for itself": the vote may leave a candidate that votes for another', () => {
    const votes = (ownVote: string): number[] => {
      const world = play(
        three({ form: 'five-step', ownVote }),
        `${TWO_CANDIDATES} deliver 2→1 proposal`,
      )
      return [...(world.stateOf(1)['votes'] as Iterable<number>)]
    }
    expect([votes('kept').includes(1), votes('moved').includes(1)]).toEqual([true, false])
  })

  test('step 2, "it sends his greatest random generated number in his response": in a negative one, too', () => {
    const world = play(three({ form: 'five-step' }), `${launch(1, 5)} ${launch(2, 8)}`)
    play(world, 'deliver 1→2 proposal')
    expect(world.linkOf(2, 1).at(-1)).toEqual({ type: 'negative', coordinator: false, number: 8 })
  })

  test('step 3, "the numbers received from other nodes": the coordinator cannot elect itself', () => {
    const world = play(
      three({ form: 'five-step', wheelOf: 'received', consecutive: 2 }),
      launch(2, 6),
    )
    play(world, `${launch(1, 5)} ${launch(1, 5)}`)
    drain(world)
    const [{ n: places }] = world.memberOf(1).draws
    expect(places).toBe(6) // the number of 2; 3 has drawn none
    play(world, 'drawn 1 wheel 0')
    expect(sentLast(world)).toEqual(['1→2 announcement'])
  })

  test('rules 4 and 6, "a new round": a voter whose candidate is down draws again', () => {
    const after = (newRound: string): boolean => {
      const world = play(three({ form: 'time-out', newRound }), launch(1, 5))
      drain(world)
      return play(world, 'crash 1; down 2 1').isArmed(2, 'draw')
    }
    expect(['no', 'yes'].map(after)).toEqual([false, true])
  })

  test('rule 2, "waiting responses from all the nodes": of all, or of those that are up', () => {
    const coordinates = (all: string): boolean => {
      const world = play(three({ form: 'time-out', all }), 'crash 3; down 1 3; down 2 3')
      drain(play(world, launch(1, 5)))
      return world.stateOf(1).status === 'coordinator'
    }
    expect(['up', 'configured'].map(coordinates)).toEqual([true, false])
  })

  test('step 1 of §2: one large number is enough, where the modified algorithm needs three', () => {
    const world = play(three({ form: 'four-step', consecutive: 3 }), launch(1, 5))
    expect(world.stateOf(1).status).toBe('candidate')
    expect(play(three({ consecutive: 3 }), launch(1, 5)).stateOf(1).status).toBe('basic')
  })
})

describe('the roulette wheel as printed, left alone', () => {
  test.each(['five-step', 'time-out', 'vote-once'])(
    '%s mostly elects one leader at boot; the rest is W-e',
    (form) => {
      let elected = 0
      for (let seed = 1; seed <= 50; seed++) {
        const algorithm = rouletteAsPrinted
        const world = new World(configure({ algorithm, members: 5, seed, options: { form } }))
        world.runUntil(5_000_000)
        if (world.monitors.agreed !== 0) elected += 1
      }
      expect(elected).toBeGreaterThan(40)
    },
  )
})
