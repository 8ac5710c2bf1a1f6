/** The parsed lessons in reading order, and the run of the introduction. `lessons.test.ts` checks the figures in them against their runs. */
import type { LanguageName } from '../language/forms.ts'
import {
  lessonRun,
  parseLesson,
  translateLesson,
  type Lesson,
  type LessonRun,
} from './lesson-parts.ts'

const texts = import.meta.glob<string>('./lessons/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
})

const ORDER = [
  'bully',
  'garcia-molina',
  'invitation',
  'bully-fd',
  'bully-fd-quorum',
  'chang-roberts',
  'ring',
  'roulette',
  'roulette-majority',
  'raft',
  'omega',
  'stable-leader',
  'le-lann',
  'hirschberg-sinclair',
  'peterson',
  'itai-rodeh',
  'detectors',
]

export const LESSONS: readonly Lesson[] = ORDER.map((id) =>
  parseLesson(id, texts[`./lessons/${id}.md`]),
)

/** The lessons in a language: their texts are loaded when they are shown. */
export async function lessonsIn(language: LanguageName): Promise<readonly Lesson[]> {
  if (language === 'en') return LESSONS
  const { TEXTS } =
    language === 'ko' ? await import('./lessons/ko.ts') : await import('./lessons/ja.ts')
  return LESSONS.map((lesson) => translateLesson(lesson, TEXTS[lesson.id]))
}

/** The run on the first page. */
export const OPENING: LessonRun = lessonRun(
  'opening',
  'A leader crashes, another takes over, the first recovers',
  'bully-fd nodes=5 seed=42 crash=5@70ms recover=5@220ms until=320ms',
  'All five members start at once. Member 5, the strongest, halts the others, collects their acks and leads. It crashes, the detectors of the others report the crash, and 4 does the same. Member 5 recovers and takes the leadership back.',
)

/** Every run of the introduction and the lessons. */
export const LESSON_RUNS: readonly LessonRun[] = [
  OPENING,
  ...LESSONS.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'run' ? [part.run] : [])),
  ),
]
