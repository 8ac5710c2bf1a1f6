/** The lessons, in the order in which they are best read. Numbers in them are checked by test/lab/lessons.test.ts. */
import { heading, list, quote, run, steps, text, type Lesson, type Part } from './lesson-parts.ts'

export const OPENING: Part = run(
  'opening',
  'A leader crashes, another takes over, the first comes back',
  'bully-fd nodes=5 seed=42 crash=5@70ms recover=5@220ms until=320ms',
  'All five begin at once. 5, the strongest, halts the others, collects their acks and leads. It crashes: the others’ detectors say so, and 4 does the same. 5 returns and takes the lead back.',
)

const bully: Lesson = {
  id: 'bully',
  title: 'Bully',
  source: '000 §3.1, 001 §2, 002, 004',
  idea: 'Ask everybody who is stronger than you. If nobody answers, you lead.',
  parts: [
    heading('The idea'),
    quote('000', 'Thus the biggest guy in town always wins, hence the name “bully algorithm”.'),
    text(
      'Every member knows all the others and a number for each; here the largest is the strongest. A member that finds the leader gone asks all its superiors. Silence for a time-out means that none of them is alive, so it tells all its juniors that it leads. An answer means that somebody stronger will see to it.',
    ),
    list(
      '`election`: I look for a leader; sent to every superior.',
      '`ok`: I am alive and stronger; stop. Who sends it begins an election of its own, unless it has one.',
      '`coordinator`: I lead; sent to every junior.',
    ),
    run(
      'bully-worst',
      'The weakest notices',
      'bully nodes=5 seed=3 down=5 initiator=1 until=60ms',
      '5 is dead, and only 1 knows. It asks 2, 3, 4 and 5; each that lives asks in turn. 4 hears nothing from 5 and leads. 19 messages.',
    ),
    run(
      'bully-best',
      'The second strongest notices',
      'bully nodes=5 seed=3 down=5 initiator=4 until=60ms',
      'Only 5 is above 4, and 5 is dead. One time-out, and 4 tells its three juniors: 4 messages.',
    ),
    heading('What it costs'),
    text(
      'If the r-th strongest live member begins, f members are down and a are up, an election that nothing disturbs takes r·f + r(r−1) + a−1 messages. 002 counts N(N−1)/2 in the worst case: those are the `election` messages alone. 001 has n(n−f), one too many.',
    ),
    heading('What is wrong in the printed texts'),
    quote(
      '002',
      'if receives no answer within timeout, calls itself leader and sends Coordinator message to all lower id processes.',
    ),
    text(
      'None of the texts says which claim counts when two arrive. With one crash and one recovery the older claim can arrive last. The messages have no numbers, so the last one wins:',
    ),
    steps(
      'bully-late-claim',
      '002 as printed: two leaders are followed, for ever',
      '3 crashes, 2 claims, 3 returns and claims. 1 hears 3 first and then the late claim of 2. Nobody has a reason to send anything again.',
    ),
    quote('000', 'If one of the higher-ups answers, it takes over. P’s job is done.'),
    text('And if the one that answered crashes? 000 has no second time-out.'),
    steps(
      'bully-waits',
      '000 as printed: waiting for the dead',
      '1 asks, 2 answers and crashes. The job of 1 is done; nobody ever leads.',
    ),
    heading('What we run'),
    text(
      'A claim weaker than my leader counts only if the detector, asked at that moment, says that my leader is down. Whoever waits has a second time-out. The leader repeats its claim. The checker finds agreement in the end from every reachable state.',
    ),
    steps(
      'bully-same',
      'The same schedule, corrected',
      '1 has heard 3 when the late claim of 2 arrives. It asks its detector about 3, which is up: the claim is dropped.',
    ),
    heading('What it cannot do'),
    text(
      'There is no phase in which others stand still while one wins, so for moments two can lead. And silence is taken for death: where links are cut, each side elects.',
    ),
    run(
      'bully-partition',
      'A partition: two leaders',
      'bully nodes=5 seed=4 detector=ping cut=1,2|3,4,5@60ms heal=@250ms until=330ms',
      '1 and 2 cannot reach the others and elect 2. 5 goes on leading its side. When the cut heals, 5 bullies 2 out.',
    ),
  ],
}

