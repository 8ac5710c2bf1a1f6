/** The lines of 004's slides that its claims are about, word for word; the last slides quote a page of Chang and Roberts. */
import type { Quotes } from '../harness/claim.ts'

const SINGLE =
  'When there is a single process starting the election, the algorithm requires 3n-1 sequentially messages, in the worst case.'
const AVERAGE = 'Our algorithm requires, on the average, O(n log n) message passes.'
const LE_LANN =
  "LeLann's algorithm, in a circle with n controllers, requires total messages passed proportional to n^2, written O(n^2), where a message pass is a SEND of a message from a controller. This is clearly so, since each of the n controllers sends a message which is passed to all other nodes."

const ACTION_4 =
  'If P_i gets an election message from another process with a lower ID it sends an "I am alive" message back and starts new election.'
const ONE_ELECTION = 'An individual process does not call more than one election at a time'

export const QUOTES_004: Quotes = {
  '004-cr-worst': [SINGLE],
  '004-cr-worst-place': [
    'The worst case is when the process starting the election is the immediate following to the one with greatest UID:',
  ],
  '004-cr-average': [AVERAGE],
  '004-lelann-messages': [LE_LANN],
  '004-cr-improves': [LE_LANN, AVERAGE],
  '004-cr-example': [
    'The election was started by process 17',
    'The highest UID found so far is 24',
    'Participants processes are shown in darker tint',
  ],
  '004-cr-single-winner': [
    'When multiple processes start an election at roughly the same time, only a single winner will be announced',
  ],
  '004-cr-all-agree': [
    'A process will receive an elected message with its own UID only if his UID is greater than other UIDs and only when all processes agree on the same UID.',
  ],
  '004-cr-properties': [
    'The algorithm respects "safety":',
    'The algorithm also respects "liveness"',
    'We assume that no failure occurs',
    'The system is asynchronous',
  ],
  '004-cr-discards': [
    'If the UID is smaller, and the process is already a participant',
    'The process has already sent out an election message with a UID at least as large as its own UID',
  ],
  '004-cr-any-number': ['The algorithm works for any number of processes'],
  '004-cr-size-unknown': [
    'The algorithm does not require any process to know how many processes are in the ring.',
  ],
  '004-cr-fault-tolerance': ['The algorithm is not fault tolerant'],
  '004-ring-messages': [
    'Circulates message once again to inform everyone else',
    '2n messages in the worst case',
    'But in principle the N processes can call N concurrent elections',
  ],
  '004-bully-best': [
    "The process with the second-highest identifier notices the coordinator's failure",
    'Then it can immediately elect itself and send N–2 coordinator messages',
  ],
  '004-bully-worst': [
    'O(n^2) messages',
    "When the process with the lowest identifier first detects the coordinator's failure",
    ACTION_4,
    ONE_ELECTION,
  ],
  '004-bully-actions': [
    'The process with the highest process ID number is selected as the coordinator.',
    'To do this, a process P_i performs the four actions',
    'If P_i hears from a process with a higher ID, P_i waits a certain amount of time for that process to broadcast itself as the leader.',
    ACTION_4,
    ONE_ELECTION,
  ],
  '004-concurrent-elections': [
    ONE_ELECTION,
    'But in principle the N processes can call N concurrent elections',
  ],
  '004-bully-example': [
    'Process 4 holds an election',
    'Processes 5 and 6 respond, telling 4 to stop',
    'Now 5 and 6 each holds an election',
  ],
  '004-bully-comes-online': [
    'A process with a higher ID number will bully a lower ID process out of the coordinator position as soon as it comes online.',
  ],
}
