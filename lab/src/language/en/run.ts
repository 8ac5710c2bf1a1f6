/** English texts about a run: its settings, its simulation, its presets. */
export const run = {
  'run.simulating': 'Simulating…',
  'run.simulatingSteps': 'Simulating: {steps} steps',
} as const