const garciaMolina: Lesson = {
  id: 'garcia-molina',
  title: 'Garcia-Molina 1982',
  source: '000 eq. 3.3, 001 §2',
  idea: 'The first Bully: call the others one by one, and make them stand still before you lead.',
  parts: [
    heading('The idea'),
    text(
      'The Bully of the 1982 paper, as 000 and 001 describe and time it. A candidate calls each superior: are you there? If none answers, it calls each junior to halt. Whoever is halted follows nobody. Then it announces itself, and last it tells everybody to go on. Each call waits for its answer, or for the time-out To, before the next one is made.',
    ),
    run(
      'gm-calls',
      'One call after the other',
      'garcia-molina nodes=5 seed=1 down=5 initiator=4 until=130ms',
      '4 waits in vain for 5. Then three rounds over its three juniors: halt, new coordinator, ready; each call with its answer. f + 6(a−1) = 19 messages.',
    ),
    heading('What it costs'),
    quote(
      '000',
      'by checking crashes of other nodes concurrently rather than sequentially, execution time of the modified Bully algorithm using failure detector is faster than the classic Bully algorithm.',
    ),
    text(
      'Every dead superior costs a whole time-out, one after the other. The same three dead under Bully_FD cost one wait for all:',
    ),
    run(
      'gm-dead',
      'Three dead superiors, one after the other',
      'garcia-molina nodes=6 seed=1 down=4,5,6 initiator=3 until=150ms',
      '3 calls 4, 5 and 6 and waits for each. It leads after about 100 ms.',
    ),
    run(
      'gm-fd',
      'The same under Bully_FD',
      'bully-fd nodes=6 seed=1 down=4,5,6 initiator=3 until=100ms',
      'All superiors are asked about at once. 3 leads after about 53 ms, with 6 messages of the election instead of 15.',
    ),
    heading('What is wrong in the printed text'),
    text(
      'Equation 3.3 of 000 gives the time as Nf·To + (N−Nf)·Te. It counts the caller itself among those that are called, and leaves out the rounds of announcing and readying: 2(N−Nf−1)·Te are missing. In the first run above, nine calls were answered, three to each junior; the equation sees four.',
    ),
    heading('When faults come in between'),
    run(
      'gm-crash',
      'The candidate crashes in mid-election',
      'garcia-molina nodes=4 seed=2 crash=4@90ms crash=3@395ms until=760ms',
      '4 is silent for too long; 3 halts its juniors and crashes before it leads. They follow nobody until their own wait is over; then 2 begins again.',
    ),
    text(
      'In the end all follow the strongest. Agreement at every moment would need numbered elections, which Bully_FD has.',
    ),
  ],
}

const bullyFd: Lesson = {
  id: 'bully-fd',
  title: 'Bully_FD',
  source: '000 Fig. 3.1, 001 Fig. 1 and 2',
  idea: 'Leave waiting to a failure detector, and halt everybody before you lead.',
  parts: [
    heading('The idea'),
    quote(
      '000',
      'Bully_FD algorithm uses a failure detector rather than explicit time-outs to track failed nodes.',
    ),
    text(
      'An election has two stages. Stage 1 (`Elec1`): ask the detector about every superior; if one is up, wait for it. If all are down, stage 2 (`Elec2`): send `halt` to every junior. One that is halted follows nobody (`Wait`) and answers `ack`. When all juniors have answered or are known to be down, the candidate leads (`Norm`) and says so with `ldr`. Every election has an identifier, and every message carries it.',
    ),
    run(
      'fd-election',
      'Halt, ack, ldr',
      'bully-fd nodes=5 seed=1 down=5 initiator=4 until=90ms',
      '4 learns that 5 is down, halts its three juniors, has three acks and leads: 3(a−1) = 9 messages, in every interleaving.',
    ),
    text(
      'In these documents 1 is the strongest, and the runs below that show their text number the members so.',
    ),
    heading('What is wrong in the printed text'),
    quote(
      '000',
      'If the ack or ldr which doesn’t contain the expected identifier arrives, the message is ignored.',
    ),
    text(
      'So says the prose; Figure 3.1 does not compare the identifier of an `ack`. That is one of sixteen defects that were found by exploring every reachable state of three members. The shortest way to disagreement needs a perfect detector, one crash, one recovery and fifteen steps. 001 claims a proof that this cannot happen.',
    ),
    steps(
      'bully-fd-fifteen',
      'As printed: 1 and 2 are followed at once',
      '1 crashes and returns while 2 is in stage 2. 3 acknowledges both. Both win. 3 hears `ldr` of 2 last: 1 leads, and 3 follows 2. Every later `norm?` finds all in Norm, so nobody repairs it.',
    ),
    text('Completion is tested only when an `ack` comes. Where nobody is left to send one:'),
    steps(
      'bully-fd-survivor',
      'As printed: the last survivor never leads',
      '1 crashes. 2 has no juniors, so no ack ever comes.',
    ),
    heading('What we run'),
    list(
      'Every stage 2 has a fresh identifier, and an `ack` counts for its own election only.',
      'Completion is tested whenever something has changed.',
      'Stage 3: after the last ack, all superiors must be found down once more.',
      'A member that is loyal to somebody stronger has the detector confirm its loyalty before it obeys a weaker one.',
      'Whoever waits asks again and again.',
    ),
    steps(
      'bully-fd-same',
      'The same crash and recovery, corrected',
      '3 is loyal to 1 when the halt of 2 arrives. It asks its detector, which says that 1 is up: 2 gets no ack. One leader.',
    ),
    text(
      'With a perfect detector two members never follow different leaders, and in the end all follow the strongest: explored completely for three members with two crashes and two recoveries. `bellwether check bully-fd` does it again.',
    ),
    heading('What it cannot do'),
    text('It believes its detector. A detector that goes by silence takes a pause for a crash:'),
    run(
      'fd-pause',
      'A pause, and agreement is broken',
      'bully-fd nodes=3 seed=1 detector=heartbeat pause=3@150ms resume=3@400ms until=500ms',
      '3 leads and stands still, as in a long garbage collection. 2 takes over. 3 still believes that it leads: the promise was made for perfect detectors.',
    ),
  ],
}

