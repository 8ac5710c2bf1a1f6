/** The lines of 002's slides that its claims are about, word for word. */
import type { Quotes } from '../harness/claim.ts'

const WORST = 'When the process with the lowest id in the system detects the failure.'
const BEST = 'Second-highest id detects leader failure'

const STEPS = [
  'Election from lowest id server in group',
  'Answer to lowest id server from 2nd highest id process',
  'Election from 2nd highest id server to highest id',
  'Timeout for answers @ 2nd highest id server',
  'Coordinator from 2nd highest id server',
]

export const QUOTES_002: Quotes = {
  '002-worst-time': ['Worst-case completion time: 5 message transmission times', WORST, ...STEPS],
  '002-time-outs': [
    'How do you set the timeouts?',
    'Based on Worst-case time to complete election',
    '5 message transmission times if there are no failures during the run:',
  ],
  '002-five-steps': [
    '5 message transmission times if there are no failures during the run:',
    ...STEPS,
  ],
  '002-all-begin': [
    WORST,
    '(N-1) processes altogether begin elections, each sending messages to processes with higher ids.',
  ],
  '002-ith-highest': [WORST, 'i-th highest id process sends (i-1) election messages'],
  '002-worst-elections': [
    WORST,
    'Number of Election messages = N-1 + N-2 + \\dots + 1 = (N-1)*N/2 = O(N^2)',
  ],
  '002-best-messages': [BEST, 'Sends (N-2) Coordinator messages'],
  '002-best-time': [
    'if it knows its id is the highest, it elects itself as coordinator, then sends a Coordinator message to all processes with lower identifiers. Election is completed.',
    BEST,
    'Completion time: 1 message transmission time',
  ],
  '002-failure-during-run': [
    'if receives no answer within timeout, calls itself leader and sends Coordinator message to all lower id processes. Election completed.',
    'so, wait for coordinator message. If none received after another timeout, start a new election run.',
    'If failures stop, eventually will elect a leader',
  ],
  '002-live-synchronous': [
    'If failures stop, eventually will elect a leader',
    'But satisfies liveness in synchronous system model',
  ],
  '002-live-asynchronous': [
    'Since timeouts built into protocol, in asynchronous system model:',
    'Protocol may never terminate ⇒ Liveness not guaranteed',
  ],
}
