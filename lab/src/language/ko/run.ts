/** Korean texts about a run: its settings, its simulation, its presets. */
import type { run as english } from '../en/run.ts'

export const run: Readonly<Record<keyof typeof english, string>> = {
  'run.simulating': '시뮬레이션 중…',
  'run.simulatingSteps': '시뮬레이션 중: {steps}단계',
}