const bullyFdQuorum: Lesson = {
  id: 'bully-fd-quorum',
  title: 'Bully_FD with a majority',
  source: '000 Fig. 3.1, with majorities, durable promises and a lease',
  idea: 'Whoever leads has the written promise of a majority, and stops leading before the promise runs out.',
  parts: [
    heading('The idea'),
    text(
      'The documents assume that no message is late and that no detector errs. Real networks keep to neither. Two rules make an election safe all the same. First, a leader needs promises from a majority of the configured members, each written to disk before it is given, each with a number that only rises; two majorities share a member, so no number has two leaders. Second, a leader leads for a limited time, the lease, counted from when it sent the last round that a majority answered.',
    ),
    run(
      'quorum-election',
      'Promises from a majority',
      'bully-fd-quorum nodes=5 seed=4 until=60ms',
      'The halt of 5 asks for promises, the acks give them. The number of the promise is the term: its low bits name the candidate, so no two candidates share one.',
    ),
    heading('A partition'),
    text('First the documents’ model. The leader and one other are cut off from the rest:'),
    run(
      'quorum-without',
      'Bully_FD, cut in two: two leaders',
      'bully-fd nodes=5 seed=4 detector=heartbeat cut=4,5|1,2,3@150ms heal=@400ms until=500ms',
      '5 goes on leading 4. 3 is elected by 1 and 2. Each side believes that the other is dead.',
    ),
    run(
      'quorum-partition',
      'With a majority: one',
      'bully-fd-quorum nodes=5 seed=4 detector=heartbeat cut=4,5|1,2,3@150ms heal=@1200ms until=1400ms',
      '5 has no majority, cannot renew its lease and gives up. Only then may 3 lead. 4 and 5 elect nobody. After the cut heals they follow 3, though 5 is stronger: a leader that is up stays.',
    ),
    heading('A pause'),
    run(
      'quorum-pause',
      'The leader stands still and wakes up',
      'bully-fd-quorum nodes=3 seed=4 detector=heartbeat pause=3@150ms resume=3@900ms until=1100ms',
      '2 leads in a higher term while 3 sleeps and believes in itself. 3 wakes up, finds its lease over before it does anything else, and follows 2.',
    ),
    text(
      'The last step needs the host: when a process was stopped, an overdue lease must be noticed before any other work. And work that was already running must be refused by what it works on: that is what the term is for (`term.fence`).',
    ),
    heading('What it costs'),
    text(
      'The same 3(a−1) messages when nothing disturbs, and time: a successor waits until the old lease must be over. A group without a majority has no leader, which is the point. `bellwether up` and `join()` run this algorithm unless told otherwise.',
    ),
    run(
      'quorum-crash',
      'A crash, and a quiet return',
      'bully-fd-quorum nodes=5 seed=4 detector=heartbeat crash=5@150ms recover=5@700ms until=850ms',
      '4 takes over when the lease of 5 must be over. 5 comes back and joins without an election.',
    ),
  ],
}

