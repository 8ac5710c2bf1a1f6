/** Korean sentences with values, by the English ones. */
import type { Phrases } from '../../translate.ts'

export const SENTENCES: Phrases = {
  'Lab: {name}': '실험: {name}',
  '{name} · {count} {count:member/members} ▾': '{name} · 멤버 {count} ▾',
  'This run has {count} members. The page may take minutes, and shows the beginning only.':
    '이 실행에는 멤버가 {count}개 있습니다. 몇 분이 걸릴 수 있으며 처음 부분만 보입니다.',
  'This trace was made by another version. Line {line} reads “{read}”, but the run gives “{computed}”.':
    '이 트레이스는 다른 버전에서 만들어졌습니다. {line}행은 “{read}”인데 실행 결과는 “{computed}”입니다.',
  'There is no preset {name}.': '프리셋 {name}{name:은/는} 없습니다.',
  'There is no algorithm {name} to compare with.': '비교할 알고리즘 {name}{name:이/가} 없습니다.',
  'There is no challenge {name}.': '과제 {name}{name:은/는} 없습니다.',
  'The link was made by bellwether {version}; this page is {own}, and may run it differently.':
    '이 링크는 bellwether {version}에서 만들어졌습니다. 이 페이지는 {own}이므로 다르게 실행될 수 있습니다.',
  'member {name} leads in term {term}': '멤버 {name}{name:이/가} 임기 {term}에 이끕니다',
  '1 of {every} messages is drawn': '메시지 {every}개 중 1개만 그립니다',
  '{name} is broken': '{name} 깨짐',
  'no agreed leader, {time}': '합의된 리더 없음, {time}',
  'Space-time diagram of {name} until {time}: {sent} messages sent.':
    '{name}의 시공간 도표, {time}까지: 보낸 메시지 {sent}개.',
  'step {step}': '{step}단계',
  '{time}, step {step} of {total}': '{time}, {total}단계 중 {step}단계',
  'of {total}': '/ {total}',
  'detector: {name}': '검출기: {name}',
  'follows {name}': '{name}{name:을/를} 따름',
  'Member {name}': '멤버 {name}',
  'Member {name}, the leader': '멤버 {name}(리더)',
  '{name} resigns in favour of {peer}': '{name}{name:이/가} {peer}{peer:을/를} 후임으로 사임',
  'member {name} crashes': '멤버 {name}{name:이/가} 크래시합니다',
  'member {name} recovers': '멤버 {name}{name:이/가} 복구합니다',
  'member {name} pauses': '멤버 {name}{name:이/가} 일시 정지합니다',
  'member {name} resumes': '멤버 {name}{name:이/가} 재개합니다',
  'member {name} is slow': '멤버 {name}{name:이/가} 느려집니다',
  'member {name} runs at full speed': '멤버 {name}{name:이/가} 정상 속도로 돌아옵니다',
  'member {name} is isolated': '멤버 {name}{name:이/가} 격리됩니다',
  'member {name} resigns': '멤버 {name}{name:이/가} 사임합니다',
  'member {name} resigns in favour of {peer}':
    '멤버 {name}{name:이/가} {peer}{peer:을/를} 후임으로 사임합니다',
  'Cut {from} → {to}': '{from} → {to} 절단',
  'Drop next {from} → {to}': '{from} → {to} 다음 메시지 폐기',
  'Link {from} – {to}': '링크 {from} – {to}',
  'the link between {from} and {to} is cut': '{from}{from:과/와} {to} 사이의 링크가 절단됩니다',
  'the link from {from} to {to} is cut': '{from}에서 {to}{to:으로/로} 가는 링크가 절단됩니다',
  'the link from {from} to {to} is healed': '{from}에서 {to}{to:으로/로} 가는 링크가 복원됩니다',
  'the next message from {from} to {to} will be lost':
    '{from}에서 {to}{to:으로/로} 가는 다음 메시지가 손실됩니다',
  '{target}: no longer in flight': '{target}: 더 이상 전송 중이 아님',
  '{target} is lost': '{target} 손실',
  '{target} is delayed': '{target} 지연',
  '{target} will arrive twice': '{target} 두 번 도착',
  'Remove {name}': '{name} 제거',
  'Links of member {name}. Each direction can be cut on its own.':
    '멤버 {name}의 링크입니다. 방향마다 따로 절단할 수 있습니다.',
  'Cut the link from {from} to {to}': '{from}에서 {to}{to:으로/로} 가는 링크 절단',
  'Heal the link from {from} to {to}': '{from}에서 {to}{to:으로/로} 가는 링크 복원',
  '{count} in flight, in order of arrival.': '전송 중 {count}개, 도착 순서.',
  '{count} {count:follows/follow} no leader': '{count}개는 따르는 리더가 없습니다',
  '{count} {count:message/messages} in flight': '전송 중인 메시지 {count}개',
  '{count} members in rows. The tab Table lists them.':
    '멤버 {count}개가 줄지어 있습니다. 표 탭에 목록이 있습니다.',
  '{count} {count:member is/members are} up and {count:follows/follow} no leader':
    '멤버 {count}개가 살아 있고 따르는 리더가 없습니다',
  '{count} {count:member is/members are} up and {count:follows/follow} member {leader}':
    '멤버 {count}개가 살아 있고 멤버 {leader}{leader:을/를} 따릅니다',
  '{count} {count:member is/members are} up and follow {leaders} different leaders':
    '멤버 {count}개가 살아 있고 서로 다른 리더 {leaders}명을 따릅니다',
  'show step': '단계 보기',
  'undecided, {detail}': '판정 불가, {detail}',
  'State of member {name}': '멤버 {name}의 상태',
  'States of {name}': '{name}의 상태',
  'Statechart. {detail}': '상태도. {detail}',
  'election {count} of incarnation {incarnation}': '가동 회차 {incarnation}의 선거 {count}',
  'term {term} of {name}': '{name}의 임기 {term}',
  '{name} does not support {faults} and runs without it.':
    '{name}{name:은/는} {faults}{faults:을/를} 지원하지 않으므로 그것 없이 실행합니다.',
  'left: {list}': '남음: {list}',
  'Next: {name}': '다음: {name}',
  'Hint {place} of {total}': '힌트 {place}/{total}',
  '{done} of {total} solved': '{total}개 중 {done}개 해결',
  'With {flag} the command prints it.': '{flag}{flag:을/를} 붙이면 명령이 이 해시를 출력합니다.',
  '{states} states, depth {depth}, frontier {frontier}, {mib} MiB, {seconds} s':
    '상태 {states}개, 깊이 {depth}, 경계 {frontier}, {mib} MiB, {seconds}초',
  '{states} states, {transitions} transitions, depth {depth}, {seconds} s':
    '상태 {states}개, 전이 {transitions}개, 깊이 {depth}, {seconds}초',
  ', {rate} states/s': ', 초당 상태 {rate}개',
  '{count} times': '{count}번',
  '{name} is broken after {steps} steps': '{name}: {steps}단계 뒤에 깨집니다',
  '; then {steps} steps repeat for ever': '. 그 뒤 {steps}단계가 끝없이 되풀이됩니다',
  'Step {step}': '{step}단계',
  'a shortest way has {steps} steps': '최단 경로는 {steps}단계',
  '{count} states, which are all.': '상태 {count}개, 이것이 전부입니다.',
  '{count} states found.': '상태 {count}개를 찾았습니다.',
  '{count} states found, {broken} of them break a promise. The walk is at state {here}.':
    '찾은 상태 {count}개 중 {broken}개가 약속을 깹니다. 지금은 상태 {here}입니다.',
  'state {state}, {steps} steps from the start': '상태 {state}, 시작에서 {steps}단계',
  '{sentence}, and crashes before it sends': '{sentence}, 그리고 보내기 전에 크래시',
  'Member {name} crashes': '멤버 {name}{name:이/가} 크래시',
  'Member {name} recovers': '멤버 {name}{name:이/가} 복구',
  'Member {name} recovers and has lost its stored state':
    '멤버 {name}{name:이/가} 저장된 상태를 잃고 복구',
  'Member {name} learns for certain that member {peer} has ended':
    '멤버 {name}{name:이/가} 멤버 {peer}의 종료를 확실히 알게 됨',
  'Links are cut: {list}': '링크 절단: {list}',
  'Member {name} resigns in favour of member {peer}':
    '멤버 {name}{name:이/가} 멤버 {peer}{peer:을/를} 후임으로 사임',
  'Member {name}, which leads, is asked to change the configuration: {change}':
    '이끄는 멤버 {name}에게 구성 변경 요청: {change}',
  'Member {name} starts': '멤버 {name}{name:이/가} 시작',
  'Member {name} has followed its leader for a long time':
    '멤버 {name}{name:은/는} 오래전부터 리더를 따르고 있음',
  'Member {name} receives “{event}” from member {peer}':
    '멤버 {name}{name:이/가} 멤버 {peer}에게서 “{event}”{event:을/를} 받음',
  'The message “{event}” from member {peer} to member {name} will arrive twice':
    '멤버 {peer}{peer:이/가} 멤버 {name}에게 보낸 메시지 “{event}”{event:이/가} 두 번 도착함',
  'The message “{event}” from member {peer} to member {name} is lost':
    '멤버 {peer}{peer:이/가} 멤버 {name}에게 보낸 메시지 “{event}”{event:이/가} 손실됨',
  'Member {name} has waited long enough: its timer “{event}” expires':
    '멤버 {name}{name:이/가} 충분히 기다려 타이머 “{event}”{event:이/가} 만료됨',
  'The failure detector of member {name} reports that member {peer} is up':
    '멤버 {name}의 장애 검출기가 멤버 {peer}{peer:이/가} 살아 있다고 보고함',
  'The failure detector of member {name} reports that member {peer} is down':
    '멤버 {name}의 장애 검출기가 멤버 {peer}{peer:이/가} 다운되었다고 보고함',
  'Member {name} draws a number': '멤버 {name}{name:이/가} 숫자를 뽑음',
  'Member {name} resigns': '멤버 {name}{name:이/가} 사임',
  'Member {name} {caption}': '멤버 {name}: {caption}',
  'The link from {from} to {to} is cut': '{from}에서 {to}{to:으로/로} 가는 링크가 절단됨',
  'The link from {from} to {to} is healed': '{from}에서 {to}{to:으로/로} 가는 링크가 복원됨',
  'Member {name} {effects}': '멤버 {name}: {effects}',
  'It {effects}': '이 멤버: {effects}',
  '{first} and {last}': '{first}, {last}',
  'no longer leads': '더 이상 이끌지 않음',
  'no longer follows a leader': '더 이상 리더를 따르지 않음',
  'becomes the leader': '리더가 됨',
  'follows member {name}': '멤버 {name}{name:을/를} 따름',
  'sends “{type}” to {count} members': '멤버 {count}개에게 “{type}”{type:을/를} 보냄',
  'sends “{type}” to member {names}': '멤버 {names}에게 “{type}”{type:을/를} 보냄',
  'sends “{type}” to members {names} and {last}':
    '멤버 {names}, {last}에게 “{type}”{type:을/를} 보냄',
  '{right} of {asked} right.': '{asked}개 중 {right}개 정답.',
  'Source: {source}': '출처: {source}',
  '{leader} leads, term {term}.': '{leader}{leader:이/가} 이끎, 임기 {term}.',
  '{leader} leads, term {term}, after {time} without a leader.':
    '{time} 동안 리더가 없다가 {leader}{leader:이/가} 이끎, 임기 {term}.',
  '{count} members': '멤버 {count}',
  'read-only: faults need the token in the address that {command} printed':
    '읽기 전용: 장애를 주입하려면 {command}{command:이/가} 출력한 주소의 토큰이 필요합니다',
  'for {time}': '{time} 동안',
  '{agree} of {up} running': '실행 중인 {up}개 중 {agree}개',
  'To watch a group that already runs, read-only, by the addresses of its members’ {flag}:':
    '이미 실행 중인 그룹을 멤버의 {flag} 주소로 읽기 전용으로 보려면:',
  'was elected, term {term}': '당선됨, 임기 {term}',
  'lost its term: {reason}': '임기를 잃음: {reason}',
  'follows {leader}, term {term}': '{leader}{leader:을/를} 따름, 임기 {term}',
  'exited: {reason}': '종료됨: {reason}',
  'failed: {reason}': '실패: {reason}',
  'reports {peer} as up': '{peer}{peer:이/가} 살아 있다고 보고',
  'reports {peer} as down': '{peer}{peer:이/가} 다운되었다고 보고',
  '{leader} was paused': '{leader}{leader:이/가} 일시 정지됨',
  '{leader} exited ({detail})': '{leader}{leader:이/가} 종료됨 ({detail})',
  '{leader} lost its term': '{leader}{leader:이/가} 임기를 잃음',
  '{leader} leads, term {term}': '{leader}{leader:이/가} 이끎, 임기 {term}',
  'at {time}': '{time}',
  '{time} ago': '{time} 전',
  '{time} ago. The whole page shows that moment.':
    '{time} 전입니다. 페이지 전체가 그 시점을 보여 줍니다.',
  'Cut the link between {from} and {to}': '{from}{from:과/와} {to} 사이의 링크 절단',
  'The next message from {from} to {to} is lost':
    '{from}에서 {to}{to:으로/로} 가는 다음 메시지가 손실됨',
  'The message from {from} to {to} is lost': '{from}에서 {to}{to:으로/로} 가는 메시지가 손실됨',
  'The message from {from} to {to} is {ms} ms late':
    '{from}에서 {to}{to:으로/로} 가는 메시지가 {ms} ms 늦음',
  'The message from {from} to {to} will arrive twice':
    '{from}에서 {to}{to:으로/로} 가는 메시지가 두 번 도착함',
  'leads, term {term}': '리더가 됨, 임기 {term}',
  'resigns for {name}': '사임, 후임 {name}',
  'cut {link}': '절단 {link}',
  'heal {link}': '복원 {link}',
  '{name} is up': '{name} 살아 있음',
  '{name} is down': '{name} 다운',
  'draws {number}': '숫자 {number}',
  '{timer} time-out': '{timer} 타임아웃',
  '“{part}” is not an address such as a=127.0.0.1:7401':
    '“{part}”{part:은/는} a=127.0.0.1:7401과 같은 주소가 아닙니다',
}
