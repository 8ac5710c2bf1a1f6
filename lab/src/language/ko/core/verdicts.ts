/** Korean titles of algorithms, and sentences of the checker and the monitors, by the English ones. */
import type { Phrases } from '../../translate.ts'

export const VERDICTS: Phrases = {
  'Bully_FD with majorities, durable votes and a lease': '과반수, 영속 투표, 임차를 쓰는 Bully_FD',
  'Bully_FD with three stages, corrected': '세 단계로 된 Bully_FD, 수정판',
  'the textbook Bully with two time-outs, corrected': '시간 초과가 둘인 교과서의 Bully, 수정판',
  'Chang and Roberts on a one-way ring, with numbered rounds':
    '단방향 링의 Chang과 Roberts, 번호가 있는 라운드',
  "Garcia-Molina's Bully of 1982: sequential calls with time-outs":
    'Garcia-Molina의 1982년 Bully: 시간 초과가 있는 순차 호출',
  "Garcia-Molina's Invitation: groups that merge, one leader in each part of the network":
    'Garcia-Molina의 Invitation: 합쳐지는 그룹, 네트워크의 부분마다 리더 하나',
  'Ω: trust in the strongest member that the failure detector does not suspect':
    'Ω: 장애 검출기가 의심하지 않는 가장 강한 멤버를 신뢰',
  'the election of Raft: one vote a term, random time-outs':
    'Raft의 선거: 임기마다 한 표, 무작위 시간 초과',
  'the list-carrying Ring that skips dead successors, corrected':
    '죽은 후속 멤버를 건너뛰는 목록 전달 Ring, 수정판',
  'the roulette wheel at a majority, with numbered terms and a lease':
    '과반수의 룰렛, 번호가 있는 임기와 임차',
  'the roulette wheel that waits for all answers or the time-out, with numbered terms':
    '모든 답변이나 시간 초과를 기다리는 룰렛, 번호가 있는 임기',
  'stable leader election (Ω) in rounds over an unreliable failure detector':
    '신뢰할 수 없는 장애 검출기 위에서 라운드로 진행하는 안정적 리더 선출(Ω)',
  'Hirschberg and Sinclair on a two-way ring: doubled distances':
    '양방향 링의 Hirschberg와 Sinclair: 두 배씩 늘어나는 거리',
  'Itai and Rodeh on an anonymous one-way ring: equal members draw lots':
    '익명 단방향 링의 Itai와 Rodeh: 같은 멤버끼리 제비뽑기',
  'LeLann on a one-way ring: every number visits every member':
    '단방향 링의 LeLann: 모든 번호가 모든 멤버를 방문',
  'Peterson on a one-way ring: half of the candidates drop out in each phase':
    '단방향 링의 Peterson: 단계마다 후보의 절반이 탈락',
  'the Bully as printed in 000, 002 and 004 (specimen)':
    '000, 002, 004에 인쇄된 그대로의 Bully(표본)',
  'Bully_FD as printed in 000 and 001 (specimen)': '000, 001에 인쇄된 그대로의 Bully_FD(표본)',
  'Chang and Roberts as printed in 004 (specimen)': '004에 인쇄된 그대로의 Chang과 Roberts(표본)',
  'the Ring as printed in 004 (specimen)': '004에 인쇄된 그대로의 Ring(표본)',
  'the roulette wheel as printed in 003 (specimen)': '003에 인쇄된 그대로의 룰렛(표본)',
  agreement: '합의',
  'agreement in groups': '그룹 안의 합의',
  'agreement in the end': '결국에는 합의',
  'one leader at a time': '한 번에 리더 하나',
  'one leader per term': '임기마다 리더 하나',
  'one backed leader': '지지받는 리더 하나',
  'one at a time': '한 번에 하나',
  'one lease at a time': '한 번에 임차 하나',
  'kept leases': '지켜지는 임차',
  'kept votes': '지켜지는 투표',
  'newer terms': '더 새로운 임기',
  'terms rise': '임기는 커지기만 함',
  'highest leads': '가장 강한 멤버가 리더',
  'the strongest leads': '가장 강한 멤버가 리더',
  always: '항상:',
  eventually: '결국:',
  'any two up members that follow a leader follow the same one':
    '리더를 따르는 살아 있는 두 멤버는 언제나 같은 리더를 따른다',
  'any two up members that follow a leader in the same term follow the same one':
    '같은 임기에 리더를 따르는 살아 있는 두 멤버는 언제나 같은 리더를 따른다',
  'at most one up member leads': '살아 있는 멤버 가운데 리더는 많아야 하나다',
  'no two members ever lead in the same term, and no member leads in it twice':
    '두 멤버가 같은 임기의 리더가 되는 일은 없고, 한 멤버가 그 임기에 두 번 리더가 되지도 않는다',
  'at most one leader has a majority that voted for no larger term':
    '더 큰 임기에 투표하지 않은 과반수를 가진 리더는 많아야 하나다',
  'at most one up member is in {status}':
    '살아 있는 멤버 가운데 {status} 상태인 것은 많아야 하나다',
  'no two members hold an unexpired lease at once':
    '만료되지 않은 임차를 두 멤버가 동시에 갖는 일은 없다',
  'a majority is bonded to each holder of an unexpired lease for at least as long':
    '만료되지 않은 임차를 가진 멤버마다, 과반수가 적어도 그만큼 오래 구속된다',
  'too few members for a majority may still vote below a term that was led in':
    '리더가 있던 임기보다 아래로 아직 투표할 수 있는 멤버는 과반수에 못 미친다',
  "a new leader's term exceeds every term that was won before its candidacy":
    '새 리더의 임기는 입후보 전에 얻어진 모든 임기보다 크다',
  "a member's accepted term never falls": '멤버가 받아들인 임기는 작아지지 않는다',
  'when faults cease, the up members of each part of the network follow one of them, for ever':
    '장애가 그치면, 네트워크의 부분마다 살아 있는 멤버들은 그중 하나를 계속 따른다',
  'when faults cease, all up members of the newest configuration follow the strongest of them, for ever':
    '장애가 그치면, 가장 새로운 구성의 살아 있는 멤버는 모두 그중 가장 강한 것을 계속 따른다',
  'when faults cease, all up members of the newest configuration follow one of them, for ever':
    '장애가 그치면, 가장 새로운 구성의 살아 있는 멤버는 모두 그중 하나를 계속 따른다',
  'when faults cease, all up members follow the strongest of them, for ever':
    '장애가 그치면, 살아 있는 멤버는 모두 그중 가장 강한 것을 계속 따른다',
  'when faults cease, all up members follow one of them, for ever':
    '장애가 그치면, 살아 있는 멤버는 모두 그중 하나를 계속 따른다',
  'a member leads': '멤버 하나가 리더다',
  'two members elect at once': '두 멤버가 동시에 선거를 한다',
  'all agree after the last crash and recovery': '마지막 크래시와 복구 뒤에 모두 합의한다',
  'a leader changes the configuration': '리더가 구성을 변경한다',
  'a leader resigns': '리더가 사임한다',
  'a member is in {status}': '멤버 하나가 {status} 상태다',
  '{type} is handled': '{type} 메시지가 처리된다',
  'Broken: {property}.': '깨짐: {property}.',
  'Ok:': '문제없음:',
  'Not ok:': '문제 있음:',
  'Incomplete:': '불완전:',
  'The budget of states was spent before the check was complete.':
    '검사가 끝나기 전에 상태 예산을 다 썼습니다.',
  'The memory was spent before the check was complete. Try a smaller budget of faults, or allow more with --memory.':
    '검사가 끝나기 전에 메모리를 다 썼습니다. 장애 예산을 줄이거나, 명령에서 --memory로 더 허용하세요.',
  'Interrupted; this is what is known so far.': '중단됨. 지금까지 알려진 내용입니다.',
  '{count} steps beyond the capacity of a link were not followed.':
    '링크의 용량을 넘는 {count}단계는 따라가지 않았습니다.',
  '{count} steps beyond {bound} were not followed.':
    '{bound}{bound:을/를} 넘는 {count}단계는 따라가지 않았습니다.',
  'Ids were not renamed, because {reason}.': '식별자의 이름을 바꾸지 않았습니다. 이유: {reason}.',
  '{property}: after quiet, {beliefs}': '{property}: 조용해진 뒤, {beliefs}',
  'agreement: {sentence}': '합의: {sentence}',
  'terms rise: {sentence}': '임기는 커지기만 함: {sentence}',
  'highest leads: {sentence}': '가장 강한 멤버가 리더: {sentence}',
  'one leader per term: {sentence}': '임기마다 리더 하나: {sentence}',
  'one lease at a time: {sentence}': '한 번에 임차 하나: {sentence}',
  'kept votes: {sentence}': '지켜지는 투표: {sentence}',
  'kept leases: {sentence}': '지켜지는 임차: {sentence}',
  "member {name}'s term fell from {before} to {after}":
    '멤버 {name}의 임기가 {before}에서 {after}{after:으로/로} 작아졌습니다',
  'after quiet all follow {leader}, yet {highest} is up':
    '조용해진 뒤 모두 {leader}{leader:을/를} 따르지만, {highest}{highest:이/가} 살아 있습니다',
  'after quiet, {beliefs}': '조용해진 뒤, {beliefs}',
  'member {name} is in the group of term {term}, in which {one} and {other} are followed':
    '멤버 {name}{name:은/는} 임기 {term}의 그룹에 있는데, 그 그룹에서는 {one}{one:과/와} {other}{other:을/를} 따르고 있습니다',
  'member {name} leads in term {term} for the second time':
    '멤버 {name}{name:이/가} 임기 {term}에 두 번째로 리더가 되었습니다',
  'members {one} and {other} both lead in term {term}':
    '멤버 {one}{one:과/와} {other}{other:이/가} 모두 임기 {term}의 리더입니다',
  'two leases at once: {list}': '동시에 임차 둘: {list}',
  '{count} members may still vote below term {term}, which was led in':
    '멤버 {count}개가 리더가 있던 임기 {term}보다 아래로 아직 투표할 수 있습니다',
  '{count} of {total} members support the lease of member {name} until {end} ms':
    '멤버 {total}개 중 {count}개가 {end} ms까지인 멤버 {name}의 임차를 지지합니다',
  'member {voter}, whose vote {candidate} has counted for term {term}, may still vote below it':
    '{candidate}{candidate:이/가} 임기 {term}에 센 표의 주인인 멤버 {voter}{voter:은/는} 그 아래로 아직 투표할 수 있습니다',
  'member {voter}, whose vote {candidate} has counted for term {term}, is not bonded until {end} ms':
    '{candidate}{candidate:이/가} 임기 {term}에 센 표의 주인인 멤버 {voter}{voter:은/는} {end} ms까지 구속되어 있지 않습니다',
  '{name} follows nobody, {rest}': '{name}{name:은/는} 아무도 따르지 않고, {rest}',
  '{name} follows {leader}, {rest}': '{name}{name:은/는} {leader}{leader:을/를} 따르고, {rest}',
  '{name} follows nobody': '{name}{name:은/는} 아무도 따르지 않습니다',
  '{name} follows {leader}': '{name}{name:은/는} {leader}{leader:을/를} 따릅니다',
  'broken: {sentence}': '깨짐: {sentence}',
  'the trace ends before the run does': '실행이 끝나기 전에 트레이스가 끝납니다',
  'the run is cut at {time}, while the election goes on':
    '선거가 진행되는 중에 실행이 {time}에서 끊깁니다',
  'the page shows the first {steps} steps': '페이지는 처음 {steps}단계만 보입니다',
  '{algorithm}, {count} members': '{algorithm}, 멤버 {count}개',
  'no faults': '장애 없음',
  '{count} crash': '크래시 {count}회',
  '{count} crashes': '크래시 {count}회',
  '{count} recovery': '복구 {count}회',
  '{count} recoveries': '복구 {count}회',
  '{count} mistake': '오판 {count}회',
  '{count} mistakes': '오판 {count}회',
  '{count} drop': '폐기 {count}회',
  '{count} drops': '폐기 {count}회',
  '{count} duplicate': '중복 {count}회',
  '{count} duplicates': '중복 {count}회',
  '{count} cut': '절단 {count}회',
  '{count} cuts': '절단 {count}회',
  '{count} resignation': '사임 {count}회',
  '{count} resignations': '사임 {count}회',
  '{count} tick': '틱 {count}회',
  '{count} ticks': '틱 {count}회',
  'voters {list}': '투표자 {list}',
  'observers {list}': '관찰자 {list}',
  'witnesses {list}': '증인 {list}',
  'changes to version {version}': '버전 {version}까지의 변경',
  clocks: '시계',
  amnesia: '기억 상실',
  'from settled': '합의한 상태에서',
  asynchronous: '비동기',
  'any order': '임의의 순서',
  'terms at most {count} apart': '임기 차이 최대 {count}',
}