const changRoberts: Lesson = {
  id: 'chang-roberts',
  title: 'Chang–Roberts',
  source: '004 §2',
  idea: 'Send your number round a ring; only the largest comes home.',
  parts: [
    heading('The idea'),
    text(
      'Members sit in a ring, and each can speak only to the next. A member that misses a leader sends its number on. A larger number is passed on; a smaller one is replaced by my own, or dropped if I have sent mine already. Whoever gets its own number back is the largest. A second lap tells everybody.',
    ),
    run(
      'cr-worst-start',
      'One begins, at the worst place',
      'chang-roberts nodes=5 seed=1 initiator=1 until=60ms',
      '1 sits just behind 5, so its number travels four hops before 5 replaces it. Then a lap for the 5 and a lap for the result: 3n−1 = 14 messages.',
    ),
    quote(
      '004',
      'When there is a single process starting the election, the algorithm requires 3n-1 sequentially messages, in the worst case.',
    ),
    run(
      'cr-all',
      'All begin, on the worst ring',
      'chang-roberts nodes=6 seed=2 ring=6,5,4,3,2,1 until=60ms',
      'Strength falls along the ring, so every number travels as far as it can: n(n+1)/2 + n = 27 messages. On average over all rings it is n·Hₙ + n.',
    ),
    heading('What is wrong in the printed text'),
    quote('004', 'Assuming there is no failure, this algorithm will finish.'),
    text(
      'The text is honest: “The algorithm is not fault tolerant.” A crash of the bearer loses the message. A crash of the owner is worse, even if the ring closes over the dead: its number passes everybody and never comes home.',
    ),
    run(
      'cr-orphan',
      'As printed: the number of a dead member goes round for ever',
      'chang-roberts-as-printed nodes=4 option=repair=yes initiator=1 latency=1ms detection=0ms crash=4@4500us until=24ms',
      '4 sends its number and crashes. The 4 is larger than all others: everybody passes it on.',
    ),
    text(
      'The text also does not forbid a participant to start again: then the same leader is elected up to n times.',
    ),
    heading('What we run'),
    text(
      'Elections are numbered in rounds, and the number survives a crash. A number that I have passed on once in a round stops at me the second time. Whoever misses a result for longer than a round can take starts a new one. The leader waits until its announcement has come home.',
    ),
    run(
      'cr-same',
      'The same crash, corrected',
      'chang-roberts nodes=4 initiator=1 latency=1ms crash=4@4500us until=120ms',
      'The 4 stops at the first member that has seen it. The wait runs out, round 2 begins, and 3 leads.',
    ),
  ],
}

const ring: Lesson = {
  id: 'ring',
  title: 'Ring with a list',
  source: '004 “Ring algorithm”',
  idea: 'Pass a list round; everybody who is alive writes itself down; the largest on the list leads.',
  parts: [
    heading('The idea'),
    quote(
      '004',
      'Sends the message to its successor (if successor is down, sender skips over it and goes to the next member along the ring, or the one after that, until a running process is located).',
    ),
    text(
      'The ELECTION message collects the numbers of all that are alive. When it is back at the one that began, the largest number on it is the coordinator, and a COORDINATOR message goes round to say so.',
    ),
    run(
      'ring-lap',
      'Two laps',
      'ring nodes=5 seed=1 down=5 initiator=1 until=70ms',
      '1 begins. 4 tries 5, which is dead, and skips it. Two laps of five: 2n = 10 messages, the attempts at the dead included.',
    ),
    text(
      '004 has 2n messages “in the worst case”. That is for one initiator; k of them take 2n·k.',
    ),
    heading('What is wrong in the printed text'),
    quote('004', 'Process recognizes the message that contains its own process number'),
    text(
      'Every process on the list does: is it the one that “started it all”, or any of them? Worse, two lists that began at different places differ, and their COORDINATORs arrive in different orders:',
    ),
    steps(
      'ring-shifted',
      'As printed: two coordinators, for ever',
      'The list of 2 was made while 3 was dead, that of 3 after its return. 1 and 3 hear of 3 and then of 2; 2 hears of 2 and then of 3. The last word wins, and it is not the same.',
    ),
    run(
      'ring-orphan',
      'As printed: the list of a dead initiator',
      'ring-as-printed nodes=4 initiator=1 latency=1ms detection=0ms crash=1@1500us until=20ms',
      '1 begins and crashes. Nobody else may end its list, so it goes round and round.',
    ),
    heading('What we run'),
    text(
      'Only the one that began closes its list; a list that passes a second time is an orphan and ends. A weaker coordinator counts only if the detector says that mine is down. The coordinator repeats its claim to everybody. Each of these four rules is needed: without any one of them the checker finds members stuck.',
    ),
    run(
      'ring-same',
      'The same crash, corrected',
      'ring nodes=4 initiator=1 latency=1ms crash=1@1500us until=50ms',
      'The list of 1 comes by a second time and ends there; a new one is begun, and 4 leads.',
    ),
  ],
}

