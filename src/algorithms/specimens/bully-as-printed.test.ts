/** What the printed Bully does, and its defects T-a to T-f. */
import { describe, expect, test } from 'vitest'
import { runSchedule, scheduleOf } from '../../../test/support/random/schedules.ts'
import { beliefs, play, sentLast, stepperFor } from '../../../test/support/scenario.ts'
import { bullyAsPrinted } from './bully-as-printed.ts'

const FORMS = ['000', '002', '004'] as const
type Form = (typeof FORMS)[number]

const settled = (form: Form, members: number) =>
  stepperFor(bullyAsPrinted, members, { start: 'settled', options: { form } })

describe('to the letter', () => {
  test('000: "If one of the higher-ups answers, it takes over. P\'s job is done.": no member waits for a coordinator', () => {
    const world = play(settled('000', 3), 'crash 3; down 1 3; deliver 1→2 election; deliver 2→1 ok')
    expect(world.isArmed(1, 'coordinator')).toBe(false)
  })

  test('000: "When a process notices that the coordinator is no longer responding", read of one whose job is done: it elects again', () => {
    const options = { form: '000', notices: 'again' }
    const world = stepperFor(bullyAsPrinted, 3, { start: 'settled', options })
    play(world, 'crash 3; down 1 3; deliver 1→2 election; deliver 2→1 ok; crash 2')
    expect(sentLast(play(world, 'timeout 1 coordinator'))).toEqual(['1→2 election', '1→3 election'])
  })

  test('000: "the biggest guy in town always wins", read of whom a process follows: only one with a higher number', () => {
    const options = { form: '000', follows: 'higher' }
    const world = stepperFor(bullyAsPrinted, 3, { start: 'settled', options })
    play(world, 'crash 3; down 2 3; recover 3; timeout 2 answer; start 3; deliver 2→3 coordinator')
    expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(2) 3:Norm(3)')
    expect(beliefs(play(world, 'deliver 3→2 coordinator'))).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
  })

  test('000: "It announces its victory by sending all processes a message"', () => {
    const world = play(settled('000', 3), 'crash 3; down 2 3; timeout 2 answer')
    expect(sentLast(world)).toEqual(['2→1 coordinator', '2→3 coordinator'])
  })

  test('002: "sends Coordinator message to all lower id processes"', () => {
    const world = play(settled('002', 3), 'crash 3; down 2 3; timeout 2 answer')
    expect(sentLast(world)).toEqual(['2→1 coordinator'])
  })

  test('002: "if it knows its id is the highest, it elects itself", of all ids or of those that are up', () => {
    const sent = (highest: string): string[] => {
      const options = { form: '002', highest }
      const world = stepperFor(bullyAsPrinted, 4, { start: 'settled', options })
      return sentLast(play(world, 'crash 4; down 3 4'))
    }
    expect(sent('all')).toEqual(['3→4 election'])
    expect(sent('up')).toEqual(['3→1 coordinator', '3→2 coordinator'])
  })

  test('T-e, 004: "sends an I am alive message back and starts new election", even while it holds one', () => {
    const world = play(settled('004', 3), 'crash 3; down 2 3; down 1 3; deliver 1→2 election')
    expect(sentLast(world)).toEqual(['2→1 ok', '2→3 election'])
  })

  test('004 §1: "An individual process does not call more than one election at a time", read above the four actions', () => {
    const options = { form: '004', elections: 'one' }
    const world = stepperFor(bullyAsPrinted, 3, { start: 'settled', options })
    play(world, 'crash 3; down 2 3; down 1 3; deliver 1→2 election')
    expect(sentLast(world)).toEqual(['2→1 ok'])
  })

  test('004, action 3: "If it does not receive this message in time, it rebroadcasts the election message"', () => {
    const world = play(settled('004', 3), 'crash 3; down 1 3; deliver 1→2 election; deliver 2→1 ok')
    play(world, 'crash 2; timeout 1 coordinator')
    expect(sentLast(world)).toEqual(['1→2 election', '1→3 election'])
  })

  test('004: "if P_i receives a victory message from a process with a lower ID number, it immediately initiates a new election"', () => {
    const world = play(settled('004', 3), 'crash 3; down 1 3; recover 3; timeout 1 answer; start 3')
    expect(sentLast(play(world, 'deliver 1→2 coordinator'))).toEqual(['2→3 election'])
  })
})

describe('defects', () => {
  test.each(FORMS)(
    'T-a, form %s: the last claim to arrive wins, and nobody ever repairs it',
    (form) => {
      const world = play(
        settled(form, 3),
        'crash 3; down 2 3; timeout 2 answer; recover 3; start 3',
      )
      play(world, 'deliver 3→1 coordinator; deliver 2→1 coordinator; deliver 3→2 coordinator')
      expect(beliefs(world)).toBe('1:Norm(2) 2:Norm(3) 3:Norm(3)')
      for (const id of [1, 2, 3]) {
        expect(world.isArmed(id, 'answer') || world.isArmed(id, 'coordinator')).toBe(false)
      }
    },
  )

  test('T-b, form 000: a member that waits for one that then crashes waits for ever', () => {
    const world = play(settled('000', 3), 'crash 3; down 1 3; deliver 1→2 election; deliver 2→1 ok')
    play(world, 'crash 2')
    expect(beliefs(world)).toBe('1:WaitC 2:down 3:down')
    expect(world.isArmed(1, 'answer') || world.isArmed(1, 'coordinator')).toBe(false)
  })

  test.each(FORMS)(
    'T-c, form %s: there is no halt phase: each recovery of the strongest gives two leaders for a while',
    (form) => {
      const world = play(settled(form, 3), 'crash 3; down 2 3; timeout 2 answer')
      play(world, 'deliver 2→1 coordinator; recover 3; start 3')
      expect(beliefs(world)).toBe('1:Norm(2) 2:Norm(2) 3:Norm(3)')
      play(world, 'deliver 3→1 coordinator; deliver 3→2 coordinator')
      expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(3) 3:Norm(3)')
    },
  )

  test.each(FORMS)(
    'T-f, form %s: a coordinator that is asked elects again, for a group that already agrees',
    (form) => {
      const world = play(settled(form, 4), 'crash 4; down 3 4; timeout 3 answer')
      play(world, 'deliver 3→1 coordinator; down 2 4; deliver 2→3 election')
      expect(sentLast(world)).toEqual(['3→2 ok', '3→4 election'])
    },
  )

  test('T-d, form 002: one lost message is never made good', () => {
    const world = play(settled('002', 3), 'crash 3; down 2 3; timeout 2 answer; recover 3; start 3')
    play(world, 'lose 3→2 coordinator; deliver 3→1 coordinator; lose 2→1 coordinator')
    expect(beliefs(world)).toBe('1:Norm(3) 2:Norm(2) 3:Norm(3)')
  })

  test.each([
    ['000', false],
    ['002', false],
    ['004', false],
    ['002', true],
    ['004', true],
  ] as const)(
    'form %s, loss %s: the same 10,000 random schedules show lasting disagreement: the monitors are not vacuous',
    (form, loss) => {
      const lasts = (seed: number): boolean => {
        const schedule = scheduleOf(seed, { ...bullyAsPrinted.assumes, loss })
        const { monitors } = runSchedule(bullyAsPrinted, schedule, {}, { form })
        return monitors.violations.some(({ property }) => property === 'agreement')
      }
      const seeds = Array.from({ length: 10_000 }, (_, i) => i + 1)
      expect(seeds.find(lasts)).toBeDefined()
    },
  )
})
