/** Korean titles, tasks and hints of the challenges, by the English ones. */
import type { Phrases } from '../../translate.ts'

export const CHALLENGES: Phrases = {
  'A successor': '후임',
  'Make a second member lead. You have one crash.':
    '두 번째 멤버가 리더가 되게 하세요. 크래시를 한 번 쓸 수 있습니다.',
  'The strongest member leads. Wait until it does.':
    '가장 강한 멤버가 리더가 됩니다. 그때까지 기다리세요.',
  'Crash member 5 after it has become the leader.': '멤버 5가 리더가 된 뒤에 크래시하세요.',
  'Two sides, two leaders': '두 편, 두 리더',
  'Make two members lead at the same moment. You have one cut.':
    '같은 순간에 두 멤버가 리더이게 하세요. 절단을 한 번 쓸 수 있습니다.',
  'Bully asks no majority. Who cannot hear the leader elects another one.':
    'Bully는 과반수를 묻지 않습니다. 리더의 소식을 듣지 못하는 쪽은 다른 리더를 선출합니다.',
  'Isolate member 5 while it leads, and wait until the detectors of the others report it.':
    '멤버 5가 리더일 때 격리하고, 나머지의 검출기가 보고할 때까지 기다리세요.',
  'A pause is not a crash': '일시 정지는 크래시가 아니다',
  'Break the agreement of Bully_FD while all members are up. You have one pause.':
    '모든 멤버가 살아 있는 동안 Bully_FD의 합의를 깨뜨리세요. 일시 정지를 한 번 쓸 수 있습니다.',
  'Bully_FD relies on its detector. When is a heartbeat detector wrong?':
    'Bully_FD는 검출기에 의존합니다. 하트비트 검출기는 언제 틀릴까요?',
  'Pause the leader. It still believes that it leads while the others elect a successor.':
    '리더를 일시 정지하세요. 나머지가 후임을 선출하는 동안에도 그 멤버는 자신이 리더라고 믿습니다.',
  'Choose the successor': '후임 고르기',
  'Let member 2 lead when the run ends. You have one resignation.':
    '실행이 끝날 때 멤버 2가 리더이게 하세요. 사임을 한 번 쓸 수 있습니다.',
  'A leader that resigns may name its successor.': '사임하는 리더는 후임을 지명할 수 있습니다.',
  'Select member 2 while 5 leads, and press g.': '5가 리더일 때 멤버 2를 선택하고 g를 누르세요.',
  'The ring loses its message': '링이 메시지를 잃는다',
  'Leave the printed Chang–Roberts without a leader for ever. You have one crash.':
    '원문 그대로인 Chang–Roberts가 영원히 리더를 갖지 못하게 하세요. 크래시를 한 번 쓸 수 있습니다.',
  'The candidacy of the strongest member is a single message. Where is it?':
    '가장 강한 멤버의 입후보는 메시지 하나입니다. 지금 어디에 있을까요?',
  'A crash loses the messages that are on their way to the member.':
    '크래시하면 그 멤버로 가던 메시지도 사라집니다.',
  'Crash the strongest member before it has announced itself.':
    '가장 강한 멤버가 당선을 알리기 전에 크래시하세요.',
  'Half is no majority': '절반은 과반수가 아니다',
  'Keep four members without a leader for ten seconds. You have one cut.':
    '네 멤버가 10초 동안 리더를 갖지 못하게 하세요. 절단을 한 번 쓸 수 있습니다.',
  'A candidate of Raft needs three of four votes.':
    'Raft의 후보에게는 네 표 중 세 표가 필요합니다.',
  'A cut between two groups is written, not clicked: the tab Faults takes “cut 1,2|3,4@20ms”.':
    '두 무리 사이의 절단은 클릭하지 않고 글로 씁니다. 장애 탭에 “cut 1,2|3,4@20ms”를 쓰세요.',
  'Cut two members from the other two before anyone leads.':
    '누군가 리더가 되기 전에 두 멤버를 다른 둘에게서 끊으세요.',
  'Five members without a leader': '리더 없는 다섯 멤버',
  'Keep five members of Bully_FD without a leader for ten seconds. You have one cut, of one link.':
    'Bully_FD의 다섯 멤버가 10초 동안 리더를 갖지 못하게 하세요. 링크 하나의 절단을 한 번 쓸 수 있습니다.',
  'The perfect detector sees a member as up as long as it is not cut off from all.':
    '완전한 검출기는 모든 멤버와 끊기지 않은 멤버를 살아 있다고 봅니다.',
  'The strongest member needs an answer of every other member before it leads.':
    '가장 강한 멤버는 리더가 되기 전에 다른 모든 멤버의 응답이 필요합니다.',
  'Cut the link between 5 and any other member before its Halt has arrived.':
    '5의 Halt가 도착하기 전에 5와 다른 한 멤버 사이의 링크를 끊으세요.',
  'The return': '귀환',
  'Make two members lead at the same moment without a cut. You have one crash and one recovery.':
    '절단 없이 같은 순간에 두 멤버가 리더이게 하세요. 크래시 한 번과 복구 한 번을 쓸 수 있습니다.',
  'Bully promises agreement in the end, not at every moment.':
    'Bully는 결국의 합의를 약속할 뿐, 매 순간의 합의를 약속하지 않습니다.',
  'The strongest member takes the leadership back when it recovers. The old leader learns of it later.':
    '가장 강한 멤버는 복구하면 리더 자리를 되찾습니다. 옛 리더는 이를 나중에 압니다.',
  'The last claim wins': '마지막 주장이 이긴다',
  'Let the printed Bully end with members that follow different leaders. You have one crash and one recovery.':
    '원문 그대로인 Bully가 서로 다른 리더를 따르는 채로 끝나게 하세요. 크래시 한 번과 복구 한 번을 쓸 수 있습니다.',
  'A member of the printed text believes the last claim that it receives.':
    '원문의 멤버는 마지막으로 받은 주장을 믿습니다.',
  'Let 4 recover while 3 is about to announce itself: the two claims cross on their way.':
    '3이 당선을 알리려는 순간 4를 복구하세요. 두 주장이 길에서 엇갈립니다.',
  'Recover member 4 about 23 ms after its crash.': '크래시한 지 약 23 ms 뒤에 멤버 4를 복구하세요.',
  'A long wait': '긴 기다림',
  'Keep the ring of Chang–Roberts without a leader for 150 ms while four members are up. You have one crash.':
    '네 멤버가 살아 있는데도 Chang–Roberts의 링이 150 ms 동안 리더를 갖지 못하게 하세요. 크래시를 한 번 쓸 수 있습니다.',
  'The corrected algorithm repairs a lost message after a time-out. How long is that?':
    '교정된 알고리즘은 잃은 메시지를 타임아웃 뒤에 보충합니다. 그 시간은 얼마일까요?',
  'Crash the strongest member while its candidacy goes round.':
    '가장 강한 멤버의 입후보가 도는 동안 그 멤버를 크래시하세요.',
  'An expensive election': '비싼 선거',
  'Make Garcia-Molina’s Bully send 60 election messages; without a fault it sends 32. You have one crash.':
    'Garcia-Molina의 Bully가 선거 메시지 60개를 보내게 하세요. 장애가 없으면 32개입니다. 크래시를 한 번 쓸 수 있습니다.',
  'An election that is interrupted is paid for twice.': '중단된 선거는 비용을 두 번 치릅니다.',
  'Let the strongest member halt all others, and crash before it is of use.':
    '가장 강한 멤버가 나머지를 모두 멈추게 한 다음, 쓸모가 있기 전에 크래시하세요.',
  'Deposed without a crash': '크래시 없이 물러나다',
  'Make a second member lead under majorities and leases, without a crash. You have one pause.':
    '과반수와 임차가 있을 때 크래시 없이 두 번째 멤버가 리더가 되게 하세요. 일시 정지를 한 번 쓸 수 있습니다.',
  'The followers must suspect the leader, and its lease must run out.':
    '팔로워들이 리더를 의심해야 하고, 리더의 임차가 끝나야 합니다.',
  'Pause member 5 while it leads, and do not resume it.':
    '멤버 5가 리더일 때 일시 정지하고 재개하지 마세요.',
  'Four terms': '네 임기',
  'Make a member of Raft reach term 4. You have two crashes.':
    'Raft의 한 멤버가 임기 4에 이르게 하세요. 크래시를 두 번 쓸 수 있습니다.',
  'Each election begins a term. Two crashes of leaders make three terms.':
    '선거마다 임기가 시작됩니다. 리더의 크래시 두 번이면 임기는 셋입니다.',
  'Crash the second leader, or a candidate, while the votes are on their way: this term is lost, too.':
    '두 번째 리더나 후보를 표가 오가는 중에 크래시하세요. 그 임기도 사라집니다.',
  'A wheel that nobody spins': '아무도 돌리지 않는 룰렛',
  'Leave the printed roulette without agreement for ever. You have one crash.':
    '원문 그대로인 룰렛이 영원히 합의하지 못하게 하세요. 크래시를 한 번 쓸 수 있습니다.',
  'A voter of the printed text waits for its coordinator without a time-out.':
    '원문의 투표자는 타임아웃 없이 코디네이터를 기다립니다.',
  'Who is the coordinator? Crash it after the others have voted for it.':
    '누가 코디네이터일까요? 나머지가 투표한 뒤에 크래시하세요.',
  'A ring without mercy': '자비 없는 링',
  'Leave Peterson’s ring without a leader. You have one lost message.':
    'Peterson의 링이 리더를 갖지 못하게 하세요. 메시지 손실을 한 번 쓸 수 있습니다.',
  'Peterson’s algorithm assumes a ring without faults, and repeats no message.':
    'Peterson의 알고리즘은 장애 없는 링을 가정하며 메시지를 되풀이하지 않습니다.',
  'Not every message matters: a late one is about a number that is still in the race.':
    '모든 메시지가 중요한 것은 아닙니다. 늦은 메시지는 아직 경쟁 중인 숫자에 관한 것입니다.',
  'Press m to select a message in flight, and d to drop it.':
    'm으로 전송 중인 메시지를 선택하고 d로 폐기하세요.',
  'The stable leader moves': '안정된 리더가 바뀐다',
  'Let member 3 lead a stable group in the end, without a crash. You have one cut and one heal.':
    '크래시 없이, 안정된 그룹에서 끝에 멤버 3이 리더이게 하세요. 절단 한 번과 복원 한 번을 쓸 수 있습니다.',
  'The rounds belong to the members in turn: after the round of 5 comes the round of 1.':
    '라운드는 멤버들의 차례입니다. 5의 라운드 다음은 1의 라운드입니다.',
  'A member that suspects the leader begins the next round. Isolate one for so long that it begins some.':
    '리더를 의심한 멤버는 다음 라운드를 시작합니다. 몇 라운드를 시작할 만큼 오래 한 멤버를 격리하세요.',
  'Isolate member 3 at about 560 ms, and heal all links about 70 ms later.':
    '약 560 ms에 멤버 3을 격리하고, 약 70 ms 뒤에 모든 링크를 복원하세요.',
  'Asleep for ever': '영원한 잠',
  'Make the members of the printed Bully_FD wait for ever, though the strongest is up. You have one crash.':
    '가장 강한 멤버가 살아 있는데도 원문 그대로인 Bully_FD의 멤버들이 영원히 기다리게 하세요. 크래시를 한 번 쓸 수 있습니다.',
  'The printed text ends an election when the last Ack arrives. What if it never does?':
    '원문은 마지막 Ack가 도착해야 선거를 끝냅니다. 끝내 도착하지 않는다면?',
  'Crash a weaker member after its Halt has left, and before its Ack arrives.':
    '더 약한 멤버를 Halt가 떠난 뒤, 그 Ack가 도착하기 전에 크래시하세요.',
  'Member 2 must crash about 24 ms after the start.':
    '멤버 2가 시작한 지 약 24 ms 뒤에 크래시해야 합니다.',
  'Two wheels': '두 룰렛',
  'Make two members of the printed roulette lead at the same moment. You have one delay.':
    '원문 그대로인 룰렛에서 같은 순간에 두 멤버가 리더이게 하세요. 지연을 한 번 쓸 수 있습니다.',
  'A choice that arrives late is still believed.': '늦게 도착한 선택도 믿습니다.',
  'Delay a message from 2 to 1 at the time of the choice, about 50 ms.':
    '선택할 무렵, 약 50 ms에 2가 1에게 보내는 메시지를 지연시키세요.',
  'A slow member': '느린 멤버',
  'Break the agreement of Bully_FD without a crash, a pause or a cut. You have one slow member.':
    '크래시, 일시 정지, 절단 없이 Bully_FD의 합의를 깨뜨리세요. 느린 멤버를 하나 쓸 수 있습니다.',
  'A member that needs 20 ms for each message handles heartbeats later than they come.':
    '메시지마다 20 ms가 걸리는 멤버는 하트비트를 오는 것보다 늦게 처리합니다.',
  'Slow any member down during the first election.': '첫 선거 동안 아무 멤버나 느리게 하세요.',
  'The run that the proof of 2004 overlooks': '2004년의 증명이 놓친 실행',
  'Make two members of the printed Bully_FD follow different leaders. You have one crash, one recovery and two delays.':
    '원문 그대로인 Bully_FD에서 두 멤버가 서로 다른 리더를 따르게 하세요. 크래시 한 번, 복구 한 번, 지연 두 번을 쓸 수 있습니다.',
  'The proof supposes that an election is over when its leader crashes. Here one begins before all members have noticed the crash.':
    '증명은 리더가 크래시할 때 선거가 이미 끝났다고 가정합니다. 여기서는 모든 멤버가 크래시를 알아채기 전에 선거 하나가 시작됩니다.',
  'Member 3 must come back while 2 collects its Acks, and after one of the others has noticed the crash.':
    '2가 Ack를 모으는 동안, 그리고 나머지 중 하나가 크래시를 알아챈 뒤에 멤버 3이 돌아와야 합니다.',
  'Then delay what 3 sends to 2, so that 2 announces itself after 1 has been halted by 3.':
    '그런 다음 3이 2에게 보내는 것을 지연시켜, 1이 3에게 멈춘 뒤에 2가 당선을 알리게 하세요.',
  'Crash 3 at about 67 ms and recover it 55 ms later.':
    '약 67 ms에 3을 크래시하고 55 ms 뒤에 복구하세요.',
}