const roulette: Lesson = {
  id: 'roulette',
  title: 'Roulette wheel',
  source: '003 §2',
  idea: 'Nobody is stronger: whoever draws luck three times collects votes, and a wheel picks the leader.',
  parts: [
    heading('The idea'),
    text(
      'Every member draws random numbers. One that draws three in a row above a threshold of 0.85 becomes a candidate and asks for votes. With enough of them it is the coordinator and spins a wheel on which each voter has a share as large as its number. Whoever the wheel picks leads, and says so with heartbeats.',
    ),
    quote(
      '003',
      'The algorithm elects randomly a new leader between the remaining running nodes and only one node must be chosen based on some random condition.',
    ),
    run(
      'roulette-once',
      'One candidate, one wheel',
      'roulette nodes=5 seed=7 crash=1@100ms until=260ms',
      'The first to draw three in a row asks for votes; the wheel picks 1. When 1 crashes, the draws begin again: term 2, and the wheel picks 5.',
    ),
    heading('What it costs'),
    text(
      '2v−1 messages before heartbeats, if all v are up, one is a candidate and the wheel picks another. The time is luck: three in a row above 0.85 take 347 draws on average; at a draw every 1.1 ms that is the 385 ms which 003 measured for one node. The first of several comes sooner.',
    ),
    heading('What is wrong in the printed text'),
    quote('003', 'When one node receives a negative vote response, it can invalidate his state'),
    text(
      'It can; must it? And a voter votes again when a larger number comes, while its first vote still counts. No crash, no delay, and two coordinators:',
    ),
    steps(
      'roulette-two',
      'As printed: two coordinators, nothing failed',
      '1 drew 5 and 2 drew 8. 3 votes for 1, then for 2. 1 has a majority of votes and keeps its state; 2 has all of them.',
    ),
    heading('What we run'),
    text(
      'Terms are numbered and survive a crash; in each a member has one vote, which survives a crash too, for the first that asks. A majority is one of the configured members. There is never a second choice inside a term: if nothing comes of it, a new term begins.',
    ),
    run(
      'roulette-loss',
      'A tenth of the messages is lost',
      'roulette nodes=5 seed=9 loss=10% crash=5@320ms until=700ms',
      'Votes and announcements go missing; a term that comes to nothing ends by a time-out. At no moment does a term have two leaders.',
    ),
  ],
}

const rouletteMajority: Lesson = {
  id: 'roulette-majority',
  title: 'Roulette at a majority',
  source: '003 §2.2, the optimised form',
  idea: 'Spin as soon as half plus one have voted, and vote only once.',
  parts: [
    heading('The idea'),
    quote(
      '003',
      'the roulette wheel selection can be started right after the candidate collects the majority of votes (half + 1). This aproach implies a change in every node behavior because it is mandatory to vote only one time in a round, for the first candidate node. In this way, a single node will be elected as coordinator.',
    ),
    text(
      'The candidate no longer waits for the slowest. Two majorities share a voter, and a voter votes once, so a round has one coordinator.',
    ),
    run(
      'majority-once',
      'Three votes of five are enough',
      'roulette-majority nodes=5 seed=7 until=150ms',
      'The wheel is spun at the third vote. Here every heartbeat is answered: the leader holds a lease from a majority.',
    ),
    heading('What is wrong in the printed text'),
    text(
      'Inside one round the argument holds. But rounds have no numbers. A heartbeat ends the round for whoever hears it, and that member may vote again, while another has not heard of the first round’s end:',
    ),
    steps(
      'roulette-again',
      'As printed: a second round, a second leader',
      '3 wins with the vote of 2 and leads. 2 hears it, and its round is over. 1 has heard nothing, draws its numbers, gets the new vote of 2 and leads too.',
    ),
    text(
      'Rule 7 has the same fault: the coordinator may choose another leader if it hears no heartbeat soon, though the first was only slow.',
    ),
    heading('What we run'),
    text(
      'Numbered, durable terms and votes as in `roulette`, and the lease of Bully_FD with a majority. That makes it fit for safety `quorum`: `bellwether up --algorithm roulette-majority` runs it.',
    ),
    quote(
      '003',
      'If at one moment of time, the majority can not be satisfied, the system will block until some nodes are recovered.',
    ),
    run(
      'majority-partition',
      'A partition: the minority blocks',
      'roulette-majority nodes=5 seed=7 cut=1,2|3,4,5@200ms heal=@1400ms until=1700ms',
      'The leader is cut off with one other, loses its lease and leads no longer. The three elect one of them. On the small side draws come to nothing.',
    ),
  ],
}

