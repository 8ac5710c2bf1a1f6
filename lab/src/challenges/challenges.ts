/** The challenges in the order of their difficulty. `challenges.test.ts` plays each solution, and each run without faults. */
import { settingsFrom } from '../run/edit-settings.ts'
import type { Challenge, Level } from './challenge.ts'
import {
  breaks,
  differentLeaders,
  leadersAtOnce,
  leadsInTheEnd,
  messages,
  term,
  withoutLeader,
  type Goal,
} from './goals.ts'

function challenge(
  level: Level,
  [id, title]: readonly [string, string],
  task: string,
  [start, faults]: readonly [string, string],
  goal: Goal,
  hints: readonly string[],
): Challenge {
  const solution = settingsFrom(`- ${faults}`).slice(1)
  const kinds = solution.map(([kind]) => kind)
  const allowed = Object.fromEntries(
    kinds.map((kind) => [kind, kinds.filter((other) => other === kind).length]),
  )
  return { id, level, title, task, start: settingsFrom(start), allowed, goal, hints, solution }
}

export const CHALLENGES: readonly Challenge[] = [
  challenge(
    'Easy',
    ['successor', 'A successor'],
    'Make a second member lead. You have one crash.',
    ['bully-fd nodes=5 seed=3', 'crash=5@112.5ms'],
    differentLeaders(2),
    [
      'The strongest member leads. Wait until it does.',
      'Crash member 5 after it has become the leader.',
    ],
  ),
  challenge(
    'Easy',
    ['two-sides', 'Two sides, two leaders'],
    'Make two members lead at the same moment. You have one cut.',
    ['bully nodes=5 seed=4 detector=heartbeat until=3s', 'cut=5|1,2,3,4@822ms'],
    leadersAtOnce(2),
    [
      'Bully asks no majority. Who cannot hear the leader elects another one.',
      'Isolate member 5 while it leads, and wait until the detectors of the others report it.',
    ],
  ),
  challenge(
    'Easy',
    ['false-alarm', 'A pause is not a crash'],
    'Break the agreement of Bully_FD while all members are up. You have one pause.',
    ['bully-fd nodes=4 seed=6 detector=heartbeat until=3s', 'pause=4@525.5ms'],
    breaks('agreement', 'on the way'),
    [
      'Bully_FD relies on its detector. When is a heartbeat detector wrong?',
      'Pause the leader. It still believes that it leads while the others elect a successor.',
    ],
  ),
  challenge(
    'Easy',
    ['resign', 'Choose the successor'],
    'Let member 2 lead when the run ends. You have one resignation.',
    ['bully-fd-quorum nodes=5 seed=3', 'resign=5>2@162.5ms'],
    leadsInTheEnd(2),
    [
      'A leader that resigns may name its successor.',
      'Select member 2 while 5 leads, and press g.',
    ],
  ),
  challenge(
    'Easy',
    ['lost-token', 'The ring loses its message'],
    'Leave the printed Chang–Roberts without a leader for ever. You have one crash.',
    ['chang-roberts-as-printed nodes=4 seed=1', 'crash=4@9.5ms'],
    breaks('agreement', 'in the end'),
    [
      'The candidacy of the strongest member is a single message. Where is it?',
      'A crash loses the messages that are on their way to the member.',
      'Crash the strongest member before it has announced itself.',
    ],
  ),
  challenge(
    'Easy',
    ['half', 'Half is no majority'],
    'Keep four members without a leader for ten seconds. You have one cut.',
    ['raft nodes=4 seed=1 until=13s', 'cut=3,4|1,2@17.5ms'],
    withoutLeader(10_000, 4),
    [
      'A candidate of Raft needs three of four votes.',
      'A cut between two groups is written, not clicked: the tab Faults takes “cut 1,2|3,4@20ms”.',
      'Cut two members from the other two before anyone leads.',
    ],
  ),
  challenge(
    'Medium',
    ['five-without', 'Five members without a leader'],
    'Keep five members of Bully_FD without a leader for ten seconds. You have one cut, of one link.',
    ['bully-fd nodes=5 seed=4 until=12s', 'cut=1|5@1ms'],
    withoutLeader(10_000, 5),
    [
      'The perfect detector sees a member as up as long as it is not cut off from all.',
      'The strongest member needs an answer of every other member before it leads.',
      'Cut the link between 5 and any other member before its Halt has arrived.',
    ],
  ),
  challenge(
    'Medium',
    ['return', 'The return'],
    'Make two members lead at the same moment without a cut. You have one crash and one recovery.',
    ['bully nodes=5 seed=4 detector=heartbeat until=3s', 'crash=5@522ms recover=5@1436.5ms'],
    leadersAtOnce(2),
    [
      'Bully promises agreement in the end, not at every moment.',
      'The strongest member takes the leadership back when it recovers. The old leader learns of it later.',
    ],
  ),
  challenge(
    'Medium',
    ['last-claim', 'The last claim wins'],
    'Let the printed Bully end with members that follow different leaders. You have one crash and one recovery.',
    ['bully-as-printed nodes=4 seed=1', 'crash=4@50ms recover=4@73ms'],
    breaks('agreement', 'in the end'),
    [
      'A member of the printed text believes the last claim that it receives.',
      'Let 4 recover while 3 is about to announce itself: the two claims cross on their way.',
      'Recover member 4 about 23 ms after its crash.',
    ],
  ),
  challenge(
    'Medium',
    ['patience', 'A long wait'],
    'Keep the ring of Chang–Roberts without a leader for 150 ms while four members are up. You have one crash.',
    ['chang-roberts nodes=5 seed=1', 'crash=5@5.5ms'],
    withoutLeader(150, 4),
    [
      'The corrected algorithm repairs a lost message after a time-out. How long is that?',
      'Crash the strongest member while its candidacy goes round.',
    ],
  ),
  challenge(
    'Medium',
    ['expensive', 'An expensive election'],
    'Make Garcia-Molina’s Bully send 60 election messages; without a fault it sends 32. You have one crash.',
    ['garcia-molina nodes=5 seed=1', 'crash=5@123.5ms'],
    messages(60),
    [
      'An election that is interrupted is paid for twice.',
      'Let the strongest member halt all others, and crash before it is of use.',
    ],
  ),
  challenge(
    'Medium',
    ['deposed', 'Deposed without a crash'],
    'Make a second member lead under majorities and leases, without a crash. You have one pause.',
    ['bully-fd-quorum nodes=5 seed=3 detector=heartbeat until=5s', 'pause=5@168.5ms'],
    differentLeaders(2),
    [
      'The followers must suspect the leader, and its lease must run out.',
      'Pause member 5 while it leads, and do not resume it.',
    ],
  ),
  challenge(
    'Medium',
    ['terms', 'Four terms'],
    'Make a member of Raft reach term 4. You have two crashes.',
    ['raft nodes=5 seed=1', 'crash=5@353ms crash=3@446.5ms'],
    term(4),
    [
      'Each election begins a term. Two crashes of leaders make three terms.',
      'Crash the second leader, or a candidate, while the votes are on their way: this term is lost, too.',
    ],
  ),
  challenge(
    'Medium',
    ['no-leader', 'A wheel that nobody spins'],
    'Leave the printed roulette without agreement for ever. You have one crash.',
    ['roulette-as-printed nodes=3 seed=1', 'crash=2@46.5ms'],
    breaks('agreement', 'in the end'),
    [
      'A voter of the printed text waits for its coordinator without a time-out.',
      'Who is the coordinator? Crash it after the others have voted for it.',
    ],
  ),
  challenge(
    'Medium',
    ['envelope', 'A ring without mercy'],
    'Leave Peterson’s ring without a leader. You have one lost message.',
    ['peterson nodes=4 seed=1', 'discard=4>1@17.5ms'],
    leadsInTheEnd(0),
    [
      'Peterson’s algorithm assumes a ring without faults, and repeats no message.',
      'Not every message matters: a late one is about a number that is still in the race.',
      'Press m to select a message in flight, and d to drop it.',
    ],
  ),
  challenge(
    'Hard',
    ['stable', 'The stable leader moves'],
    'Let member 3 lead a stable group in the end, without a crash. You have one cut and one heal.',
    [
      'stable-leader nodes=5 seed=1 detector=heartbeat until=4s',
      'cut=1,2,4,5|3@564ms heal=@635.5ms',
    ],
    leadsInTheEnd(3),
    [
      'The rounds belong to the members in turn: after the round of 5 comes the round of 1.',
      'A member that suspects the leader begins the next round. Isolate one for so long that it begins some.',
      'Isolate member 3 at about 560 ms, and heal all links about 70 ms later.',
    ],
  ),
  challenge(
    'Hard',
    ['asleep', 'Asleep for ever'],
    'Make the members of the printed Bully_FD wait for ever, though the strongest is up. You have one crash.',
    ['bully-fd-as-printed nodes=3 seed=1', 'crash=2@24ms'],
    breaks('agreement', 'in the end'),
    [
      'The printed text ends an election when the last Ack arrives. What if it never does?',
      'Crash a weaker member after its Halt has left, and before its Ack arrives.',
      'Member 2 must crash about 24 ms after the start.',
    ],
  ),
  challenge(
    'Hard',
    ['two-wheels', 'Two wheels'],
    'Make two members of the printed roulette lead at the same moment. You have one delay.',
    ['roulette-as-printed nodes=3 seed=1', 'delay=2>1+20ms@50ms'],
    leadersAtOnce(2),
    [
      'A choice that arrives late is still believed.',
      'Delay a message from 2 to 1 at the time of the choice, about 50 ms.',
    ],
  ),
  challenge(
    'Hard',
    ['slow', 'A slow member'],
    'Break the agreement of Bully_FD without a crash, a pause or a cut. You have one slow member.',
    ['bully-fd nodes=5 seed=3 detector=heartbeat until=3s', 'slow=3+20ms@21.5ms'],
    breaks('agreement', 'on the way'),
    [
      'A member that needs 20 ms for each message handles heartbeats later than they come.',
      'Slow any member down during the first election.',
    ],
  ),
  challenge(
    'Hard',
    ['overlooked', 'The run that the proof of 2004 overlooks'],
    'Make two members of the printed Bully_FD follow different leaders. You have one crash, one recovery and two delays.',
    [
      'bully-fd-as-printed nodes=3 seed=1 initiator=3 detection=5ms..60ms',
      'crash=3@67ms recover=3@122.5ms delay=3>2+20ms@158.5ms delay=3>2+20ms@158.5ms',
    ],
    breaks('agreement', 'on the way'),
    [
      'The proof supposes that an election is over when its leader crashes. Here one begins before all members have noticed the crash.',
      'Member 3 must come back while 2 collects its Acks, and after one of the others has noticed the crash.',
      'Then delay what 3 sends to 2, so that 2 announces itself after 1 has been halted by 3.',
      'Crash 3 at about 67 ms and recover it 55 ms later.',
    ],
  ),
]
