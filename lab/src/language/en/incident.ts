/** English texts about incidents of a live group. */
export const incident = {
  'incident.simulated':
    'A simulation, not a recording: the same faults at the same intervals as in the live group, with its algorithm, its detector and its times.',
  'incident.live': 'Without a leader, live',
  'incident.run': 'Without a leader, simulated',
  'incident.none': 'no such period',
  'incident.paused': '{name}, the last leader, is paused.',
} as const
