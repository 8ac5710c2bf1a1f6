/** Maps the English titles and hints of the presets to Korean. */
import type { Phrases } from '../../translate.ts'

export const PRESETS: Phrases = {
  'The leader crashes and recovers': '리더가 크래시하고 복구한다',
  'Bully_FD: the strongest member halts the others, collects their acks and leads. It crashes, and the next strongest takes over. It recovers and takes the leadership back.':
    'Bully_FD: 가장 강한 멤버가 나머지를 멈추고 ack를 모아 리더가 됩니다. 그 멤버가 크래시하면 다음으로 강한 멤버가 이어받습니다. 복구하면 리더 자리를 되찾습니다.',
  'Bully: the weakest member starts the election': 'Bully: 가장 약한 멤버가 선거를 시작한다',
  'Only member 1 notices that the leader is down. It asks all its superiors, and each of them asks its own superiors: the number of messages is quadratic.':
    '리더가 다운된 것을 멤버 1만 알아챕니다. 멤버 1은 상위 멤버 모두에게 묻고, 그 멤버들도 각자의 상위 멤버에게 묻습니다. 그래서 메시지 수가 제곱으로 늘어납니다.',
  'Chang–Roberts: the most expensive ring': 'Chang–Roberts: 비용이 가장 큰 링',
  'All members start at once, on a ring on which strength decreases: every candidacy travels as far as possible.':
    '강한 순서대로 늘어선 링에서 모든 멤버가 동시에 시작합니다. 입후보마다 갈 수 있는 가장 먼 곳까지 갑니다.',
  'Ring: the list skips members that are down': '링: 목록이 다운된 멤버를 건너뛴다',
  'The message collects the list of running members on its way round the ring. It skips members that are down.':
    '메시지가 링을 돌며 실행 중인 멤버의 목록을 모읍니다. 다운된 멤버는 건너뜁니다.',
  'Roulette: a random choice': '룰렛: 무작위 선택',
  'No member is stronger than another. Members draw numbers, and a roulette wheel chooses the leader.':
    '누구도 다른 멤버보다 강하지 않습니다. 멤버들이 숫자를 뽑고 룰렛이 리더를 고릅니다.',
  'One leader resigns, the next one crashes': '한 리더가 사임하고 다음 리더가 크래시한다',
  'Member 5 resigns in favour of member 3, which leads at once. When 3 crashes, the others must wait for their detectors and for the lease of 3 to expire.':
    '멤버 5가 멤버 3을 후임으로 사임하고, 3은 바로 리더가 됩니다. 3이 크래시하면 나머지는 검출기의 보고와 3의 임차 만료를 기다려야 합니다.',
  'A group grows, and one of its members leaves': '그룹에 멤버가 들어오고 한 멤버가 떠난다',
  'Members 1 to 3 vote. Member 4 joins as an observer, which follows the leader and does not vote; when it has caught up, it becomes a voter. Then the leader removes itself. Member 5 stays outside: select it and press a.':
    '멤버 1, 2, 3이 투표합니다. 멤버 4는 관찰자로 들어와 리더를 따르되 투표하지 않으며, 따라잡으면 투표자가 됩니다. 그다음 리더가 스스로를 제거합니다. 멤버 5는 그룹 밖에 있습니다. 선택하고 a를 누르세요.',
  'Bully and Bully_FD with the same faults': '같은 장애를 겪는 Bully와 Bully_FD',
  'The same crash under both algorithms: the failure detector saves messages and costs waiting time.':
    '두 알고리즘에 같은 크래시를 일으킵니다. 장애 검출기는 메시지를 아끼는 대신 기다리는 시간이 듭니다.',
  'A partition: each side elects a leader': '분단: 양쪽이 각각 리더를 선출한다',
  'The two sides of a partition cannot communicate. Bully promises agreement only among members that can, so each side has a leader.':
    '분단된 양쪽은 서로 통신할 수 없습니다. Bully는 통신할 수 있는 멤버 사이의 합의만 약속하므로 양쪽에 리더가 하나씩 생깁니다.',
  'The same partition with a majority': '같은 분단, 과반수가 있을 때',
  'A leader needs durable votes from a majority. The minority elects no leader, and no term has two leaders.':
    '리더에게는 과반수의 영속적인 표가 필요합니다. 소수 쪽은 리더를 선출하지 못하고, 어느 임기에도 리더가 둘이 되지 않습니다.',
  'A pause looks like a crash': '일시 정지는 크래시처럼 보인다',
  'The leader executes nothing for a while, as during a garbage collection. The heartbeat detector reports it as down, which is a mistake. Bully_FD relies on its detector, so it breaks its promise.':
    '가비지 컬렉션 때처럼 리더가 한동안 아무것도 실행하지 않습니다. 하트비트 검출기는 리더가 다운되었다고 잘못 보고합니다. Bully_FD는 검출기에 의존하므로 약속을 깹니다.',
  'Three leaders crash in a row': '세 리더가 잇따라 크래시한다',
  'Each new leader crashes soon after its election.':
    '새 리더마다 당선된 지 얼마 안 되어 크래시합니다.',
  'One message in five is lost': '메시지 다섯 개 중 하나가 손실된다',
  'Timeouts and repeated messages still complete the election.':
    '타임아웃과 반복된 메시지 덕분에 선거는 그래도 끝납니다.',
  'The candidate crashes during its election': '선거 중에 후보가 크래시한다',
  'The members that sent it an ack wait for a leader until their detectors report the crash.':
    '후보에게 ack를 보낸 멤버들은 검출기가 크래시를 보고할 때까지 리더를 기다립니다.',
  '25 members, the leader crashes': '멤버 25개, 리더의 크래시',
  'Hundreds of messages at once: the quadratic cost of Bully.':
    '한꺼번에 수백 개의 메시지: Bully의 제곱 비용입니다.',
  '100 members on a ring': '링 위의 멤버 100개',
  'All members start at once, on a ring on which each successor is stronger. Every candidacy but that of the strongest ends at the next member: 3n − 1 = 299 messages.':
    '다음 멤버일수록 강한 링에서 모든 멤버가 동시에 시작합니다. 가장 강한 멤버의 입후보 말고는 모두 바로 다음 멤버에서 끝납니다. 메시지는 3n − 1 = 299개입니다.',
  'Bully as printed by Park 2008: the last claim wins':
    'Park 2008의 원문 그대로인 Bully: 마지막 주장이 이긴다',
  'Bully as printed by Gupta: a late claim wins': 'Gupta의 원문 그대로인 Bully: 늦은 주장이 이긴다',
  'Bully as printed by Hirata: a late claim wins':
    'Hirata의 원문 그대로인 Bully: 늦은 주장이 이긴다',
  'Bully_FD as printed: members follow two leaders':
    '원문 그대로인 Bully_FD: 멤버들이 두 리더를 따른다',
  'Chang–Roberts as printed: a crash loses the message':
    '원문 그대로인 Chang–Roberts: 크래시로 메시지가 사라진다',
  'Ring as printed: a crash loses the list': '원문 그대로인 링: 크래시로 목록이 사라진다',
  'Roulette as printed: the members never agree':
    '원문 그대로인 룰렛: 멤버들이 끝내 합의하지 못한다',
}
