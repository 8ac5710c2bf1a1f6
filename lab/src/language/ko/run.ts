/** Korean texts about a run: its settings, its simulation, its presets. */
import type { run as english } from '../en/run.ts'

export const run: Readonly<Record<keyof typeof english, string>> = {
  'run.simulating': '시뮬레이션 중…',
  'run.simulatingSteps': '시뮬레이션 중: {steps}단계',
  'pseudocode.title': '의사 코드와 이 단계가 실행한 줄',
  'pseudocode.of': '{name}의 의사 코드',
  'pseudocode.none': '이 알고리즘에는 의사 코드가 없습니다.',
  'question.title': '이 절에 관한 질문',
  'question.right': '정답입니다.',
  'question.wrong': '아닙니다.',
}
