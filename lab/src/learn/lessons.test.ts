/** Checks the lessons: every figure in them against the runs that they show. */
import { describe, expect, test } from 'vitest'
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { parseSettings } from '../../../src/sim/index.ts'
import { RunFrames } from '../simulation/frames.ts'
import { runSettings, runTrace } from '../simulation/run-to-completion.ts'
import type { Run } from '../simulation/worker-protocol.ts'
import type { Lesson, LessonRun, Part } from './lesson-parts.ts'
import { LESSON_RUNS, LESSONS, lessonsIn } from './lessons.ts'

const registry = { algorithms, detectors }
const RUNS = LESSON_RUNS

function play({ settings, trace }: LessonRun): Run {
  if (trace !== undefined) return runTrace(1, trace, registry).run
  return runSettings(1, parseSettings(settings ?? [], registry)).run
}

const played = new Map(RUNS.map((run) => [run.id, play(run)]))
const runOf = (id: string): Run => played.get(id)!

/** The leader that each member follows in the end; x: it is down. */
function followed(id: string, place = Infinity): string {
  const { members } = new RunFrames(runOf(id)).at(place)
  return members.map(({ up, leader }) => (up ? String(leader) : 'x')).join(' ')
}

/** Election messages until the first agreement. */
function cost(id: string): number | undefined {
  return runOf(id).summary?.messages.election
}

describe('the lessons', () => {
  test('cover all algorithms but the specimens, and the detectors', () => {
    const names = algorithms.filter(({ specimen }) => !specimen).map(({ name }) => name)
    expect(LESSONS.map(({ id }) => id)).toEqual([...names, 'detectors'])
  })

  test('each quote a document and show at least three runs', () => {
    const least = LESSONS.map(({ parts }) => parts.filter(({ kind }) => kind === 'run').length)
    expect(Math.min(...least)).toBeGreaterThanOrEqual(3)
    const silent = LESSONS.filter(({ parts }) => parts.every(({ kind }) => kind !== 'quote'))
    // Majorities and leases are not in the documents.
    expect(silent.map(({ id }) => id)).toEqual(['bully-fd-quorum'])
  })

  test('give each run its own id', () => {
    expect(new Set(RUNS.map(({ id }) => id)).size).toBe(RUNS.length)
  })

  test.each(RUNS.filter(({ trace }) => trace !== undefined).map(({ id }) => id))(
    'replay the trace of %s without a difference',
    (id) => expect(runOf(id).difference).toBeNull(),
  )
})

describe('what a lesson says about a run is true:', () => {
  test.each([
    ['bully-worst', 19],
    ['bully-best', 4],
    ['gm-calls', 19],
    ['gm-dead', 15],
    ['gm-fd', 6],
    ['fd-election', 9],
    ['cr-worst-start', 14],
    ['cr-all', 27],
    ['ring-lap', 10],
    ['invitation-merge', 12],
    ['lelann-all', 25],
    ['lelann-one', 25],
    ['lelann-chang-roberts', 14],
    ['hs-small', 32],
    ['hs-falling', 72],
    ['hs-mixed', 96],
    ['peterson-falling', 31],
    ['peterson-chang-roberts', 44],
    ['peterson-alternate', 54],
    ['itai-once', 11],
    ['itai-again', 37],
  ])('%s costs %i messages', (id, messages) => {
    expect(cost(id)).toBe(messages)
  })

  test.each([
    ['opening', '5 5 5 5 5'],
    ['bully-worst', '4 4 4 4 x'],
    ['bully-partition', '5 5 5 5 5'],
    ['bully-late-claim', '2 3 3'],
    ['bully-waits', '0 x x'],
    ['bully-same', '3 3 3'],
    ['gm-crash', '2 2 x x'],
    ['bully-fd-fifteen', '1 1 2'],
    ['bully-fd-survivor', 'x 0'],
    ['bully-fd-same', '1 1 1'],
    ['quorum-partition', '3 3 3 3 3'],
    ['quorum-pause', '2 2 2'],
    ['quorum-crash', '4 4 4 4 4'],
    ['cr-orphan', '0 0 0 x'],
    ['cr-same', '3 3 3 x'],
    ['ring-shifted', '2 3 2'],
    ['ring-orphan', 'x 0 0 0'],
    ['ring-same', 'x 4 4 4'],
    ['roulette-once', 'x 5 5 5 5'],
    ['roulette-again', '1 1 3'],
    ['detector-ping', '3 3 3 x'],
    ['detector-phi', '3 3 3 x'],
    ['invitation-cut', '3 5 3 5 5'],
    ['invitation-heal', '5 5 5 5 5'],
    ['invitation-crash', '4 4 4 4 x'],
    ['omega-crash', '4 4 4 4 x'],
    ['omega-recovery', '5 5 5 5 5'],
    ['omega-pause', '4 4 4 4'],
    ['stable-crash', '1 1 1 1 x'],
    ['stable-recovery', '1 1 1 1 1'],
    ['stable-bully', '5 5 5 5 5'],
    ['stable-pause', '1 1 1 1'],
    ['lelann-crash', '0 4 x 0'],
    ['itai-other', '1 1 1 1'],
  ])('%s ends with the members following %s', (id, leaders) => {
    expect(followed(id)).toBe(leaders)
  })

  test.each([
    ['raft-once', 1],
    ['raft-split', 3],
    ['raft-cut', 2],
    ['detector-learns', 3],
    ['detector-repeats', 5],
  ])('%s ends in term %i', (id, term) => {
    expect(runOf(id).summary).toMatchObject({ agreed: true, term })
  })

  test('a partition has two leaders, and with a majority one', () => {
    const most = (id: string): number =>
      Math.max(
        ...runOf(id).steps.map((_, i) => {
          const { members } = new RunFrames(runOf(id)).at(i)
          return members.filter(({ role }) => role === 'leader').length
        }),
      )
    expect(most('bully-partition')).toBe(2)
    expect(most('quorum-without')).toBe(2)
    expect(most('quorum-partition')).toBe(1)
    expect(most('majority-partition')).toBe(1)
  })

  test.each(['bully-fd-fifteen', 'fd-pause', 'quorum-without', 'detector-false'])(
    '%s breaks agreement',
    (id) => {
      const broken = runOf(id).steps.flatMap(({ violations }) => violations)
      expect(broken[0]).toMatch(/^agreement:/u)
    },
  )

  test('the other runs break no promise', () => {
    const breaking = new Set(['bully-fd-fifteen', 'fd-pause', 'quorum-without', 'detector-false'])
    const others = RUNS.filter(({ id }) => !breaking.has(id))
    const broken = others.filter(({ id }) =>
      runOf(id).steps.some(({ violations }) => violations.length > 0),
    )
    expect(broken.map(({ id }) => id)).toEqual([])
  })

  test('the printed roulette has two coordinators without a fault', () => {
    const { members } = new RunFrames(runOf('roulette-two')).at(Infinity)
    expect(members.map(({ status }) => status)).toEqual(['coordinator', 'coordinator', 'basic'])
    expect(runOf('roulette-two').steps.some(({ kind }) => kind === 'fault')).toBe(false)
  })

  test.each([
    ['gm-dead', 100, 103],
    ['gm-fd', 52, 54],
    ['detector-ping', 74, 75],
    ['detector-heartbeat', 63, 64],
    ['detector-token', 90, 91],
    ['detector-phi', 195, 197],
    ['detector-query', 173, 174],
  ])('%s reaches agreement after %i to %i ms', (id, from, to) => {
    const electedMs = runOf(id).summary?.electedMs ?? 0
    expect(electedMs).toBeGreaterThanOrEqual(from)
    expect(electedMs).toBeLessThanOrEqual(to)
  })

  test('an orphaned message is still in flight when the run ends', () => {
    const late = ['cr-orphan', 'ring-orphan'].filter((id) => {
      const { diagram } = runOf(id)
      return diagram.arrows.some(({ endAt }) => endAt >= diagram.endUs)
    })
    expect(late).toEqual(['cr-orphan', 'ring-orphan'])
  })
})

