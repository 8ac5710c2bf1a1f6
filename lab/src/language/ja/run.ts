/** Japanese texts about a run: its settings, its simulation, its presets. */
import type { run as english } from '../en/run.ts'

export const run: Readonly<Record<keyof typeof english, string>> = {
  'run.simulating': 'シミュレーション中…',
  'run.simulatingSteps': 'シミュレーション中：{steps} ステップ',
  'pseudocode.title': '擬似コードと、このステップが実行した行',
  'pseudocode.of': '{name} の擬似コード',
  'pseudocode.none': 'このアルゴリズムには擬似コードがありません。',
  'question.title': 'この節についての問題',
  'question.right': '正解です。',
  'question.wrong': '違います。',
}