const detectors: Lesson = {
  id: 'detectors',
  title: 'Failure detectors',
  source: '000 §2.2, 001 §3',
  idea: 'Who is dead? An opinion about silence, made by a module of its own.',
  parts: [
    heading('The idea'),
    quote(
      '000',
      'A failure detector is an independent module that detects and reports crashes of other nodes.',
    ),
    text(
      'An election asks it about a peer and gets one answer, up or down. 000 keeps a list of those that are down, so that a second question needs no waiting. A member that recovers announces itself, and is taken off the list. Every algorithm here runs over every detector; `perfect` exists in the simulator only, where the truth is known.',
    ),
    heading('Three ways of 000'),
    quote(
      '000',
      'the simplest implementation of failure detector is to send the “Are You Alive?” message to each node being monitored periodically.',
    ),
    run(
      'detector-ping',
      'Ping: ask, and wait',
      'bully-fd nodes=4 seed=1 detector=ping crash=4@60ms until=170ms',
      'Each follower asks its leader every period. After the crash a question stays open, and its time-out is the verdict.',
    ),
    quote(
      '000',
      'for each node i, when it starts monitoring node j, to tell node j to periodically send “I’m alive” message to node i. This uses fewer messages and reduces the latency of the FD.',
    ),
    run(
      'detector-heartbeat',
      'Heartbeat: be told',
      'bully-fd nodes=4 seed=1 detector=heartbeat crash=4@60ms until=170ms',
      'The leader beats; a beat that is overdue is the verdict, and no question is needed. Agreement came 63 ms after the crash, against 74 ms with ping.',
    ),
    run(
      'detector-token',
      'Token: an attendance list goes round',
      'bully-fd nodes=4 seed=1 detector=token crash=4@60ms until=200ms',
      'One message at a time, however many watch however many. A token that does not come is missed only after a whole round: 90 ms.',
    ),
    heading('And one of 2004'),
    text(
      'φ, of Hayashibara and others, is in none of the documents. It learns how beats usually come, and the suspicion grows with how unusual the silence is. Where beats are late now and then it waits longer, which costs time: 196 ms here.',
    ),
    run(
      'detector-phi',
      'Phi: suspicion that grows',
      'bully-fd nodes=4 seed=1 detector=phi crash=4@60ms until=300ms',
      'Nothing is asked and nothing is said while the suspicion grows to its threshold.',
    ),
    heading('False alarms'),
    text(
      'A detector sees silence, never death. A member that stands still is silent too, and no detector can tell the difference before it speaks again. So an algorithm for real networks must stay safe when its detector is wrong: see Bully_FD with a majority.',
    ),
    run(
      'detector-false',
      'A pause is taken for a crash',
      'bully-fd nodes=3 seed=1 detector=phi pause=3@150ms resume=3@400ms until=500ms',
      'The leader sleeps for 250 ms. The others’ suspicion grows until it is a verdict, which is false.',
    ),
    text(
      'One more false alarm is avoided by care: a member that was itself asleep finds its time-outs overdue, while the answers wait unread in its sockets. It must read them before it judges anybody.',
    ),
  ],
}

export const LESSONS: readonly Lesson[] = [
  bully,
  garciaMolina,
  bullyFd,
  bullyFdQuorum,
  changRoberts,
  ring,
  roulette,
  rouletteMajority,
  detectors,
]