describe('the questions', () => {
  const ends = LESSONS.flatMap(({ parts }) =>
    parts.filter((_, i) => i > 0 && (i + 1 === parts.length || parts[i + 1].kind === 'heading')),
  )
  const questions = ends.flatMap((part) => (part.kind === 'question' ? [part.question] : []))

  test('end each section', () => {
    expect(questions).toHaveLength(ends.length)
    expect(ends.length).toBeGreaterThan(50)
  })

  test('have one right answer among different ones, and say why', () => {
    const wrong = questions.filter(
      ({ answers, right, why }) =>
        answers.length < 2 ||
        new Set(answers).size !== answers.length ||
        answers[right] === undefined ||
        why === '',
    )
    expect(wrong).toEqual([])
  })
})

/** What must be the same in every language. */
function skeletonOf(part: Part): unknown {
  switch (part.kind) {
    case 'quote':
      return part
    case 'run':
      return [part.run.id, part.run.settings, part.run.trace]
    case 'question':
      return ['question', part.question.right, part.question.answers.length]
    case 'list':
      return ['list', part.items.length]
    case 'heading':
    case 'text':
      return part.kind
  }
}

/** The words of a part, without code, settings and traces. */
function wordsOf(part: Part): string[] {
  if (part.kind === 'quote') return []
  if (part.kind === 'run') return [part.run.title, part.run.caption]
  if (part.kind === 'question') return [part.question.text, part.question.why]
  return part.kind === 'list' ? [...part.items] : [part.text]
}

/** The figures from ten on: smaller ones may be words. */
function figuresOf(part: Part): string[] {
  const caption = part.kind === 'run' ? part.run.caption : ''
  return (caption.match(/\d+(?:[.,]\d+)*/gu) ?? []).filter((figure) => Number(figure) > 9)
}

describe.each([
  ['ko', /\p{Script=Hangul}/u],
  ['ja', /[\p{Script=Kana}\p{Script=Hira}]/u],
] as const)('the lessons in %s', (language, script) => {
  const translated = lessonsIn(language)

  test('have every part of the English ones, with the same runs, quotes and right answers', async () => {
    const skeletons = (lessons: readonly Lesson[]): unknown =>
      lessons.map(({ id, parts }) => [id, parts.map(skeletonOf)])
    expect(skeletons(await translated)).toEqual(skeletons(LESSONS))
  })

  test('have no text in English', async () => {
    const words = (await translated).flatMap(({ idea, parts }) => [idea, ...parts.flatMap(wordsOf)])
    const english = words.filter((text) => /[a-z]{3} [a-z]{2}/u.test(text) && !script.test(text))
    expect(english).toEqual([])
  })

  test('give the figures of the English ones', async () => {
    const missing = (await translated).flatMap(({ parts }, i) =>
      parts.flatMap((part, place) => {
        const own = figuresOf(part)
        return figuresOf(LESSONS[i].parts[place]).filter((figure) => !own.includes(figure))
      }),
    )
    expect(missing).toEqual([])
  })
})
