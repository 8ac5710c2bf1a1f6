/** English texts about a run: its settings, its simulation, its presets. */
export const run = {
  'run.simulating': 'Simulating…',
  'run.simulatingSteps': 'Simulating: {steps} steps',
  'pseudocode.title': 'Pseudocode, with the lines of this step',
  'pseudocode.of': 'Pseudocode of {name}',
  'pseudocode.none': 'This algorithm has no pseudocode.',
  'question.title': 'A question about this section',
  'question.right': 'Right.',
  'question.wrong': 'No.',
} as const
