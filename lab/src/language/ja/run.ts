/** Japanese texts about a run: its settings, its simulation, its presets. */
import type { run as english } from '../en/run.ts'

export const run: Readonly<Record<keyof typeof english, string>> = {
  'run.simulating': 'シミュレーション中…',
  'run.simulatingSteps': 'シミュレーション中：{steps} ステップ',
}
